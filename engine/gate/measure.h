// SPDX-License-Identifier: Apache-2.0
// The gate's last stage on real hardware: times and counts one candidate's default case, and verifies its outputs
// again.
#pragma once
#include <optional>
#include <stop_token>
#include <string>
#include "base/result.h"
#include "gate/resident.h"
#include "gate/runner.h"
#include "gate/timed.h"
#include "evidence/verdict.h"

namespace ww::gate {

struct MeasureRequest {  // borrowed during the call
  const op::Spec& spec;
  const Case& what;
  const candidate::Plan& plan;
  const device::Module& module;
  device::Device& device;
  ResidentCache& resident;
  std::span<const TimedSet> sets;
  int rounds = 3, samples = 3;
  std::stop_token stop;
};
struct MeasureResult {
  Metrics metrics;
  std::optional<RunOutcome> wrong;  // a timed launch produced wrong outputs
  InputSet wrong_set;
};
Result<MeasureResult> measure(const MeasureRequest& request);

// Counters of a whole plan: those of its only launch, or sums over several launches of the additive ones (".sum").
std::vector<std::pair<std::string, double>> plan_counters(const profile::CounterReport& report);
// "1980", "1830 to 1980"; empty if unknown.
std::string range_text(const std::vector<double>& values);

}  // namespace ww::gate
