// SPDX-License-Identifier: GPL-3.0-or-later
#include "session/models/log_model.h"
#include <algorithm>
#include "parts/theme/text.h"
#include "parts/theme/theme.h"

namespace ww::widgets {

QVariant LogModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
  return section == 0 ? tr("Time") : tr("What happened");
}

QVariant LogModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  const Line& line = lines_[static_cast<std::size_t>(index.row())];
  const QString token = line.level == store::MessageLevel::error     ? "rejected"
                        : line.level == store::MessageLevel::warning ? "warning"
                                                                     : "muted";
  switch (role) {
    case Qt::DisplayRole: return index.column() == 0 ? line.time.toString("HH:mm:ss") : line.text;
    case Qt::ToolTipRole: return line.text;
    case Qt::AccessibleTextRole: return enum_text(line.level) + ": " + line.text;
    case Qt::DecorationRole:
      if (index.column() == 1)
        return Theme::instance().icon(line.level == store::MessageLevel::error     ? "error"
                                      : line.level == store::MessageLevel::warning ? "warning"
                                                                                   : "info",
                                      token);
      return {};
    case Qt::ForegroundRole:
      if (index.column() == 0) return Theme::instance().color("muted");
      return {};
  }
  return {};
}

void LogModel::add(const QList<Line>& lines) {
  if (lines.isEmpty()) return;
  const int room = capacity - std::min(capacity, static_cast<int>(lines.size()));
  if (const int excess = rowCount() - room; excess > 0) {
    beginRemoveRows({}, 0, excess - 1);
    lines_.erase(lines_.begin(), lines_.begin() + excess);
    endRemoveRows();
  }
  const int from = std::max(0, static_cast<int>(lines.size()) - capacity);
  beginInsertRows({}, rowCount(), rowCount() + static_cast<int>(lines.size()) - from - 1);
  for (qsizetype i = from; i < lines.size(); ++i) {
    lines_.push_back(lines[i]);
    lines_.back().text = harmless(lines_.back().text).replace('\n', ' ');
  }
  endInsertRows();
}

void LogModel::clear() {
  beginResetModel();
  lines_.clear();
  endResetModel();
}

}  // namespace ww::widgets
