// SPDX-License-Identifier: Apache-2.0
// A newly created file. Writing follows no link and cannot reach a file placed there by another program (O_EXCL,
// O_NOFOLLOW), and only regular files are replaced. Leftovers of killed programs are removed when the next file is
// created for the same path.
#pragma once
#include <filesystem>
#include <string_view>
#include <sys/types.h>
#include <utility>
#include "base/result.h"

namespace ww {

// suffixes of SQLite's files beside a database
inline constexpr const char* sqlite_tails[] = {"-journal", "-wal", "-shm"};

class FreshFile {
 public:
  // Creates a file in the folder of `path` (created if missing), named after `path` with a random suffix. Readable by
  // all by default, subject to the umask.
  static Result<FreshFile> beside(const std::filesystem::path& path, mode_t mode = 0644);
  FreshFile(FreshFile&& other) noexcept : path_(std::exchange(other.path_, {})), fd_(std::exchange(other.fd_, -1)) {}
  FreshFile(const FreshFile&) = delete;
  FreshFile& operator=(const FreshFile&) = delete;
  ~FreshFile();  // removes it and SQLite's files beside it, unless it was renamed

  const std::filesystem::path& path() const { return path_; }
  Status write(std::string_view bytes);                 // appends
  Status flush() const;                                 // to disk
  Status rename_to(const std::filesystem::path& path);  // flushes it; a link at `path` is replaced, not followed

 private:
  FreshFile(std::filesystem::path path, int fd) : path_(std::move(path)), fd_(fd) {}
  std::filesystem::path path_;
  int fd_ = -1;  // locked (flock) while in use, if the system permits
};

}  // namespace ww
