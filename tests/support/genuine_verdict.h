// SPDX-License-Identifier: Apache-2.0
// A verdict such as an honest worker gives: accepted, counted on the SIMT machine, with every claimed case tried.
#pragma once
#include <cstdlib>
#include "base/hash.h"
#include "candidate/candidate.h"
#include "op/parse.h"
#include "rpc/check_verdict.h"

namespace ww::support {

inline evidence::Verdict genuine_verdict(const rpc::GateRequest& request) {
  using namespace evidence;
  const auto spec = op::parse_spec(request.spec);
  if (!spec) std::abort();
  Verdict v;
  v.candidate = rpc::candidate_hash(request);
  v.spec = hash_hex(request.spec);
  v.device = request.device;
  v.accepted = true;
  for (const Stage stage : all_stages) v.stages.push_back({stage, Outcome::passed, "fine", "", {}, 0.5});
  op::Binding binding = request.binding;
  binding.symbols = op::resolve(*spec, binding).value().symbols;
  v.coverage.push_back({"default", binding, true, request.seeds});
  if (!request.measure) {
    v.stages.back().outcome = Outcome::skipped;
    v.stages.back().skipped = SkipReason::not_requested;
  }
  v.proof.secret = request.secret.empty() ? "0123456789abcdef" : request.secret;
  v.proof.elements = ElementCounts{640, 0, 0};
  v.proof.surroundings.emplace().runs = 100;
  v.proof.branches.emplace();
  v.proof.reproducibility = Reproducibility::bitwise;
  if (const auto parsed = candidate::parse(request.candidate, request.language))
    for (const candidate::Launch& l : parsed->launches) v.resources.push_back({l.kernel, 16, 64, 0, 0, 0, 0, 0});
  v.ptx = ".version 8.0";
  if (request.measure) {
    Metrics m;
    m.provenance = request.device == "simt" ? Provenance::simulated : Provenance::measured;
    m.device = request.device;
    m.case_name = "default";
    m.values = {{"launches", 1}, {"warps", 64}};
    v.metrics = m;
  }
  return v;
}

// The same, rejected at `stage`.
inline evidence::Verdict genuine_rejection(const rpc::GateRequest& request, evidence::Stage stage) {
  using namespace evidence;
  Verdict v = genuine_verdict(request);
  v.accepted = false;
  v.metrics.reset();
  v.proof.elements.reset();
  v.proof.branches.reset();
  for (StageResult& s : v.stages) {
    if (s.stage < stage) continue;
    s.outcome = s.stage == stage ? Outcome::failed : Outcome::skipped;
    s.skipped = s.stage == stage ? SkipReason::unknown : SkipReason::not_reached;
  }
  if (stage <= Stage::smoke)
    for (CaseCoverage& c : v.coverage) c.seeds = 0;
  return v;
}

}  // namespace ww::support
