// SPDX-License-Identifier: GPL-3.0-or-later
#include "session/models/run_model.h"
#include <QFont>
#include <algorithm>
#include "parts/theme/text.h"
#include "parts/theme/theme.h"
#include "session/run_sizes.h"

namespace ww::widgets {

QVariant RunModel::headerData(int section, Qt::Orientation orientation, int role) const {
  return column_header(section, orientation, role,
                       {tr("Run"), tr("Op"), tr("Start"), tr("Proved"), tr("State"), tr("Device"), tr("Generator")},
                       {Number, Accepted});
}

QVariant RunModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  const store::RunRecord& run = runs_[static_cast<std::size_t>(index.row())];
  const store::RunState now = state_of(run);
  const RunLook look = run_look(now, run.proposed);
  const QString state = run.imported ? tr("Imported") : look.title;
  switch (role) {
    case Qt::DisplayRole:
      switch (index.column()) {
        case Number: return QString::number(run.id);
        case Op: return op_text(run);
        case State: return state;
        case Accepted:
          if (run.imported && run.judged == 0) return QStringLiteral("\u2013");  // nothing was judged here
          return tr("%1 of %2").arg(run.accepted).arg(run.judged);
        case Device: return qs(run.device);
        case Generator: return qs(run.generator);
        case When: return short_when_text(run.created);
      }
      return {};
    case Qt::DecorationRole:
      if (index.column() == Number) return Theme::instance().icon(look.icon, look.token);  // in sight at any width
      return {};
    case Qt::TextAlignmentRole: return headerData(index.column(), Qt::Horizontal, role);
    case Qt::ToolTipRole:
      if (index.column() == When) return when_text(run.created);
      return (run.imported ? tr("Run %1, imported: %2 proposed; here, %3 were judged and %4 proved")
                           : tr("Run %1: %2 proposed, %3 judged, %4 proved"))
                 .arg(run.id)
                 .arg(run.proposed)
                 .arg(run.judged)
                 .arg(run.accepted) +
             tr("\n%1, device %2, generator %3").arg(state, qs(run.device), qs(run.generator)) +
             (now != run.state  ? tr("\nIts process ended early: open it and choose Resume.")
              : run.why.empty() ? QString()
                                : "\n" + capitalised(run.why));
    case Qt::FontRole:
      if (run.id == shown_) {
        QFont bold;
        bold.setBold(true);
        return bold;
      }
      return {};
  }
  return {};
}

store::RunState RunModel::state_of(const store::RunRecord& run) const {
  const bool died =
      run.state == store::RunState::running && std::find(live_.begin(), live_.end(), run.id) == live_.end();
  return died ? store::RunState::interrupted : run.state;
}

QString RunModel::op_text(const store::RunRecord& run) const {
  if (!sizes_.contains(run.id)) sizes_[run.id] = run_sizes(run);
  const QString& sizes = sizes_[run.id];
  return sizes.isEmpty() ? qs(run.op_name) : tr("%1 %2").arg(qs(run.op_name), sizes);
}

void RunModel::set_runs(const std::vector<store::RunRecord>& runs, const std::vector<std::int64_t>& live) {
  const auto same = [](const store::RunRecord& a, const store::RunRecord& b) {
    return a.id == b.id && a.state == b.state && a.why == b.why && a.proposed == b.proposed && a.judged == b.judged &&
           a.accepted == b.accepted && a.imported == b.imported && a.created == b.created;
  };
  if (live == live_ && std::equal(runs.begin(), runs.end(), runs_.begin(), runs_.end(), same)) return;
  beginResetModel();
  sizes_.clear();  // they may be of another workspace
  runs_ = runs;
  live_ = live;
  endResetModel();
}

void RunModel::set_run(const store::RunRecord& run) {
  const int row = row_of(run.id);
  if (row < 0) return;
  runs_[static_cast<std::size_t>(row)] = run;
  emit dataChanged(index(row, 0), index(row, ColumnCount - 1));
}

void RunModel::set_shown(std::int64_t run) {
  shown_ = run;
  if (!runs_.empty()) emit dataChanged(index(0, 0), index(rowCount() - 1, ColumnCount - 1));
}

int RunModel::row_of(std::int64_t id) const {
  for (std::size_t i = 0; i < runs_.size(); ++i)
    if (runs_[i].id == id) return static_cast<int>(i);
  return -1;
}

}  // namespace ww::widgets
