// SPDX-License-Identifier: Apache-2.0
#include "explore/run_lock.h"
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <string>
#include <unistd.h>
#include <utility>

namespace ww::explore {
namespace {
std::filesystem::path path_of(const std::filesystem::path& workspace, std::int64_t run) {
  return workspace / "locks" / ("run-" + std::to_string(run));
}

// Of the open file description (fcntl(2), "Open file description locks"): unlike flock it can be asked about without
// being taken, and it ends with the process as that does.
struct flock whole(short type) {
  struct flock lock {};
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  return lock;
}
}  // namespace

Result<RunLock> RunLock::take(const std::filesystem::path& workspace, std::int64_t run) {
  const std::filesystem::path path = path_of(workspace, run);
  std::error_code ec;
  std::filesystem::create_directories(path.parent_path(), ec);
  const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0644);
  if (fd < 0)
    return fail(Code::io, "cannot write in the workspace folder '" + workspace.string() + "'", std::strerror(errno));
  struct flock lock = whole(F_WRLCK);
  if (::fcntl(fd, F_OFD_SETLK, &lock) != 0) {
    ::close(fd);
    return fail(Code::unavailable,
                "run " + std::to_string(run) + " is being worked on by another process; wait for it or stop it first");
  }
  return RunLock(fd);
}

bool RunLock::held(const std::filesystem::path& workspace, std::int64_t run) {
  const int fd = ::open(path_of(workspace, run).c_str(), O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0) return false;
  struct flock lock = whole(F_WRLCK);
  const bool held = ::fcntl(fd, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
  ::close(fd);
  return held;
}

RunLock& RunLock::operator=(RunLock&& other) noexcept {
  std::swap(fd_, other.fd_);
  return *this;
}

RunLock::~RunLock() {
  if (fd_ >= 0) ::close(fd_);
}

}  // namespace ww::explore
