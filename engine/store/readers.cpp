// SPDX-License-Identifier: Apache-2.0
#include "store/readers.h"
#include "store/owner.h"
#include "store/schema.h"

namespace ww::store {
namespace {
constexpr std::size_t most_idle = 4;
}

Reader::~Reader() {
  if (!db_ || !db_->prepare("COMMIT").run()) return;
  const std::lock_guard lock(owner_->mutex_);
  if (owner_->idle_.size() < most_idle) owner_->idle_.push_back(std::move(db_));
}

Result<ReadOnly> open_to_read(const std::filesystem::path& file) {
  Result<std::unique_ptr<Database>> db = fail(Code::io, "");
  for (const Database::Access how : {Database::Access::read, Database::Access::immutable}) {
    std::error_code ec;
    if (how == Database::Access::immutable && std::filesystem::exists(file.string() + "-wal", ec)) break;
    db = Database::open(file, how);
    if (!db) continue;
    const Status current = check_current(**db, migrations(), file);
    if (current) return ReadOnly{std::move(*db), how};
    db = fail(current.error());
  }
  return fail(db.error());
}

Result<Reader> Readers::take() {
  std::unique_ptr<Database> db;
  {
    const std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      db = std::move(idle_.back());
      idle_.pop_back();
    }
  }
  if (!db) {
    db = WW_TRY(Database::open(file_, access_));
    if (foreign_) WW_TRY(show_as_imported(*db, file_));
  }
  WW_TRY(db->prepare("BEGIN").run());
  return Reader(*this, std::move(db));
}

}  // namespace ww::store
