// SPDX-License-Identifier: Apache-2.0
#include "explore/repeated.h"
#include <algorithm>
#include <utility>

namespace ww::explore {
namespace {

// For all processes that worked on the run, whose own budgets the generator keeps to.
int most_candidates(const generator::RunOptions& options) {
  int most = options.budget.candidates;
  for (const generator::TakenUp& taken : options.model.taken_up)
    if (taken.budget) most = most == 0 || taken.budget->candidates == 0 ? 0 : std::max(most, taken.budget->candidates);
  return most;
}

}  // namespace

Result<Repeated> repeated(store::Workspace& workspace, std::int64_t run) {
  Repeated r;
  r.run = WW_TRY(workspace.run(run));
  r.options = WW_TRY(generator::options_from_json(r.run.options));
  while (const std::int64_t of = r.options.model.replay_of) {
    const std::string which = "run " + std::to_string(r.run.id) + " is a replay";
    if (r.run.imported)  // with a bundle, perhaps: then the number that it names is of another workspace
      return fail(Code::invalid_argument, which +
                                              " that came from elsewhere; only the run that it repeats can be "
                                              "replayed");
    Result<store::RunRecord> original = workspace.run(of);
    if (!original || of >= r.run.id)
      return fail(Code::invalid_argument, which + " of run " + std::to_string(of) + ", which is no longer there");
    r.run = std::move(*original);
    r.options = WW_TRY(generator::options_from_json(r.run.options));
  }
  const std::vector<store::ExchangeRecord> asked = WW_TRY(workspace.exchanges(r.run.id));
  if (asked.empty())
    return fail(Code::invalid_argument,
                "run " + std::to_string(r.run.id) + " asked no model: there is no transcript to replay");
  r.options.model.replay_of = r.run.id;
  r.options.budget.candidates = most_candidates(r.options);
  r.options.worker = {};  // of this machine
  return r;
}

}  // namespace ww::explore
