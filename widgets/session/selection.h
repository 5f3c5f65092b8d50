// SPDX-License-Identifier: GPL-3.0-or-later
// The selection shared by all panels: changes go through setters, and are announced by signals. Ids are those of the
// workspace's candidates, 0 is none; the current one belongs to the shown run. GUI thread. A setter without effect
// emits nothing, so that a panel may set what it has just received.
#pragma once
#include <QList>
#include <QObject>
#include <QString>
#include <array>
#include <cstdint>

namespace ww::widgets {

class Selection : public QObject {
  Q_OBJECT
 public:
  static constexpr int most_compared = 8;
  using QObject::QObject;
  std::int64_t current() const { return current_; }
  std::int64_t baseline() const { return baseline_; }  // the reference of all comparisons; 0: each candidate's parent
  // The comparison: up to most_compared candidates of the workspace, of any run, each with a letter that it keeps until
  // it is removed. All panels use that letter, and the style of its place (panels/profile/series_style.h).
  const QList<std::int64_t>& compared() const { return compared_; }  // by letter
  int place(std::int64_t candidate) const;                           // 0 is the letter A; -1: not compared
  static QString letter(int place) { return QString(QChar('A' + place)); }
  QList<std::int64_t> places() const { return QList<std::int64_t>(places_.begin(), places_.end()); }  // 0: unused
  int line() const { return line_; }  // of the current candidate's text, under caret or pointer; 0: none

  void set_current(std::int64_t candidate);  // resets the line
  void set_baseline(std::int64_t candidate);
  bool compare(std::int64_t candidate, bool on);  // takes the first unused letter; false: none left
  void set_places(const QList<std::int64_t>& places);
  void set_line(int line);
  void choose_line(int line);  // by a click instead of hovering: the code scrolls to it
  void leave_run();            // another run is shown: the comparison and its baseline are kept
  void clear();                // another workspace

 signals:
  void current_changed(std::int64_t candidate);
  void baseline_changed(std::int64_t candidate);
  void compared_changed(const QList<std::int64_t>& candidates);
  void line_changed(int line);
  void line_chosen(int line);

 private:
  void put(const std::array<std::int64_t, most_compared>& places);
  std::int64_t current_ = 0, baseline_ = 0;
  std::array<std::int64_t, most_compared> places_ = {};
  QList<std::int64_t> compared_;
  int line_ = 0;
};

}  // namespace ww::widgets
