// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/profile/series_style.h"
#include "parts/theme/theme.h"

namespace ww::widgets {

SeriesStyle series_style(int series) {
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
  const int at = ((series % most_series) + most_series) % most_series;
  SeriesStyle style;
  style.color = Theme::instance().color(QStringLiteral("plot-") + QChar('a' + at));
  style.pen = QPen(style.color, 1.8);
  if (!dashes[at].isEmpty()) style.pen.setDashPattern(dashes[at]);
  style.marker = QCPScatterStyle(shapes[at], QPen(style.color, 1.6),
                                 at == 5 || at == 6 || at == 7 ? QBrush(Qt::NoBrush) : QBrush(style.color), 9);
  style.fill = fills[at];
  return style;
}

QString series_number(int series) { return QString::number(series + 1); }

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
