// SPDX-License-Identifier: Apache-2.0
// Checks that a worker's reply answers its request, as check_verdict.h does for verdicts. Code::corrupt; the cause is
// one sentence that names the first contradiction. What a hostile worker computed or measured cannot be checked from
// here: within these limits it can still lie.
#pragma once
#include "base/result.h"
#include "rpc/supervisor.h"

namespace ww::rpc {

// The PTX of a PTX candidate is made here again. Of CUDA: the kernels of `resources`, every number, sizes, the cubin.
Status check_compiled(const CompileRequest& request, const compile::Output& output);
// The subjects and what was asked of them: regimes, rounds, samples, every number.
Status check_times(const TimeRequest& request, const TimeReply& reply);
// The set, the launches of the plan (made here again), every number.
Status check_counts(const CountRequest& request, const profile::CounterReport& report);
// The failure's place, and that sizes fit each other.
Status check_wrong(const GateRequest& request, const evidence::WrongMap& map);
Status check_device(const DeviceRequest& request, const DeviceReply& reply);

}  // namespace ww::rpc
