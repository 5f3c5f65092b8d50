// SPDX-License-Identifier: Apache-2.0
// An inter-process lock on a file, created if missing. The operating system releases it when the process ends, however
// it ends (fcntl(2), "Open file description locks"). Two locks within one process also exclude each other. If the file
// is replaced while a caller waits, the new file is locked.
#pragma once
#include <filesystem>
#include "base/result.h"

namespace ww {

class FileLock {
 public:
  // Code::io if the file can be neither opened nor created.
  static Result<FileLock> take(const std::filesystem::path& file);  // Code::unavailable while it is held
  static Result<FileLock> wait(const std::filesystem::path& file);
  static bool held(const std::filesystem::path& file);  // without acquiring it
  FileLock() = default;
  FileLock(FileLock&& other) noexcept : fd_(other.fd_) { other.fd_ = -1; }
  FileLock& operator=(FileLock&& other) noexcept;
  ~FileLock();

 private:
  explicit FileLock(int fd) : fd_(fd) {}
  static Result<FileLock> locked(const std::filesystem::path& file, int command);
  int fd_ = -1;
};

}  // namespace ww
