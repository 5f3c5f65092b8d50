// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "parts/theme/label.h"

namespace ww::widgets {

class ElideLabel : public Label {  // one line, elided with "…"; the tooltip has the whole text
  Q_OBJECT
 public:
  explicit ElideLabel(QWidget* parent = nullptr);
  void set_text(const QString& text);
  QString full_text() const { return full_; }
  QSize minimumSizeHint() const override { return {40, Label::minimumSizeHint().height()}; }

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  void fit();
  QString full_;
};

}  // namespace ww::widgets
