// SPDX-License-Identifier: Apache-2.0
#include "rpc/second_judge.h"
#include "base/device_name.h"
#include "evidence/describe.h"
#include "ptx/syntax.h"
#include "rpc/worker_profile.h"

namespace ww::rpc {
using evidence::StageResult;

namespace {

// Larger default cases are reduced: the GPU has run them.
constexpr double most_second_work = 2e6;

// The request as the SIMT machine gets it after `verdict`, compiled for the same target.
GateRequest on_simt(GateRequest request, const evidence::Verdict& verdict) {
  if (request.architecture.empty()) request.architecture = ptx::parse(verdict.ptx).target;
  request.device = "simt";
  request.most_work = most_second_work;
  return request;
}

// It ran, and how it ended says nothing certain about it.
bool ended_in_doubt(const evidence::Verdict& verdict) {
  if (verdict.ruling() != evidence::Ruling::not_judged) return false;
  switch (verdict.last_fault()) {
    case FaultKind::budget_exceeded:
    case FaultKind::device_lost:
    case FaultKind::timeout:
    case FaultKind::killed:
    case FaultKind::processor_limit: return true;
    default: return false;
  }
}

}  // namespace

SecondJudge::SecondJudge(WorkerOptions how) : how_(std::move(how)) { how_.profile = WorkerProfile::simt; }

Result<evidence::Verdict> SecondJudge::judge(evidence::Verdict verdict, GateRequest request,
                                             const std::stop_token& stop, const ProgressHandler& progress) {
  if (is_simt(request.device) || !(verdict.accepted || ended_in_doubt(verdict))) return verdict;
  request = on_simt(std::move(request), verdict);
  request.secret = verdict.proof.secret;
  request.measure = false;
  if (!simt_) simt_ = std::make_unique<Supervisor>(how_);
  const Result<evidence::Verdict> simt = simt_->gate(request, stop, progress);
  if (stop.stop_requested()) return fail(Code::cancelled, "cancelled");
  if (!simt) simt_.reset();
  return judged_by_both(std::move(verdict), simt);
}

evidence::Verdict judged_by_both(evidence::Verdict verdict, const Result<evidence::Verdict>& simt) {
  if (!verdict.accepted && (!simt || simt->ruling() != evidence::Ruling::rejected)) return verdict;
  if (!simt) {
    verdict.proof.also = evidence::AlsoJudged{"simt", evidence::Ruling::not_judged, simt.error().text(), {}, {}, {}};
    return verdict;
  }
  verdict.proof.also = evidence::AlsoJudged{simt->device,       simt->ruling(),     simt->summary(),
                                            simt->proof.secret, simt->proof.checks, simt->proof.surroundings};
  if (simt->ruling() == evidence::Ruling::accepted) {  // what a GPU cannot tell
    if (!verdict.proof.long_tensors) verdict.proof.long_tensors = simt->proof.long_tensors;
    if (!verdict.proof.reach) verdict.proof.reach = simt->proof.reach;
  }
  if (simt->ruling() != evidence::Ruling::rejected) return verdict;
  const StageResult& failed = *simt->last_stage();
  if (!verdict.accepted) verdict.stages = simt->stages, verdict.coverage = simt->coverage;
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

GateRequest repeated(GateRequest request, const evidence::Verdict& verdict) {
  const auto& also = verdict.proof.also;
  const bool by_simt = also && also->ruling == evidence::Ruling::rejected;
  if (by_simt) request = on_simt(std::move(request), verdict);
  request.secret = by_simt ? also->secret : verdict.proof.secret;
  return request;
}

}  // namespace ww::rpc
