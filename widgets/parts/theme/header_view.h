// SPDX-License-Identifier: GPL-3.0-or-later
// The column headers of a table. A title that does not fit is elided at the end: under a style sheet, Qt cuts
// right-aligned ones at the beginning.
#pragma once
#include <QHeaderView>

class QTableView;

namespace ww::widgets {

class HeaderView : public QHeaderView {
 public:
  explicit HeaderView(QTableView* table);                                    // replaces the table's own
  void paint_sections(QPainter& painter, const QList<int>& sections) const;  // adjacent ones, from the left

 protected:
  void initStyleOptionForIndex(QStyleOptionHeader* option, int section) const override;
};

}  // namespace ww::widgets
