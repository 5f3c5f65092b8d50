// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QPushButton>

namespace ww::widgets {

class WrapButton : public QPushButton {  // breaks its text into lines where it is wider than the button
  Q_OBJECT
 public:
  explicit WrapButton(const QString& text, QWidget* parent = nullptr);
  bool hasHeightForWidth() const override { return true; }
  int heightForWidth(int width) const override;
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  QRect contents(const QSize& size) const;  // where the text is
};

}  // namespace ww::widgets
