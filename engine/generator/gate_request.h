// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <chrono>
#include "generator/run_options.h"
#include "rpc/supervisor.h"
#include "store/workspace.h"

namespace ww::generator {

// The deadline of a request: `seconds`, 0.001 to `most`.
std::chrono::milliseconds deadline_of(double seconds, double most = 1e6);

// The request to judge one of a run's candidates, on the device that the run's options name.
rpc::GateRequest gate_request(const RunOptions& options, const store::CandidateRecord& candidate);

}  // namespace ww::generator
