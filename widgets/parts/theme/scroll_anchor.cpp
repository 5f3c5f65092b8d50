// SPDX-License-Identifier: GPL-3.0-or-later
#include "parts/theme/scroll_anchor.h"
#include <QEvent>
#include <QScopedValueRollback>
#include <QScrollArea>
#include <QScrollBar>

namespace ww::widgets {

ScrollAnchor::ScrollAnchor(QScrollArea* area) : QObject(area), area_(area) {
  connect(area->verticalScrollBar(), &QScrollBar::valueChanged, this, &ScrollAnchor::choose);
  connect(area->verticalScrollBar(), &QScrollBar::rangeChanged, this, &ScrollAnchor::follow);
}

void ScrollAnchor::hold(QWidget* part, int offset) {
  release();
  part_ = part;
  offset_ = offset;
  part->installEventFilter(this);
  follow();
}

void ScrollAnchor::release() {
  if (part_) part_->removeEventFilter(this);
  part_ = nullptr;
}

void ScrollAnchor::choose() {
  const QScrollBar* const bar = area_->verticalScrollBar();
  const bool is_as_far_as_it_goes = part_ && bar->value() == bar->maximum() && part_->y() - offset_ > bar->maximum();
  if (following_ || is_as_far_as_it_goes || area_->widget() == nullptr) return;
  release();
  if (bar->value() == 0) return;
  for (QWidget* part : area_->widget()->findChildren<QWidget*>(Qt::FindDirectChildrenOnly))
    if (part->isVisible() && part->geometry().bottom() > bar->value() && (!part_ || part->y() < part_->y()))
      part_ = part;
  if (part_) hold(part_, part_->y() - bar->value());
}

void ScrollAnchor::follow() {
  if (!part_ || following_) return;
  const QScopedValueRollback guard(following_, true);
  area_->verticalScrollBar()->setValue(part_->y() - offset_);
}

bool ScrollAnchor::eventFilter(QObject* object, QEvent* event) {
  if (object == part_ && event->type() == QEvent::Move) follow();
  return QObject::eventFilter(object, event);
}

}  // namespace ww::widgets
