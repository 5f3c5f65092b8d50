// SPDX-License-Identifier: Apache-2.0
// Replays a launch that failed on real hardware on the SIMT machine with its checks: the hardware reports that
// something went wrong, the SIMT machine where.
#pragma once
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>
#include "base/result.h"
#include "candidate/candidate.h"
#include "compile/compile.h"
#include "device/device.h"
#include "evidence/verdict.h"
#include "op/inputs.h"
#include "op/spec.h"

namespace ww::gate {

struct ReplayOptions {
  op::Distribution distribution = op::Distribution::normal;  // of the inputs that failed
  std::uint64_t seed = 0;
  std::vector<double> planted;  // among the inputs (InputSet)
  // if the failing case is too large, or shows nothing, the smallest of these that the candidate claims are run
  std::span<const Case> cases;
  double seconds = 1;  // total wall-clock time
  int threads = 0;     // host threads; 0: all
  std::stop_token stop;
};

struct Replay {
  op::Binding binding;  // the case that was run
  Fault fault;          // line, thread, block, address, buffer
};

// Empty if the SIMT machine finds no fault in time, or does not support an instruction. Errors: cancelled, internal.
Result<std::optional<Replay>> replay_on_simt(const op::Spec& spec, const candidate::Candidate& candidate,
                                             const candidate::Tuning& tuning, const compile::Output& output,
                                             const op::Binding& failing, const ReplayOptions& options = {});

// "replayed on the SIMT machine at R = 3, C = 5: thread (5,0,0) of block (1,0,0) writes 4 bytes out of bounds: …, line
// 14"
std::string describe(const Replay& replay, const op::Spec& spec);

}  // namespace ww::gate
