// SPDX-License-Identifier: Apache-2.0
#include "explore/run_clock.h"
#include <algorithm>
#include "base/time_left.h"

namespace ww::explore {

void RunClock::take(const Event& event, Clock::time_point now) {
  if (std::holds_alternative<RunStarted>(event)) {
    *this = {};
    since_ = now;
  } else if (const auto* judged = std::get_if<CandidateJudged>(&event)) {
    judged_ += judged->row.state != store::CandidateState::duplicate;
  } else if (const auto* change = std::get_if<RunPaused>(&event)) {
    if (change->paused) before_ = minutes(now);
    paused_ = change->paused;
    since_ = now;
  } else if (std::holds_alternative<RunEnded>(event)) {
    before_ = minutes(now);
    since_.reset();
    paused_ = false;
  }
}

double RunClock::minutes(Clock::time_point now) const {
  return before_ + (since_ && !paused_ ? Minutes(now - *since_).count() : 0);
}

std::optional<double> RunClock::minutes_left(const generator::Budget& budget, int judged, Clock::time_point now) const {
  if (paused_ || !since_) return {};
  std::optional<double> left = ww::minutes_left(judged_, budget.candidates - judged, minutes(now));
  if (left && budget.minutes > 0) left = std::clamp(budget.minutes - minutes(now), 0.0, *left);
  return left;
}

}  // namespace ww::explore
