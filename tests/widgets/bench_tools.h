// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QCoreApplication>
#include <QElapsedTimer>
#include <QEvent>
#include <QObject>

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

class PaintWatch : public QObject {  // installed on a widget
 public:
  bool painted = false;
  bool eventFilter(QObject*, QEvent* event) override {
    painted |= event->type() == QEvent::Paint;
    return false;
  }
};

}  // namespace ww::test
