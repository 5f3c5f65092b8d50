// SPDX-License-Identifier: GPL-3.0-or-later
// Arranges the fields of a form_grid() two per row or, if there is not enough width, one.
#pragma once
#include <QList>

class QGridLayout;

namespace ww::widgets {

class FormFold {
 public:
  explicit FormFold(QGridLayout* grid);  // with all its items
  int wide_width() const;                // minimum width for two fields per row, in pixels
  void set_folded(bool folded);

 private:
  struct Place {
    int row, column, rows, columns;
  };
  QGridLayout* grid_;
  QList<Place> places_;         // of its items with two fields per row
  int first_ = 0, second_ = 0;  // minimum widths of the two caption columns
  mutable int wide_width_ = 0;
  bool folded_ = false;
};

}  // namespace ww::widgets
