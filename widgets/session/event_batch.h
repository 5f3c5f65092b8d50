// SPDX-License-Identifier: GPL-3.0-or-later
// Passes a run's events to the GUI thread: queued from any thread, delivered in order, at most 30 times per second and
// at most `largest_batch` at a time. Only the last of several progress reports of one candidate in a batch is kept;
// consecutive parts of one reply are merged.
#pragma once
#include <QElapsedTimer>
#include <QObject>
#include <deque>
#include <mutex>
#include <vector>
#include "explore/run.h"

class QTimer;

namespace ww::widgets {

class EventBatch : public QObject {
  Q_OBJECT
 public:
  static constexpr int interval_ms = 33;
  static constexpr std::size_t largest_batch = 256;
  explicit EventBatch(QObject* parent = nullptr);
  void push(const explore::Event& event);  // any thread; returns at once
  void flush_all();                        // GUI thread: delivers what is queued now

 signals:
  void ready(const std::vector<ww::explore::Event>& events);

 private:
  void schedule();
  void flush();
  std::mutex mutex_;
  std::deque<explore::Event> queue_;
  bool scheduled_ = false;
  QElapsedTimer last_;
  QTimer* timer_;
};

}  // namespace ww::widgets
