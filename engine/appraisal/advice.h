// SPDX-License-Identifier: Apache-2.0
// Advice from the rules on a stored candidate.
#pragma once
#include <optional>
#include <string>
#include <vector>
#include "appraisal/rank.h"
#include "op/spec.h"
#include "profile/advice.h"
#include "profile/datasheet.h"
#include "profile/launches.h"
#include "profile/measurement.h"
#include "store/workspace.h"

namespace ww::appraisal {

struct RunContext {  // what is known before any candidate
  op::Spec spec;
  op::Binding binding;  // the default case in full
  std::string device, architecture, sentence;
  std::optional<profile::DeviceDetails> details;  // of a GPU, from its worker
  std::optional<profile::Datasheet> modelled;     // the GPU to model for where there is none
  RankRules rules;
  std::optional<profile::AdviceRules> advice;
};

// Candidates below are records of store::Workspace::candidate, with their verdicts.

// At the run's case, in order; empty: there is no plan for it.
std::vector<profile::LaunchUse> uses_of(const RunContext& context, const store::CandidateRecord& candidate);
// The input of the advice rules. With `counters` of a later measurement: these instead of simulated counts.
profile::AdviceInput advice_input(const RunContext& context, const store::CandidateRecord& candidate,
                                  const profile::CounterReport* counters = nullptr);
// Advice on the verdict's numbers and on counters that were measured separately; each rule once. Empty: no rule
// applies, or nothing is known.
std::vector<profile::Advice> advice_of(const RunContext& context, const store::CandidateRecord& candidate,
                                       const profile::CounterReport* counters = nullptr);

}  // namespace ww::appraisal
