// SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>
#include <QPainter>
#include "panels/profile/painted_panel.h"
#include "panels/profile/series_style.h"
#include "parts/theme/theme.h"

namespace ww::widgets {
namespace {

constexpr int painted_margin = 8, painted_gap = 6;

int painted_bar(const QFont& font) { return QFontMetrics(font).height(); }

int label_width(const QStringList& labels, const QFont& font, int width) {
  int widest = 0;
  for (const QString& label : labels) widest = std::max(widest, QFontMetrics(font).horizontalAdvance(label));
  return std::min(widest + 10, width * 2 / 5);
}

QString bar_words(const BarRow& row, const BarRow::Bar& bar) {  // whose it is, where there are several
  return row.bars.size() > 1 ? series_letter(bar.series) + "  " + bar.text : bar.text;
}

}  // namespace

void fill_series(QPainter& painter, const QRectF& box, int series) {
  const SeriesStyle style = series_style(series);
  QColor soft = style.color, line = style.color;
  soft.setAlphaF(0.28F);
  line.setAlphaF(0.45F);
  painter.save();
  painter.setPen(Qt::NoPen);
  painter.fillRect(box, soft);
  if (style.fill != Qt::SolidPattern) painter.fillRect(box, QBrush(line, style.fill));
  painter.setPen(QPen(style.color, 1));
  painter.setBrush(Qt::NoBrush);
  painter.drawRect(box);
  painter.restore();
}

static int axis_height(const QString& axis, const QFont& font) {
  return axis.isEmpty() ? 0 : QFontMetrics(font).height() + painted_gap;
}

int bars_height(const QList<BarRow>& rows, const QFont& font, const QString& axis) {
  int height = 2 * painted_margin + axis_height(axis, font);
  for (const BarRow& row : rows)
    height += std::max(1, static_cast<int>(row.bars.size())) * (painted_bar(font) + 2) + painted_gap;
  return height;
}

QList<ChartSpot> paint_bars(QPainter& painter, const QSize& size, const QList<BarRow>& rows, double most,
                            const QString& axis) {
  QList<ChartSpot> spots;
  QStringList labels, ends;
  for (const BarRow& row : rows) {
    labels.append(row.label);
    for (const BarRow::Bar& bar : row.bars)
      ends.append(bar.change.isEmpty() ? bar_words(row, bar) : bar_words(row, bar) + "  " + bar.change);
  }
  const QFont font = painter.font();
  const QFontMetrics metrics(font);
  const int left = painted_margin + label_width(labels, font, size.width()),
            right = label_width(ends, font, size.width());
  const double room = std::max(20, size.width() - left - right - painted_margin);
  const QColor text = Theme::instance().color("text");
  painter.setPen(Theme::instance().color("muted"));
  painter.drawText(QRectF(left, painted_margin, size.width() - left - painted_margin, metrics.height()),
                   Qt::AlignLeft | Qt::AlignVCenter,
                   metrics.elidedText(axis, Qt::ElideRight, size.width() - left - painted_margin));
  int y = painted_margin + axis_height(axis, font);
  for (const BarRow& row : rows) {
    const int count = std::max(1, static_cast<int>(row.bars.size())), height = count * (painted_bar(font) + 2);
    painter.setPen(text);
    painter.drawText(QRect(painted_margin, y, left - painted_margin - 8, height), Qt::AlignRight | Qt::AlignVCenter,
                     metrics.elidedText(row.label, Qt::ElideRight, left - painted_margin - 8));
    int at = y;
    for (const BarRow::Bar& bar : row.bars) {
      const double length = most > 0 && std::isfinite(bar.value)
                                ? std::max(bar.value > 0 ? 1.5 : 0.0, room * std::min(1.0, bar.value / most))
                                : 0;
      if (length > 0) fill_series(painter, QRectF(left, at + 1, length, painted_bar(font)), bar.series);
      painter.setPen(text);
      painter.drawText(QRectF(left + length + 5, at, size.width() - left - length - 5, painted_bar(font) + 2),
                       Qt::AlignLeft | Qt::AlignVCenter, bar_words(row, bar));
      if (!bar.change.isEmpty()) {
        painter.setPen(Theme::instance().color("muted"));
        const int before = metrics.horizontalAdvance(bar_words(row, bar) + "  ");
        painter.drawText(QPointF(left + length + 5 + before, at + 1 + metrics.ascent()), bar.change);
      }
      at += painted_bar(font) + 2;
    }
    spots.append({QRectF(painted_margin, y, size.width() - 2 * painted_margin, height),
                  row.tooltip.isEmpty() ? row.label : row.tooltip, row.key});
    y += height + painted_gap;
  }
  return spots;
}

int stacks_height(const QList<StackRow>& rows, const QFont& font) {
  return 2 * painted_margin + static_cast<int>(rows.size()) * (2 * painted_bar(font) + 12 + painted_gap);
}

QList<ChartSpot> paint_stacks(QPainter& painter, const QSize& size, const QList<StackRow>& rows, double most) {
  QList<ChartSpot> spots;
  const QFontMetrics metrics(painter.font());
  const Theme& theme = Theme::instance();
  const int line = painted_bar(painter.font());
  const double room = size.width() - 2 * painted_margin;
  int y = painted_margin;
  for (const StackRow& row : rows) {
    painter.setPen(theme.color("text"));
    const int end = std::min(metrics.horizontalAdvance(row.end) + 10, static_cast<int>(room * 0.6));
    painter.drawText(QRectF(painted_margin, y, room - end - 8, line + 2), Qt::AlignLeft | Qt::AlignVCenter,
                     metrics.elidedText(row.label, Qt::ElideRight, static_cast<int>(room) - end - 8));
    painter.setPen(theme.color("muted"));
    painter.drawText(QRectF(painted_margin + room - end, y, end, line + 2), Qt::AlignRight | Qt::AlignVCenter,
                     metrics.elidedText(row.end, Qt::ElideLeft, end));
    double x = painted_margin;
    for (const StackRow::Piece& piece : row.pieces) {
      const double length = most > 0 && std::isfinite(piece.value) ? room * piece.value / most : 0;
      const QRectF box(x, y + line + 3, length, line + 6);
      if (piece.gap) {
        painter.setPen(QPen(theme.color("border-strong"), 1, Qt::DashLine));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(box);
      } else if (length > 0) {
        fill_series(painter, box, piece.style);
      }
      if (length > 90 || length > metrics.horizontalAdvance(piece.text) + 8) {  // a number is shown whole or not at all
        painter.setPen(theme.color("text"));
        painter.drawText(box.adjusted(3, 0, -3, 0), Qt::AlignCenter,
                         metrics.elidedText(piece.text, Qt::ElideRight, static_cast<int>(length) - 6));
      }
      if (length > 0) spots.append({box, piece.tooltip, -1});
      x += length;
    }
    y += 2 * line + 12 + painted_gap;
  }
  return spots;
}

}  // namespace ww::widgets
