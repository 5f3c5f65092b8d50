// SPDX-License-Identifier: Apache-2.0
// Candidates and verdicts to store.
#pragma once
#include "base/hash.h"
#include "store/workspace.h"
#include "support/workspaces.h"

namespace ww::store {

inline CandidateRecord candidate_of(std::int64_t run, const std::string& text) {
  CandidateRecord c;
  c.run = run;
  c.text = text;
  c.hash = hash_hex(text);
  c.structure = "row-warp";
  c.title = "one warp for each row";
  c.generator = "search";
  c.language = candidate::Language::cuda;
  return c;
}

inline evidence::Verdict verdict_of(bool accepted, const std::string& ptx = ".version 8.0") {
  evidence::Verdict v = support::passed("simt", ptx);
  v.accepted = accepted;
  if (!accepted) {
    evidence::StageResult& s = v.stages[2];
    s.outcome = evidence::Outcome::failed;
    s.message = "y differs from the reference";
    evidence::Failure f;
    f.case_name = "odd";
    f.binding.symbols["C"] = 33;
    f.seed = 3;
    f.element = evidence::FailingElement{"y", {1, 2}, 0.5, -0.25, 1e-6, 12, 7, 99};
    s.failure = f;
  }
  v.resources.push_back({"k", 24, 128, 0, 0, 0, 352, 1});
  evidence::Metrics m;
  m.provenance = Provenance::simulated;
  m.device = "simt";
  m.values = {{"warp_instructions", 1234.0}};
  v.metrics = m;
  v.seconds = 0.25;
  return v;
}

}  // namespace ww::store
