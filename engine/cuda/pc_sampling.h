// SPDX-License-Identifier: Apache-2.0
// Program counter samples per source line: at a fixed interval of cycles, each multiprocessor records the position of
// one of its warps and its stall reason.
#pragma once
#include <string>
#include <vector>
#include "cuda/counters_replay.h"
#include "cuda/internal.h"

namespace ww::cuda {

// Runs the plan again with a separate instance of the code, and fills `lines` of the kernels, ascending; samples of
// code without a line (headers, inlined library code) have line 0. Returns the reason if there are no samples, as a
// plain sentence, else empty. An error only if a kernel or the device failed.
Result<std::string> sample_lines(Context& context, CudaExecution& execution, Replay& replay,
                                 std::vector<profile::KernelCounters>& kernels, const std::stop_token& stop);

}  // namespace ww::cuda
