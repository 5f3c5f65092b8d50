// SPDX-License-Identifier: Apache-2.0
// A launch of a candidate on inputs that the gate draws, as a job that a worker steps through (sim/trace.h).
#pragma once
#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>
#include "base/result.h"
#include "candidate/candidate.h"
#include "evidence/verdict.h"
#include "op/inputs.h"
#include "op/spec.h"
#include "sim/job.h"
#include "sim/stepper.h"

namespace ww::rpc {
class Supervisor;
}

namespace ww::stepping {

struct SteppedLaunch {
  std::string spec, candidate;  // texts
  candidate::Language language = candidate::Language::cuda;
  op::Binding binding;  // empty: the spec's default, reduced until a launch has a few thousand steps
  op::Distribution distribution = op::Distribution::normal;
  std::uint64_t seed = 1;
  int launch = 0;      // of the plan, from 0; those before it run first
  bool debug = false;  // CUDA code is not optimised, and its variables have names
  bool operator==(const SteppedLaunch&) const = default;
};

struct Buffer {
  std::string name;
  DType dtype = DType::f32;
  std::vector<std::int64_t> shape;
};
struct Prepared {
  op::Binding binding;  // whole
  std::vector<candidate::PlannedLaunch> launches;
  std::vector<Buffer> buffers;  // the spec's tensors
  sim::Job job;                 // of the launch; its code is PTX
  std::vector<int> lines;       // of the candidate's text, for each line of the PTX; 0: unknown
  std::vector<double> planted;  // as InputSet
};

// Errors: the spec, the candidate's text, its plan or its claims at these sizes, the compiler, more bytes than a job
// may hold; a launch before it that a check stops.
Result<Prepared> prepare(const SteppedLaunch& subject, rpc::Supervisor& worker, std::stop_token stop = {});

// The input set for which a verdict rejects a candidate. Null: it names none that can be run again.
const evidence::Failure* failure_to_step(const evidence::Verdict& verdict);
// A candidate on the inputs of a failure.
SteppedLaunch subject_of(const evidence::Failure& failure, std::string spec, std::string candidate,
                         candidate::Language language = candidate::Language::cuda);
// Where the wrong element is written last, for `until` and `last` of a query. Empty: no element is wrong, but a fault.
std::optional<sim::StopAt> where_wrong(const evidence::Failure& failure, const Prepared& prepared);
// The launch of the plan in which that is looked for: the last that is given the tensor, or the one that faults.
int launch_of(const evidence::Failure& failure, const std::vector<candidate::PlannedLaunch>& launches);

// "R = 4, C = 32": sizes and constants alike. Errors: a name that the spec lacks, no whole number.
std::string sizes_text(const op::Binding& binding);
Result<op::Binding> sizes_of(const std::string& text, const op::Spec& spec);
op::Binding binding_for(const op::Spec& spec, op::Binding set);  // what names a constant becomes one

}  // namespace ww::stepping
