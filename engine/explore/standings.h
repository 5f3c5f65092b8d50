// SPDX-License-Identifier: Apache-2.0
// The accepted candidates of a run in order. Scores of one provenance alone are ranked: that of the first.
#pragma once
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>
#include "appraisal/moves.h"
#include "explore/run_setup.h"
#include "store/scores.h"

namespace ww::explore {

class Standings {
 public:
  struct Change {
    std::vector<std::pair<std::int64_t, int>> ranks;  // of all; empty: none has changed
    std::optional<int> rank;                          // of the new one
    std::optional<store::MoveRecord> move;            // from its ranked parent
    bool first_unranked = false;                      // the first accepted one without a rank for this reason
  };

  // Code::not_found: it cannot be ranked in this run, and why.
  Result<appraisal::Score> score_of(const RunSetup& setup, const evidence::Verdict& verdict);
  Change add(const RunSetup& setup, const store::CandidateRecord& item, const evidence::Verdict& verdict,
             const Result<appraisal::Score>& score);
  // From the store, in the order of verdicts. False: it is not ranked.
  bool recall(const store::CandidateRecord& accepted);
  bool recall(const store::ScoreRecord& score);
  void recall_parent(const store::CandidateRecord& ranked);  // steps away from it become moves

  int accepted() const { return accepted_; }
  int structures() const { return static_cast<int>(structures_.size()); }

 private:
  Provenance provenance_ = Provenance::unknown;
  std::vector<std::pair<std::int64_t, double>> scores_;  // all of provenance_
  std::map<std::string, appraisal::MoveSide> ranked_;    // by hash: what steps away from it are compared with
  std::map<std::string, std::size_t> unranked_reasons_;
  std::set<std::string> structures_;
  int accepted_ = 0;
};

}  // namespace ww::explore
