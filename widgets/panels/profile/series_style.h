// SPDX-License-Identifier: GPL-3.0-or-later
// Styles that distinguish overlaid candidates: colour, dashes, marker and number, so that colour is never the only cue.
#pragma once
#include <qcustomplot.h>

namespace ww::widgets {

inline constexpr int most_series = 8;

struct SeriesStyle {
  QColor color;
  QPen pen;  // of lines: colour and dashes
  QCPScatterStyle marker;
  Qt::BrushStyle fill;  // of bars
};
SeriesStyle series_style(int series);            // from 0; by the theme
QString series_number(int series);               // "1"
QPixmap series_swatch(int series, qreal ratio);  // marker on its line, for legends

}  // namespace ww::widgets
