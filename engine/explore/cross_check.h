// SPDX-License-Identifier: Apache-2.0
// Whether an op spec says what a naive kernel computes: the kernel, with the launch plan that its signature suggests,
// goes through the gate as any candidate does.
#pragma once
#include <stop_token>
#include <string>
#include "base/result.h"
#include "evidence/verdict.h"
#include "op/spec.h"
#include "rpc/supervisor.h"

namespace ww::explore {

struct CrossCheck {
  bool guessed = false;  // parts of the plan: a rejection may be the plan's fault
  evidence::Verdict verdict;
};
// On the SIMT machine, for the spec's default case. Code::not_found: no plan can be made (several kernels, or a
// parameter that nothing explains).
Result<CrossCheck> cross_check(const op::Spec& spec, const std::string& kernel, rpc::Supervisor& worker,
                               std::stop_token stop);

}  // namespace ww::explore
