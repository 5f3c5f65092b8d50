// SPDX-License-Identifier: GPL-3.0-or-later
// One background thread that processes all its work, in order. Queued work is still done when the queue is destroyed:
// decisions are never dropped.
#pragma once
#include <QObject>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace ww::widgets {

class WorkQueue : public QObject {
  Q_OBJECT
 public:
  using Deliver = std::function<void()>;  // runs on the GUI thread
  using Work = std::function<Deliver()>;  // runs on the background thread; must not throw
  explicit WorkQueue(QObject* parent = nullptr) : QObject(parent) {}
  ~WorkQueue() override;  // waits until all is done; delivers nothing more
  void submit(Work work);
  bool busy() const { return waiting_ > 0; }  // something has not been delivered yet

 private:
  void loop();
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Work> works_;
  bool stop_ = false;
  int waiting_ = 0;     // GUI thread
  std::thread thread_;  // started by the first work
};

}  // namespace ww::widgets
