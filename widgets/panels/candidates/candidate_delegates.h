// SPDX-License-Identifier: GPL-3.0-or-later
// How single columns are drawn: marks as icons, the spread of a measured time as a line between its quartiles, the tick
// of comparisons with the line and number that the candidate has in plots.
#pragma once
#include <QStyledItemDelegate>

namespace ww::widgets {

class MarksDelegate : public QStyledItemDelegate {
  Q_OBJECT
 public:
  using QStyledItemDelegate::QStyledItemDelegate;
  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
};

class SpreadDelegate : public QStyledItemDelegate {
  Q_OBJECT
 public:
  using QStyledItemDelegate::QStyledItemDelegate;
  static constexpr double widest = 0.02;  // of the median, on either side: what is more ends in an arrow
  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
};

class CompareDelegate : public QStyledItemDelegate {
  Q_OBJECT
 public:
  using QStyledItemDelegate::QStyledItemDelegate;
  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
};

}  // namespace ww::widgets
