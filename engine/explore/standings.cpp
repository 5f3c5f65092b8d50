// SPDX-License-Identifier: Apache-2.0
#include "explore/standings.h"

namespace ww::explore {

Result<appraisal::Score> Standings::score_of(const RunSetup& setup, const evidence::Verdict& verdict) {
  Result<appraisal::Score> score = appraisal::score_of(setup.rules, verdict, setup.options.architecture);
  if (score && provenance_ == Provenance::unknown) provenance_ = score->provenance;
  if (score && score->provenance != provenance_)
    return fail(Code::not_found, "its number is " + enum_string(score->provenance) + " and those of this run are " +
                                     enum_string(provenance_) + "; the two are never compared");
  return score;
}

Standings::Change Standings::add(const RunSetup& setup, const store::CandidateRecord& item,
                                 const evidence::Verdict& verdict, const Result<appraisal::Score>& score) {
  Change change;
  if (verdict.accepted) {
    ++accepted_;
    structures_.insert(item.structure);
  }
  if (!score) {
    change.first_unranked = verdict.accepted && ++unranked_reasons_[score.error().message] == 1;
    return change;
  }
  scores_.emplace_back(item.id, score->value);
  change.ranks = appraisal::ranks_of(scores_);
  for (const auto& [id, rank] : change.ranks)
    if (id == item.id) change.rank = rank;
  const appraisal::MoveSide side =
      appraisal::move_side(item.hash, item.structure, score->value, score->provenance,
                           verdict.metrics ? store::spread_of(*verdict.metrics) : store::Spread());
  if (const auto parent = ranked_.find(item.parent); parent != ranked_.end())
    change.move = appraisal::move_between(setup.run, appraisal::family_of(setup.spec), setup.options.device,
                                          parent->second, side, item.origin.move);
  ranked_.emplace(item.hash, side);
  return change;
}

bool Standings::recall(const store::CandidateRecord& c) {
  if (c.state != store::CandidateState::accepted) return false;
  ++accepted_;
  structures_.insert(c.structure);
  if (!c.score || !recall(store::ScoreRecord{c.id, *c.score, c.score_provenance})) return false;
  recall_parent(c);
  return true;
}

bool Standings::recall(const store::ScoreRecord& score) {
  if (provenance_ == Provenance::unknown) provenance_ = score.provenance;
  if (provenance_ != score.provenance) return false;
  scores_.emplace_back(score.candidate, score.value);
  return true;
}

void Standings::recall_parent(const store::CandidateRecord& c) {
  if (c.score)
    ranked_.emplace(c.hash, appraisal::move_side(c.hash, c.structure, *c.score, c.score_provenance, c.spread));
}

}  // namespace ww::explore
