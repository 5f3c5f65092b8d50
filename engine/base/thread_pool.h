// SPDX-License-Identifier: Apache-2.0
// The process's shared threads for CPU-bound work. They start when first needed (after a sandbox, which threads
// inherit, is in place) and end with the process.
#pragma once
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace ww {

class ThreadPool {
 public:
  static ThreadPool& shared();

  // Calls work(0) on this thread and work(1) … work(helpers) on pool threads, and returns when all started calls have
  // ended. A helper that no thread has picked up when work(0) returns is not called: the calls take items from shared
  // work, rather than each having its own part. May be called from within such a call. `work` must not throw.
  void run(int helpers, const std::function<void(int)>& work);

 private:
  struct Job {
    const std::function<void(int)>& work;
    const int helpers;
    int begun = 0, running = 0;  // number of helpers
    std::condition_variable ended;
  };
  void serve(const std::stop_token& stop);

  std::mutex mutex_;  // guards everything below
  std::condition_variable_any arrived_;
  std::deque<Job*> jobs_;  // with helpers left to start
  std::vector<std::jthread> threads_;
};

}  // namespace ww
