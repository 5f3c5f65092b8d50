// SPDX-License-Identifier: Apache-2.0
// Places to stop at, as people write them.
#pragma once
#include <string>
#include <string_view>
#include "base/result.h"
#include "sim/stepper.h"

namespace ww::sim {

// "line:12", "line" (another one), "step" (the next instruction), "ptx:40", "barrier", "end", "read:x[3]",
// "write:y[7]", "y[7]" (a write), "reads x[3]", "writes y[7]", "sum changes", "%f3 > 0.5"; before any of them
// "thread 5" or "warp 2". Code::invalid_argument: none of these.
Result<StopAt> read_stop(std::string_view text);

}  // namespace ww::sim
