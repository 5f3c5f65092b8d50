// SPDX-License-Identifier: GPL-3.0-or-later
// The state of the shown run and its used budget, with buttons to pause, continue and end it. Adds the pause action to
// the window's.
#pragma once
#include <QWidget>
#include <map>
#include "llm/events.h"
#include "session/context.h"
#include "explore/run_clock.h"
#include "session/session.h"

class QProgressBar;
class QTimer;
class QToolButton;

namespace ww::widgets {

class Label;
class ElideLabel;
class RunFactsLoader;

class RunStrip : public QWidget {
  Q_OBJECT
 public:
  RunStrip(const Context& context, QWidget* parent);
  QString state() const;                                   // "Running: 3 of 24 candidates judged", as shown
  QStringList budget() const;                              // "12 of 24 candidates", …, the visible ones
  double minutes() const { return run_clock_.minutes(); }  // of the live run
  void refresh();

 private:
  void on_events(const std::vector<explore::Event>& batch, bool shown);
  void toggle_pause();
  void show_bar(QProgressBar* bar, double used, double limit, const QString& text, const QString& name);
  void show_state(bool paused);
  void show_time(const generator::Budget& budget);
  void show_spend(const generator::Budget& budget);
  bool live() const;  // the run that is shown is the one in progress
  Context context_;
  RunFactsLoader* facts_;
  explore::RunClock run_clock_;                     // of the live run
  std::optional<llm::Spend> spend_;                 // of the live run
  std::map<std::int64_t, llm::Awaiting> awaiting_;  // by exchange: waits that a service asked for
  std::optional<explore::RunEnded> ended_;
  QTimer* clock_;
  Label* icon_;
  ElideLabel* state_;
  QToolButton *pause_, *cancel_;
  QProgressBar *candidates_, *minutes_, *tokens_, *money_;
};

}  // namespace ww::widgets
