// SPDX-License-Identifier: GPL-3.0-or-later
// Base of views that paint their own contents: takes and shows the focus, tracks the pointer, asks for tooltips. GUI
// thread only.
#pragma once
#include <QAbstractScrollArea>

class QHelpEvent;

namespace ww::widgets {

class PaintedView : public QAbstractScrollArea {
  Q_OBJECT
 protected:
  explicit PaintedView(QWidget* parent);
  virtual void show_tip(const QHelpEvent& help) = 0;  // of the place under the pointer, in the viewport
  virtual void pointer_left() {}
  bool viewportEvent(QEvent* event) override;
  bool event(QEvent* event) override;
};

}  // namespace ww::widgets
