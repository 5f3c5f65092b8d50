// SPDX-License-Identifier: Apache-2.0
// Runs one input set through one candidate: fresh module and memory, poison, launches, and all checks that follow (see
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
#include "gate/compare.h"
#include "gate/forms.h"
#include "gate/reference.h"
#include "evidence/verdict.h"

namespace ww::gate {

using Outputs = std::map<std::string, std::vector<std::byte>>;

struct Inputs {  // an input set with its reference: on the host, or (if the device generates sets) in device memory
  std::shared_ptr<const Reference> host;
  std::shared_ptr<const device::ResidentSet> resident;                      // exactly one of the two
  const std::vector<std::int64_t>& shape(const std::string& tensor) const;  // of an input or output
  bool has_references() const { return host || (resident && resident->has_references()); }
};

struct RunOptions : device::LaunchOptions {  // surroundings also determine the order of the tensors in memory
  std::uint8_t poison = 0xFF;
  bool keep_outputs = true;           // also of a resident set, whose outputs are compared on the device
  const Outputs* previous = nullptr;  // of the same inputs: equal outputs of a resident set are not kept
};

struct RunOutcome {
  bool right = true;
  std::string message;  // if wrong: one plain sentence
  std::optional<FailingElement> element;
  std::optional<Fault> fault;
  std::optional<WriteSite> watched;  // the last write to the bytes that the options watch
  std::string printed;
  struct Checked {
    std::int64_t bounded = 0, total = 0;
  };
  std::map<std::string, Checked> checked;  // per output: elements with a finite bound, all elements
  std::map<std::string, double>
      ratios;                          // per output: the largest ratio of error to tolerance over the correct elements
  std::map<std::string, Loss> losses;  // per output that the strict bound would reject
  std::map<std::string, FailingElement> wrong;  // per wrong output: its worst element
  device::Counts counts;
  ptx::Reach reach;
  Outputs outputs;             // the bytes that the kernels left; complete only if all launches ended
  std::uint8_t poison = 0;     // as in the options
  std::int64_t unwritten = 0;  // elements of the output of `element`, if the device knows
  double seconds = 0;          // host time of the launches
  bool undisturbed = false;    // see device::LaunchOutcome
};

// The memory and code of a plan, for one or many launches over changing inputs and cases.
class Trial {
 public:
  Trial(const op::Spec& spec, const candidate::Plan& plan, std::unique_ptr<device::Execution> execution)
      : spec_(spec), plan_(&plan), execution_(std::move(execution)) {}  // both outlive the trial

  // Frees the memory: the next load allocates it at other addresses, for `plan`. The module keeps its variables.
  Status renew(const candidate::Plan& plan, std::uint64_t place);
  // Allocates on the first call; loads the set's inputs, and poisons or zeroes outputs and temporaries. Later sets must
  // have the same shapes.
  Status load(const Inputs& inputs, std::uint8_t poison, std::uint64_t order = 0);
  // Prepares everything but the inputs for the first launch: poisons outputs and temporaries, zeroes those with a
  // "zero" line.
  Status reset(std::uint8_t poison);
  // Runs the plan's launches, then every check. Errors: cancelled, and device failures that are not the candidate's
  // fault.
  Result<RunOutcome> run(const Inputs& inputs, const RunOptions& options);
  // Runs only the checks, after launches made elsewhere: guard zones, inputs, outputs (if the set has references).
  Result<RunOutcome> check(const Inputs& inputs, const RunOptions& options);
  // Buffers that start zeroed, for timing.
  std::vector<device::TimedSubject::Zeroed> zeroed() const;
  device::Execution& execution() { return *execution_; }
  const candidate::Plan& plan() const { return *plan_; }

 private:
  Status launch_all(const RunOptions& options);
  Status check_all(const Inputs& inputs, const RunOptions& options);
  Status check_inputs(const Inputs& inputs);
  Status check_output(const op::Param& p, const Inputs& inputs, const RunOptions& options, double& worst_share);
  // Compares an output on the host with the spec's reference and, if an element is wrong, with those of its forms.
  Result<Comparison> compare_with_forms(const op::Param& p, const Reference& reference,
                                        std::span<const std::byte> bytes, const RunOptions& options);
  // Positions other than the reference's, which `compared` took for right, where several may be.
  Status check_positions(const op::Param& p, const Reference& reference, std::span<const std::byte> bytes,
                         const RunOptions& options, Comparison& compared);
  Status check_resident(const op::Param& p, const Inputs& inputs, const RunOptions& options,
                        std::optional<FailingElement>& worst);
  void faulty(const Fault& fault);
  Result<RunOutcome> ended(const Status& status);

  const op::Spec& spec_;
  const candidate::Plan* plan_;  // of the current case
  const std::unique_ptr<device::Execution> execution_;
  std::map<std::string, std::size_t> writable_;  // outputs and temporaries: bytes
  Status allocate(const Inputs& inputs, std::uint64_t order);
  bool allocated_ = false;
  RunOutcome out_;
  std::optional<std::optional<ReferenceOutputs>> forms_;  // of the set under check; empty: not needed so far
};

// A fresh trial, loaded and run once.
Result<RunOutcome> run_set(const op::Spec& spec, const candidate::Plan& plan, const device::Module& module,
                           const Inputs& inputs, const RunOptions& options);

// Compares outputs of two runs over the same inputs: the tensors present in both whose bytes differ, and the number of
// differing elements.
struct Difference {
  std::string tensor;
  bool integer = false;             // a differing element is an integer that must be exact
  std::vector<std::int64_t> index;  // of the first such element, else of the first
  double first = 0, second = 0;
  std::int64_t count = 0, total = 0;
};
std::vector<Difference> differences(const op::Spec& spec, const Inputs& inputs, const Outputs& a, const Outputs& b);

}  // namespace ww::gate
