// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/profile/series_style.h"
#include "parts/theme/theme.h"
#include "session/selection.h"

namespace ww::widgets {

SeriesStyle series_style(int series) {
  static_assert(most_series == Selection::most_compared);
  static constexpr QCPScatterStyle::ScatterShape shapes[most_series] = {QCPScatterStyle::ssDisc,
                                                                        QCPScatterStyle::ssSquare,
                                                                        QCPScatterStyle::ssDiamond,
                                                                        QCPScatterStyle::ssTriangle,
                                                                        QCPScatterStyle::ssTriangleInverted,
                                                                        QCPScatterStyle::ssCrossCircle,
                                                                        QCPScatterStyle::ssPlusSquare,
                                                                        QCPScatterStyle::ssStar};
  static const QVector<qreal> dashes[most_series] = {
      {}, {6, 3}, {2, 2}, {8, 3, 2, 3}, {10, 4}, {3, 5}, {8, 3, 2, 3, 2, 3}, {1, 3}};
  static constexpr Qt::BrushStyle fills[most_series] = {Qt::SolidPattern,     Qt::BDiagPattern, Qt::Dense4Pattern,
                                                        Qt::FDiagPattern,     Qt::CrossPattern, Qt::HorPattern,
                                                        Qt::DiagCrossPattern, Qt::VerPattern};
  SeriesStyle style;
  style.color = Theme::instance().color(series_token(series));
  if (series == beside_series) {
    style.pen = QPen(style.color, 1.2);
    style.marker = QCPScatterStyle(QCPScatterStyle::ssCircle, QPen(style.color, 1.6), Qt::NoBrush, 9);
    style.fill = Qt::Dense6Pattern;
    return style;
  }
  const int at = ((series % most_series) + most_series) % most_series;
  style.pen = QPen(style.color, 1.8);
  if (!dashes[at].isEmpty()) style.pen.setDashPattern(dashes[at]);
  style.marker = QCPScatterStyle(shapes[at], QPen(style.color, 1.6),
                                 at == 5 || at == 6 || at == 7 ? QBrush(Qt::NoBrush) : QBrush(style.color), 9);
  style.fill = fills[at];
  return style;
}

QString series_token(int series) {
  return series == beside_series ? QStringLiteral("muted")
                                 : QStringLiteral("plot-") + QChar('a' + series % most_series);
}

QString series_letter(int series) {
  return series == beside_series ? QStringLiteral("\u2022") : Selection::letter(series);
}

QPixmap series_swatch(int series, qreal ratio) {
  const QSize size(26, 14);
  QPixmap swatch(size * ratio);
  swatch.setDevicePixelRatio(ratio);
  swatch.fill(Qt::transparent);
  QCPPainter painter(&swatch);
  painter.setRenderHint(QPainter::Antialiasing);
  const SeriesStyle style = series_style(series);
  painter.setPen(style.pen);
  painter.drawLine(QPointF(0, 7), QPointF(26, 7));
  style.marker.applyTo(&painter, style.pen);
  painter.setPen(style.marker.pen());
  painter.setBrush(style.marker.brush());
  style.marker.drawShape(&painter, 13, 7);
  return swatch;
}

}  // namespace ww::widgets
