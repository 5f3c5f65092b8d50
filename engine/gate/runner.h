// SPDX-License-Identifier: Apache-2.0
// One input set through one candidate: fresh module and memory, poison, launches, and every check that follows (see gate.h).
#pragma once
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>
#include "base/cancel.h"
#include "base/result.h"
#include "candidate/candidate.h"
#include "device/device.h"
#include "gate/reference.h"
#include "gate/verdict.h"

namespace ww::gate {

using Outputs = std::map<std::string, std::vector<std::byte>>;

struct RunOptions {
  device::Checks checks = device::Checks::bounds;
  bool counters = false;
  int threads = 0;
  bool reverse = false;                   // blocks and warps from the last to the first, where the device can
  std::uint8_t poison = 0xFF;
  std::uint64_t budget = 0;               // warp instructions per launch
  CancelToken cancel;
};

struct RunOutcome {
  bool right = true;
  std::string message;                    // where it is not right: one plain sentence
  std::optional<FailingElement> element;
  std::optional<Fault> fault;
  std::string printed;
  std::map<std::string, std::int64_t> checked;  // per output: elements with a finite bound
  device::Counts counts;
  Outputs outputs;                        // bytes as the kernels left them; complete only when all launches ended
  double seconds = 0;                     // of the launches, on the host
};

// Errors: cancelled, and failures of the device that no candidate can be blamed for.
Result<RunOutcome> run_set(const op::Spec& spec, const candidate::Plan& plan, const device::Module& module, const Reference& reference,
                           const RunOptions& options);

// Outputs of two runs over the same inputs: the first tensor whose bytes differ, and how many elements of it.
struct Difference {
  std::string tensor;
  bool integer = false;
  std::vector<std::int64_t> index;        // of the first
  double first = 0, second = 0;
  std::int64_t count = 0, total = 0;
};
std::vector<Difference> differences(const Reference& reference, const Outputs& a, const Outputs& b);

Fault to_fault(const device::Fault& fault);

}  // namespace ww::gate
