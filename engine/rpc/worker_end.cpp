// SPDX-License-Identifier: Apache-2.0
#include "rpc/worker_end.h"
#include "base/hash.h"
#include "evidence/describe.h"
#include "rpc/check_verdict.h"

namespace ww::rpc {
namespace {

evidence::Verdict empty_verdict(const GateRequest& request) {
  evidence::Verdict v;
  v.candidate = candidate_hash(request);
  v.spec = hash_hex(request.spec);
  v.device = request.device;
  return v;
}

void skip(evidence::StageResult& r, const evidence::Verdict& v) {
  r.skipped = evidence::SkipReason::not_reached;
  r.message = evidence::stage_text(v, r);
}

evidence::Stage stage_of(const std::string& name) {
  for (const evidence::Stage s : evidence::all_stages)
    if (enum_name(s) == name) return s;
  return evidence::Stage::contract;
}

// Where an interrupted judgement stopped.
std::string where(const std::optional<Progress>& last) {
  if (!last) return "before it began";
  return (stage_of(last->stage) >= evidence::Stage::smoke ? "while running " : "while ") + last->message;
}

void end_here(evidence::StageResult& r, const GateRequest& request, const WorkerEnd& end) {
  r.outcome = decides(end.kind) ? evidence::Outcome::failed : evidence::Outcome::not_judged;
  r.message = end.error.message + (end.twice ? " twice, " : " ") + where(end.last);
  r.detail = end.error.cause;
  if (!end.wrote.empty()) r.detail += (r.detail.empty() ? "" : "\n") + std::string("the worker wrote:\n") + end.wrote;
  r.seconds = end.seconds;
  evidence::Failure f;
  f.binding = request.binding;
  f.fault = Fault{};
  f.fault->kind = end.kind;
  f.fault->message = r.message;
  r.failure = std::move(f);
}

}  // namespace

evidence::Verdict verdict_of_end(const GateRequest& request, const WorkerEnd& end) {
  evidence::Verdict v = empty_verdict(request);
  v.seconds = end.seconds;
  const evidence::Stage at = end.last ? stage_of(end.last->stage) : evidence::Stage::contract;
  for (const evidence::Stage s : evidence::all_stages) {
    evidence::StageResult r;
    r.stage = s;
    if (s < at) {
      r.outcome = evidence::Outcome::passed;
      r.message = "passed before the worker ended; its evidence went with it";
    } else if (s > at) {
      skip(r, v);
    } else {
      end_here(r, request, end);
    }
    v.stages.push_back(std::move(r));
  }
  return v;
}

evidence::Verdict refused(const GateRequest& request, const Error& error) {
  evidence::Verdict v = empty_verdict(request);
  for (const evidence::Stage s : evidence::all_stages) {
    evidence::StageResult r{s, s == evidence::Stage::contract ? evidence::Outcome::failed : evidence::Outcome::skipped};
    r.message = error.message;
    if (r.outcome == evidence::Outcome::skipped) skip(r, v);
    v.stages.push_back(std::move(r));
  }
  return v;
}

}  // namespace ww::rpc
