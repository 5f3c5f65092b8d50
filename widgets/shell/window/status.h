// SPDX-License-Identifier: GPL-3.0-or-later
// The permanent part of the status bar: device, worker and counters of the run, its progress, its spend on models,
// accepted candidates and structures, the workspace.
#pragma once
#include <QWidget>

class QProgressBar;

namespace ww::widgets {

class Label;
class SpendMeter;
struct WorkerFacts;

struct RunCounts {
  int judged = 0, budget = 0;        // candidates; budget 0: unknown
  int accepted = 0, smaller = 0;     // of those judged here; smaller: at smaller shapes only
  int structures = 0, imported = 0;  // distinct among the accepted; with a verdict from another machine
};

class StatusPart : public QWidget {
  Q_OBJECT
 public:
  explicit StatusPart(QWidget* parent = nullptr);
  void show_run(bool running, const RunCounts& counts);
  void show_none();
  void leave_out_run(bool out);  // the shown run is not in sight: only the workspace and what is going on are said
  void show_left(const QString& time);            // of the run in progress; empty: not known
  void show_facts(const WorkerFacts& facts);      // of the shown run; empty: none
  void show_origin(const QString& why_imported);  // empty: nothing to explain
  void show_workspace(const QString& folder);
  QString text() const;
  QSize minimumSizeHint() const override { return {0, QWidget::minimumSizeHint().height()}; }  // parts give way: fit()
  void fit();  // text that does not fit is left out and shown in the tooltip
  SpendMeter* meter() const { return meter_; }

 signals:
  void protections_wanted(const QString& list);  // the worker's, one per line

 protected:
  bool eventFilter(QObject* object, QEvent* event) override;

 private:
  bool run_left_out_ = false;
  QProgressBar* progress_;
  SpendMeter* meter_;
  Label *device_, *worker_, *counters_, *left_, *counts_, *workspace_;
};

}  // namespace ww::widgets
