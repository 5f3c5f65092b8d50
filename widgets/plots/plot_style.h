// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <qcustomplot.h>

namespace ww::widgets {

void style_plot(QCustomPlot* plot);  // the theme's colours on axes, grid and background

}  // namespace ww::widgets
