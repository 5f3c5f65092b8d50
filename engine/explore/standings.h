// SPDX-License-Identifier: Apache-2.0
// The accepted candidates of a run in order. Only scores of one provenance are ranked: that of the first.
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
    std::vector<std::pair<std::int64_t, int>> ranks;  // of all; empty: none changed
    std::optional<int> rank;                          // of the new one
    std::optional<store::MoveRecord> move;            // from its ranked parent
    bool first_unranked = false;                      // the first accepted one left unranked for this reason
  };

  // Code::not_found: it cannot be ranked in this run, with the reason.
  Result<appraisal::Score> score_of(const RunSetup& setup, const evidence::Verdict& verdict);
  Change add(const RunSetup& setup, const store::CandidateRecord& item, const evidence::Verdict& verdict,
             const Result<appraisal::Score>& score);
  // From the store, in order of verdicts. False: not ranked.
  bool recall(const store::CandidateRecord& accepted);
  bool recall(const store::ScoreRecord& score);
  void recall_parent(const store::CandidateRecord& ranked);  // for comparing its later children with it

  int accepted() const { return accepted_; }
  int structures() const { return static_cast<int>(structures_.size()); }

 private:
  Provenance provenance_ = Provenance::unknown;
  std::vector<std::pair<std::int64_t, double>> scores_;  // all of provenance_
  std::map<std::string, appraisal::MoveSide> ranked_;    // by hash: the parents that moves are compared with
  std::map<std::string, std::size_t> unranked_reasons_;
  std::set<std::string> structures_;
  int accepted_ = 0;
};

}  // namespace ww::explore
