// SPDX-License-Identifier: Apache-2.0
// The state of one strategy of a run in the generator "model": what it may see and what it has used. Restored from the
// store on resume.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>
#include "llm/agents.h"
#include "strategy/strategy.h"
#include "store/workspace.h"

namespace ww::model_loop {

struct Lost {  // an attempt that gave no new candidate
  std::string lineage, parent;
  std::string repeats;       // hash of the repeated candidate; empty: the reply contained none
  bool only_called = false;  // there was no reply but calls of tools
};
struct Studied {  // a candidate that there is a diagnosis of
  llm::Diagnosis diagnosis;
  std::size_t used = 0;         // attempts that got the diagnosis
  std::uint64_t last_task = 0;  // the last of these, while they are being restored
  bool tried = false;           // one of these gave a new candidate
  bool inherited = false;       // of the candidate that it was made of by a move: the moves after that are left
  // Each move is worth an attempt. At the hardware limit, and before a new candidate, there is nothing new to say.
  bool open() const { return diagnosis.moves.empty() || used < diagnosis.moves.size() || !tried; }
};

// What a candidate that was made by the attempt with this turn has of its parent's diagnosis; empty: no moves are left.
std::optional<Studied> inherited(const Studied& parent, std::size_t turn);

constexpr int most_only_called = 2;  // attempts in a row in which a model does nothing but call tools

struct Racer {
  std::string name;
  std::unique_ptr<strategy::Strategy> strategy;
  std::set<std::string> own;                                        // hashes of its candidates
  std::map<std::string, std::string> notes;                         // of these
  std::vector<std::pair<std::string, std::string>> lineages, open;  // as in Population
  std::vector<strategy::Attempt> failed;                            // of its latest round
  std::vector<Lost> lost;                                           // of all rounds
  std::map<std::string, Studied> studied;                           // by hash
  std::uint64_t tasks_before = 0, tasks = 0;                        // by earlier processes; in total
  std::int64_t tokens = 0;                                          // of its exchanges so far
  double money = 0;
  std::string ended;      // why it gets no more tasks; empty: it continues
  int only_called = 0;    // attempts in a row in which the model did nothing but call tools
  bool no_tools = false;  // so many that it is offered none any more

  // Its candidates and the user's, in order of proposal: in rounds, the order of verdicts may depend on the speed of
  // the workers.
  std::vector<const generator::Feedback*> sees(const std::vector<generator::Feedback>& history) const;
  int used(const std::vector<generator::Feedback>& history) const;  // its own judged candidates; duplicates are free
  void adopt(const std::string& hash, const std::string& lineage, const std::string& note);
  void note_calls(bool calls_alone);  // of an attempt that came to its end
  // The earlier attempts relevant to a task: members of its lineage, ancestors of `parent`, and other children of
  // `parent`. Oldest first, with their notes.
  std::vector<const generator::Feedback*> attempts(const std::vector<const generator::Feedback*>& seen,
                                                   const std::string& lineage, const std::string& parent,
                                                   std::vector<std::string>& notes) const;
};

// Restores each racer from the store.
Status recall(std::vector<Racer>& racers, store::Workspace& workspace, std::int64_t run);
// Tokens and money of each racer from the run's exchanges.
Status count_spend(std::vector<Racer>& racers, store::Workspace& workspace, std::int64_t run);

}  // namespace ww::model_loop
