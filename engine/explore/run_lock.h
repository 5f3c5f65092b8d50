// SPDX-License-Identifier: Apache-2.0
// One process at a time works on a run. The lock is the operating system's, so it ends with the process,
// however that dies.
#pragma once
#include <cstdint>
#include <filesystem>
#include "base/result.h"

namespace ww::explore {

class RunLock {
 public:
  static Result<RunLock> take(const std::filesystem::path& workspace,
                              std::int64_t run);                               // Code::unavailable while it is held
  static bool held(const std::filesystem::path& workspace, std::int64_t run);  // does not take it
  RunLock() = default;
  RunLock(RunLock&& other) noexcept : fd_(other.fd_) { other.fd_ = -1; }
  RunLock& operator=(RunLock&& other) noexcept;
  ~RunLock();

 private:
  explicit RunLock(int fd) : fd_(fd) {}
  int fd_ = -1;
};

}  // namespace ww::explore
