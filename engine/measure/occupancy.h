// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <vector>
#include "base/result.h"
#include "store/workspace.h"

namespace ww::measure {

struct KernelOccupancy {  // *modelled*
  std::string kernel, architecture;
  int block = 0;            // threads
  std::int64_t shared = 0;  // bytes per block, static and dynamic
  double occupancy = 0;     // 0 to 1
  int active_warps = 0;     // resident on a multiprocessor
  std::string limiter;      // for people: "registers", or why no block fits
};

// Occupancy of each launch of the candidate's plan, for the default case of its judgement, else the spec's.
Result<std::vector<KernelOccupancy>> occupancy_of(const store::CandidateRecord& record, const std::string& spec_text,
                                                  const std::string& architecture);

}  // namespace ww::measure
