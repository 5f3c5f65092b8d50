// SPDX-License-Identifier: GPL-3.0-or-later
#include "parts/theme/focus_ring.h"
#include <QAbstractButton>
#include <QAbstractScrollArea>
#include <QApplication>
#include <QEvent>
#include <QPainter>
#include <QScrollBar>
#include <QSlider>
#include <QTabBar>
#include "parts/theme/grid.h"
#include "parts/theme/theme.h"

namespace ww::widgets {

namespace {

// Filled with the accent: the ring is within, in the colour of its text.
bool may_be_filled(const QWidget* w) {
  const QString role = w->property("role").toString();
  return qobject_cast<const QAbstractButton*>(w) && (role == "primary" || role == "segment");
}

bool wants_ring(const QWidget* w) {
  return may_be_filled(w) || qobject_cast<const QAbstractScrollArea*>(w) || qobject_cast<const QSlider*>(w) ||
         qobject_cast<const QTabBar*>(w) || w->inherits("QCustomPlot");
}

}  // namespace

// Text without a frame or a margin: the ring is around it.
static bool is_bare(const QWidget* w) {
  return w->property("role").toString() == "plain" && w->parentWidget() && qobject_cast<const QAbstractScrollArea*>(w);
}

FocusRing::FocusRing(QWidget* focused)
    : QWidget(is_bare(focused) ? focused->parentWidget() : focused), focused_(focused) {
  setProperty("overlay", true);
  setAttribute(Qt::WA_TransparentForMouseEvents);
  setFocusPolicy(Qt::NoFocus);
  focused->installEventFilter(this);
  place();
  raise();
  show();
}

void FocusRing::place() {
  if (!focused_) return;
  const auto* tabs = qobject_cast<const QTabBar*>(focused_);
  const int out = grid::half;
  const QRect around = focused_->geometry().adjusted(-out, -out, out, out);
  setGeometry(tabs                         ? tabs->tabRect(tabs->currentIndex())
              : parentWidget() != focused_ ? around.intersected(parentWidget()->rect())
                                           : focused_->rect());
}

bool FocusRing::eventFilter(QObject*, QEvent* event) {
  if (event->type() == QEvent::Resize || event->type() == QEvent::Move || event->type() == QEvent::Paint) place();
  return false;
}

void FocusRing::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  if (const auto* button = qobject_cast<const QAbstractButton*>(focused_)) {
    if (button->isCheckable() && !button->isChecked()) return;  // the style sheet's edge shows it
    painter.setPen(Theme::instance().color("accent-text"));
    painter.drawRect(rect().adjusted(3, 3, -4, -4));
    return;
  }
  painter.setPen(QPen(Theme::instance().color("focus"), 2, Qt::SolidLine, Qt::SquareCap, Qt::MiterJoin));
  painter.drawRect(rect().adjusted(1, 1, -1, -1));
}

FocusRings::FocusRings(QObject* parent) : QObject(parent) {
  connect(qApp, &QApplication::focusChanged, this, [this](QWidget*, QWidget* now) { move_to(now); });
}

void FocusRings::move_to(QWidget* focused) {
  if (ring_) {
    ring_->hide();
    ring_->deleteLater();
  }
  ring_ = focused && wants_ring(focused) ? new FocusRing(focused) : nullptr;
}

}  // namespace ww::widgets
