// SPDX-License-Identifier: Apache-2.0
// Connections that read a workspace's database while another writes it. In WAL mode, a reader sees what was committed
// when it began, and neither waits for the writer nor delays it. Thread-safe.
#pragma once
#include <memory>
#include <mutex>
#include <vector>
#include "base/result.h"
#include "store/sqlite.h"

namespace ww::store {

class Readers;

// One connection, one snapshot: everything read through it is from the same moment. For one thread; must not outlive
// its Readers.
class Reader {
 public:
  Reader(Reader&&) noexcept = default;
  Reader& operator=(Reader&&) = delete;
  ~Reader();
  Database* operator->() const { return db_.get(); }
  Database& operator*() const { return *db_; }

 private:
  friend class Readers;
  Reader(Readers& owner, std::unique_ptr<Database> db) : owner_(&owner), db_(std::move(db)) {}
  Readers* owner_;
  std::unique_ptr<Database> db_;  // null when moved from
};

struct ReadOnly {
  std::unique_ptr<Database> db;
  Database::Access access;  // read or immutable
};
// A workspace's file, also for users and disks without write access. Immutable only if there is no log, whose content
// would be missed. Code::unsupported and others if the schema is not this program's.
Result<ReadOnly> open_to_read(const std::filesystem::path& file);

class Readers {
 public:
  // `foreign`: everything is read as imported.
  Readers(std::filesystem::path file, Database::Access access, bool foreign)
      : file_(std::move(file)), access_(access), foreign_(foreign) {}
  Result<Reader> take();  // an idle connection, else a new one

 private:
  friend class Reader;
  const std::filesystem::path file_;
  const Database::Access access_;
  const bool foreign_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Database>> idle_;
};

}  // namespace ww::store
