// SPDX-License-Identifier: GPL-3.0-or-later
#include "parts/theme/flow_layout.h"
#include <QWidget>

namespace ww::widgets {

FlowLayout::FlowLayout(QWidget* parent, int gap, Before before) : QLayout(parent), gap_(gap), before_(before) {
  setContentsMargins(0, 0, 0, 0);
}

FlowLayout::~FlowLayout() { qDeleteAll(items_); }

QSize FlowLayout::minimumSize() const {
  QSize size;
  for (const QLayoutItem* item : items_) size = size.expandedTo(item->minimumSize());
  return size.grownBy(contentsMargins());
}

QSize FlowLayout::sizeHint() const {
  QSize size = minimumSize();
  if (before_ == Before::wrapping) return size;
  int row = -gap_;  // all in one
  for (const QLayoutItem* item : items_)
    if (!item->isEmpty()) row += gap_ + item->sizeHint().width();
  return size.expandedTo({row + contentsMargins().left() + contentsMargins().right(), 0});
}

void FlowLayout::setGeometry(const QRect& rect) {
  QLayout::setGeometry(rect);
  arrange(rect, true);
}

int FlowLayout::least_of(const QLayoutItem* item) const {
  return (before_ == Before::shrinking ? item->minimumSize() : item->sizeHint()).width();
}

// A row takes another item while all of them fit at their least width; the room left over is shared by those that would
// like more, in proportion.
int FlowLayout::arrange(const QRect& outer, bool place) const {
  const QRect rect = outer.marginsRemoved(contentsMargins());
  int y = rect.y();
  for (qsizetype from = 0; from < items_.size();) {
    int used = -gap_;
    qsizetype to = from;
    for (; to < items_.size(); ++to) {
      if (items_[to]->isEmpty()) continue;
      const int least = least_of(items_[to]);
      if (used >= 0 && used + gap_ + least > rect.width()) break;
      used += gap_ + least;
    }
    if (used < 0) break;  // nothing is left to show
    if (from > 0) y += gap_;
    y += arrange_row(rect, y, from, to, rect.width() - used, place);
    from = to;
  }
  return y - outer.y() + contentsMargins().bottom();
}

int FlowLayout::arrange_row(const QRect& rect, int y, qsizetype from, qsizetype to, int spare, bool place) const {
  int x = rect.x(), height = 0, wanted = 0;
  for (qsizetype i = from; i < to; ++i) {
    if (items_[i]->isEmpty()) continue;
    height = qMax(height, items_[i]->sizeHint().height());
    wanted += qMax(0, items_[i]->sizeHint().width() - least_of(items_[i]));
  }
  const int given = qBound(0, spare, wanted);
  for (qsizetype i = from; i < to; ++i) {
    QLayoutItem* item = items_[i];
    if (item->isEmpty()) continue;
    QSize size = item->sizeHint();
    const int least = least_of(item), more = qMax(0, size.width() - least);
    size.setWidth(least + (wanted > 0 ? more * given / wanted : 0));
    if (place) item->setGeometry(QRect(QPoint(x, y + (height - size.height()) / 2), size));
    x += size.width() + gap_;
  }
  return height;
}

}  // namespace ww::widgets
