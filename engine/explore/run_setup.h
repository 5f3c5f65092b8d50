// SPDX-License-Identifier: Apache-2.0
// What stays the same while a run is worked on.
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
  RunSetup(store::Workspace& workspace, std::int64_t run, RunOptions options, op::Spec spec, RankRules rules,
           std::stop_token stop);
  store::Workspace& workspace;
  const std::int64_t run;
  const RunOptions options;
  const op::Spec spec;
  const RankRules rules;
  op::Binding binding;                     // the default case in full
  std::vector<identity::BoundCase> cases;  // that the gate tries; empty: programs are not compared
  int workers = 1;
};

// As they were stored, but for the worker: that is this program's own.
Result<RunOptions> stored_options(const store::RunRecord& run);
// Where the sandbox is required, a run that no worker may judge is not begun. Code::unavailable.
Status check_sandbox(const RunOptions& options);
CandidateRow row_of(const store::CandidateRecord& candidate, store::CandidateState state);  // without score and rank

}  // namespace ww::explore
