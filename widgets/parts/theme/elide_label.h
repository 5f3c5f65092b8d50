// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QLabel>

namespace ww::widgets {

class ElideLabel : public QLabel {  // one line, elided with "…"; the tooltip has the whole text
  Q_OBJECT
 public:
  explicit ElideLabel(QWidget* parent = nullptr);
  void set_text(const QString& text);
  QString full_text() const { return full_; }
  QSize minimumSizeHint() const override { return {40, QLabel::minimumSizeHint().height()}; }

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  void fit();
  QString full_;
};

}  // namespace ww::widgets
