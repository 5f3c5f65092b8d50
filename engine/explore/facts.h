// SPDX-License-Identifier: Apache-2.0
// What is known, as texts for prompts (llm/prompt.h names them). Every number carries its provenance: simulated,
// measured or modelled. Nothing in these texts changes from one run to the next of the same options (no times of day,
// no ids, no seconds that a host took), so that a run can be replayed from its transcript.
#pragma once
#include <optional>
#include <string>
#include <vector>
#include "explore/rank.h"
#include "explore/run.h"
#include "llm/prompt.h"
#include "profile/advice.h"
#include "profile/measurement.h"
#include "store/workspace.h"

namespace ww::explore {

struct Ground {  // of a run; what the facts are read from
  op::Spec spec;
  op::Binding binding;  // the default case in full
  std::string device, architecture, sentence;
  std::optional<profile::DeviceDetails> details;  // of a GPU, from its worker
  RankRules rules;
  std::optional<profile::AdviceRules> advice;
};

std::string reference_text(const Ground& ground);  // equations, and the tolerance in words
std::string case_facts(const Ground& ground);      // shapes of the default case, symbols of the others
std::string device_facts(const Ground& ground);    // limits of the architecture; what the score is made of
// spec, reference, case, device, wish: the same for every request of a run.
llm::Sheet ground_sheet(const Ground& ground);

// The record of store::Workspace::candidate, with its verdict.
std::string numbers_text(
    const Ground& ground,
    const store::CandidateRecord& candidate);  // score and its parts, counters, registers, occupancy, roofline
std::string lines_text(const store::CandidateRecord& candidate,
                       std::size_t limit = 12);  // the hottest lines with their text
// What the rules of advice are given of it. With `counters` of a later measurement: these, in place of simulated
// counts.
profile::AdviceInput advice_input(const Ground& ground, const store::CandidateRecord& candidate,
                                  const profile::CounterReport* counters = nullptr);
// Of the verdict's numbers, and of counters that were measured apart; each rule once. Empty: no rule applies, or
// nothing is known.
std::vector<profile::Advice> advice_of(const Ground& ground, const store::CandidateRecord& candidate,
                                       const profile::CounterReport* counters = nullptr);
std::string advice_facts(const Ground& ground, const store::CandidateRecord& candidate,
                         std::size_t limit = 5);  // of the rules engine; empty: it has none
// Why it was not accepted; of the compiler's log the lines around its errors, at most `log_lines`.
std::string rejection_text(const store::CandidateRecord& candidate, std::size_t log_lines = 60);
std::string trimmed_log(const std::string& log, std::size_t lines);
// "- vectorised loads: accepted, 812 simulated issue slots (3a9f01c2d4e5)", oldest first, at most the last `limit`.
std::string attempts_text(const std::vector<const Feedback*>& attempts, const std::vector<std::string>& notes,
                          const std::string& unit, std::size_t limit = 12);
// What scores on this device are: "simulated issue slots", "µs, measured".
std::string score_unit(const Ground& ground);

}  // namespace ww::explore
