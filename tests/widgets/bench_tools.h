// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QCoreApplication>
#include <QElapsedTimer>
#include <QEvent>
#include <QObject>
#include <ctime>

namespace ww::test {

template <class F>
bool wait_until(F done, int limit_ms) {
  QElapsedTimer timer;
  timer.start();
  while (!done() && timer.elapsed() < limit_ms)
    QCoreApplication::processEvents(QEventLoop::AllEvents | QEventLoop::WaitForMoreEvents, 10);
  return done();
}
inline void wait_ms(int ms) {
  wait_until([] { return false; }, ms);
}

// The calling thread's own work since it began: what other programs take from a busy machine does not count.
inline double thread_ms() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

class PaintWatch : public QObject {  // installed on a widget
 public:
  bool painted = false;
  bool eventFilter(QObject*, QEvent* event) override {
    painted |= event->type() == QEvent::Paint;
    return false;
  }
};

}  // namespace ww::test
