// SPDX-License-Identifier: Apache-2.0
#include "explore/judge.h"
#include <algorithm>
#include <chrono>
#include <utility>
#include "base/device_name.h"
#include "base/parallel.h"
#include "explore/spec_fault.h"
#include "generator/gate_request.h"
#include "rpc/worker_profile.h"

namespace ww::explore {

rpc::WorkerOptions Judge::worker_options(int sharing) const {
  rpc::WorkerOptions how = setup_.options.worker;
  if (how.threads == 0) how.threads = std::max(1, hardware_threads() / sharing);
  how.profile = rpc::worker_profile(setup_.options.device);
  return how;
}

rpc::Supervisor& Judge::worker() {
  if (!supervisor_) {
    supervisor_ = std::make_unique<rpc::Supervisor>(worker_options(is_gpu(setup_.options.device) ? 1 : setup_.workers));
    started_ = 0;
  }
  return *supervisor_;
}

std::string Judge::identity_of(const store::CandidateRecord& item) { return identity_by(worker(), item); }

bool Judge::confirms(const store::CandidateRecord& item, const std::string& identity) {
  rpc::WorkerOptions how = worker_options(setup_.workers);
  how.profile = rpc::WorkerProfile::simt;  // it only compiles
  how.use_cache = false;
  rpc::Supervisor alone(how);
  if (identity_by(alone, item) == identity) return true;
  supervisor_.reset();
  return false;
}

std::string Judge::identity_by(rpc::Supervisor& worker, const store::CandidateRecord& item) const {
  const Result<candidate::Candidate> parsed = candidate::parse(item.text, item.language);
  if (!parsed || setup_.cases.empty()) return {};
  rpc::CompileRequest request;
  request.candidate = item.text;
  request.language = item.language;
  request.architecture = setup_.options.architecture;
  request.deadline = generator::deadline_of(setup_.options.candidate_seconds / 2, 30);
  const Result<compile::Output> compiled = worker.compile(request, stop_);
  if (!compiled) return {};  // the gate will find the error again and report it in a verdict
  return identity::program_identity(*parsed, setup_.spec, setup_.cases, compiled->ptx);
}

Result<evidence::Verdict> Judge::judge(const store::CandidateRecord& item, const Watch& watch) {
  const rpc::GateRequest request = generator::gate_request(setup_.options, item);
  evidence::Verdict verdict = WW_TRY(judge_on_device(request, watch));
  return second_.judge(std::move(verdict), request, stop_, watch.progress);
}

Result<evidence::Verdict> Judge::judge_on_device(const rpc::GateRequest& request, const Watch& watch) {
  const DeviceTurn::Held turn = turn_.take(stop_);
  int process = 0;
  for (int attempt = 1;; ++attempt) {
    rpc::Supervisor& supervisor = worker();
    Result<evidence::Verdict> verdict = supervisor.gate(request, stop_, [&](const rpc::Progress& p) {
      if (process == 0) process = supervisor.process_id();
      watch.progress(p);
    });
    if (supervisor.started() != started_) {
      started_ = supervisor.started();
      if (std::exchange(used_, true) && verdict && !stop_.stop_requested()) watch.fresh_worker(process);
    }
    if (verdict || stop_.stop_requested()) return verdict;
    supervisor_.reset();
    if (attempt == 2 || verdict.error().code == Code::crashed || of_spec(verdict.error().code)) return verdict;
  }
}

}  // namespace ww::explore
