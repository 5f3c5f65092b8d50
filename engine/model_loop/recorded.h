// SPDX-License-Identifier: Apache-2.0
// The verdicts and scores of the run that a replay repeats. A measured time differs from run to run, and with it
// prompts and choices: so the generator of a replay gets what was recorded, while every candidate is judged anew.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>
#include "base/result.h"
#include "generator/generator.h"
#include "store/workspace.h"

namespace ww::model_loop {

// The feedback on a stored candidate with its verdict (Workspace::candidate). `ranked` where it has a score.
generator::Feedback feedback_of(const store::CandidateRecord& candidate);

class Recorded {
 public:
  Recorded() = default;  // of no run: changes nothing
  static Result<Recorded> load(store::Workspace& workspace, std::int64_t run);
  // Gives each candidate that was judged then, too, its verdict and score of then. Ids and order stay.
  void apply(std::vector<generator::Feedback>& history) const;
  // The candidate's number in the recorded run, else `id`: whose verdict and numbers prompts are to show.
  std::int64_t number(const std::string& hash, std::int64_t id) const;

 private:
  std::map<std::string, generator::Feedback> known_;  // by hash
};

}  // namespace ww::model_loop
