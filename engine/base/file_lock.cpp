// SPDX-License-Identifier: Apache-2.0
#include "base/file_lock.h"
#include "base/files.h"
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <string>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace ww {
namespace {

struct flock whole(short type) {
  struct flock lock {};
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  return lock;
}

bool still_there(const std::filesystem::path& file, int fd) {
  struct stat a {
  }, b{};
  return ::fstat(fd, &a) == 0 && ::stat(file.c_str(), &b) == 0 && a.st_ino == b.st_ino && a.st_dev == b.st_dev;
}

}  // namespace

Result<FileLock> FileLock::locked(const std::filesystem::path& file, int command) {
  make_folders(file.parent_path());
  for (;;) {
    FileLock made(::open(file.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0644));
    if (made.fd_ < 0) return fail(Code::io, "cannot write '" + file.string() + "'", std::strerror(errno));
    struct flock lock = whole(F_WRLCK);
    int done = 0;
    while ((done = ::fcntl(made.fd_, command, &lock)) != 0 && errno == EINTR) {}
    if (done != 0) return fail(Code::unavailable, "'" + file.string() + "' is in use by another process");
    if (still_there(file, made.fd_)) return made;
  }
}

Result<FileLock> FileLock::take(const std::filesystem::path& file) { return locked(file, F_OFD_SETLK); }
Result<FileLock> FileLock::wait(const std::filesystem::path& file) { return locked(file, F_OFD_SETLKW); }

bool FileLock::held(const std::filesystem::path& file) {
  const int fd = ::open(file.c_str(), O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0) return false;
  struct flock lock = whole(F_WRLCK);  // unlike flock(2), it can be tested without acquiring it
  const bool held = ::fcntl(fd, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
  ::close(fd);
  return held;
}

FileLock& FileLock::operator=(FileLock&& other) noexcept {
  std::swap(fd_, other.fd_);
  return *this;
}

FileLock::~FileLock() {
  if (fd_ >= 0) ::close(fd_);
}

}  // namespace ww
