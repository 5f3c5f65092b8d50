// SPDX-License-Identifier: Apache-2.0
// A lock between processes on a file, which is made where it is absent. It is the operating system's and ends with the
// process, however that dies (fcntl(2), "Open file description locks"). Two locks of one process exclude each other,
// too. A file that is replaced while one waits is locked anew.
#pragma once
#include <filesystem>
#include "base/result.h"

namespace ww {

class FileLock {
 public:
  // Code::io where the file can be neither opened nor made.
  static Result<FileLock> take(const std::filesystem::path& file);  // Code::unavailable while it is held
  static Result<FileLock> wait(const std::filesystem::path& file);
  static bool held(const std::filesystem::path& file);  // does not take it
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
