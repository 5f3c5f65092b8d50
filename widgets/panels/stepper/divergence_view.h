// SPDX-License-Identifier: GPL-3.0-or-later
// The divergence stack of a warp: a row for each group of lanes at one instruction, the one that runs next on top, with
// calls from the innermost out.
#pragma once
#include <vector>
#include "parts/painted_view.h"
#include "sim/step_facts.h"

namespace ww::widgets {

class DivergenceView : public PaintedView {
  Q_OBJECT
 public:
  explicit DivergenceView(QWidget* parent);
  void show_warp(const sim::WarpFacts& warp);
  const std::vector<sim::GroupFacts>& groups() const { return warp_.groups; }
  QString row_text(std::size_t row) const;
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override { return {200, sizeHint().height()}; }

 protected:
  void paintEvent(QPaintEvent* event) override;
  void show_tip(const QHelpEvent& help) override;

 private:
  int row_height() const;
  sim::WarpFacts warp_;
};

}  // namespace ww::widgets
