// SPDX-License-Identifier: GPL-3.0-or-later
#include "shell/window/focus_keeper.h"
#include <QAbstractButton>
#include <QAbstractScrollArea>
#include <QApplication>

namespace ww::widgets {

namespace {

// Itself or one around it, below the window; an explicit hide() precedes isVisible().
bool is_gone(const QWidget* w) {
  if (!w->isEnabled()) return true;
  for (const QWidget* at = w; at != nullptr && !at->isWindow(); at = at->parentWidget())
    if (at->isHidden()) return true;
  return false;
}

QWidget* place_around(QWidget* w) {
  for (QWidget* at = w->parentWidget(); at != nullptr && !at->isWindow(); at = at->parentWidget())
    if ((qobject_cast<QAbstractScrollArea*>(at) || at->property("role") == "panel") && !is_gone(at)) return at;
  return nullptr;
}

}  // namespace

FocusKeeper::FocusKeeper(QWidget* window) : QObject(window), window_(window) {
  connect(qApp, &QApplication::focusChanged, this, &FocusKeeper::on_moved);
}

void FocusKeeper::on_moved(QWidget* from, QWidget* to) {
  if (!from || !to || from->window() != window_ || to->window() != window_) return;
  if (!qobject_cast<QAbstractButton*>(from) || !qobject_cast<QAbstractButton*>(to) || !is_gone(from)) return;
  if (QWidget* place = place_around(from)) place->setFocus(Qt::OtherFocusReason);
}

}  // namespace ww::widgets
