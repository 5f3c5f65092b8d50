// SPDX-License-Identifier: Apache-2.0
#include "explore/run_lock.h"
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <string>
#include <sys/file.h>
#include <unistd.h>
#include <utility>

namespace ww::explore {
namespace {
std::filesystem::path path_of(const std::filesystem::path& workspace, std::int64_t run) {
  return workspace / "locks" / ("run-" + std::to_string(run));
}
}  // namespace

Result<RunLock> RunLock::take(const std::filesystem::path& workspace, std::int64_t run) {
  const std::filesystem::path path = path_of(workspace, run);
  std::error_code ec;
  std::filesystem::create_directories(path.parent_path(), ec);
  const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (fd < 0)
    return fail(Code::io, "cannot write in the workspace folder '" + workspace.string() + "'", std::strerror(errno));
  if (::flock(fd, LOCK_EX | LOCK_NB) != 0) {
    ::close(fd);
    return fail(Code::unavailable,
                "run " + std::to_string(run) + " is being worked on by another process; wait for it or stop it first");
  }
  return RunLock(fd);
}

bool RunLock::held(const std::filesystem::path& workspace, std::int64_t run) {
  const int fd = ::open(path_of(workspace, run).c_str(), O_RDWR | O_CLOEXEC);
  if (fd < 0) return false;
  const bool held = ::flock(fd, LOCK_EX | LOCK_NB) != 0;
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
