// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QStyledItemDelegate>

namespace ww::widgets {

// Paints the cells of candidates that are more than a text, as their column says.
class CandidateDelegate : public QStyledItemDelegate {
  Q_OBJECT
 public:
  using QStyledItemDelegate::QStyledItemDelegate;
  static constexpr double full_bar = 4;   // multiple of the best cost; larger ones have a full bar, too
  static constexpr double widest = 0.02;  // of the median, on either side: beyond it the line ends in an arrow
  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;

 private:
  using Option = QStyleOptionViewItem;
  // The rank, preceded by the candidate's letter in the comparison, in its colour.
  void paint_rank(QPainter* painter, const Option& option, const QModelIndex& index) const;
  // "#7", the kind of kernel, the values of its tuning. Elided at the end: the tuning first.
  void paint_name(QPainter* painter, const Option& option, const QModelIndex& index) const;
  // The cost, and left of it a bar relative to the best one's.
  void paint_score(QPainter* painter, const Option& option, const QModelIndex& index) const;
  void paint_marks(QPainter* painter, const Option& option, const QModelIndex& index) const;  // as icons
  // The spread of a measured time as a line between its quartiles.
  void paint_spread(QPainter* painter, const Option& option, const QModelIndex& index) const;
  // The check mark of the comparison, with the line style and letter used in plots.
  void paint_compared(QPainter* painter, const Option& option, const QModelIndex& index) const;
};

}  // namespace ww::widgets
