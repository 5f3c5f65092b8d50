// SPDX-License-Identifier: Apache-2.0
// A file that did not exist before: what is written to it goes through no link and into nothing that another program
// has put there (O_EXCL, O_NOFOLLOW), and what is not a plain file is not replaced. Those that killed programs left
// behind are removed when the next one is made for the same path.
#pragma once
#include <filesystem>
#include <string_view>
#include <sys/types.h>
#include <utility>
#include "base/result.h"

namespace ww {

inline constexpr const char* sqlite_tails[] = {"-journal", "-wal", "-shm"};  // of what SQLite keeps beside a file

class FreshFile {
 public:
  // A new file in the folder of `path` (made if missing), under that name with a random ending. By default readable by
  // all, as far as the umask lets it.
  static Result<FreshFile> beside(const std::filesystem::path& path, mode_t mode = 0644);
  FreshFile(FreshFile&& other) noexcept : path_(std::exchange(other.path_, {})), fd_(std::exchange(other.fd_, -1)) {}
  FreshFile(const FreshFile&) = delete;
  FreshFile& operator=(const FreshFile&) = delete;
  ~FreshFile();  // removes it, unless it was renamed, and what SQLite made beside it

  const std::filesystem::path& path() const { return path_; }
  Status write(std::string_view bytes);                 // behind what was written before
  Status flush() const;                                 // to the disk
  Status rename_to(const std::filesystem::path& path);  // flushes it; a link at `path` is replaced, not followed

 private:
  FreshFile(std::filesystem::path path, int fd) : path_(std::move(path)), fd_(fd) {}
  std::filesystem::path path_;
  int fd_ = -1;  // locked (flock) while the file is in use, where the system lets it
};

}  // namespace ww
