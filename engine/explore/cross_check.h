// SPDX-License-Identifier: Apache-2.0
// Checks whether an op spec matches a naive kernel: the kernel, with the launch plan suggested by its signature, goes
// through the gate like any candidate.
#pragma once
#include <stop_token>
#include <string>
#include "base/result.h"
#include "evidence/verdict.h"
#include "op/spec.h"
#include "rpc/supervisor.h"

namespace ww::explore {

struct CrossCheck {
  bool guessed = false;  // parts of the plan: a rejection may be due to the plan
  evidence::Verdict verdict;
};
// On the SIMT machine, for the spec's default case. Code::not_found: no plan can be derived (several kernels, or an
// unexplained parameter).
Result<CrossCheck> cross_check(const op::Spec& spec, const std::string& kernel, rpc::Supervisor& worker,
                               std::stop_token stop);

}  // namespace ww::explore
