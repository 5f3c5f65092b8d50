// SPDX-License-Identifier: GPL-3.0-or-later
// Styles that distinguish overlaid candidates: colour, dashes, marker and letter, so that colour is never the only cue.
// A series is a place in the comparison (Selection::place).
#pragma once
#include <qcustomplot.h>

namespace ww::widgets {

inline constexpr int most_series = 8;
// for the current candidate while it is shown alongside the comparison
inline constexpr int beside_series = most_series;

struct SeriesStyle {
  QColor color;
  QPen pen;  // of lines: colour and dashes
  QCPScatterStyle marker;
  Qt::BrushStyle fill;  // of bars
};
SeriesStyle series_style(int series);            // from 0; in the theme's colours
QString series_token(int series);                // of its colour in the theme
QString series_letter(int series);               // "A"; a dot for the one alongside
QPixmap series_swatch(int series, qreal ratio);  // marker on its line, for legends

}  // namespace ww::widgets
