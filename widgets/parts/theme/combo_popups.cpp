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

ComboPopups::ComboPopups(QObject* parent) : QObject(parent) { qApp->installEventFilter(this); }

bool ComboPopups::eventFilter(QObject* object, QEvent* event) {
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

}  // namespace ww::widgets
