// SPDX-License-Identifier: Apache-2.0
#include "explore/edit.h"
#include "candidate/candidate.h"
#include "explore/loop.h"
#include "explore/options_json.h"
#include "explore/run_lock.h"
#include "op/parse.h"

namespace ww::explore {
namespace {

class Nobody final : public Generator {
 public:
  std::string name() const override { return "manual"; }
  Result<std::vector<Proposal>> propose(const GeneratorRequest&, CancelToken) override {
    return std::vector<Proposal>();
  }
};

}  // namespace

Result<EditChecked> check_edit(store::Workspace& workspace, std::int64_t run, const Proposal& edit,
                               const EventHandler& handler, CancelToken cancel) {
  const Result<candidate::Candidate> parsed = candidate::parse(edit.text, edit.language);
  if (!parsed) return fail(parsed.error());
  // What is stored is pinned; a text with a choice of tunings gives several, and its first one is the answer.
  const Result<candidate::Candidate> first = candidate::pin(*parsed, candidate::first_tuning(*parsed));
  if (!first) return fail(first.error());
  const Result<store::RunRecord> record = workspace.run(run);
  if (!record) return fail(record.error());
  const Result<RunLock> lock = RunLock::take(workspace.folder(), run);
  if (!lock) return fail(lock.error());
  const auto there = [&]() { return workspace.candidate_of(run, first->hash); };
  if (const auto before = there()) return EditChecked{before->id, true};
  Result<RunOptions> options = options_from_json(record->options);
  if (!options) return fail(options.error());
  std::error_code ec;
  if (!options->worker.program.empty() && !std::filesystem::exists(options->worker.program, ec))
    options->worker.program.clear();  // it moved
  options->budget = {0, 0, 0, 0};
  options->workers = 1;
  options->given = {edit};
  Result<op::Spec> spec = op::parse_spec(options->spec);
  if (!spec) return fail(spec.error());
  Result<RankRules> rules = RankRules::load();
  if (!rules) return fail(rules.error());
  Loop loop(workspace, std::move(*options), std::move(*spec), std::make_unique<Nobody>(), std::move(*rules), run,
            handler, cancel);
  loop.only_given();
  if (Status s = loop.recall(); !s) return fail(s.error());
  if (const auto ended = loop.go(); !ended) return fail(ended.error());
  const auto after = there();
  if (!after) return fail(after.error());
  if (after->state == "queued")
    return fail(Code::cancelled, "the check was cancelled; the edit is kept in its run, without a verdict");
  return EditChecked{after->id, false};
}

}  // namespace ww::explore
