// SPDX-License-Identifier: GPL-3.0-or-later
// Draws a verdict as icon and text (distinguished by shape and word, not only by colour), with a thin progress bar
// while judging.
#pragma once
#include <QStyledItemDelegate>

namespace ww::widgets {

class VerdictDelegate : public QStyledItemDelegate {
  Q_OBJECT
 public:
  using QStyledItemDelegate::QStyledItemDelegate;
  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
};

}  // namespace ww::widgets
