// SPDX-License-Identifier: GPL-3.0-or-later
// A card of the start page: an operation with a small drawing of the inputs that one element of its result needs.
#pragma once
#include <QPushButton>
#include "shell/start/examples.h"

namespace ww::widgets {

class ExampleCard : public QPushButton {
  Q_OBJECT
 public:
  ExampleCard(StartExample example, QWidget* parent);
  const StartExample& example() const { return example_; }
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override { return sizeHint(); }

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  void paint_picture(QPainter& painter, const QRectF& room) const;
  StartExample example_;
};

}  // namespace ww::widgets
