// SPDX-License-Identifier: GPL-3.0-or-later
// The time that a run has used, and an estimate of what it still needs. Fed by the run's events.
#pragma once
#include <QElapsedTimer>
#include <QString>
#include "explore/run.h"
#include "generator/run_options.h"

namespace ww::widgets {

QString left_text(double minutes);  // "about 2 min left"
// Of work that is done to `fraction` after `minutes`, if it goes on at that pace; empty: too little is done.
QString left_text(double fraction, double minutes);
QString elapsed_text(double minutes);  // "for 12 s"; empty: less than a second

class RunClock {
 public:
  void take(const explore::Event& event);
  double minutes() const;  // since the run began or was resumed, without pauses
  bool paused() const { return paused_; }
  // At the pace so far, "about 2 min left"; empty: too little is known.
  QString left(const generator::Budget& budget, int judged) const;

 private:
  QElapsedTimer since_;  // running, since the last change
  double before_ = 0;    // minutes before that
  int judged_ = 0;       // candidates, since the run began or was resumed
  bool paused_ = false;
};

}  // namespace ww::widgets
