// SPDX-License-Identifier: Apache-2.0
// Only one process at a time works on a run.
#pragma once
#include <cstdint>
#include <filesystem>
#include "base/file_lock.h"

namespace ww::explore {

class RunLock {
 public:
  static Result<RunLock> take(const std::filesystem::path& workspace,
                              std::int64_t run);                               // Code::unavailable while it is held
  static bool held(const std::filesystem::path& workspace, std::int64_t run);  // without acquiring it

 private:
  FileLock lock_;
};

}  // namespace ww::explore
