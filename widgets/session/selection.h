// SPDX-License-Identifier: GPL-3.0-or-later
// The selection that all panels share: whoever changes it calls a setter, and all others follow the signals. Ids are of
// the shown run's candidates; 0 is none. GUI thread. A setter that changes nothing signals nothing, so that a panel may
// set what it has just received.
#pragma once
#include <QList>
#include <QObject>
#include <cstdint>

namespace ww::widgets {

class Selection : public QObject {
  Q_OBJECT
 public:
  static constexpr int most_compared = 8;
  using QObject::QObject;
  std::int64_t current() const { return current_; }
  std::int64_t baseline() const { return baseline_; }  // that everything is compared with; 0: each candidate's parent
  const QList<std::int64_t>& compared() const {
    return compared_;
  }  // overlaid in the profiler's panels, besides the current one; at most most_compared - 1
  int line() const { return line_; }  // of the current candidate's text, under caret or pointer; 0: none

  void set_current(std::int64_t candidate);  // ends the line, and takes the candidate out of the compared ones
  void set_baseline(std::int64_t candidate);
  bool compare(std::int64_t candidate, bool on);      // false: the limit of distinguishable candidates is reached
  void set_compared(QList<std::int64_t> candidates);  // what is too much is left out
  void set_line(int line);
  void choose_line(int line);  // a click rather than a hover: the code shows it
  void clear();                // another run

 signals:
  void current_changed(std::int64_t candidate);
  void baseline_changed(std::int64_t candidate);
  void compared_changed(const QList<std::int64_t>& candidates);
  void line_changed(int line);
  void line_chosen(int line);

 private:
  std::int64_t current_ = 0, baseline_ = 0;
  QList<std::int64_t> compared_;
  int line_ = 0;
};

}  // namespace ww::widgets
