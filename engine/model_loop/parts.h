// SPDX-License-Identifier: Apache-2.0
// The parts of a run that is replayed, one for each process that worked on it. A process that takes a run up knows what
// is stored and no more: its strategies begin anew, with numbers after those of all tasks that were asked. A replay
// does the same at the same places, so that its requests have the same seeds and prompts.
#pragma once
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>
#include "base/result.h"
#include "model_loop/racer.h"
#include "store/workspace.h"
#include "strategy/strategy.h"

namespace ww::model_loop {

class Parts {
 public:
  Parts() = default;  // of a run that is no replay: one without an end
  static Result<Parts> load(store::Workspace& workspace, std::int64_t run);

  bool last() const { return at_ + 1 >= parts_.size(); }
  // Whether every task of this part was given out, and another part follows.
  bool over(const std::vector<Racer>& racers) const;
  void next() { ++at_; }
  // Whether it was stored that this task was asked in this part, or in one before; of the last part: true.
  bool has(const std::string& strategy, const strategy::Task& task) const;
  std::uint64_t tasks_before(const std::string& strategy) const;  // the greatest number of the parts before
  std::string began() const { return parts_.empty() ? std::string() : parts_[at_].began; }  // ISO 8601, UTC

 private:
  struct Part {
    std::string began;
    std::map<std::string, std::set<std::uint64_t>> tasks;  // by strategy; with those of the parts before
    std::uint64_t greatest(const std::string& strategy) const;
  };
  std::vector<Part> parts_;
  std::size_t at_ = 0;
};

}  // namespace ww::model_loop
