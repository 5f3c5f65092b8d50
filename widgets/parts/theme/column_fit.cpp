// SPDX-License-Identifier: GPL-3.0-or-later
#include "parts/theme/column_fit.h"
#include <QHeaderView>
#include <QSignalBlocker>
#include <numeric>

namespace ww::widgets {

int column_width(QHeaderView& header, int column) {
  if (!header.isSectionHidden(column)) return header.sectionSize(column);
  const QSignalBlocker block(&header);
  header.showSection(column);
  const int width = header.sectionSize(column);
  header.hideSection(column);
  return width;
}

QList<int> columns_without_room(const QMap<int, int>& widths, const QList<int>& order, int room) {
  int wanted = std::accumulate(widths.begin(), widths.end(), 0);
  QList<int> list;
  for (const int column : order) {
    if (wanted <= room) break;
    if (!widths.contains(column)) continue;
    wanted -= widths[column];
    list += column;
  }
  return list;
}

}  // namespace ww::widgets
