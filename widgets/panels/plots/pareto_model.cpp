// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/plots/pareto_model.h"
#include <algorithm>
#include "parts/theme/text.h"

namespace ww::widgets {

void ParetoModel::set_points(const std::vector<ParetoPoint>& points, const QString& x_title, const QString& y_title) {
  beginResetModel();
  points_ = points;
  std::stable_sort(points_.begin(), points_.end(),
                   [](const ParetoPoint& a, const ParetoPoint& b) { return a.front > b.front; });
  x_ = x_title;
  y_ = y_title;
  endResetModel();
}

QModelIndex ParetoModel::index_of(std::int64_t candidate) const {
  const auto it = std::find_if(points_.begin(), points_.end(), [&](const ParetoPoint& p) { return p.id == candidate; });
  return it == points_.end() ? QModelIndex() : index(static_cast<int>(it - points_.begin()), 0);
}

QVariant ParetoModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  const ParetoPoint& p = points_[static_cast<std::size_t>(index.row())];
  if (role == Qt::TextAlignmentRole)
    return QVariant(Qt::AlignVCenter | (index.column() >= 2 ? Qt::AlignRight : Qt::AlignLeft));
  if (role == Qt::ToolTipRole && index.column() == 0) return p.name;
  if (role != Qt::DisplayRole) return {};
  switch (index.column()) {
    case 0: return p.name;
    case 1: return p.front ? tr("yes") : tr("no");
    case 2: return count_text(p.x);
    default: return count_text(p.y);
  }
}

QVariant ParetoModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal) return {};
  const QString titles[] = {tr("Candidate"), tr("On the front"), x_, y_};
  if (role == Qt::DisplayRole || role == Qt::ToolTipRole) return titles[section];
  return {};
}

}  // namespace ww::widgets
