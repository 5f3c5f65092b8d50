// SPDX-License-Identifier: Apache-2.0
// One lineage: an attempt from scratch (or from an existing candidate), fixed until it is correct, then improved step
// by step. At most one of its tasks is in progress.
#pragma once
#include <optional>
#include <string>
#include "strategy/population.h"

namespace ww::strategy {

struct ClimbRules {
  int fixes = 4;                 // of one rejected candidate, including attempts without a result
  bool fix_improvements = true;  // false: a rejected improvement is dropped at once
  bool keep_small_gains = true;  // false: a candidate that gains less than least_gain does not become the next parent
  int patience = 4;              // improvements (each with its fixes) without a gain, after which it ends
  double least_gain = 0.01;      // relative, to the best at the last gain
};

class Climb {
 public:
  Climb(std::string lineage, ClimbRules rules) : lineage_(std::move(lineage)), rules_(rules) {}
  // Begins with the existing candidates: correct ones are improved, rejected ones fixed.
  Climb(std::string lineage, ClimbRules rules, const Known& start);

  Task next();                       // the next attempt; not if over
  void see(const Known& candidate);  // each candidate of the lineage once, in order, before settle()
  void settle();                     // the task in progress has returned, or never will
  bool over() const { return over_; }
  const std::string& lineage() const { return lineage_; }
  const std::optional<Known>& best() const { return best_; }  // empty: no correct candidate yet

 private:
  void take(const Known& candidate);  // an accepted one
  void give_up_fixing();

  std::string lineage_;
  ClimbRules rules_;
  std::optional<Known> best_, reference_;  // reference_: the best at the last gain
  std::string rejected_;                   // to be fixed; empty: none
  int fixes_ = 0, stale_ = 0, empty_ = 0;
  bool over_ = false, gained_ = false;
  std::optional<Task::Kind> out_;
  bool came_ = false, right_ = false;  // since the last settle()
  std::string wrong_;
};

}  // namespace ww::strategy
