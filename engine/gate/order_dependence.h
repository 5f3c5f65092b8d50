// SPDX-License-Identifier: Apache-2.0
// What a wrong result depends on: the order of lanes, warps, blocks or atomic operations, or the number of calls.
#pragma once
#include <functional>
#include <string>
#include "base/result.h"
#include "candidate/candidate.h"
#include "gate/runner.h"

namespace ww::gate {

// Limit on the work (gate/cases.h) of a case to repeat in other orders.
inline constexpr double most_work_repeated = 4e6;

struct WrongRun {  // the referenced objects must outlive the calls below
  RunOptions options;
  bool later_call = false;  // not the first call in its module
  const candidate::Plan& plan;
  const std::string& ptx;
};

// Runs the same inputs in a freshly loaded module.
using FreshRun = std::function<Result<RunOutcome>(const RunOptions&)>;

// For a device that runs in a requested order. Errors: cancelled.
Result<DependsOn> depends_on(const FreshRun& run, const WrongRun& wrong);

// For any device: `calls` if a first call is always right, `chance` if runs differ. Errors: cancelled.
Result<DependsOn> repeated_unchanged(const FreshRun& run, const WrongRun& wrong, int repeats);

}  // namespace ww::gate
