// SPDX-License-Identifier: Apache-2.0
// The state of one strategy of a run in the generator "model": what it may see and what it has used. Restored from the
// store when a run is resumed.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>
#include "llm/agents.h"
#include "strategy/strategy.h"
#include "store/workspace.h"

namespace ww::model_loop {

struct Lost {  // an attempt that gave no new candidate
  std::string lineage, parent;
  std::string repeats;  // hash of the candidate that came back; empty: the reply held none
};
struct Studied {  // a candidate that the analyst has looked at
  llm::Diagnosis diagnosis;
  std::size_t used = 0;         // attempts that got the diagnosis
  std::uint64_t last_task = 0;  // of these, while they are recalled
  // Each move is worth an attempt; at the wall there is nothing new to say.
  bool open() const { return diagnosis.moves.empty() || used < diagnosis.moves.size(); }
};

struct Racer {
  std::string name;
  std::unique_ptr<strategy::Strategy> strategy;
  std::set<std::string> own;                                        // hashes of its candidates
  std::map<std::string, std::string> notes;                         // of these
  std::vector<std::pair<std::string, std::string>> lineages, open;  // as in Population
  std::vector<strategy::Attempt> failed;                            // of its latest round
  std::vector<Lost> lost;                                           // of all rounds
  std::map<std::string, Studied> studied;                           // by hash
  std::uint64_t tasks_before = 0, tasks = 0;                        // of earlier processes; given out in all
  std::int64_t tokens = 0;                                          // of its exchanges so far
  double money = 0;
  std::string ended;  // why it gets no more tasks; empty: it continues

  // Its candidates and the person's, in the order in which they were proposed: in rounds, the order of verdicts may
  // depend on which worker was faster.
  std::vector<const generator::Feedback*> sees(const std::vector<generator::Feedback>& history) const;
  int used(
      const std::vector<generator::Feedback>& history) const;  // judged candidates of its own; duplicates cost nothing
  void adopt(const std::string& hash, const std::string& lineage, const std::string& note);
  // The earlier attempts that concern a task: members of its lineage, ancestors of `parent`, and what else was made
  // from `parent`. Oldest first, their notes beside them.
  std::vector<const generator::Feedback*> attempts(const std::vector<const generator::Feedback*>& seen,
                                                   const std::string& lineage, const std::string& parent,
                                                   std::vector<std::string>& notes) const;
};

// Gives each racer what the store has of it.
Status recall(std::vector<Racer>& racers, store::Workspace& workspace, std::int64_t run);
// Tokens and money of each racer from the run's exchanges.
Status count_spend(std::vector<Racer>& racers, store::Workspace& workspace, std::int64_t run);

}  // namespace ww::model_loop
