// SPDX-License-Identifier: Apache-2.0
// Program counter samples per source line: every so many cycles each multiprocessor notes where one of its warps
// stands, and what it waits for.
#pragma once
#include <string>
#include <vector>
#include "cuda/counters_replay.h"
#include "cuda/internal.h"

namespace ww::cuda {

// Runs the plan again, with its own instance of the code, and fills `lines` of the kernels, ascending;
// samples of code that has no line (headers, inlined code of libraries) have line 0. Returns why there are none, as a
// plain sentence, or nothing. An error only where a kernel or the device failed.
Result<std::string> sample_lines(Context& context, CudaExecution& execution, Replay& replay,
                                 std::vector<profile::KernelCounters>& kernels, const std::stop_token& stop);

}  // namespace ww::cuda
