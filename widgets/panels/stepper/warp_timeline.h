// SPDX-License-Identifier: GPL-3.0-or-later
// The steps of a block over time, a row for each warp: paler where fewer lanes take part, hatched where it waits at a
// barrier, with a line where a barrier lets threads go on. A click or a drag goes to a position.
#pragma once
#include "parts/painted_view.h"
#include "sim/step_facts.h"

namespace ww::widgets {

class WarpTimeline : public PaintedView {
  Q_OBJECT
 public:
  explicit WarpTimeline(QWidget* parent);
  void show_time(const sim::Timeline& time, std::int64_t position, std::vector<std::int64_t> found);
  const sim::Timeline& shown() const { return time_; }
  std::int64_t position_at(int x) const;
  bool waits_at(std::size_t warp, int x) const;  // at a barrier, and runs no step there
  QString tip_at(const QPoint& at) const;
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override { return {120, sizeHint().height()}; }

 signals:
  void position_chosen(std::int64_t position);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void show_tip(const QHelpEvent& help) override;

 private:
  double x_of(std::int64_t position) const;
  double row_height() const;
  sim::Timeline time_;
  std::int64_t position_ = 0;
  std::vector<std::int64_t> found_;
};

}  // namespace ww::widgets
