// SPDX-License-Identifier: Apache-2.0
// One lineage: an attempt from nothing (or from a candidate that is there), fixed until it is right, then made faster
// step by step. At most one task of it is out at a time.
#pragma once
#include <optional>
#include <string>
#include "strategy/population.h"

namespace ww::strategy {

struct ClimbRules {
  int fixes = 4;                 // of one candidate that was rejected, the attempts that gave nothing included
  bool fix_improvements = true;  // false: an improvement that was rejected is dropped at once
  bool keep_small_gains = true;  // false: what is faster by less than least_gain is no parent of the next step
  int patience = 4;              // improvements (each with its fixes) without a gain, then it is over
  double least_gain = 0.01;      // relative, to the best at the last gain
};

class Climb {
 public:
  Climb(std::string lineage, ClimbRules rules) : lineage_(std::move(lineage)), rules_(rules) {}
  // Begins with what is there: right ones are made faster, rejected ones are fixed.
  Climb(std::string lineage, ClimbRules rules, const Known& start);

  Task next();                       // the next attempt; not when over
  void see(const Known& candidate);  // each candidate of the lineage once, in order, before settle()
  void settle();                     // what was out has come back, or never will
  bool over() const { return over_; }
  const std::string& lineage() const { return lineage_; }
  const std::optional<Known>& best() const { return best_; }  // none: nothing was right yet

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
