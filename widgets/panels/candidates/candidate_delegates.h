// SPDX-License-Identifier: GPL-3.0-or-later
// Delegates for single columns: a candidate's number, name and tuning; its cost with a bar relative to the best; marks
// as icons; the spread of a measured time as a line between its quartiles; the check mark of the comparison with the
// line style and letter used in plots.
#pragma once
#include <QStyledItemDelegate>

namespace ww::widgets {

// The rank, preceded by the candidate's letter in the comparison, in its colour.
class RankDelegate : public QStyledItemDelegate {
  Q_OBJECT
 public:
  using QStyledItemDelegate::QStyledItemDelegate;
  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
};

// "#7", the kind of kernel, the values of its tuning. Elided at the end: the tuning first.
class NameDelegate : public QStyledItemDelegate {
  Q_OBJECT
 public:
  using QStyledItemDelegate::QStyledItemDelegate;
  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
};

// The cost, and left of it a bar relative to the best one's.
class ScoreDelegate : public QStyledItemDelegate {
  Q_OBJECT
 public:
  using QStyledItemDelegate::QStyledItemDelegate;
  static constexpr double full_bar = 4;  // multiple of the best cost; larger ones have a full bar, too
  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
};

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
  static constexpr double widest = 0.02;  // of the median, on either side: beyond it the line ends in an arrow
  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
};

class CompareDelegate : public QStyledItemDelegate {
  Q_OBJECT
 public:
  using QStyledItemDelegate::QStyledItemDelegate;
  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
};

}  // namespace ww::widgets
