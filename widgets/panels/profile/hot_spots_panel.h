// SPDX-License-Identifier: GPL-3.0-or-later
// The hottest lines of a candidate by a metric of choice. Choosing a line shows it in the code.
#pragma once
#include "panels/profile/hot_lines.h"
#include "panels/profile/painted_panel.h"

class QComboBox;

namespace ww::widgets {

class HotSpotsPanel : public PaintedPanel {
  Q_OBJECT
 public:
  explicit HotSpotsPanel(const Context& context);

 protected:
  ProfileTable table() const override;
  QString summary() const override;
  QString why_empty() const override;
  void update_chart() override;
  QList<ChartSpot> paint_chart(QPainter& painter, const QSize& size) const override;
  int chart_height(int width) const override;
  void spot_chosen(int key) override;

 private:
  struct Shown {
    LineMetric metric;
    QList<HotLine> lines;
  };  // no lines: the candidate has no such metric
  Shown shown(const ProfileView& view) const;
  int columns(int width) const;
  int rows_shown() const;
  QComboBox* choice_;
  QString chosen_;  // by the person; empty: the first that there is
};

}  // namespace ww::widgets
