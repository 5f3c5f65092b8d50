// SPDX-License-Identifier: GPL-3.0-or-later
// The wheel scrolls the page under the pointer. It changes the value of a box only if the box has the focus, and never
// moves the focus.
#pragma once
#include <QObject>

namespace ww::widgets {

class WheelGuard : public QObject {
  Q_OBJECT
 public:
  explicit WheelGuard(QObject* parent);  // for the whole application

 protected:
  bool eventFilter(QObject* object, QEvent* event) override;
};

}  // namespace ww::widgets
