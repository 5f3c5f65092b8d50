// SPDX-License-Identifier: Apache-2.0
#include "rpc/second_judge.h"
#include <array>
#include <future>
#include <mutex>
#include "base/device_name.h"
#include "evidence/describe.h"
#include "gate/secret.h"
#include "ptx/syntax.h"
#include "rpc/worker_profile.h"

namespace ww::rpc {
using evidence::StageResult;

namespace {

// Larger default cases are reduced: the GPU has run them.
constexpr double most_second_work = 2e6;

std::string target_of(const evidence::Verdict& verdict) { return std::string(ptx::parse(verdict.ptx).target); }

// The request as the SIMT machine gets it, compiled for the same target.
GateRequest on_simt(GateRequest request) {
  request.device = "simt";
  request.most_work = most_second_work;
  return request;
}
GateRequest for_simt(GateRequest request) {  // as second judge, which measures nothing
  request.measure = false;
  return on_simt(std::move(request));
}

// What two judges report becomes one report: that of the one behind.
class Both {
 public:
  explicit Both(const ProgressHandler& told) : told_(told) {}
  ProgressHandler of(std::size_t judge) {
    if (!told_) return {};
    return [this, judge](const Progress& p) {
      const std::lock_guard lock(mutex_);
      done_[judge] = p.fraction;
      if (p.fraction <= done_[1 - judge]) told_(p);
    };
  }
  void ended(std::size_t judge) {
    const std::lock_guard lock(mutex_);
    done_[judge] = 1;
  }

 private:
  const ProgressHandler& told_;
  std::mutex mutex_;
  std::array<double, 2> done_{};
};

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
  if (request.architecture.empty()) request.architecture = target_of(verdict);
  request.secret = verdict.proof.secret;
  if (!simt_) simt_ = std::make_unique<Supervisor>(how_);
  return joined(std::move(verdict), simt_->gate(for_simt(std::move(request)), stop, progress), stop);
}

Result<evidence::Verdict> SecondJudge::judge_beside(Supervisor& first, GateRequest request, const std::stop_token& stop,
                                                    const ProgressHandler& progress) {
  if (is_simt(request.device)) return first.gate(request, stop, progress);
  if (request.architecture.empty())
    if (const Result<DeviceReply> device = first.device({.name = request.device}, stop))
      request.architecture = device->details.architecture;
  if (request.architecture.empty())  // the first verdict tells it, or why there is none
    return judge(WW_TRY(first.gate(request, stop, progress)), request, stop, progress);
  if (request.secret.empty()) request.secret = gate::Secret::fresh().text();
  if (!simt_) simt_ = std::make_unique<Supervisor>(how_);
  Both both(progress);
  std::stop_source cancel;
  const std::stop_callback also(stop, [&] { cancel.request_stop(); });
  std::future<Result<evidence::Verdict>> second =
      std::async(std::launch::async, [&] { return simt_->gate(for_simt(request), cancel.get_token(), both.of(1)); });
  Result<evidence::Verdict> verdict = first.gate(request, stop, both.of(0));
  both.ended(0);
  if (!verdict || !(verdict->accepted || ended_in_doubt(*verdict))) {
    cancel.request_stop();
    second.wait();
    return verdict;
  }
  return joined(std::move(*verdict), second.get(), stop);
}

Result<evidence::Verdict> SecondJudge::joined(evidence::Verdict verdict, const Result<evidence::Verdict>& simt,
                                              const std::stop_token& stop) {
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
  if (by_simt && request.architecture.empty()) request.architecture = target_of(verdict);
  if (by_simt) request = on_simt(std::move(request));
  request.secret = by_simt ? also->secret : verdict.proof.secret;
  return request;
}

}  // namespace ww::rpc
