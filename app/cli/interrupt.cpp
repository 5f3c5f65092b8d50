// SPDX-License-Identifier: Apache-2.0
#include "interrupt.h"
#include <atomic>
#include <csignal>
#include <cstdio>
#include <poll.h>
#include <unistd.h>
#include "base/wake.h"
#include "command.h"
#include "console.h"

namespace ww::cli {
namespace {

const Wake interrupted;  // a signal handler may do little more than signal it
std::atomic<int> interrupts{0};

extern "C" void on_interrupt(int) {
  if (interrupts.fetch_add(1) > 0) ::_exit(Exit::stopped);
  interrupted.signal();
}

}  // namespace

Interrupt::Interrupt(const char* message) {
  if (interrupted.fd() < 0) return;  // Ctrl-C keeps its default: it ends the program
  interrupts = 0;
  interrupted.clear();
  reader_ = std::jthread([this, message](std::stop_token ended) {
    pollfd fd = {interrupted.fd(), POLLIN, 0};
    while (::poll(&fd, 1, -1) < 1) {}  // a signal may end it early
    if (ended.stop_requested()) return;
    put(Stream::error, message);
    source_.request_stop();
  });
  std::signal(SIGINT, on_interrupt);
}

Interrupt::~Interrupt() {
  if (!reader_.joinable()) return;
  std::signal(SIGINT, SIG_DFL);
  reader_.request_stop();
  interrupted.signal();
}

}  // namespace ww::cli
