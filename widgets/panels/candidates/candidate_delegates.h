// SPDX-License-Identifier: GPL-3.0-or-later
// Delegates that draw single columns: a candidate's number, name and tuning, its cost with a bar beside the best one's,
// marks as icons, the spread of a measured time as a line between its quartiles, the tick of comparisons with the line
// and letter that the candidate has in plots.
#pragma once
#include <QStyledItemDelegate>

namespace ww::widgets {

// The rank, and before it the letter that the candidate has in the comparison, in its colour.
class RankDelegate : public QStyledItemDelegate {
  Q_OBJECT
 public:
  using QStyledItemDelegate::QStyledItemDelegate;
  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
};

// "#7", what kind of kernel it is, the values of its tuning. What has no room is cut at its end: the tuning first.
class NameDelegate : public QStyledItemDelegate {
  Q_OBJECT
 public:
  using QStyledItemDelegate::QStyledItemDelegate;
  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
};

// The cost, and under it a bar of its length beside the best one's.
class ScoreDelegate : public QStyledItemDelegate {
  Q_OBJECT
 public:
  using QStyledItemDelegate::QStyledItemDelegate;
  static constexpr double full_bar = 4;  // times the best cost; what is more has a full bar, too
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
