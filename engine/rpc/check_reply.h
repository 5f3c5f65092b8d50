// SPDX-License-Identifier: Apache-2.0
// Checks that a worker's reply answers its request, as check_verdict.h does for verdicts. Code::corrupt; the cause is
// one sentence that names the first contradiction. The computed or measured values themselves cannot be checked here:
// within these limits a hostile worker can still lie.
#pragma once
#include "base/result.h"
#include "rpc/simulate.h"
#include "rpc/supervisor.h"

namespace ww::rpc {

// The PTX of a PTX candidate is regenerated here. For CUDA: the kernels of `resources`, every number, sizes, the cubin.
Status check_compiled(const CompileRequest& request, const compile::Output& output);
// The subjects with the requested regimes, rounds and samples, and every number.
Status check_times(const TimeRequest& request, const TimeReply& reply);
// The set, the launches of the plan (recomputed here), every number.
Status check_counts(const CountRequest& request, const profile::CounterReport& report);
// The position of the failure, and consistent sizes.
Status check_wrong(const GateRequest& request, const evidence::WrongMap& map);
// The case that was asked for.
Status check_reproduced(const ReproduceRequest& request, const gate::Reproduction& shown);
Status check_device(const DeviceRequest& request, const DeviceReply& reply);
// An ending that its parts bear out, outputs and differences of the job's buffers, and the sizes of texts.
Status check_simulated(const SimulateRequest& request, const sim::Outcome& outcome);
Status check_traced(const TraceRequest& request, const sim::Trace& trace);
Status check_listed(const SimulateRequest& request, const sim::Listing& listing);

}  // namespace ww::rpc
