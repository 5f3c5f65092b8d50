// SPDX-License-Identifier: Apache-2.0
// A launch that failed on real hardware, run again on the SIMT machine with its checks: the hardware says that
// something went wrong, the SIMT machine says where.
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
  std::vector<double> planted;  // among them (InputSet)
  std::span<const Case> cases;  // where the failing case is too large, or shows nothing, the smallest of these that the
                                // candidate claims are run
  double seconds = 1;           // wall time for all of it
  int threads = 0;              // of the host; 0: all
  std::stop_token stop;
};

struct Replay {
  op::Binding binding;  // the case that was run
  Fault fault;          // line, thread, block, address, buffer
};

// Nothing when the SIMT machine sees no fault in the time, or does not know an instruction of the code. Errors:
// cancelled, internal.
Result<std::optional<Replay>> replay_on_simt(const op::Spec& spec, const candidate::Candidate& candidate,
                                             const candidate::Tuning& tuning, const compile::Output& output,
                                             const op::Binding& failing, const ReplayOptions& options = {});

// "replayed on the SIMT machine at R = 3, C = 5: thread (5,0,0) of block (1,0,0) writes 4 bytes out of bounds: …, line
// 14"
std::string describe(const Replay& replay, const op::Spec& spec);

}  // namespace ww::gate
