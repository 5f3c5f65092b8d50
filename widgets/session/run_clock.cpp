// SPDX-License-Identifier: GPL-3.0-or-later
#include "session/run_clock.h"
#include <QCoreApplication>
#include <algorithm>
#include <cmath>

namespace ww::widgets {

namespace {
constexpr int least_judged = 3;  // before that there is no pace
constexpr double least_done = 0.1;
}  // namespace

QString left_text(double minutes) {
  return minutes < 1 ? QCoreApplication::translate("RunClock", "less than a minute left")
                     : QCoreApplication::translate("RunClock", "about %1 min left").arg(std::ceil(minutes));
}

QString left_text(double fraction, double minutes) {
  return fraction < least_done || fraction >= 1 ? QString() : left_text(minutes / fraction * (1 - fraction));
}

QString elapsed_text(double minutes) {
  const int seconds = static_cast<int>(minutes * 60);
  return seconds < 1    ? QString()
         : seconds < 60 ? QCoreApplication::translate("RunClock", "for %1 s").arg(seconds)
                        : QCoreApplication::translate("RunClock", "for %1 min").arg(seconds / 60);
}

void RunClock::take(const explore::Event& event) {
  if (std::holds_alternative<explore::RunStarted>(event)) {
    *this = {};
    since_.start();
  } else if (const auto* judged = std::get_if<explore::CandidateJudged>(&event)) {
    judged_ += judged->row.state != store::CandidateState::duplicate;
  } else if (const auto* paused = std::get_if<explore::RunPaused>(&event)) {
    if (paused->paused) before_ = minutes();
    paused_ = paused->paused;
    since_.start();
  } else if (std::holds_alternative<explore::RunEnded>(event)) {
    before_ = minutes();
    since_.invalidate();
    paused_ = false;
  }
}

double RunClock::minutes() const {
  return before_ + (since_.isValid() && !paused_ ? static_cast<double>(since_.elapsed()) / 60000 : 0);
}

QString RunClock::left(const generator::Budget& budget, int judged) const {
  if (paused_ || !since_.isValid() || budget.candidates <= judged || judged_ < least_judged) return {};
  double left = minutes() / judged_ * (budget.candidates - judged);
  if (budget.minutes > 0) left = std::min(left, std::max(0.0, budget.minutes - minutes()));
  return left_text(left);
}

}  // namespace ww::widgets
