// SPDX-License-Identifier: Apache-2.0
// Wakes a thread that waits in poll(), which also polls fd() for POLLIN.
#pragma once
#include <algorithm>
#include <chrono>
#include <sys/eventfd.h>
#include <unistd.h>

namespace ww {

class Wake {
 public:
  Wake() : fd_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}
  ~Wake() {
    if (fd_ >= 0) ::close(fd_);
  }
  Wake(const Wake&) = delete;
  Wake& operator=(const Wake&) = delete;
  int fd() const { return fd_; }                          // -1 if the system had no descriptors left
  void signal() const { (void)::eventfd_write(fd_, 1); }  // from any thread or a signal handler
  void clear() const {
    eventfd_t count = 0;
    (void)::eventfd_read(fd_, &count);
  }
  // The longest timeout for poll() in ms: short without a descriptor, so that the caller re-checks.
  int timeout(std::chrono::milliseconds wait) const {
    constexpr std::chrono::milliseconds::rep without = 20, longest = 60'000;
    return static_cast<int>(std::clamp<std::chrono::milliseconds::rep>(wait.count(), 0, fd_ < 0 ? without : longest));
  }

 private:
  const int fd_;
};

}  // namespace ww
