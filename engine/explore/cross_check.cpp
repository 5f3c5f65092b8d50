// SPDX-License-Identifier: Apache-2.0
#include "explore/cross_check.h"
#include <algorithm>
#include "candidate/bare_kernel.h"

namespace ww::explore {

Result<CrossCheck> cross_check(const op::Spec& spec, const std::string& kernel, rpc::Supervisor& worker,
                               std::stop_token stop) {
  const std::vector<candidate::BareKernel> kernels = candidate::bare_kernels(kernel);
  if (kernels.size() != 1)
    return fail(Code::not_found, "the source has " + std::to_string(kernels.size()) +
                                     " kernels; only a single one can be compared with the spec");
  candidate::SuggestedLaunch launch = candidate::suggest_launch(kernels[0], kernel, spec);
  if (launch.block.text.empty()) launch.block = {"256", candidate::Source::guessed};  // it asks for its own size
  if (const std::size_t at = launch.grid.text.find('?'); at != std::string::npos) {
    launch.grid.text.replace(at, 1, launch.block.text);
    launch.grid.source = candidate::Source::guessed;
  }
  if (!launch.complete())
    return fail(Code::not_found, "the launch of '" + kernels[0].name + "' cannot be derived from its signature");
  const auto guessed = [](const candidate::Suggested& s) { return s.source == candidate::Source::guessed; };
  CrossCheck out;
  out.guessed = guessed(launch.grid) || guessed(launch.block) || guessed(launch.shared) ||
                std::any_of(launch.args.begin(), launch.args.end(), guessed);
  rpc::GateRequest request;
  request.spec = spec.text;
  request.candidate = candidate::with_plan_lines(kernel, spec, kernels[0], launch);
  out.verdict = WW_TRY(worker.gate(request, stop));
  return out;
}

}  // namespace ww::explore
