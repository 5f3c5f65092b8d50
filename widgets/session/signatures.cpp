// SPDX-License-Identifier: GPL-3.0-or-later
#include "session/signatures.h"
#include <map>
#include "review/decision.h"
#include "session/models/candidate_model.h"
#include "session/reviewer.h"
#include "session/session.h"

namespace ww::widgets {

Signatures::Signatures(const Context& context, QObject* parent) : QObject(parent), context_(context) {
  connect(context_.session, &Session::run_shown, this, &Signatures::load);
  connect(Reviewer::of(context_), &Reviewer::decided, this, &Signatures::load);
  // Candidates of the next workspace have the same numbers.
  connect(context_.session, &Session::workspace_opened, this, [this] {
    context_.candidates->set_signed({});
    load();
  });
  load();
}

void Signatures::load() {
  const auto workspace = context_.session->workspace();
  const std::int64_t run = context_.session->shown_run();
  if (run == 0 || !workspace) return job_.forget();  // a new run has none
  job_.submit([this, workspace, run]() -> LatestJob::Deliver {
    std::map<std::int64_t, std::vector<store::ReviewRecord>> by_candidate;
    if (auto all = workspace->reviews(0))
      for (store::ReviewRecord& one : *all) by_candidate[one.candidate].push_back(std::move(one));
    QHash<std::int64_t, review::ReviewState> states;
    for (const auto& [candidate, reviews] : by_candidate)
      if (const auto record = workspace->candidate_row(candidate); record && record->run == run)
        states[candidate] = review::state_of(reviews, record->hash);
    return [this, states] { context_.candidates->set_signed(states); };
  });
}

}  // namespace ww::widgets
