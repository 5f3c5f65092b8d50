// SPDX-License-Identifier: GPL-3.0-or-later
#include "parts/theme/clamped_label.h"
#include <QPainter>
#include <QTextLayout>

namespace ww::widgets {

ClampedLabel::ClampedLabel(int lines, QWidget* parent) : Label(parent), lines_(lines) { setWordWrap(true); }

int ClampedLabel::heightForWidth(int) const {
  return lines_ * fontMetrics().lineSpacing() + contentsMargins().top() + contentsMargins().bottom();
}

void ClampedLabel::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setPen(palette().color(foregroundRole()));
  const QRect room = contentsRect();
  const QString whole = text().replace('\n', QChar::LineSeparator);
  QTextLayout layout(whole, font());
  layout.beginLayout();
  bool cut = false;
  for (int i = 0; i < lines_; ++i) {
    QTextLine line = layout.createLine();
    if (!line.isValid()) break;
    line.setLineWidth(room.width());
    const QPointF at(room.left(), room.top() + i * fontMetrics().lineSpacing());
    cut = i + 1 == lines_ && line.textStart() + line.textLength() < whole.size();
    if (cut)
      painter.drawText(QPointF(at.x(), at.y() + fontMetrics().ascent()),
                       fontMetrics().elidedText(whole.mid(line.textStart()), Qt::ElideRight, room.width()));
    else
      line.draw(&painter, at);
  }
  layout.endLayout();
  if (const QString tip = cut ? text() : QString(); tip != toolTip()) setToolTip(tip);
}

}  // namespace ww::widgets
