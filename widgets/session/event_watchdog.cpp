// SPDX-License-Identifier: GPL-3.0-or-later
#include "session/event_watchdog.h"
#include <QEvent>
#include <QThread>
#include <ctime>

namespace ww::widgets {

namespace {

double thread_ms() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

}  // namespace

bool WatchdogApplication::notify(QObject* receiver, QEvent* event) {
  if (QThread::currentThread() != thread()) return QApplication::notify(receiver, event);
  if (depth_ > 0) {
    ++depth_;
    const bool handled = QApplication::notify(receiver, event);
    --depth_;
    return handled;
  }
  const QString who = QString::fromLatin1(receiver->metaObject()->className()) + " " + receiver->objectName();
  const int type = event->type();
  QElapsedTimer timer;
  timer.start();
  const double worked = thread_ms();
  depth_ = 1;
  const bool handled = QApplication::notify(receiver, event);
  depth_ = 0;
  const qint64 ns = timer.nsecsElapsed();
  const double own = thread_ms() - worked;
  const auto named = [&] { return who.trimmed() + ", event type " + QString::number(type); };
  if (own > most_work_ms_) {
    most_work_ms_ = own;
    hardest_ = named();
  }
  if (ns > 50'000'000) ++over_;
  if (ns > longest_ns_) {
    longest_ns_ = ns;
    what_ = named() + ", " + QString::number(own, 'f', 1) + " ms of own work";
  }
  return handled;
}

void WatchdogApplication::reset_watch() {
  longest_ns_ = 0;
  over_ = 0;
  most_work_ms_ = 0;
  what_.clear();
  hardest_.clear();
}

}  // namespace ww::widgets
