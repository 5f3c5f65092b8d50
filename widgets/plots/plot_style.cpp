// SPDX-License-Identifier: GPL-3.0-or-later
#include "plots/plot_style.h"
#include "theme/theme.h"

namespace ww::widgets {

void style_plot(QCustomPlot* plot) {
  const Theme& theme = Theme::instance();
  plot->setBackground(theme.color("base"));
  QFont small = plot->font();
  small.setPointSizeF(std::max(7.0, small.pointSizeF() - 1));
  for (const QCPAxisRect* rect : plot->axisRects())
    for (QCPAxis* axis : rect->axes()) {
    axis->setBasePen(QPen(theme.color("border-strong")));
    axis->setTickPen(QPen(theme.color("border-strong")));
    axis->setSubTickPen(QPen(theme.color("border")));
    axis->setTickLabelColor(theme.color("text"));
    axis->setLabelColor(theme.color("text"));
    axis->setTickLabelFont(small);
    axis->setLabelFont(small);
    axis->setLabelPadding(2);
    axis->grid()->setPen(QPen(theme.color("plot-grid"), 1));
    axis->grid()->setZeroLinePen(QPen(theme.color("border")));
  }
  if (plot->legend) {
    plot->legend->setBrush(theme.color("raised"));
    plot->legend->setBorderPen(QPen(theme.color("border")));
    plot->legend->setTextColor(theme.color("text"));
    plot->legend->setFont(small);
  }
}

}  // namespace ww::widgets
