// SPDX-License-Identifier: Apache-2.0
// The time budget; the clock stops while the run is paused. Use from one thread.
#pragma once
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>

namespace ww::explore {

class BudgetClock {
 public:
  using Time = std::chrono::steady_clock::time_point;
  BudgetClock(Time start, double minutes)  // minutes 0: no limit
      : end_(start + std::chrono::milliseconds(static_cast<std::int64_t>(std::min(minutes, 1e6) * 60000))),
        limited_(minutes > 0) {}
  void pause(Time now) {
    if (!since_) since_ = now;
  }
  void resume(Time now) {
    if (since_) end_ += now - *since_;
    since_.reset();
  }
  bool paused() const { return since_.has_value(); }
  std::optional<Time> end() const { return limited_ && !since_ ? std::optional(end_) : std::nullopt; }
  bool over(Time now) const { return limited_ && !since_ && now >= end_; }

 private:
  Time end_;
  std::optional<Time> since_;  // paused since then
  bool limited_;
};

}  // namespace ww::explore
