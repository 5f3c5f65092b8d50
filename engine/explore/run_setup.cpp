// SPDX-License-Identifier: Apache-2.0
#include "explore/run_setup.h"
#include <algorithm>
#include "base/device_name.h"
#include "base/parallel.h"
#include "base/protection.h"
#include "gate/case_plan.h"
#include "rpc/supervisor.h"
#include "rpc/worker_profile.h"

namespace ww::explore {

op::Binding default_binding(const op::Spec& spec, const op::Binding& given) {
  op::Binding full = given;
  for (const auto& [name, value] : spec.defaults) full.symbols.emplace(name, value);
  return full;
}

std::vector<evidence::Case> cases_of(const op::Spec& spec, const generator::RunOptions& options,
                                     const std::stop_token& stop) {
  Result<gate::CasePlan> plan = gate::case_plan(spec, default_binding(spec, options.binding), options.device, stop);
  return plan ? std::move(plan->fixed) : std::vector<evidence::Case>();
}

RunSetup::RunSetup(store::Workspace& workspace, std::int64_t run, generator::RunOptions options_, op::Spec spec_,
                   std::vector<evidence::Case> derived, appraisal::RankRules rules)
    : workspace(workspace),
      run(run),
      options(std::move(options_)),
      spec(std::move(spec_)),
      rules(std::move(rules)),
      binding(default_binding(spec, options.binding)) {
  for (evidence::Case& one : derived) cases.push_back({std::move(one.name), std::move(one.binding)});
  const int half = std::max(1, hardware_threads() / 2);
  // On a GPU they take turns (Judge): while one launches there, the others' second judges, on the processor, go on.
  workers = options.workers > 0 ? options.workers : half;
  if (is_gpu(options.device)) workers = std::min(workers, 3);
}

Result<generator::RunOptions> stored_options(const store::RunRecord& run) {
  generator::RunOptions options = WW_TRY(generator::options_from_json(run.options));
  // The workspace may be another user's: it does not determine which program runs here. Stricter settings are kept.
  const bool require_sandbox = options.worker.require_sandbox;
  options.worker = {};
  options.worker.require_sandbox = require_sandbox;
  return options;
}

Status check_sandbox(const generator::RunOptions& options) {
  if (!options.worker.require_sandbox && !sandbox_required()) return {};
  rpc::WorkerOptions how = options.worker;
  how.profile = rpc::worker_profile(options.device);
  WW_TRY(rpc::Supervisor(how).describe());
  return {};
}

CandidateRow row_of(const store::CandidateRecord& c, store::CandidateState state) {
  return {.id = c.id,
          .hash = c.hash,
          .parent = c.parent,
          .structure = c.structure,
          .title = c.title,
          .tuning = c.tuning,
          .generator = c.generator,
          .state = state,
          .proved_at = c.proved_at,
          .cases = c.cases,
          .imported = c.imported && !c.summary.empty()};
}

}  // namespace ww::explore
