// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include "generator/run_options.h"
#include "review/decision.h"
#include "review/reported_judge.h"
#include "rpc/second_judge.h"
#include "rpc/worker_profile.h"

namespace ww::review {
namespace {

constexpr std::chrono::milliseconds deadline{600'000};

Result<evidence::Verdict> judge_with(const Dossier& dossier, const rpc::ProgressHandler& progress) {
  rpc::WorkerOptions worker;
  worker.profile = rpc::worker_profile(dossier.run.device);
  worker.use_cache = false;
  rpc::GateRequest request{.spec = dossier.op.text,
                           .candidate = dossier.candidate.text,
                           .language = dossier.candidate.language,
                           .device = dossier.run.device,
                           .architecture = dossier.run.architecture,
                           .binding = dossier.context.binding,
                           .seeds = generator::RunOptions().seeds,
                           .deadline = deadline};
  if (const Result<generator::RunOptions> options = generator::options_from_json(dossier.run.options)) {
    request.seeds = std::max(request.seeds, options->seeds);
    request.launch_budget = options->launch_budget;
    request.precision = generator::precision_of(*options);
    if (!dossier.run.imported) worker.memory_limit = options->worker.memory_limit;
  }
  rpc::Supervisor first(worker);
  return rpc::SecondJudge(worker).judge_beside(first, request, {}, progress);
}

}  // namespace

Result<evidence::Verdict> judge_again(const Dossier& dossier) { return judge_with(dossier, {}); }

Judge reported_judge(rpc::ProgressHandler progress) {
  return [progress = std::move(progress)](const Dossier& dossier) { return judge_with(dossier, progress); };
}

}  // namespace ww::review
