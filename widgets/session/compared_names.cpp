// SPDX-License-Identifier: GPL-3.0-or-later
#include "session/compared_names.h"
#include <QFileInfo>
#include <algorithm>
#include "session/models/candidate_model.h"
#include "parts/theme/text.h"
#include "session/selection.h"
#include "session/session.h"

namespace ww::widgets {

namespace {

ComparedName compared_name(const explore::CandidateRow& row, std::int64_t run) {
  return {CandidateModel::short_name(row), CandidateModel::tuning_of(row), CandidateModel::name_of(row), run, {}};
}

}  // namespace

ComparedNames::ComparedNames(Session* session, Selection* selection, CandidateModel* candidates, QObject* parent)
    : QObject(parent), session_(session), selection_(selection), candidates_(candidates) {
  connect(selection_, &Selection::compared_changed, this, &ComparedNames::update);
  connect(selection_, &Selection::current_changed, this, &ComparedNames::update);
  connect(selection_, &Selection::baseline_changed, this, &ComparedNames::update);
  connect(candidates_, &CandidateModel::rows_changed, this, [this] {
    if (learn()) emit changed();
  });
  connect(candidates_, &QAbstractItemModel::rowsInserted, this, &ComparedNames::update);
  connect(session_, &Session::workspace_opened, this, [this] {
    names_.clear();
    update();
  });
}

QList<std::int64_t> ComparedNames::wanted() const {
  QList<std::int64_t> ids = selection_->compared();
  for (const std::int64_t id : {selection_->current(), selection_->baseline()})
    if (id != 0 && !ids.contains(id)) ids.append(id);
  return ids;
}

bool ComparedNames::learn() {
  bool fresh = false;
  for (const std::int64_t id : wanted()) {
    const int row = candidates_->row_of(id);
    if (row < 0) continue;
    // While another run takes the place of the shown one, the rows are still of the run before.
    const std::int64_t known = names_.value(id).run;
    ComparedName name = compared_name(candidates_->rows()[static_cast<std::size_t>(row)].data,
                                      known != 0 ? known : session_->shown_run());
    if (names_.value(id) == name) continue;
    names_[id] = std::move(name);
    fresh = true;
  }
  return fresh;
}

// Those that are no longer in the workspace leave the comparison.
void ComparedNames::update() {
  learn();
  emit changed();
  QList<std::int64_t> unknown = wanted();
  unknown.removeIf([this](std::int64_t id) { return names_.contains(id); });
  const Stores stores = session_->stores();
  if (unknown.isEmpty() || !stores) return;
  job_.submit([this, stores, unknown]() -> LatestJob::Deliver {
    QHash<std::int64_t, ComparedName> found;
    QList<std::int64_t> gone;
    for (const std::int64_t id : unknown) {
      const auto at = stores.of(id);
      const auto record = at ? at->workspace->candidate_row(at->candidate) : fail(at.error());
      if (!record) {
        if (!at || record.error().code == Code::not_found) gone.append(id);
        continue;
      }
      explore::CandidateRow row;
      row.id = id;
      row.hash = record->hash;
      row.parent = record->parent;
      row.structure = record->structure;
      row.title = record->title;
      row.tuning = record->tuning;
      ComparedName name = compared_name(row, record->run);
      name.folder = stores.guests->folder_of(id);
      found.insert(id, std::move(name));
    }
    return [this, workspace = stores.own, found, gone] {
      if (workspace != session_->workspace()) return;
      names_.insert(found);
      for (const std::int64_t id : gone) {
        selection_->compare(id, false);
        if (selection_->baseline() == id) selection_->set_baseline(0);
      }
      emit changed();
    };
  });
}

void ComparedNames::forget_run(std::int64_t run) {
  for (const std::int64_t id : wanted()) {
    if (is_guest(id) || names_.value(id).run != run) continue;
    selection_->compare(id, false);
    if (selection_->baseline() == id) selection_->set_baseline(0);
  }
  names_.removeIf([run](const auto& entry) { return !is_guest(entry.key()) && entry.value().run == run; });
}

QString ComparedNames::text(std::int64_t candidate) const {
  const ComparedName name = of(candidate);
  QString text = QStringLiteral("#%1 ").arg(number_of(candidate)) + name.words;
  const QList<std::int64_t> others = wanted();
  const bool shared = std::any_of(others.begin(), others.end(), [&](std::int64_t id) {
    return id != candidate && names_.contains(id) && names_.value(id).words == name.words;
  });
  if (shared && !name.tuning.isEmpty()) text += " (" + name.tuning + ")";
  if (!name.folder.isEmpty())
    text += tr(" \u00b7 %1").arg(harmless(QFileInfo(name.folder).fileName()));
  else if (name.run != 0 && name.run != session_->shown_run())
    text += tr(" \u00b7 run %1").arg(name.run);
  return text.trimmed();
}

}  // namespace ww::widgets
