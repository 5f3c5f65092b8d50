// SPDX-License-Identifier: GPL-3.0-or-later
// The 32 lanes of a warp as a grid: who is active, and each lane's value.
#pragma once
#include <QStringList>
#include <cstdint>
#include "parts/painted_view.h"
#include "sim/step_facts.h"

namespace ww::widgets {

struct LaneValues {
  QString what;        // "%f3, f32"
  QStringList values;  // of 32 lanes; empty: unknown
};
struct LanesPicture {
  std::uint32_t exist = ~0u, active = 0;
  QStringList values;      // of 32 lanes; empty: unknown
  QString what;            // "%f3, f32"
  QList<LaneValues> more;  // of further registers, one below the other
};
std::uint32_t mask_of(const std::string& hex);
// Of a step: who ran it, and what it wrote to its first register; `all`: to each of its registers.
LanesPicture lanes_of_step(const sim::StepFacts& step, bool all = false);
LanesPicture lanes_of_register(const sim::WrittenRegister& all, std::uint32_t active);

class LanesView : public PaintedView {
  Q_OBJECT
 public:
  explicit LanesView(QWidget* parent);
  void show_lanes(const LanesPicture& picture);
  const LanesPicture& shown() const { return picture_; }
  int marked() const { return marked_; }  // a lane
  void set_marked(int lane) { marked_ = lane; }
  QRectF cell(int lane) const;
  QString tip_of(int lane) const;

 signals:
  void lane_marked(int lane);  // by a click or a key

 public:
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override { return {200, sizeHint().height()}; }

 protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void show_tip(const QHelpEvent& help) override;

 private:
  int across() const;
  void mark(int lane);
  int row_height() const;
  int lines() const;  // of text in a cell
  LanesPicture picture_;
  int marked_ = 0;
};

}  // namespace ww::widgets
