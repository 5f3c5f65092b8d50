// SPDX-License-Identifier: GPL-3.0-or-later
// Utilisation of the machine by a candidate (compute, memory, each level), and the advice that follows.
#pragma once
#include "panels/profile/painted_panel.h"
#include "session/profile_view.h"

class QComboBox;

namespace ww::widgets {

class SpeedOfLightPanel : public PaintedPanel {
  Q_OBJECT
 public:
  explicit SpeedOfLightPanel(const Context& context);
  measure::SpeedOfLightKind kind() const;

 protected:
  ProfileTable table() const override;
  QString summary() const override;
  QString why_no_data() const override;
  QList<ChartSpot> paint_chart(QPainter& painter, const QSize& size) const override;
  int chart_height(int width) const override;
  void update_chart() override;
  void spot_chosen(int key) override;

 private:
  QList<BarRow> bars() const;
  QString missing(const QList<BarRow>& shown) const;  // what was not measured for any candidate, and why
  bool absolute() const;                              // the bars are costs, not shares of them
  double length(const ProfileView& view, double percent) const;
  QString axis() const;
  QComboBox* unit_;      // of simulated numbers
  QComboBox* kind_;      // visible if there is a choice
  bool chosen_ = false;  // by the user
};

}  // namespace ww::widgets
