// SPDX-License-Identifier: Apache-2.0
#include "generator/gate_request.h"
#include <algorithm>

namespace ww::generator {

std::chrono::milliseconds deadline_of(double seconds, double most) {
  return std::chrono::milliseconds(static_cast<std::int64_t>(std::clamp(seconds, 0.001, most) * 1000));
}

rpc::GateRequest gate_request(const RunOptions& options, const store::CandidateRecord& candidate) {
  return {.spec = options.spec,
          .candidate = candidate.text,
          .language = candidate.language,
          .device = options.device,
          .architecture = options.architecture,
          .binding = options.binding,
          .seeds = options.seeds,
          .launch_budget = options.launch_budget,
          .precision = precision_of(options),
          .deadline = deadline_of(options.candidate_seconds)};
}

}  // namespace ww::generator
