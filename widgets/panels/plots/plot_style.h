// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <qcustomplot.h>

namespace ww::widgets {

void style_plot(QCustomPlot* plot);  // applies the theme's colours to axes, grids and background
// An axis range for values from low to high, linear or logarithmic (if they are above 0), with a margin.
void scale_axis(QCPAxis* axis, double low, double high, bool logarithmic);
// A disc as a pixmap, for thousands of points, which are slow to draw one by one.
QCPScatterStyle disc_style(const QColor& color, double size, double device_ratio);
// Labels an axis. What does not fit along it is elided, and its numbers are fewer, whatever the size becomes.
void label_axis(QCPAxis* axis, const QString& text);
// Whether the range is so wide that a logarithmic axis reads better.
inline bool reads_better_logarithmic(double low, double high) { return low > 0 && high / low > 20; }

}  // namespace ww::widgets
