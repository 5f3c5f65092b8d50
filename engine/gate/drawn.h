// SPDX-License-Identifier: Apache-2.0
// What differs between the runs of a judgement: limits that follow from the case, and values drawn from the secret.
#pragma once
#include <cstdint>
#include <stop_token>
#include "candidate/candidate.h"
#include "gate/runner.h"
#include "gate/secret.h"

namespace ww::gate {

struct Limits {
  double work = 0;           // of the case (gate/cases.h)
  double launch_budget = 1;  // times the usual one
  std::stop_token stop;
  bool one_by_one =
      false;  // blocks see each other (ptx::blocks_meet): one host thread runs them, which is deterministic
};

// Seconds after which a launch on real hardware is stopped.
double seconds_for(double work);

// What fills memory before a run: in a quarter of the draws the bytes of a NaN.
std::uint8_t poison_of(std::uint64_t draw);

// `options` with the limits of a launch, and with what differs from run to run: the tensors' addresses and initial
// content, and the kernel's environment.
RunOptions drawn_options(const Secret& secret, std::uint64_t run, const candidate::Plan& plan, const Limits& limits,
                         RunOptions options = {});

}  // namespace ww::gate
