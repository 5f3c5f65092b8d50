// SPDX-License-Identifier: Apache-2.0
// The most memory that this process and a worker took while an object of MemoryPeak lives (proc(5), VmHWM; a worker is
// looked at each few milliseconds). Alarm: something to do after a while, unless it is over before.
#pragma once
#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <fstream>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

namespace ww::support {

class Alarm {
 public:
  Alarm(std::chrono::milliseconds after, std::function<void()> what)
      : thread_([this, after, what = std::move(what)](const std::stop_token& over) {
          std::unique_lock lock(mutex_);
          changed_.wait_for(lock, over, after, [] { return false; });
          if (!over.stop_requested()) what();
        }) {}

 private:
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::jthread thread_;
};

class MemoryPeak {
 public:
  explicit MemoryPeak(std::function<int()> worker) : worker_(std::move(worker)) {
    forget("self");
    for_each(worker_(), forget);
    thread_ = std::jthread([this](const std::stop_token& over) {
      std::unique_lock lock(mutex_);
      do {
        for_each(worker_(), [this](const std::string& p) { most_ = std::max(most_.load(), peak_of(p)); });
      } while (!changed_.wait_for(lock, over, std::chrono::milliseconds(3), [] { return false; }) &&
               !over.stop_requested());
    });
  }
  double own_mb() const { return peak_of("self"); }
  double worker_mb() const { return most_; }

 private:
  static void forget(const std::string& process) { std::ofstream("/proc/" + process + "/clear_refs") << "5"; }
  static double peak_of(const std::string& process) {
    std::ifstream status("/proc/" + process + "/status");
    for (std::string line; std::getline(status, line);)
      if (line.starts_with("VmHWM:")) return std::stod(line.substr(6)) / 1024;
    return 0;
  }
  // A worker runs below the process that was started.
  static void for_each(int pid, const std::function<void(const std::string&)>& what) {
    if (pid <= 0) return;
    const std::string name = std::to_string(pid);
    what(name);
    std::ifstream children("/proc/" + name + "/task/" + name + "/children");
    for (int child = 0; children >> child;) for_each(child, what);
  }

  std::function<int()> worker_;
  std::atomic<double> most_{0};
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::jthread thread_;
};

}  // namespace ww::support
