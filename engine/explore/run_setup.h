// SPDX-License-Identifier: Apache-2.0
// State that stays constant while a process works on a run.
#pragma once
#include <stop_token>
#include <string>
#include <vector>
#include "appraisal/rank.h"
#include "explore/run.h"
#include "identity/program.h"
#include "store/workspace.h"

namespace ww::explore {

struct RunSetup {
  // `derived`: the result of cases_of().
  RunSetup(store::Workspace& workspace, std::int64_t run, generator::RunOptions options, op::Spec spec,
           std::vector<evidence::Case> derived, appraisal::RankRules rules);
  store::Workspace& workspace;
  const std::int64_t run;
  const generator::RunOptions options;
  const op::Spec spec;
  const appraisal::RankRules rules;
  op::Binding binding;                     // the default case in full
  std::vector<identity::BoundCase> cases;  // tried by the gate; empty: programs are not compared
  int workers = 1;
};

// The default case in full.
op::Binding default_binding(const op::Spec& spec, const op::Binding& given);
// The fixed cases that the gate tries for a run, the default first; empty if that does not fit the spec, or after a
// stop.
// Computes each of them once.
std::vector<evidence::Case> cases_of(const op::Spec& spec, const generator::RunOptions& options,
                                     const std::stop_token& stop);
// The stored options, with this program's worker.
Result<generator::RunOptions> stored_options(const store::RunRecord& run);
// Code::unavailable if the sandbox is required and no worker has it; the run is then not started.
Status check_sandbox(const generator::RunOptions& options);
CandidateRow row_of(const store::CandidateRecord& candidate, store::CandidateState state);  // without score and rank

}  // namespace ww::explore
