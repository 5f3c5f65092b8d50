// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/candidates/order_hold.h"
#include <QApplication>
#include <QCursor>
#include <QKeyEvent>
#include <QMenu>
#include <QTableView>
#include "parts/theme/controls.h"

namespace ww::widgets {

namespace {
bool moves_among_rows(const QEvent* event) {
  switch (static_cast<const QKeyEvent*>(event)->key()) {
    case Qt::Key_Up:
    case Qt::Key_Down:
    case Qt::Key_PageUp:
    case Qt::Key_PageDown:
    case Qt::Key_Home:
    case Qt::Key_End:
    case Qt::Key_Space: return true;
    default: return false;
  }
}
}  // namespace

OrderHold::OrderHold(QTableView* table, CandidateFilter* filter)
    : QObject(table), table_(table), filter_(filter), note_(make_label(table, "order_held", "toast")) {
  note_->setContentsMargins(grid::step, grid::half, grid::step, grid::half);
  note_->setAttribute(Qt::WA_TransparentForMouseEvents);
  note_->hide();
  table->viewport()->setMouseTracking(true);
  table->installEventFilter(this);
  table->viewport()->installEventFilter(this);
  connect(filter, &CandidateFilter::held_changed, this, &OrderHold::say);
  // The rows of another run: whoever rests the pointer here is not aiming at one of them.
  connect(filter, &QAbstractItemModel::modelReset, this, [this] {
    pointer_ = keys_ = false;
    look();
  });
}

bool OrderHold::eventFilter(QObject* watched, QEvent* event) {
  if (!filter_ || !note_) return false;
  if (watched == table_) {
    if (event->type() == QEvent::KeyPress && static_cast<QKeyEvent*>(event)->key() == Qt::Key_Escape && keys_ &&
        filter_->held_changes()) {
      keys_ = false;
      look();
      return true;
    }
    table_event(event);
    return false;
  }
  switch (event->type()) {
    case QEvent::MouseMove:  // not Enter: a table that appears below the pointer is not aimed at
    case QEvent::MouseButtonPress: pointer_ = true; break;
    case QEvent::DragEnter: dragged_ = true; break;
    case QEvent::DragLeave:
    case QEvent::Drop: dragged_ = false; break;
    case QEvent::Resize: place(); return false;
    default: return false;
  }
  look();
  return false;
}

void OrderHold::table_event(QEvent* event) {
  switch (event->type()) {
    case QEvent::Leave: leave(); break;
    case QEvent::Hide: pointer_ = dragged_ = keys_ = false; break;
    case QEvent::KeyPress:
      if (!moves_among_rows(event)) return;
      keys_ = true;
      break;
    case QEvent::FocusIn: {
      const auto reason = static_cast<QFocusEvent*>(event)->reason();
      if (reason != Qt::TabFocusReason && reason != Qt::BacktabFocusReason) return;
      keys_ = true;
      break;
    }
    case QEvent::FocusOut:
      if (static_cast<QFocusEvent*>(event)->reason() == Qt::PopupFocusReason) return;
      keys_ = false;
      break;
    default: return;
  }
  look();
}

// A row's menu takes the pointer from the table: it is decided anew when the menu closes.
void OrderHold::leave() {
  auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
  pointer_ = menu != nullptr;
  if (!menu) return;
  connect(
      menu, &QMenu::aboutToHide, this,
      [this] {
        pointer_ = table_->rect().contains(table_->mapFromGlobal(QCursor::pos()));
        look();
      },
      Qt::SingleShotConnection);
}

void OrderHold::look() {
  const bool on = pointer_ || dragged_ || keys_;
  if (on == filter_->held()) return say();
  const bool waited = filter_->held_changes();
  filter_->hold(on);
  say();
  if (!on && waited) emit released();
}

void OrderHold::say() {
  note_->setVisible(filter_->held() && filter_->held_changes());
  if (note_->isHidden()) return;
  QString text = pointer_ || dragged_ ? tr("Order paused") : tr("Order paused, Esc sorts");
  if (filter_->held_new() > 0) text += tr(": %1 new").arg(filter_->held_new());
  note_->setText(text);
  place();
}

void OrderHold::place() {
  note_->adjustSize();
  const QRect room = table_->viewport()->geometry();
  note_->move(room.right() - note_->width() - grid::step, room.bottom() - note_->height() - grid::half);
  note_->raise();
}

}  // namespace ww::widgets
