// SPDX-License-Identifier: GPL-3.0-or-later
// The titles of a table's columns. One that does not fit loses its end and says so with dots: under a style sheet Qt
// cuts those of numbers, which are aligned to the right, at their beginning.
#pragma once
#include <QHeaderView>

class QTableView;

namespace ww::widgets {

class HeaderView : public QHeaderView {
 public:
  explicit HeaderView(QTableView* table);  // in place of the table's own

 protected:
  void initStyleOptionForIndex(QStyleOptionHeader* option, int section) const override;
};

}  // namespace ww::widgets
