// SPDX-License-Identifier: Apache-2.0
// Time budget; the clock stops while the run is paused. One thread asks.
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
  bool over(Time now) const { return limited_ && !since_ && now >= end_; }

 private:
  Time end_;
  std::optional<Time> since_;  // paused since then
  bool limited_;
};

}  // namespace ww::explore
