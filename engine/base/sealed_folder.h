// SPDX-License-Identifier: Apache-2.0
// Cached results in a folder, one file each. Each is sealed together with its name by a key created on first use,
// "seal.key" in the folder, so that only readers of the key can create or swap entries: an entry with a wrong seal
// counts as missing and is removed. Processes may share a folder. Beyond the size limit, the least recently used files
// are removed.
#pragma once
#include <cstdint>
#include <filesystem>
#include <mutex>
#include "base/result_cache.h"
#include "base/seal_key.h"

namespace ww {

class SealedFolder final : public ResultCache {
 public:
  // An empty folder name, or a key that can be neither read nor created, disables the cache.
  explicit SealedFolder(std::filesystem::path folder, std::uint64_t max_bytes = std::uint64_t{512} << 20);
  // Names: letters, digits, '-', '.' and '_', 3 to 128 characters; results under other names are not stored.
  std::optional<std::string> load(const std::string& name) override;
  void store(const std::string& name, const std::string& bytes) override;  // a failure to write is logged
  std::uint64_t bytes() const;                                             // of all entries, on disk now

 private:
  std::filesystem::path path_of(const std::string& name) const;  // empty: not a name
  void shrink();
  const std::filesystem::path folder_;
  const std::uint64_t max_bytes_;
  SealKey key_;
  std::mutex mutex_;
  std::uint64_t written_ = 0;  // since the folder was last scanned
  bool looked_ = false;
};

}  // namespace ww
