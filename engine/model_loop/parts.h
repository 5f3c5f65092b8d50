// SPDX-License-Identifier: Apache-2.0
// The parts of a replayed run, one per process that worked on it. A process that resumes a run knows only what is
// stored: its strategies start anew, with numbers after those of all earlier tasks. A replay does the same at the same
// points, so that its requests have the same seeds and prompts.
#pragma once
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>
#include "base/result.h"
#include "generator/run_options.h"
#include "model_loop/racer.h"
#include "store/workspace.h"
#include "strategy/strategy.h"

namespace ww::model_loop {

class Parts {
 public:
  Parts() = default;  // for a run that is not a replay: a single unbounded part
  static Result<Parts> load(store::Workspace& workspace, std::int64_t run);

  bool last() const { return at_ + 1 >= parts_.size(); }
  // Whether all tasks of this part were given out, and another part follows.
  bool over(const std::vector<Racer>& racers) const;
  void next() { ++at_; }
  // Whether this task was recorded in this part or an earlier one; in the last part: true.
  bool has(const std::string& strategy, const strategy::Task& task) const;
  std::uint64_t tasks_before(const std::string& strategy) const;  // the greatest number of the parts before
  // That this part's process kept to.
  const generator::Budget& budget() const { return parts_[at_].budget; }
  // Requests of the recorded run, in their order, that this part's process found.
  std::size_t exchanges_before() const { return parts_[at_].exchanges_before; }
  std::string began() const { return parts_.empty() ? std::string() : parts_[at_].began; }  // ISO 8601, UTC

 private:
  struct Part {
    std::string began;
    generator::Budget budget;
    std::size_t exchanges_before = 0;
    std::map<std::string, std::set<std::uint64_t>> tasks;  // by strategy; including the parts before
    std::uint64_t greatest(const std::string& strategy) const;
  };
  std::vector<Part> parts_;
  std::size_t at_ = 0;
};

}  // namespace ww::model_loop
