// SPDX-License-Identifier: GPL-3.0-or-later
// The launches of a plan one after the other: measured durations, or modelled proportions where nothing was measured.
// One line a candidate, to the same scale where all are measured.
#pragma once
#include "panels/profile/launch_times.h"
#include "panels/profile/painted_panel.h"

namespace ww::widgets {

class TimelinePanel : public PaintedPanel {
  Q_OBJECT
 public:
  explicit TimelinePanel(const Context& context);

 protected:
  ProfileTable table() const override;
  QString summary() const override;
  QString why_empty() const override;
  QList<ChartSpot> paint_chart(QPainter& painter, const QSize& size) const override;
  int chart_height(int width) const override;

 private:
  QList<StackRow> rows(double* most) const;
};

}  // namespace ww::widgets
