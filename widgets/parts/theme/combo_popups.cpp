// SPDX-License-Identifier: GPL-3.0-or-later
#include "parts/theme/combo_popups.h"
#include <QAbstractItemView>
#include <QApplication>
#include <QComboBox>
#include <QEvent>
#include <QScreen>
#include <QScrollBar>
#include <algorithm>

namespace ww::widgets {
namespace {

struct ComboPopups : QObject {
  using QObject::QObject;
  bool eventFilter(QObject* object, QEvent* event) override {
    if (event->type() != QEvent::Show) return false;
    auto* view = qobject_cast<QAbstractItemView*>(object);
    QWidget* frame = view ? view->parentWidget() : nullptr;
    if (!frame || !frame->isWindow() || !qobject_cast<QComboBox*>(frame->parentWidget())) return false;
    const QRect screen = frame->screen()->availableGeometry();
    const int around = frame->width() - view->viewport()->width() + view->verticalScrollBar()->sizeHint().width();
    const int wanted = std::min(view->sizeHintForColumn(0) + around, screen.width());
    if (wanted <= frame->width()) return false;
    const int left = std::max(screen.left(), std::min(frame->x(), screen.right() + 1 - wanted));
    frame->setGeometry(left, frame->y(), wanted, frame->height());
    return false;
  }
};

}  // namespace

void widen_combo_popups(QObject* owner) { qApp->installEventFilter(new ComboPopups(owner)); }

}  // namespace ww::widgets
