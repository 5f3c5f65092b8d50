// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include "base/device_name.h"
#include "evidence/describe.h"
#include "generator/run_options.h"
#include "ptx/syntax.h"
#include "review/decision.h"
#include "rpc/supervisor.h"
#include "rpc/worker_profile.h"

namespace ww::review {
namespace {

constexpr std::chrono::milliseconds deadline{600'000};

}  // namespace

Result<evidence::Verdict> judge_again(const Dossier& dossier) {
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
  evidence::Verdict verdict = WW_TRY(rpc::Supervisor(worker).gate(request));
  if (is_simt(request.device) || !verdict.accepted) return verdict;
  if (request.architecture.empty()) request.architecture = ptx::parse(verdict.ptx).target;
  request.device = "simt";
  worker.profile = rpc::worker_profile(request.device);
  return judged_by_both(std::move(verdict), rpc::Supervisor(worker).gate(request));
}

evidence::Verdict judged_by_both(evidence::Verdict verdict, const Result<evidence::Verdict>& simt) {
  using evidence::Outcome, evidence::StageResult;
  if (!simt) {
    verdict.proof.also = evidence::AlsoJudged{"simt", evidence::Ruling::not_judged, simt.error().text(), {}, {}, {}};
    return verdict;
  }
  verdict.proof.also = evidence::AlsoJudged{simt->device,       simt->ruling(),     simt->summary(),
                                            simt->proof.secret, simt->proof.checks, simt->proof.surroundings};
  if (simt->ruling() != evidence::Ruling::rejected) return verdict;
  const StageResult& failed = *simt->last_stage();
  verdict.accepted = false;
  verdict.metrics.reset();
  for (StageResult& s : verdict.stages) {
    if (s.stage < failed.stage) continue;
    if (s.stage > failed.stage) {
      const evidence::Stage stage = s.stage;
      s = StageResult{};
      s.stage = stage;
      s.skipped = evidence::SkipReason::not_reached;
      s.message = evidence::stage_text(verdict, s);
      continue;
    }
    s = failed;
    s.message = "on the SIMT machine, " + s.message;
  }
  return verdict;
}

}  // namespace ww::review
