// SPDX-License-Identifier: GPL-3.0-or-later
// The status bar: a message that has no room beside the permanent widgets ends with an ellipsis, and the tooltip has it
// in full.
#pragma once
#include <QStatusBar>

namespace ww::widgets {

class MessageBar : public QStatusBar {
  Q_OBJECT
 public:
  explicit MessageBar(QWidget* parent);
  QString shown_message() const;  // as it is drawn

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  QRect room() const;  // left of the permanent widgets
};

}  // namespace ww::widgets
