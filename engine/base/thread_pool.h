// SPDX-License-Identifier: Apache-2.0
// The threads that this process shares for work that keeps a core busy. They start when they are first needed (after a
// sandbox, which threads inherit, is in place) and end with the process.
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

  // Calls work(0) on this thread and work(1) … work(helpers) on threads of the pool, and returns when all calls that
  // began have ended. A helper that no thread has taken by the time work(0) returns is not called: the calls share
  // work, they do not divide it. May be called from within such a call. `work` must not throw.
  void run(int helpers, const std::function<void(int)>& work);

 private:
  struct Job {
    const std::function<void(int)>& work;
    const int helpers;
    int begun = 0, running = 0;  // of the helpers
    std::condition_variable ended;
  };
  void serve(const std::stop_token& stop);

  std::mutex mutex_;  // of everything below
  std::condition_variable_any arrived_;
  std::deque<Job*> jobs_;  // those with helpers to begin
  std::vector<std::jthread> threads_;
};

}  // namespace ww
