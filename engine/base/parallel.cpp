// SPDX-License-Identifier: Apache-2.0
#include "base/parallel.h"
#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <thread>
#include "base/thread_pool.h"

namespace ww {

int hardware_threads() {
  static const int all = std::max(1u, std::thread::hardware_concurrency());  // it reads files
  const char* limit = std::getenv("WARPWRIGHT_THREADS");
  const int wanted = limit ? std::atoi(limit) : all;
  return std::clamp(wanted, 1, all);
}

void parallel_for(std::size_t n, std::size_t grain, int threads,
                  const std::function<void(std::size_t, std::size_t, int)>& body, std::stop_token stop) {
  if (n == 0) return;
  grain = std::max<std::size_t>(1, grain);
  const std::size_t chunks = (n + grain - 1) / grain;
  if (threads <= 0) threads = hardware_threads();
  threads = static_cast<int>(std::min<std::size_t>(threads, chunks));
  std::atomic<std::size_t> next{0};
  ThreadPool::shared().run(threads - 1, [&](int worker) {
    for (;;) {
      const std::size_t c = next.fetch_add(1, std::memory_order_relaxed);
      if (c >= chunks || stop.stop_requested()) return;
      body(c * grain, std::min(n, (c + 1) * grain), worker);
    }
  });
}

}  // namespace ww
