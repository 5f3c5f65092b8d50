// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/code/open_tabs.h"
#include <QDir>
#include <algorithm>
#include "explore/run_setup.h"
#include "panels/tour/tour.h"
#include "session/models/candidate_model.h"
#include "session/selection.h"
#include "session/session.h"

namespace ww::widgets {

namespace {

bool look_alike(const explore::CandidateRow& a, const explore::CandidateRow& b) {
  return a.hash == b.hash && a.state == b.state && a.partial() == b.partial() && a.proved_at == b.proved_at &&
         a.imported == b.imported && a.title == b.title && a.structure == b.structure;
}

}  // namespace

OpenTabs::OpenTabs(const Context& context, QObject* parent) : QObject(parent), context_(context) {
  connect(context.selection, &Selection::current_changed, this, &OpenTabs::follow);
  const auto look = [this] {
    if (refresh()) emit changed();
  };
  connect(context.candidates, &CandidateModel::rows_changed, this, look);
  connect(context.candidates, &QAbstractItemModel::rowsInserted, this, look);
  connect(context.candidates, &QAbstractItemModel::modelReset, this, look);
  connect(context.session, &Session::runs_listed, this, &OpenTabs::forget_runs);
  connect(context.session, &Session::workspace_opened, this, [this] { open(context_.session->folder()); });
  if (context.session->ready()) open(context.session->folder());
}

int OpenTabs::index_of(std::int64_t candidate) const {
  const auto at = std::ranges::find(tabs_, candidate, [](const OpenTab& tab) { return tab.row.id; });
  return at == tabs_.end() ? -1 : static_cast<int>(at - tabs_.begin());
}

QList<std::int64_t> OpenTabs::kept() const {
  QList<std::int64_t> ids;
  for (const OpenTab& tab : tabs_)
    if (tab.kept) ids.append(tab.row.id);
  return ids;
}

QHash<QString, QList<std::int64_t>> OpenTabs::kept_by_folder() const {
  QHash<QString, QList<std::int64_t>> all = kept_by_folder_;
  if (!folder_.isEmpty() && !Tour::owns(folder_)) all[folder_] = kept();
  return all;
}

void OpenTabs::restore(const QHash<QString, QList<std::int64_t>>& kept_by_folder) {
  kept_by_folder_ = kept_by_folder;
  if (!folder_.isEmpty()) add_kept(kept_by_folder_.value(folder_));
}

void OpenTabs::open(const QString& folder) {
  job_.forget();
  kept_by_folder_ = kept_by_folder();
  folder_ = QDir::cleanPath(folder);
  tabs_.clear();
  wanted_ = 0;
  add_kept(kept_by_folder_.value(folder_));
}

void OpenTabs::follow(std::int64_t candidate) {
  current_ = candidate;
  if (candidate == 0 || index_of(candidate) < 0) std::erase_if(tabs_, [](const OpenTab& tab) { return !tab.kept; });
  if (candidate != 0 && index_of(candidate) < 0) {
    tabs_.emplace_back().row.id = candidate;
    refresh();
  }
  emit changed();
}

bool OpenTabs::refresh() {
  bool fresh = false;
  for (OpenTab& tab : tabs_) {
    const int row = context_.candidates->row_of(tab.row.id);
    if (row < 0) continue;
    const explore::CandidateRow& now = context_.candidates->rows()[static_cast<std::size_t>(row)].data;
    // While another run takes the place of the shown one, the rows are still of the run before.
    if (tab.run == 0) tab.run = context_.session->shown_run();
    fresh |= !look_alike(tab.row, now);
    tab.row = now;
  }
  return fresh;
}

void OpenTabs::learn(const CandidateView& candidate) {
  const store::CandidateRecord& record = candidate.record;
  if (index_of(record.id) < 0) follow(record.id);
  OpenTab& tab = tabs_[static_cast<std::size_t>(index_of(record.id))];
  tab.run = record.run;
  if (context_.candidates->row_of(record.id) >= 0) return;  // the table is ahead of what was read
  tab.row = explore::row_of(record, record.state);
  emit changed();
}

void OpenTabs::add_kept(const QList<std::int64_t>& candidates) {
  for (const std::int64_t id : candidates) {
    if (id <= 0 || index_of(id) >= 0) continue;
    OpenTab& tab = tabs_.emplace_back();
    tab.row.id = id;
    tab.kept = true;
  }
  refresh();
  read();
  emit changed();
}

void OpenTabs::read() {
  QList<std::int64_t> unknown;
  for (const OpenTab& tab : tabs_)
    if (tab.run == 0) unknown.append(tab.row.id);
  const auto workspace = context_.session->workspace();
  if (unknown.isEmpty() || !workspace) return;
  job_.submit([this, workspace, unknown]() -> LatestJob::Deliver {
    std::vector<OpenTab> found;
    QList<std::int64_t> gone;
    for (const std::int64_t id : unknown) {
      const auto record = workspace->candidate_row(id);
      if (record)
        found.push_back({explore::row_of(*record, record->state), record->run, true});
      else if (record.error().code == Code::not_found)
        gone.append(id);
    }
    return [this, workspace, found, gone] {
      if (workspace != context_.session->workspace()) return;
      for (const OpenTab& read : found)
        if (const int at = index_of(read.row.id); at >= 0 && tabs_[static_cast<std::size_t>(at)].run == 0) {
          tabs_[static_cast<std::size_t>(at)].run = read.run;
          tabs_[static_cast<std::size_t>(at)].row = read.row;
        }
      std::erase_if(tabs_, [&](const OpenTab& tab) { return gone.contains(tab.row.id) && tab.row.id != current_; });
      emit changed();
      if (wanted_ != 0) go_to(wanted_);
    };
  });
}

void OpenTabs::forget_runs(const std::vector<store::RunRecord>& there) {
  const auto gone = [&](const OpenTab& tab) {
    if (tab.run == 0 || (context_.session->running() && tab.run == context_.session->live_run())) return false;
    return std::ranges::find(there, tab.run, &store::RunRecord::id) == there.end();
  };
  if (std::erase_if(tabs_, gone) > 0) emit changed();
}

void OpenTabs::keep(std::int64_t candidate) {
  if (candidate == 0) return;
  int at = index_of(candidate);
  if (at < 0) {  // before the preview, which stays at the end
    const auto preview = std::ranges::find(tabs_, false, &OpenTab::kept);
    at = static_cast<int>(preview - tabs_.begin());
    tabs_.insert(preview, OpenTab())->row.id = candidate;
    refresh();
  }
  if (std::exchange(tabs_[static_cast<std::size_t>(at)].kept, true)) return;
  read();
  emit changed();
}

const OpenTab* OpenTabs::beside(std::size_t at) const {
  const std::int64_t run = context_.session->shown_run();
  for (std::size_t i = at + 1; i < tabs_.size(); ++i)
    if (tabs_[i].run == run) return &tabs_[i];
  for (std::size_t i = at; i-- > 0;)
    if (tabs_[i].run == run) return &tabs_[i];
  return nullptr;
}

bool OpenTabs::can_close(std::int64_t candidate) const {
  const int at = index_of(candidate);
  if (at < 0) return false;
  return candidate != current_ || tabs_[static_cast<std::size_t>(at)].kept || beside(static_cast<std::size_t>(at));
}

void OpenTabs::close(std::int64_t candidate) {
  if (!can_close(candidate)) return;
  const int at = index_of(candidate);
  const OpenTab* next = candidate == current_ ? beside(static_cast<std::size_t>(at)) : nullptr;
  if (candidate == current_ && !next) {
    tabs_[static_cast<std::size_t>(at)].kept = false;
    emit changed();
    return;
  }
  const std::int64_t then = next ? next->row.id : 0;
  tabs_.erase(tabs_.begin() + at);
  if (then != 0)
    context_.selection->set_current(then);
  else
    emit changed();
}

void OpenTabs::close_others(std::int64_t candidate) {
  const auto goes = [&](const OpenTab& tab) { return tab.row.id != candidate && tab.row.id != current_; };
  if (std::erase_if(tabs_, goes) > 0) emit changed();
}

void OpenTabs::go_to(std::int64_t candidate) {
  wanted_ = 0;
  const int at = index_of(candidate);
  if (at < 0) return;
  const std::int64_t run = tabs_[static_cast<std::size_t>(at)].run;
  if (run == context_.session->shown_run() || context_.candidates->row_of(candidate) >= 0)
    context_.selection->set_current(candidate);
  else if (run != 0)
    emit candidate_wanted(run, candidate);
  else
    wanted_ = candidate;
}

void OpenTabs::move(int from, int to) {
  const int n = static_cast<int>(tabs_.size());
  if (from < 0 || to < 0 || from >= n || to >= n || from == to) return;
  OpenTab tab = std::move(tabs_[static_cast<std::size_t>(from)]);
  tab.kept = true;
  tabs_.erase(tabs_.begin() + from);
  tabs_.insert(tabs_.begin() + to, std::move(tab));
  emit moved();
}

void OpenTabs::step(int by) {
  const int n = static_cast<int>(tabs_.size());
  if (n == 0) return;
  const int at = index_of(current_);
  const int next = at >= 0 ? (at + by + n) % n : by > 0 ? 0 : n - 1;
  go_to(tabs_[static_cast<std::size_t>(next)].row.id);
}

}  // namespace ww::widgets
