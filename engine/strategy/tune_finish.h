// SPDX-License-Identifier: Apache-2.0
// The tuning of a draft that left choices open: coordinate search from the tuning that is the best so far, first one
// step of one axis (all of them at once), then the other values of each axis, again from each better one, until none of
// the axes gives a gain. What the default case does not allow is not tried. The state is the population: a resumed run
// continues where it was.
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
  // Tasks of kind `ready`, at most `wanted`, for the draft that `hash` is a tuning of. Empty: it is finished, or
  // nothing is open in it. Ask when all that was given out has its verdict.
  std::vector<Task> next(const Population& population, const Ledger& ledger, const std::string& hash,
                         const std::string& lineage, std::size_t wanted);

 private:
  struct Draft {
    candidate::Candidate open;
    std::map<candidate::Tuning, std::string> variants;  // hash of each tuning that was looked at; empty: not allowed
    std::map<std::string, candidate::Tuning> tunings;   // of the hashes
    std::set<std::string> sent;
  };
  Draft* draft_of(const Population& population, const Ledger& ledger, const std::string& hash);
  Draft* opened(const std::string& root, const std::string& text);
  static bool recalled(Draft& draft, const Population& population, const Ledger& ledger, const std::string& hash);
  const std::string& variant(Draft& draft, const Population& population, const candidate::Tuning& tuning);

  std::map<std::string, Draft> drafts_;    // by the hash of the first tuning
  std::map<std::string, std::string> of_;  // hash of a candidate → of its draft; empty: it has none
};

}  // namespace ww::strategy
