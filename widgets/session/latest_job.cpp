// SPDX-License-Identifier: GPL-3.0-or-later
#include "session/latest_job.h"
#include <QMetaObject>
#include <utility>

namespace ww::widgets {

LatestJob::LatestJob(QObject* parent) : QObject(parent) {}

LatestJob::~LatestJob() {
  {
    std::lock_guard lock(mutex_);
    stop_ = true;
    next_ = nullptr;
  }
  wake_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void LatestJob::submit(Work work) {
  {
    std::lock_guard lock(mutex_);
    next_ = std::move(work);
    ++latest_;
    if (!thread_.joinable()) thread_ = std::thread([this] { loop(); });
  }
  wake_.notify_one();
}

void LatestJob::forget() {
  std::lock_guard lock(mutex_);
  next_ = nullptr;
  ++latest_;
}

bool LatestJob::busy() const {
  std::lock_guard lock(mutex_);
  return working_ || next_;
}

void LatestJob::loop() {
  std::unique_lock lock(mutex_);
  for (;;) {
    wake_.wait(lock, [this] { return stop_ || next_; });
    if (stop_) return;
    const Work work = std::exchange(next_, nullptr);
    const std::uint64_t mine = latest_;
    working_ = true;
    lock.unlock();
    Deliver deliver = work();
    lock.lock();
    working_ = false;
    if (stop_ || mine != latest_ || !deliver) continue;
    // `this` as context: nothing is called once it is gone. Overtaken while queued: dropped on arrival.
    QMetaObject::invokeMethod(
        this,
        [this, mine, deliver = std::move(deliver)] {
          {
            std::lock_guard inner(mutex_);
            if (mine != latest_) return;
          }
          deliver();
        },
        Qt::QueuedConnection);
  }
}

}  // namespace ww::widgets
