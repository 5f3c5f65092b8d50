// SPDX-License-Identifier: GPL-3.0-or-later
// Why warps wait: one stack a candidate (or launch), each reason in plain words below, and the lines with the most
// samples.
#pragma once
#include "panels/profile/painted_panel.h"
#include "panels/profile/stall_reasons.h"

class QComboBox;
class QTextBrowser;

namespace ww::widgets {

class StallsPanel : public PaintedPanel {
  Q_OBJECT
 public:
  explicit StallsPanel(const Context& context);

 protected:
  ProfileTable table() const override;
  QString summary() const override;
  QString why_empty() const override;
  QList<ChartSpot> paint_chart(QPainter& painter, const QSize& size) const override;
  int chart_height(int width) const override;
  void spot_chosen(int key) override;

 private:
  struct Shown {
    int series;
    QString label;
    StallProfile profile;
  };
  StallSource source() const;
  QList<Shown> shown() const;
  QStringList order(
      const QList<Shown>& all) const;  // reasons by their largest share; the style of a piece is its place here
  QList<StackRow> stacks(const QList<Shown>& all, const QStringList& reasons) const;
  QComboBox* choice_;
};

}  // namespace ww::widgets
