// SPDX-License-Identifier: GPL-3.0-or-later
#include "session/recent_runs.h"
#include <algorithm>
#include <utility>
#include "parts/theme/empty_page.h"
#include "session/models/candidate_model.h"
#include "session/run_sizes.h"
#include "session/session.h"

namespace ww::widgets {

RecentRuns::RecentRuns(Session* session, const CandidateModel* candidates, QObject* parent)
    : QObject(parent), session_(session), candidates_(candidates) {
  connect(session_, &Session::runs_listed, this, [this](const std::vector<store::RunRecord>& runs) {
    runs_ = runs;
    std::ranges::sort(runs_, std::greater{}, &store::RunRecord::id);
    look();
  });
  connect(session_, &Session::run_shown, this, &RecentRuns::look);
  connect(session_, &Session::state_changed, this, &RecentRuns::look);
  connect(candidates_, &QAbstractItemModel::modelReset, this, &RecentRuns::look);
  connect(candidates_, &QAbstractItemModel::rowsInserted, this, &RecentRuns::look);
}

void RecentRuns::look() {
  const bool coming = session_->running() && session_->shown_run() == session_->live_run();
  std::vector<std::pair<std::int64_t, QString>> offered;
  if (candidates_->rowCount() == 0 && !coming)
    for (const store::RunRecord& run : runs_)
      if (run.id != session_->shown_run() && offered.size() < most) offered.emplace_back(run.id, run_line(run));
  if (offered == std::exchange(offered_, offered)) return;
  emit changed();
}

std::vector<EmptyLink> RecentRuns::links() const {
  std::vector<EmptyLink> links;
  for (const auto& [run, text] : offered_)
    links.push_back({text, [session = session_, id = run] { session->show_run(id); }});
  return links;
}

void RecentRuns::offer_on(EmptyPage* page) {
  const auto show = [this, page] { page->show_links(tr("Recent runs"), links()); };
  connect(this, &RecentRuns::changed, page, show);
  show();
}

void RecentRuns::offer_on(LinkList* list) {
  const auto show = [this, list] { list->show_links(links()); };
  connect(this, &RecentRuns::changed, list, show);
  show();
}

}  // namespace ww::widgets
