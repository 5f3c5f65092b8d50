// SPDX-License-Identifier: Apache-2.0
// Launches without a plan.
#pragma once
#include "candidate/candidate.h"

namespace testing {

using ww::candidate::PlannedArg;
using ww::candidate::PlannedLaunch;

inline PlannedArg tensor(const std::string& name) { return {.kind = PlannedArg::Kind::tensor, .tensor = name}; }
inline PlannedArg whole(std::int64_t v) { return {.integer = v, .real = static_cast<double>(v)}; }
inline PlannedArg real(double v) { return {.kind = PlannedArg::Kind::real, .real = v}; }
inline PlannedLaunch launch_of(const char* kernel, std::uint32_t grid, std::uint32_t block,
                               std::vector<PlannedArg> args) {
  PlannedLaunch l;
  l.kernel = kernel;
  l.grid[0] = grid;
  l.block[0] = block;
  l.args = std::move(args);
  return l;
}

}  // namespace testing
