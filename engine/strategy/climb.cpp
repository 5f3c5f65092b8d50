// SPDX-License-Identifier: Apache-2.0
#include "strategy/climb.h"

namespace ww::strategy {

Climb::Climb(std::string lineage, ClimbRules rules, const Known& start) : Climb(std::move(lineage), rules) {
  if (start.accepted)
    best_ = reference_ = start;
  else
    rejected_ = start.hash;
}

Task Climb::next() {
  Task task;
  task.lineage = lineage_;
  if (!rejected_.empty()) {
    task.kind = Task::Kind::fix;
    task.parents = {rejected_};
  } else if (best_) {
    task.kind = Task::Kind::improve;
    task.parents = {best_->hash};
  }
  out_ = task.kind;
  return task;
}

void Climb::take(const Known& candidate) {
  if (candidate.duplicate) return;  // the original is known
  const bool gain = !reference_ || gains(candidate, *reference_, rules_.least_gain);
  if (gain) reference_ = candidate;
  gained_ = gained_ || gain;
  if (!best_ || (better(candidate, *best_) && (gain || rules_.keep_small_gains))) best_ = candidate;
}

void Climb::see(const Known& candidate) {
  came_ = true;
  if (candidate.accepted) {
    right_ = true;
    take(candidate);
  } else {
    wrong_ = candidate.hash;
  }
}

void Climb::give_up_fixing() {
  rejected_.clear();
  fixes_ = 0;
  if (best_)
    ++stale_;
  else
    over_ = true;  // it never was right
}

void Climb::settle() {
  if (out_) {
    if (*out_ == Task::Kind::fix) ++fixes_;
    if (right_ && best_) {
      rejected_.clear();
      fixes_ = 0;
      stale_ = gained_ ? 0 : stale_ + 1;
    } else if (right_) {  // a duplicate of another lineage's: from nothing again
      rejected_.clear();
      fixes_ = 0;
      if (++empty_ > rules_.fixes) over_ = true;
    } else if (came_) {
      if (*out_ != Task::Kind::fix) fixes_ = 0;
      rejected_ = wrong_;
      const bool worth = !best_ || rules_.fix_improvements;
      if (!worth || fixes_ >= rules_.fixes) give_up_fixing();
    } else if (*out_ == Task::Kind::fix) {
      if (fixes_ >= rules_.fixes) give_up_fixing();
    } else if (*out_ == Task::Kind::improve) {
      ++stale_;
    } else if (++empty_ > rules_.fixes) {
      over_ = true;  // no first candidate came
    }
  } else if (gained_) {
    stale_ = 0;  // by tuning, or by the user
  }
  if (best_ && stale_ >= rules_.patience) over_ = true;
  out_.reset();
  came_ = right_ = gained_ = false;
  wrong_.clear();
}

}  // namespace ww::strategy
