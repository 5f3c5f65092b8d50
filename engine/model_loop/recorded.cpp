// SPDX-License-Identifier: Apache-2.0
#include "model_loop/recorded.h"
#include <tuple>
#include <utility>
#include "evidence/explain.h"

namespace ww::model_loop {

generator::Feedback feedback_of(const store::CandidateRecord& c) {
  generator::Feedback f{.id = c.id,
                        .hash = c.hash,
                        .parent = c.parent,
                        .structure = c.structure,
                        .text = c.text,
                        .accepted = c.state == store::CandidateState::accepted,
                        .score = c.score.value_or(0),
                        .ranked = c.score.has_value(),
                        .verdict = c.summary,
                        .generator = c.generator,
                        .duplicate_of = c.duplicate_of};
  if (c.verdict) f.failure = evidence::failure_text(*c.verdict);
  if (!f.duplicate_of.empty()) {
    f.accepted = c.verdict && c.verdict->accepted;
    f.ranked = false;
    f.score = 0;
  }
  return f;
}

Result<generator::Feedback> feedback_of(store::Workspace& workspace, const store::CandidateRecord& listed) {
  if (listed.state == store::CandidateState::accepted) return feedback_of(listed);
  return feedback_of(WW_TRY(workspace.candidate(listed.id)));
}

Result<Recorded> Recorded::load(store::Workspace& workspace, std::int64_t run) {
  const std::vector<store::CandidateRecord> list = WW_TRY(workspace.candidates(run));
  Recorded out;
  for (const store::CandidateRecord& c : list) {
    if (c.order == 0 && c.state != store::CandidateState::duplicate) continue;  // without a verdict
    generator::Feedback f = WW_TRY(feedback_of(workspace, c));
    f.text.clear();
    out.known_.emplace(c.hash, std::move(f));
  }
  return out;
}

void Recorded::apply(std::vector<generator::Feedback>& history) const {
  for (generator::Feedback& f : history) {
    const auto then = known_.find(f.hash);
    if (then == known_.end()) continue;
    const generator::Feedback& k = then->second;
    std::tie(f.accepted, f.score, f.ranked, f.verdict, f.failure, f.duplicate_of) =
        std::tie(k.accepted, k.score, k.ranked, k.verdict, k.failure, k.duplicate_of);
  }
}

std::int64_t Recorded::number(const std::string& hash, std::int64_t id) const {
  const auto then = known_.find(hash);
  return then == known_.end() ? id : then->second.id;
}

}  // namespace ww::model_loop
