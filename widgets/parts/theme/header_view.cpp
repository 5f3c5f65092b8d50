// SPDX-License-Identifier: GPL-3.0-or-later
#include "parts/theme/header_view.h"
#include <QPainter>
#include <QStyle>
#include <QStyleOptionHeader>
#include <QTableView>
#include <algorithm>

namespace ww::widgets {
namespace {

constexpr int padding = 6, edge = 1, arrow = 14;  // on either side, at the right, and of the sorted column: window.qss

}  // namespace

HeaderView::HeaderView(QTableView* table) : QHeaderView(Qt::Horizontal, table) {
  setSectionsClickable(true);
  setHighlightSections(false);
  table->setHorizontalHeader(this);
}

void HeaderView::paint_sections(QPainter& painter, const QList<int>& sections) const {
  int x = 0;
  for (const int section : sections) {
    painter.save();
    paintSection(&painter, QRect(x, 0, sectionSize(section), height()), section);
    painter.restore();
    x += sectionSize(section);
  }
}

void HeaderView::initStyleOptionForIndex(QStyleOptionHeader* option, int section) const {
  QHeaderView::initStyleOptionForIndex(option, section);
  QFont bold = font();
  bold.setWeight(QFont::DemiBold);
  const bool sorted = isSortIndicatorShown() && sortIndicatorSection() == section;
  const int margin = style()->pixelMetric(QStyle::PM_HeaderMargin, nullptr, this);
  const int room = sectionSize(section) - 2 * (padding + margin) - edge - (sorted ? arrow : 0);
  option->text = QFontMetrics(bold).elidedText(option->text, Qt::ElideRight, std::max(0, room));
}

}  // namespace ww::widgets
