// SPDX-License-Identifier: GPL-3.0-or-later
#include "shell/window/message_bar.h"
#include <QPainter>
#include <QStyleOption>
#include <algorithm>
#include "parts/theme/grid.h"

namespace ww::widgets {

MessageBar::MessageBar(QWidget* parent) : QStatusBar(parent) {
  connect(this, &QStatusBar::messageChanged, this, &QWidget::setToolTip);
}

QRect MessageBar::room() const {
  int right = width();
  for (const QWidget* w : findChildren<QWidget*>(QString(), Qt::FindDirectChildrenOnly))
    if (w->isVisible()) right = std::min(right, w->x());
  return {grid::step, 0, std::max(0, right - 2 * grid::step), height()};
}

QString MessageBar::shown_message() const {
  return fontMetrics().elidedText(currentMessage(), Qt::ElideRight, room().width());
}

void MessageBar::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  QStyleOption option;
  option.initFrom(this);
  style()->drawPrimitive(QStyle::PE_PanelStatusBar, &option, &painter, this);
  painter.setPen(palette().color(QPalette::WindowText));
  painter.drawText(room(), Qt::AlignLeft | Qt::AlignVCenter | Qt::TextSingleLine, shown_message());
}

}  // namespace ww::widgets
