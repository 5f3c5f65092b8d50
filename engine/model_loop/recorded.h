// SPDX-License-Identifier: Apache-2.0
// The verdicts and scores of the run that a replay repeats. Measured times differ between runs, and with them prompts
// and choices, so the generator of a replay gets the recorded values, although every candidate is judged again.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>
#include "base/result.h"
#include "generator/generator.h"
#include "store/workspace.h"

namespace ww::model_loop {

// The feedback on a stored candidate with its verdict (Workspace::candidate). `ranked` if it has a score.
generator::Feedback feedback_of(const store::CandidateRecord& candidate);
// On one of Workspace::candidates, whose verdict is read only if it says more: not of an accepted one.
Result<generator::Feedback> feedback_of(store::Workspace& workspace, const store::CandidateRecord& listed);

class Recorded {
 public:
  Recorded() = default;  // of no run: changes nothing
  static Result<Recorded> load(store::Workspace& workspace, std::int64_t run);
  // Replaces verdict and score of each candidate by the recorded ones, if any. Ids and order do not change.
  void apply(std::vector<generator::Feedback>& history) const;
  // The candidate's number in the recorded run, else `id`: the source of verdict and numbers in prompts.
  std::int64_t number(const std::string& hash, std::int64_t id) const;

 private:
  std::map<std::string, generator::Feedback> known_;  // by hash
};

}  // namespace ww::model_loop
