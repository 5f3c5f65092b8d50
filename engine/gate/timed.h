// SPDX-License-Identifier: Apache-2.0
// Times trials together: every round has other inputs, and the outputs of the timed launches are verified before they
// are overwritten.
#pragma once
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>
#include "base/result.h"
#include "device/device.h"
#include "gate/runner.h"

namespace ww::gate {

struct TimedTrial {
  std::string name;
  Trial* trial = nullptr;                       // borrowed
  std::function<Status(void* stream)> enqueue;  // instead of the plan's launches: a baseline
  // Results.
  int verified = 0;                 // rounds with correct outputs
  std::optional<RunOutcome> wrong;  // the first one that is wrong
  InputSet wrong_set;               // and its inputs
};

struct TimedSet {
  InputSet what;
  Inputs inputs;  // without references, only guard zones and inputs are verified
};

// Uses `sets` in turn, round by round, starting with set `first`. Errors are those of Device::time.
Result<std::vector<profile::SubjectTiming>> time_trials(device::Device& device, std::span<TimedTrial> trials,
                                                        std::span<const TimedSet> sets, std::size_t first, bool verify,
                                                        device::TimeOptions options);

}  // namespace ww::gate
