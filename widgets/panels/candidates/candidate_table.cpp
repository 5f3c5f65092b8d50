// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/candidates/candidate_table.h"
#include <QAbstractItemDelegate>
#include <QCoreApplication>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>
#include <QWheelEvent>
#include <algorithm>
#include <utility>
#include "parts/theme/header_view.h"
#include "parts/theme/theme.h"
#include <QKeyEvent>

namespace ww::widgets {

// Lies over the table's left while it is scrolled sideways, and shows there what scrolled away. What the mouse does to
// it goes to the columns themselves.
class FrozenColumns : public QWidget {
 public:
  explicit FrozenColumns(CandidateTable* table) : QWidget(table), table_(table) {
    setAttribute(Qt::WA_OpaquePaintEvent);
    setMouseTracking(true);
    hide();
  }
  void place() {
    columns_ = table_->horizontalScrollBar()->value() > 0 ? table_->frozen() : QList<int>();
    setVisible(!columns_.isEmpty());
    int width = 1;  // the edge
    for (const int column : columns_) width += table_->columnWidth(column);
    const QRect body = table_->viewport()->geometry();
    setGeometry(body.x(), table_->header_->y(), width, body.bottom() + 1 - table_->header_->y());
    update();
  }

 protected:
  void paintEvent(QPaintEvent*) override {
    QPainter painter(this);
    const int top = table_->header_->height();
    painter.fillRect(rect(), table_->palette().base());
    painter.save();
    painter.translate(0, top);
    painter.setClipRect(0, 0, width(), height() - top);
    table_->paint_frozen(painter, columns_);
    painter.restore();
    table_->header_->paint_sections(painter, columns_);
    painter.fillRect(width() - 1, 0, 1, height(), Theme::instance().color("border-strong"));
  }
  bool event(QEvent* event) override {
    switch (event->type()) {
      case QEvent::MouseButtonPress:
      case QEvent::MouseButtonRelease:
      case QEvent::MouseButtonDblClick:
      case QEvent::MouseMove: {
        const auto* mouse = static_cast<QMouseEvent*>(event);
        const auto [target, at] = beneath(mouse->position());
        QMouseEvent there(mouse->type(), at, mouse->globalPosition(), mouse->button(), mouse->buttons(),
                          mouse->modifiers());
        QCoreApplication::sendEvent(target, &there);
        if (event->type() == QEvent::MouseMove) setCursor(target->cursor());
        return true;
      }
      case QEvent::Wheel: QCoreApplication::sendEvent(table_->viewport(), event); return true;
      case QEvent::ToolTip: {
        const auto* help = static_cast<QHelpEvent*>(event);
        const auto [target, at] = beneath(help->pos());
        QHelpEvent there(QEvent::ToolTip, at.toPoint(), help->globalPos());
        QCoreApplication::sendEvent(target, &there);
        return true;
      }
      case QEvent::ContextMenu: {
        const auto* menu = static_cast<QContextMenuEvent*>(event);
        const auto [target, at] = beneath(menu->pos());
        QContextMenuEvent there(menu->reason(), at.toPoint(), menu->globalPos(), menu->modifiers());
        QCoreApplication::sendEvent(target, &there);
        return true;
      }
      default: return QWidget::event(event);
    }
  }

 private:
  // The frozen columns are the first ones: what is here lies there, left of what is in sight.
  std::pair<QWidget*, QPointF> beneath(const QPointF& at) const {
    const int scrolled = table_->horizontalScrollBar()->value(), top = table_->header_->height();
    if (at.y() < top) return {table_->header_->viewport(), at - QPointF(scrolled, 0)};
    return {table_->viewport(), at - QPointF(scrolled, top)};
  }
  CandidateTable* table_;
  QList<int> columns_;
};

CandidateTable::CandidateTable(int name, QWidget* parent)
    : QTableView(parent), header_(new HeaderView(this)), frozen_(new FrozenColumns(this)), name_(name) {
  viewport()->installEventFilter(this);
  header_->viewport()->installEventFilter(this);
  connect(horizontalScrollBar(), &QScrollBar::valueChanged, frozen_, [this] { frozen_->place(); });
  connect(header_, &QHeaderView::sectionResized, this, [this](int section, int, int size) {
    if (section == name_ && !stretching_) name_width_ = size;
    if (section != name_) stretch();
    frozen_->place();
  });
  connect(header_, &QHeaderView::sectionMoved, frozen_, [this] { frozen_->place(); });
}

void CandidateTable::scrollTo(const QModelIndex& index, ScrollHint hint) {
  executeDelayedItemsLayout();
  QTableView::scrollTo(index, hint);
}

QItemSelectionModel::SelectionFlags CandidateTable::selectionCommand(const QModelIndex& index,
                                                                     const QEvent* event) const {
  const QItemSelectionModel::SelectionFlags whole = QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows;
  if (event && event->type() == QEvent::KeyPress) {
    const auto* key = static_cast<const QKeyEvent*>(event);
    const bool ends = key->key() == Qt::Key_Home || key->key() == Qt::Key_End;
    if (ends && !key->modifiers().testFlag(Qt::ShiftModifier)) return whole;  // also with Ctrl, as rows are whole
  }
  return event ? QTableView::selectionCommand(index, event) : whole;
}

QModelIndex CandidateTable::moveCursor(CursorAction action, Qt::KeyboardModifiers modifiers) {
  if (model() && model()->rowCount() > 0 && (action == MoveHome || action == MoveEnd)) {
    const int column = currentIndex().isValid() ? currentIndex().column() : name_;
    return model()->index(action == MoveHome ? 0 : model()->rowCount() - 1, column);
  }
  return QTableView::moveCursor(action, modifiers);
}

void CandidateTable::set_name_width(int width) {
  if (width > 0) name_width_ = width;
  stretch();
}

void CandidateTable::let_names_shrink(bool shrink) {
  if (shrink != std::exchange(shrinks_, shrink)) stretch();
}

void CandidateTable::stretch() {
  if (stretching_ || name_width_ <= 0 || isColumnHidden(name_)) return;
  const int rest = viewport()->width() - (header_->length() - columnWidth(name_));
  stretching_ = true;
  setColumnWidth(name_, std::max(shrinks_ && isVisible() ? least_name_width() : name_width_, rest));
  stretching_ = false;
}

void CandidateTable::resizeEvent(QResizeEvent* event) {
  QTableView::resizeEvent(event);
  stretch();
  frozen_->place();
}

bool CandidateTable::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::Paint && frozen_->isVisible()) frozen_->update();
  return QTableView::eventFilter(watched, event);
}

QList<int> CandidateTable::frozen() const {
  QList<int> columns;
  int width = 0;
  for (int visual = 0; visual <= header_->visualIndex(name_); ++visual) {
    const int column = header_->logicalIndex(visual);
    if (isColumnHidden(column)) continue;
    columns += column;
    width += columnWidth(column);
  }
  return isColumnHidden(name_) || width > viewport()->width() * 2 / 3 ? QList<int>() : columns;
}

void CandidateTable::paint_frozen(QPainter& painter, const QList<int>& columns) {
  if (!model()) return;
  for (int row = std::max(0, rowAt(0)); row < model()->rowCount() && rowViewportPosition(row) < viewport()->height();
       ++row) {
    int x = 0;
    for (const int column : columns) {
      const QModelIndex index = model()->index(row, column);
      QStyleOptionViewItem option;
      initViewItemOption(&option);
      option.rect = QRect(x, rowViewportPosition(row), columnWidth(column), rowHeight(row));
      option.state.setFlag(QStyle::State_Selected, selectionModel() && selectionModel()->isSelected(index));
      option.state.setFlag(QStyle::State_HasFocus, hasFocus() && index == currentIndex());
      option.features.setFlag(QStyleOptionViewItem::Alternate, alternatingRowColors() && row % 2 == 1);
      style()->drawPrimitive(QStyle::PE_PanelItemViewRow, &option, &painter, this);
      itemDelegateForIndex(index)->paint(&painter, option, index);
      x += columnWidth(column);
    }
  }
}

}  // namespace ww::widgets
