// SPDX-License-Identifier: Apache-2.0
// The smallest change of one quantity that lets more warps onto a multiprocessor. *modelled*.
#pragma once
#include <string>
#include <vector>
#include "profile/occupancy.h"

namespace ww::profile {

struct OccupancyStep {
  OccupancyLimit quantity = OccupancyLimit::unknown;  // registers, block_size or shared_memory
  std::int64_t from = 0, to = 0;                      // per thread; per block; bytes per block, static and dynamic
  Occupancy before, after;
};
// The smallest change of each quantity that helps on its own, the limiter's first; registers and shared memory are only
// reduced. Empty if the multiprocessor is full, or no single change helps.
std::vector<OccupancyStep> next_steps(const DeviceLimits& device, const KernelShape& kernel);
// "with 4 registers fewer (36), 1 more block fits: 63 % instead of 50 %"
std::string step_text(const OccupancyStep& step);

}  // namespace ww::profile
