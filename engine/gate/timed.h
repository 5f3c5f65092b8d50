// SPDX-License-Identifier: Apache-2.0
// Trials timed together: every round has other inputs, and what the timed launches left behind is verified before it is
// overwritten.
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
  std::function<Status(void* stream)> enqueue;  // in place of the plan's launches: a baseline
  // Results.
  int verified = 0;                 // rounds whose outputs are right
  std::optional<RunOutcome> wrong;  // the first that is not
  InputSet wrong_set;               // and its inputs
};

struct TimedSet {
  InputSet what;
  Inputs inputs;  // without references nothing but guard zones and inputs is verified
};

// `sets` in turn, round by round, from set `first` on. Errors are those of Device::time.
Result<std::vector<profile::SubjectTiming>> time_trials(device::Device& device, std::span<TimedTrial> trials,
                                                        std::span<const TimedSet> sets, std::size_t first, bool verify,
                                                        device::TimeOptions options);

}  // namespace ww::gate
