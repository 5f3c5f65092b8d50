// SPDX-License-Identifier: GPL-3.0-or-later
#include "parts/theme/form_fold.h"
#include <QGridLayout>
#include <algorithm>

namespace ww::widgets {

FormFold::FormFold(QGridLayout* grid)
    : grid_(grid), first_(grid->columnMinimumWidth(0)), second_(grid->columnMinimumWidth(2)) {
  for (int i = 0; i < grid->count(); ++i) {
    Place& p = places_.emplace_back();
    grid->getItemPosition(i, &p.row, &p.column, &p.rows, &p.columns);
  }
}

int FormFold::wide_width() const {
  if (!folded_) wide_width_ = grid_->minimumSize().width();
  return wide_width_;
}

void FormFold::set_folded(bool folded) {
  if (folded == folded_) return;
  wide_width();
  folded_ = folded;
  QList<QLayoutItem*> items;
  while (grid_->count() > 0) items += grid_->takeAt(0);
  for (qsizetype i = 0; i < items.size(); ++i) {
    const Place& p = places_[i];
    if (folded)
      grid_->addItem(items[i], 2 * p.row + p.column / 2, p.column % 2, p.rows, std::min(p.columns, 2 - p.column % 2),
                     items[i]->alignment());
    else
      grid_->addItem(items[i], p.row, p.column, p.rows, p.columns, items[i]->alignment());
  }
  grid_->setColumnStretch(3, folded ? 0 : 1);
  grid_->setColumnMinimumWidth(0, first_);
  grid_->setColumnMinimumWidth(2, folded ? 0 : second_);
}

}  // namespace ww::widgets
