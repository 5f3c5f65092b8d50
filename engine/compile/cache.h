// SPDX-License-Identifier: Apache-2.0
// Results of compilations by content hash, one file each. Several processes may share a folder. A file that fails its
// own check, which covers its key, counts as absent and is removed. Beyond the bound the files used longest ago go
// first.
#pragma once
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string>
#include "compile/compile.h"

namespace ww::compile {

class Cache {
 public:
  explicit Cache(std::filesystem::path folder,
                 std::uint64_t max_bytes = std::uint64_t{512} << 20);  // an empty folder: nothing is kept
  std::optional<Output> load(const std::string& key);
  void store(const std::string& key,
             const Output& output);  // failures to write are logged, not reported: the cache is a convenience
  std::uint64_t bytes() const;       // on disk now

 private:
  std::filesystem::path path_of(const std::string& key) const;
  void shrink();
  const std::filesystem::path folder_;
  const std::uint64_t max_bytes_;
  std::mutex mutex_;
  std::uint64_t written_ = 0;  // since the last look at the folder
  bool looked_ = false;
};

}  // namespace ww::compile
