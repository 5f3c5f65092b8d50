// SPDX-License-Identifier: Apache-2.0
// Tunes a draft that left choices open: coordinate search from the best tuning so far, first one step along each axis
// (all at once), then the other values of each axis, again from each better one, until no axis gives a gain. Tunings
// that are invalid for the default case are skipped. All state is in the population, so a resumed run continues where
// it stopped.
#pragma once
#include <map>
#include <set>
#include <string>
#include <vector>
#include "candidate/candidate.h"
#include "strategy/population.h"

namespace ww::strategy {

class TuneFinish {
 public:
  // Tasks of kind `ready`, at most `wanted`, for the draft of the tuning `hash`. Empty: finished, or nothing is open in
  // it. Call once all earlier tasks have verdicts.
  std::vector<Task> next(const Population& population, const Ledger& ledger, const std::string& hash,
                         const std::string& lineage, std::size_t wanted);

 private:
  struct Draft {
    candidate::Candidate open;
    std::map<candidate::Tuning, std::string> variants;  // hash of each examined tuning; empty: not allowed
    std::map<std::string, candidate::Tuning> tunings;   // of the hashes
    std::set<std::string> sent;
  };
  Draft* draft_of(const Population& population, const Ledger& ledger, const std::string& hash);
  Draft* opened(const std::string& root, const std::string& text);
  static bool recalled(Draft& draft, const Population& population, const Ledger& ledger, const std::string& hash);
  const std::string& variant(Draft& draft, const Population& population, const candidate::Tuning& tuning);

  std::map<std::string, Draft> drafts_;    // by the hash of the first tuning
  std::map<std::string, std::string> of_;  // hash of a candidate → of its draft; empty: none
};

}  // namespace ww::strategy
