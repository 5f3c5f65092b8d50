// SPDX-License-Identifier: Apache-2.0
// What a wrong result follows: the order of lanes, warps, blocks or atomic operations, or the number of the call.
#pragma once
#include <functional>
#include <string>
#include "base/result.h"
#include "candidate/candidate.h"
#include "gate/runner.h"

namespace ww::gate {

// Work (gate/cases.h) of a case that is run again in other orders.
inline constexpr double most_work_repeated = 4e6;

struct WrongRun {  // its references must outlive the calls below
  RunOptions options;
  bool later_call = false;  // of its module
  const candidate::Plan& plan;
  const std::string& ptx;
};

// A run of the same inputs in a freshly loaded module.
using FreshRun = std::function<Result<RunOutcome>(const RunOptions&)>;

// On a device that runs in the order that it is asked for. Errors: cancelled.
Result<DependsOn> depends_on(const FreshRun& run, const WrongRun& wrong);

// On any device: `calls` where a first call is always right, `chance` where runs differ. Errors: cancelled.
Result<DependsOn> repeated_unchanged(const FreshRun& run, const WrongRun& wrong, int repeats);

}  // namespace ww::gate
