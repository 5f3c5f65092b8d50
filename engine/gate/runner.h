// SPDX-License-Identifier: Apache-2.0
// One input set through one candidate: fresh module and memory, poison, launches, and every check that follows (see
// gate.h).
#pragma once
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>
#include "base/result.h"
#include "candidate/candidate.h"
#include "device/device.h"
#include "gate/reference.h"
#include "evidence/verdict.h"

namespace ww::gate {

using Outputs = std::map<std::string, std::vector<std::byte>>;

struct Inputs {  // an input set with its reference: on the host, or (where the device makes sets) in its own memory
  std::shared_ptr<const Reference> host;
  std::shared_ptr<const device::ResidentSet> resident;                      // exactly one of the two
  const std::vector<std::int64_t>& shape(const std::string& tensor) const;  // of an input or output
  bool has_references() const { return host || (resident && resident->has_references()); }
};

struct RunOptions : device::LaunchOptions {  // surroundings also draw the order of the tensors in memory
  std::uint8_t poison = 0xFF;
  bool keep_outputs = true;  // also those of a resident set, which are compared without being read
  const Outputs* previous =
      nullptr;  // of the same inputs: outputs of a resident set that are equal to these are not kept
};

struct RunOutcome {
  bool right = true;
  std::string message;  // where it is not right: one plain sentence
  std::optional<FailingElement> element;
  std::optional<Fault> fault;
  std::string printed;
  struct Checked {
    std::int64_t bounded = 0, total = 0;
  };
  std::map<std::string, Checked> checked;  // per output: elements with a finite bound, all elements
  std::map<std::string, double>
      ratios;  // per output: the largest of error to tolerance over the elements that are right
  std::map<std::string, FailingElement> wrong;  // per output that is wrong: its worst element
  device::Counts counts;
  ptx::Reach reach;
  Outputs outputs;             // bytes as the kernels left them; complete only when all launches ended
  std::uint8_t poison = 0;     // that the options had
  std::int64_t unwritten = 0;  // elements of the output of `element`, where the device knows
  double seconds = 0;          // of the launches, on the host
};

// The memory and code of a plan, for one launch or for many over changing inputs and cases.
class Trial {
 public:
  Trial(const op::Spec& spec, const candidate::Plan& plan, std::unique_ptr<device::Execution> execution)
      : spec_(spec), plan_(&plan), execution_(std::move(execution)) {}  // both outlive the trial

  // Frees the memory: the next load allocates it elsewhere, for `plan`. The module keeps its variables.
  Status renew(const candidate::Plan& plan, std::uint64_t place);
  // Allocates on the first call; inputs as in the set, outputs and temporaries poisoned or zeroed. Later sets must have
  // the same shapes.
  Status load(const Inputs& inputs, std::uint8_t poison, std::uint64_t order = 0);
  // Prepares all but the inputs for the first launch: poisons outputs and temporaries, zeroes those that begin as zero.
  Status reset(std::uint8_t poison);
  // The plan's launches, then every check. Errors: cancelled, and failures of the device that no candidate can be
  // blamed for.
  Result<RunOutcome> run(const Inputs& inputs, const RunOptions& options);
  // The checks alone, after launches made elsewhere: guard zones, inputs, outputs (where the set has references).
  Result<RunOutcome> check(const Inputs& inputs, const RunOptions& options);
  // Buffers that begin as zero, for a timing.
  std::vector<device::TimedSubject::Zeroed> zeroed() const;
  device::Execution& execution() { return *execution_; }
  const candidate::Plan& plan() const { return *plan_; }

 private:
  Status launch_all(const RunOptions& options);
  Status check_all(const Inputs& inputs, const RunOptions& options);
  Status check_inputs(const Inputs& inputs);
  Status check_output(const op::Param& p, const Inputs& inputs, const RunOptions& options, double& worst_share);
  Status check_resident(const op::Param& p, const Inputs& inputs, const RunOptions& options,
                        std::optional<FailingElement>& worst);
  void faulty(const Fault& fault);
  Result<RunOutcome> ended(const Status& status);

  const op::Spec& spec_;
  const candidate::Plan* plan_;  // of the case that runs now
  const std::unique_ptr<device::Execution> execution_;
  std::map<std::string, std::size_t> writable_;  // outputs and temporaries: bytes
  Status allocate(const Inputs& inputs, std::uint64_t order);
  bool allocated_ = false;
  RunOutcome out_;
};

// A fresh trial, loaded and run once.
Result<RunOutcome> run_set(const op::Spec& spec, const candidate::Plan& plan, const device::Module& module,
                           const Inputs& inputs, const RunOptions& options);

// Outputs of two runs over the same inputs: each tensor whose bytes are in both and differ, and how many elements of
// it.
struct Difference {
  std::string tensor;
  bool integer = false;             // some element that differs is an integer that has to be exact
  std::vector<std::int64_t> index;  // of the first such, else of the first
  double first = 0, second = 0;
  std::int64_t count = 0, total = 0;
};
std::vector<Difference> differences(const op::Spec& spec, const Inputs& inputs, const Outputs& a, const Outputs& b);

}  // namespace ww::gate
