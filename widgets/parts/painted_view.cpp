// SPDX-License-Identifier: GPL-3.0-or-later
#include "parts/painted_view.h"
#include <QHelpEvent>

namespace ww::widgets {

PaintedView::PaintedView(QWidget* parent) : QAbstractScrollArea(parent) {
  setFocusPolicy(Qt::StrongFocus);
  setFrameShape(QFrame::NoFrame);
  viewport()->setMouseTracking(true);
}

bool PaintedView::event(QEvent* event) {
  if (event->type() == QEvent::FocusIn || event->type() == QEvent::FocusOut) viewport()->update();
  return QAbstractScrollArea::event(event);
}

bool PaintedView::viewportEvent(QEvent* event) {
  if (event->type() == QEvent::ToolTip) {
    show_tip(*static_cast<QHelpEvent*>(event));
    return true;
  }
  if (event->type() == QEvent::Leave) pointer_left();
  return QAbstractScrollArea::viewportEvent(event);
}

}  // namespace ww::widgets
