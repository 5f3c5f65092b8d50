// SPDX-License-Identifier: Apache-2.0
#include "simt/turns.h"
#include "base/draw.h"

namespace ww::simt {
namespace {

constexpr int most_turns = 500;  // at some microseconds each

}  // namespace

Turns::Turns(int threads, std::uint32_t seed)
    : threads_(static_cast<std::size_t>(threads)), left_(most_turns), state_(seed) {
  give();
}

void Turns::give() {
  const std::size_t n = threads_.size();
  state_ = splitmix(state_);
  for (std::size_t k = 0; k < n; ++k) {
    const std::size_t i = (state_ + k) % n;
    if (!threads_[i].running) continue;
    turn_ = static_cast<int>(i);
    threads_[i].called.notify_one();
    return;
  }
}

void Turns::begin(int thread) {
  std::unique_lock lock(mutex_);
  threads_[static_cast<std::size_t>(thread)].called.wait(lock, [&] { return turn_ == thread; });
}

void Turns::pass(int thread, Why why) {
  std::unique_lock lock(mutex_);
  if (why == Why::atomic && left_ == 0) return;
  if (why == Why::atomic) --left_;
  give();
  threads_[static_cast<std::size_t>(thread)].called.wait(lock, [&] { return turn_ == thread; });
}

void Turns::end(int thread) {
  const std::scoped_lock lock(mutex_);
  threads_[static_cast<std::size_t>(thread)].running = false;
  if (turn_ == thread) give();
}

}  // namespace ww::simt
