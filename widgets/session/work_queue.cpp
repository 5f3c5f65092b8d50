// SPDX-License-Identifier: GPL-3.0-or-later
#include "session/work_queue.h"
#include <QMetaObject>
#include <utility>

namespace ww::widgets {

WorkQueue::~WorkQueue() {
  {
    std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void WorkQueue::submit(Work work) {
  ++waiting_;
  {
    std::lock_guard lock(mutex_);
    works_.push_back(std::move(work));
    if (!thread_.joinable()) thread_ = std::thread([this] { loop(); });
  }
  wake_.notify_one();
}

void WorkQueue::loop() {
  std::unique_lock lock(mutex_);
  for (;;) {
    wake_.wait(lock, [this] { return stop_ || !works_.empty(); });
    if (works_.empty()) return;
    const Work work = std::move(works_.front());
    works_.pop_front();
    lock.unlock();
    Deliver deliver = work();
    QMetaObject::invokeMethod(
        this,
        [this, deliver = std::move(deliver)] {
          --waiting_;
          if (deliver) deliver();
        },
        Qt::QueuedConnection);
    lock.lock();
  }
}

}  // namespace ww::widgets
