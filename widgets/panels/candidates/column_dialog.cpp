// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/candidates/column_dialog.h"
#include <QDialogButtonBox>
#include <QHeaderView>
#include <QListWidget>
#include <QPushButton>
#include <QShortcut>
#include <QSignalBlocker>
#include <QVBoxLayout>
#include "panels/candidates/candidate_columns.h"
#include "parts/theme/controls.h"
#include "parts/theme/label.h"

namespace ww::widgets {

ColumnDialog::ColumnDialog(CandidateColumns* columns, std::function<void()> reset, QWidget* parent)
    : QDialog(parent),
      columns_(columns),
      list_(new QListWidget(this)),
      no_room_(make_paragraph(this, "columns_no_room", "muted")) {
  setObjectName("column_dialog");
  setWindowTitle(tr("Columns"));
  auto* column = new QVBoxLayout(this);
  auto* hint = new Label(tr("Tick the columns to show. Alt+Up and Alt+Down move the selected column."), this);
  hint->setWordWrap(true);
  set_role(hint, "muted");
  column->addWidget(hint);
  list_->setObjectName("columns");
  name_it(list_, tr("Columns of the table, from left to right"));
  column->addWidget(list_, 1);
  no_room_->setText(
      tr("The table has no room for some columns. They come back in a wider table, or when you tick "
         "them: from then on, no column hides by itself."));
  column->addWidget(no_room_);
  auto* bar = make_row(column);
  auto* up = new QPushButton(tr("Move &left"), this);
  auto* down = new QPushButton(tr("Move &right"), this);
  auto* first = new QPushButton(tr("Re&set"), this);
  name_it(up, tr("Move the column to the left"), tr("Alt+Up"));
  name_it(down, tr("Move the column to the right"), tr("Alt+Down"));
  name_it(first, tr("Reset the columns"), tr("Restore the default columns, order and widths"));
  bar->addWidget(up);
  bar->addWidget(down);
  bar->addStretch(1);
  bar->addWidget(first);
  auto* box = new QDialogButtonBox(QDialogButtonBox::Close, this);
  column->addWidget(box);
  connect(box, &QDialogButtonBox::rejected, this, &QDialog::reject);
  connect(up, &QPushButton::clicked, this, [this] { move(-1); });
  connect(down, &QPushButton::clicked, this, [this] { move(1); });
  connect(new QShortcut(QKeySequence("Alt+Up"), this), &QShortcut::activated, this, [this] { move(-1); });
  connect(new QShortcut(QKeySequence("Alt+Down"), this), &QShortcut::activated, this, [this] { move(1); });
  connect(first, &QPushButton::clicked, this, [this, reset = std::move(reset)] {
    reset();
    fill(columns_->header()->logicalIndex(0));
  });
  connect(list_, &QListWidget::itemChanged, this, [this](QListWidgetItem* item) {
    const int logical = item->data(Qt::UserRole).toInt();
    if (item->checkState() == Qt::Unchecked &&
        columns_->header()->hiddenSectionCount() + 1 >= columns_->header()->count()) {  // one must stay
      const QSignalBlocker block(list_);
      item->setCheckState(Qt::Checked);
      return;
    }
    columns_->choose(logical, item->checkState() == Qt::Checked);
  });
  connect(columns_, &CandidateColumns::changed, this, &ColumnDialog::show_choice);
  fill(columns_->header()->logicalIndex(0));
  resize(360, 460);
  list_->setFocus();
}

void ColumnDialog::fill(int logical) {
  const QSignalBlocker block(list_);
  const QHeaderView& header = *columns_->header();
  list_->clear();
  for (int visual = 0; visual < header.count(); ++visual) {
    const int section = header.logicalIndex(visual);
    auto* item = new QListWidgetItem(list_);
    item->setToolTip(header.model()->headerData(section, Qt::Horizontal, Qt::ToolTipRole).toString());
    item->setData(Qt::UserRole, section);
    item->setFlags(Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemIsUserCheckable);
    if (section == logical) list_->setCurrentItem(item);
  }
  show_choice();
}

void ColumnDialog::show_choice() {
  const QSignalBlocker block(list_);
  bool any = false;
  for (int row = 0; row < list_->count(); ++row) {
    QListWidgetItem* item = list_->item(row);
    const int section = item->data(Qt::UserRole).toInt();
    item->setText(columns_->title(section));
    item->setCheckState(columns_->header()->isSectionHidden(section) ? Qt::Unchecked : Qt::Checked);
    any |= columns_->no_room(section);
  }
  no_room_->setVisible(any);
}

void ColumnDialog::move(int step) {
  const int from = list_->currentRow(), to = from + step;
  if (from < 0 || to < 0 || to >= list_->count()) return;
  const int logical = columns_->header()->logicalIndex(from);
  columns_->header()->moveSection(from, to);
  fill(logical);
}

}  // namespace ww::widgets
