// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <functional>
#include <stop_token>

namespace ww {

int hardware_threads();  // at least 1; the environment variable WARPWRIGHT_THREADS lowers it

// Calls body(begin, end, worker) over [0, n) in chunks of at most `grain`, on up to `threads` threads (0: all), and
// returns when all calls are done. Chunks are handed out in order; worker is in [0, threads). Stops early when
// cancelled. The body must not throw.
void parallel_for(std::size_t n, std::size_t grain, int threads,
                  const std::function<void(std::size_t, std::size_t, int)>& body, std::stop_token stop = {});

}  // namespace ww
