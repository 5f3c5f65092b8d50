// SPDX-License-Identifier: GPL-3.0-or-later
// Memory workload as a flow: kernel, L1, L2, device memory, and shared memory beside them; arrows as wide as their
// bytes. One flow a candidate, to the same scale.
#pragma once
#include "panels/profile/memory_flow.h"
#include "panels/profile/painted_panel.h"

namespace ww::widgets {

class MemoryPanel : public PaintedPanel {
  Q_OBJECT
 public:
  explicit MemoryPanel(const Context& context);

 protected:
  ProfileTable table() const override;
  QString summary() const override;
  QString why_empty() const override;
  QList<ChartSpot> paint_chart(QPainter& painter, const QSize& size) const override;
  int chart_height(int width) const override;

 private:
  int columns(int width) const;
};

// Draws one flow into the box; `most`: bytes of the widest arrow of all flows that are compared.
QList<ChartSpot> paint_flow(QPainter& painter, const QRectF& box, const MemoryFlow& flow, double most);

}  // namespace ww::widgets
