// SPDX-License-Identifier: Apache-2.0
#include "explore/edit.h"
#include "candidate/candidate.h"
#include "explore/generators.h"
#include "explore/loop.h"
#include "generator/run_options.h"
#include "explore/run_lock.h"
#include "explore/run_setup.h"
#include "op/parse.h"

namespace ww::explore {
Result<EditChecked> check_edit(store::Workspace& workspace, std::int64_t run, const generator::Proposal& edit,
                               const EventHandler& handler, std::stop_token stop) {
  const candidate::Candidate parsed = WW_TRY(candidate::parse(edit.text, edit.language));
  // What is stored is pinned; a text with a choice of tunings gives several, and its first one is the answer.
  const candidate::Candidate first = WW_TRY(candidate::pin(parsed, candidate::first_tuning(parsed)));
  const store::RunRecord record = WW_TRY(workspace.run(run));
  const RunLock lock = WW_TRY(RunLock::take(workspace.folder(), run));
  const auto there = [&]() { return workspace.candidate_of(run, first.hash); };
  if (const auto before = there()) return EditChecked{before->id, true};
  generator::RunOptions options = WW_TRY(stored_options(record));
  options.budget = {0, 0, 0, 0};
  options.workers = 1;
  options.given = {edit};
  op::Spec spec = WW_TRY(op::parse_spec(options.spec));
  appraisal::RankRules rules = WW_TRY(appraisal::RankRules::load());
  std::vector<evidence::Case> cases = cases_of(spec, options, stop);
  Loop loop(workspace, std::move(options), std::move(spec), std::move(cases), WW_TRY(make_generator("manual")),
            std::move(rules), run, handler, stop);
  loop.only_given();
  WW_TRY(loop.recall_ranks());
  WW_TRY(loop.go());
  const auto after = WW_TRY(there());
  if (after.state == store::CandidateState::queued)
    return fail(Code::cancelled, "the check was cancelled; the edit is kept in its run, without a verdict");
  return EditChecked{after.id, false};
}

}  // namespace ww::explore
