// SPDX-License-Identifier: Apache-2.0
#include "base/thread_pool.h"
#include <system_error>

namespace ww {

ThreadPool& ThreadPool::shared() {
  static ThreadPool pool;
  return pool;
}

void ThreadPool::run(int helpers, const std::function<void(int)>& work) {
  if (helpers <= 0) return work(0);
  Job job{work, helpers};
  {
    const std::lock_guard lock(mutex_);
    try {
      while (static_cast<int>(threads_.size()) < helpers)
        threads_.emplace_back([this](const std::stop_token& stop) { serve(stop); });
    } catch (const std::system_error&) {}  // no more threads available: the running ones share the work
    jobs_.push_back(&job);
  }
  arrived_.notify_all();
  work(0);
  std::unique_lock lock(mutex_);
  std::erase(jobs_, &job);
  job.ended.wait(lock, [&] { return job.running == 0; });
}

void ThreadPool::serve(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (arrived_.wait(lock, stop, [&] { return !jobs_.empty(); })) {
    Job& job = *jobs_.front();
    const int helper = ++job.begun;
    if (helper == job.helpers) jobs_.pop_front();
    ++job.running;
    lock.unlock();
    job.work(helper);
    lock.lock();
    if (--job.running == 0) job.ended.notify_one();
  }
}

}  // namespace ww
