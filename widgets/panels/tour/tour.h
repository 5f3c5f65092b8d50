// SPDX-License-Identifier: GPL-3.0-or-later
// Leads through the bundled session: unpacks it into its own folder in the background, opens it, and shows the subject
// of each step.
#pragma once
#include <QObject>
#include "session/context.h"
#include "session/latest_job.h"
#include "panels/tour/tour_steps.h"

namespace ww::widgets {

class Tour : public QObject {
  Q_OBJECT
 public:
  Tour(const Context& context, QObject* parent = nullptr);
  static QString folder();                                      // containing all unpacked sessions
  static bool owns(const QString& workspace);                   // it is one of them
  void set_files(const QString& steps, const QString& bundle);  // other than the program's own
  void start(int step = 0);                                     // unpacks and opens the session if necessary
  void go(int step);
  void leave();                           // back to the previous workspace
  bool on() const { return step_ >= 0; }  // a step is shown
  bool opening() const { return opening_; }
  int step() const { return step_; }
  int count() const { return static_cast<int>(tour_.steps.size()); }
  const TourStep* current() const { return on() ? &tour_.steps[static_cast<std::size_t>(step_)] : nullptr; }
  QString text() const;                         // of the step, with values from the session
  QString missing() const { return missing_; }  // the step's subject if it is missing, in a sentence
  QString problem() const { return problem_; }

 signals:
  void changed();
  void showed_panel();  // which takes the focus
  void begins();        // before its workspace takes the place of the person's own
  void left();          // finished or skipped

 private:
  void opened();
  void arrive();
  void show_panel();
  void return_to_own();
  std::int64_t find(const QString& hash) const;
  Context context_;
  QString steps_file_, bundle_file_, session_folder_, before_, missing_, problem_;
  TourSteps tour_;
  int step_ = -1, wanted_ = 0;
  std::int64_t pointed_ = 0;  // the candidate whose text is awaited
  bool opening_ = false, return_wanted_ = false;
  LatestJob job_;
};

}  // namespace ww::widgets
