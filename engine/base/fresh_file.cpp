// SPDX-License-Identifier: Apache-2.0
#include "base/fresh_file.h"
#include "base/files.h"
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <random>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace ww {
namespace fs = std::filesystem;
namespace {

constexpr int attempts = 16;
constexpr std::size_t random_digits = 16;
constexpr std::string_view mark = ".tmp";

tl::unexpected<Error> cannot(const char* what, const fs::path& path) {
  const std::string why = std::strerror(errno);
  return fail(Code::io, std::string("cannot ") + what + " '" + path.string() + "'", why);
}

// A device, pipe or folder is not replaced, nor is a link to one, nor a workspace's database.
Status replaceable(const fs::path& path) {
  if (path.filename() == "workspace.sqlite")
    return fail(Code::invalid_argument, "'" + path.string() + "' is a workspace's database; name another file");
  struct stat facts {};
  if (::stat(path.c_str(), &facts) != 0 || S_ISREG(facts.st_mode)) return {};
  return fail(Code::io, "'" + path.string() + "' is not a regular file; choose another path");
}

void remove_with_tails(const fs::path& path) {
  for (const char* tail : sqlite_tails) ::unlink((path.string() + tail).c_str());
  ::unlink(path.c_str());
}

// Our files beside `path` whose lock is free: their programs have ended.
void remove_left_behind(const fs::path& path) {
  const std::string begin = path.filename().string() + std::string(mark);
  std::error_code ec;
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  for (fs::directory_iterator at(folder, ec), end; !ec && at != end; at.increment(ec)) {
    const std::string name = at->path().filename().string();
    if (name.size() != begin.size() + random_digits || !name.starts_with(begin) ||
        name.find_first_not_of("0123456789abcdef", begin.size()) != std::string::npos)
      continue;
    const int fd = ::open(at->path().c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    struct stat facts {};
    if (fd >= 0 && ::fstat(fd, &facts) == 0 && S_ISREG(facts.st_mode) && facts.st_uid == ::geteuid() &&
        ::flock(fd, LOCK_EX | LOCK_NB) == 0)
      remove_with_tails(at->path());
    if (fd >= 0) ::close(fd);
  }
}

// False if another program has mistaken the new file for a leftover. A worker's sandbox has no locks.
bool hold(int fd) {
  if (::flock(fd, LOCK_EX | LOCK_NB) != 0) return errno != EWOULDBLOCK;
  struct stat facts {};
  return ::fstat(fd, &facts) == 0 && facts.st_nlink > 0;
}

}  // namespace

Result<FreshFile> FreshFile::beside(const fs::path& path, mode_t mode) {
  WW_TRY(replaceable(path));
  if (path.has_parent_path()) make_folders(path.parent_path());
  remove_left_behind(path);
  std::random_device random;
  for (int attempt = 0; attempt < attempts; ++attempt) {
    char ending[32];
    std::snprintf(ending, sizeof ending, "%08x%08x", static_cast<unsigned>(random()), static_cast<unsigned>(random()));
    const fs::path name = path.string() + std::string(mark) + ending;
    const int fd = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
    if (fd >= 0 && hold(fd)) return FreshFile(name, fd);
    if (fd >= 0)
      ::close(fd);
    else if (errno != EEXIST)
      break;
  }
  return cannot("create", path);
}

FreshFile::~FreshFile() {
  if (!path_.empty()) remove_with_tails(path_);
  if (fd_ >= 0) ::close(fd_);
}

Status FreshFile::write(std::string_view bytes) {
  for (std::size_t done = 0; done < bytes.size();) {
    const ssize_t n = ::write(fd_, bytes.data() + done, bytes.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return cannot("write", path_);
    done += static_cast<std::size_t>(n);
  }
  return {};
}

Status FreshFile::flush() const { return ::fsync(fd_) == 0 ? Status() : cannot("flush", path_); }

Status FreshFile::rename_to(const fs::path& path) {
  WW_TRY(replaceable(path));
  WW_TRY(flush());
  if (::rename(path_.c_str(), path.c_str()) != 0) return cannot("write", path);
  path_.clear();
  return {};
}

}  // namespace ww
