// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "parts/theme/label.h"

namespace ww::widgets {

// Wrapped text in a place of so many lines, whatever its length: the end of a longer one is "…", and in the tooltip.
class ClampedLabel : public Label {
  Q_OBJECT
 public:
  explicit ClampedLabel(int lines, QWidget* parent = nullptr);
  QSize sizeHint() const override { return {Label::sizeHint().width(), heightForWidth(0)}; }
  QSize minimumSizeHint() const override { return {80, heightForWidth(0)}; }
  int heightForWidth(int width) const override;

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  int lines_;
};

}  // namespace ww::widgets
