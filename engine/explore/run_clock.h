// SPDX-License-Identifier: Apache-2.0
// The time that a run has used, and an estimate of what it still needs. Fed by the run's events.
#pragma once
#include <chrono>
#include <optional>
#include "explore/run.h"
#include "generator/run_options.h"

namespace ww::explore {

class RunClock {
 public:
  using Clock = std::chrono::steady_clock;

  void take(const Event& event, Clock::time_point now = Clock::now());
  // Since the run began or was resumed, without pauses.
  double minutes(Clock::time_point now = Clock::now()) const;
  bool paused() const { return paused_; }
  // At the pace so far; empty: too little is known. `judged`: of the whole run.
  std::optional<double> minutes_left(const generator::Budget& budget, int judged,
                                     Clock::time_point now = Clock::now()) const;

 private:
  std::optional<Clock::time_point> since_;  // running, since the last change
  double before_ = 0;                       // minutes before that
  int judged_ = 0;                          // candidates, since the run began or was resumed
  bool paused_ = false;
};

}  // namespace ww::explore
