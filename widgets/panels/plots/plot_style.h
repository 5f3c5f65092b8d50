// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <qcustomplot.h>

namespace ww::widgets {

void style_plot(QCustomPlot* plot);  // the theme's colours on all axes, grids and the background
// Range of an axis for values from low to high, linear or logarithmic (where they are above 0), with some room.
void scale_axis(QCPAxis* axis, double low, double high, bool logarithmic);
// A disc as a picture: for thousands of points, which are slow to draw one by one.
QCPScatterStyle disc_style(const QColor& color, double size, double device_ratio);
// A label that does not fit along its axis ends in "…".
void label_axis(QCPAxis* axis, const QString& text);
// Whether the range is so wide that a logarithmic axis reads better.
inline bool reads_better_logarithmic(double low, double high) { return low > 0 && high / low > 20; }

}  // namespace ww::widgets
