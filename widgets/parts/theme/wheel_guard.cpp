// SPDX-License-Identifier: GPL-3.0-or-later
#include "parts/theme/wheel_guard.h"
#include <QAbstractSlider>
#include <QAbstractSpinBox>
#include <QApplication>
#include <QComboBox>
#include <QEvent>
#include <QScrollBar>

namespace ww::widgets {

namespace {
QWidget* box_of(QObject* object) {
  if (qobject_cast<QScrollBar*>(object)) return nullptr;
  if (qobject_cast<QComboBox*>(object) || qobject_cast<QAbstractSpinBox*>(object) ||
      qobject_cast<QAbstractSlider*>(object))
    return static_cast<QWidget*>(object);
  return nullptr;
}

struct WheelGuard : QObject {
  using QObject::QObject;
  bool eventFilter(QObject* object, QEvent* event) override {
    if (event->type() != QEvent::Wheel && event->type() != QEvent::Polish) return false;
    QWidget* box = box_of(object);
    if (!box) return false;
    if (event->type() == QEvent::Polish) {
      if (box->focusPolicy() == Qt::WheelFocus) box->setFocusPolicy(Qt::StrongFocus);
      return false;
    }
    if (box->hasFocus()) return false;
    event->ignore();  // it goes on to what scrolls
    return true;
  }
};

}  // namespace

void guard_against_wheel(QObject* owner) { qApp->installEventFilter(new WheelGuard(owner)); }

}  // namespace ww::widgets
