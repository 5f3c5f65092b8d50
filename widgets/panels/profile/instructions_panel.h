// SPDX-License-Identifier: GPL-3.0-or-later
// Instruction mix: shares of the kinds of instructions, from the source that is chosen.
#pragma once
#include "panels/profile/instruction_mix.h"
#include "panels/profile/painted_panel.h"

class QComboBox;

namespace ww::widgets {

class InstructionsPanel : public PaintedPanel {
  Q_OBJECT
 public:
  explicit InstructionsPanel(const Context& context);

 protected:
  ProfileTable table() const override;
  QString summary() const override;
  QString why_empty() const override;
  QList<ChartSpot> paint_chart(QPainter& painter, const QSize& size) const override;
  int chart_height(int width) const override;

 private:
  MixSource source() const;  // the chosen one; with "best": the first that the current candidate has
  QList<BarRow> rows() const;
  QComboBox* choice_;
};

}  // namespace ww::widgets
