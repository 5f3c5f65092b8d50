// SPDX-License-Identifier: GPL-3.0-or-later
// A QApplication that measures how long each event blocks the GUI thread. A nested event counts towards the outer one.
#pragma once
#include <QApplication>
#include <QElapsedTimer>
#include <QString>

namespace ww::widgets {

class WatchdogApplication : public QApplication {
  Q_OBJECT
 public:
  WatchdogApplication(int& argc, char** argv) : QApplication(argc, argv) {}
  bool notify(QObject* receiver, QEvent* event) override;
  void reset_watch();
  double longest_ms() const { return longest_ns_ / 1e6; }
  // Receiver and kind of that event, and the thread's own work in it: the rest of the time it waited, for a lock, the
  // disk or, on a busy machine, for a processor.
  QString longest_event() const { return what_; }
  int over_50_ms() const { return over_; }
  // The event with the most work of the thread itself, however long it took: the same on a busy machine.
  double most_work_ms() const { return most_work_ms_; }
  QString hardest_event() const { return hardest_; }

 private:
  int depth_ = 0, over_ = 0;
  qint64 longest_ns_ = 0;
  double most_work_ms_ = 0;
  QString what_, hardest_;
};

}  // namespace ww::widgets
