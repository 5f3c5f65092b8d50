// SPDX-License-Identifier: Apache-2.0
// Host threads that run one at a time, in an order that a seed determines: a launch's blocks meet at their atomic
// operations as they do on hardware, yet every run with the seed is the same.
#pragma once
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <vector>

namespace ww::simt {

class Turns {
 public:
  enum class Why : std::uint8_t { atomic, waits };
  Turns(int threads, std::uint32_t seed);
  void begin(int thread);  // returns when it is the thread's turn
  // Gives the turn to a thread that is drawn, perhaps this one; returns when it is this one's again. After many turns,
  // only threads that wait for others do so.
  void pass(int thread, Why why = Why::atomic);
  void end(int thread);

 private:
  struct Thread {
    bool running = true;
    std::condition_variable called;
  };
  void give();  // under the mutex

  std::mutex mutex_;
  std::vector<Thread> threads_;
  int turn_ = 0, left_;  // left_: turns at atomic operations
  std::uint64_t state_;
};

}  // namespace ww::simt
