// SPDX-License-Identifier: Apache-2.0
// A strategy directs models: given the outcomes of earlier attempts, it chooses the next ones. One small class each,
// created by name:
//   "refine"    serial refinement: one lineage, fixed until it is right, then made faster; ends when three lineages in
//               a row found nothing better
//   "sample"    parallel sampling: independent attempts; continues until the budget ends
//   "beam"      k lineages with n children each, rejected ones fixed, the best k of all go on; ends after `patience`
//               generations without a gain
//   "evolve"    islands with migration; parents are chosen by score and by distance in structure (structure.h); ends
//               after `patience` epochs without a gain
//   "keep"      keep or revert: one change at a time on the best; kept when faster, else reverted; another lineage when
//               gains diminish. Made to run for hours: does not end
//   "mixed"     the built-in search seeds, the model refines the best of each structure, open tune values are finished
//               by tuning; ends when nothing gains
// Each begins with the existing candidates (the user's, an earlier process's), finishes the tuning of its best when it
// makes no progress (tune_finish.h), and ends when dozens of consecutive attempts gave no candidate at all. A repeat of
// a known candidate does not become a parent.
// Deterministic: the same populations give the same tasks (randomness comes from the initial seed). Called in rounds:
// all candidates of earlier rounds have verdicts.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>
#include "base/result.h"
#include "generator/generator.h"

namespace ww::strategy {

struct Task {  // one attempt
  enum class Kind : std::uint8_t {
    fresh,    // from the spec only
    fix,      // parents[0] was rejected: correct it
    improve,  // parents[0] is correct: make it faster (it is analysed first)
    combine,  // of two correct ones
    ready,    // `proposal` is the candidate: no model is called (tuning, seeds of the search)
  } kind = Kind::fresh;
  std::vector<std::string> parents;  // hashes of candidates in the population
  std::string lineage;               // "2", "island 3": for labels and for "earlier attempts of this lineage"
  std::uint64_t number = 0;          // of the task within the run, from 1: seeds its request
  generator::Proposal proposal;      // of ready
};

struct Attempt {  // a task that gave no new candidate
  Task task;
  std::string why;  // "the reply did not parse: …", "the same candidate as …"
};

struct Population {  // what a strategy sees: its own candidates, the person's, and (in "mixed") the search's
  const generator::GeneratorRequest* request = nullptr;       // spec, binding, device, history of all
  std::vector<const generator::Feedback*> candidates;         // in order of verdict
  std::vector<Attempt> failed;                                // of its latest round
  std::string lineage_of(const std::string& hash) const;      // empty: unknown
  std::vector<std::pair<std::string, std::string>> lineages;  // hash, lineage; only grows
  // A draft whose tune lines leave a choice is judged with its first tuning: hash of that (pinned) candidate, text of
  // the draft. Only grows.
  std::vector<std::pair<std::string, std::string>> open;
  std::uint64_t tasks_before =
      // number of tasks given out by earlier processes of this run: numbering continues from there, so that no request
      // is repeated
      0;
};

class Strategy {
 public:
  virtual ~Strategy() = default;
  virtual std::string name() const = 0;
  // At most `wanted` tasks. Empty: it has ended.
  virtual std::vector<Task> next(const Population& population, std::size_t wanted) = 0;
  virtual std::string why_ended() const = 0;  // one sentence, after an empty round
  virtual std::vector<std::string> news() {
    return {};
  }  // since the last call, for the run's log: "moved on from lineage 2: …"
};

struct StrategyOptions {
  std::uint64_t seed = 0;
  int width = 4;     // lineages of beam, islands of evolve, samples of a round
  int children = 2;  // of beam
  // improvements (each with its fixes) without a gain of at least `least_gain` before a lineage is abandoned;
  // generations of beam, epochs of evolve
  int patience = 4;
  double least_gain = 0.01;                    // relative
  int fixes = 4;                               // attempts to fix a rejected candidate
  generator::GeneratorFactory make_generator;  // for "mixed", which seeds with the generator "search"; may be empty
};
Result<std::unique_ptr<Strategy>> make_strategy(
    const std::string& name, const StrategyOptions& options);        // Code::not_found lists the available ones
std::vector<std::pair<std::string, std::string>> list_strategies();  // name, one line about it

}  // namespace ww::strategy
