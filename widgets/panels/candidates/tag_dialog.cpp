// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/candidates/tag_dialog.h"
#include <QDialogButtonBox>
#include <QLineEdit>
#include <QListWidget>
#include <QVBoxLayout>
#include <algorithm>
#include "session/marks.h"
#include "parts/theme/controls.h"
#include "parts/theme/dialogs.h"
#include "parts/theme/label.h"
#include "parts/theme/text.h"

namespace ww::widgets {

TagDialog::TagDialog(Marks* marks, QList<std::int64_t> candidates, QWidget* parent)
    : QDialog(parent),
      marks_(marks),
      candidates_(std::move(candidates)),
      fresh_(new QLineEdit(this)),
      list_(new QListWidget(this)) {
  setObjectName("tag_dialog");
  setWindowTitle(candidates_.size() == 1 ? tr("Tags of candidate #%1").arg(candidates_.first())
                                         : tr("Tags of %1 candidates").arg(candidates_.size()));
  auto* column = new QVBoxLayout(this);
  auto* caption = new Label(tr("&New tags, separated by commas:"), this);
  caption->setBuddy(fresh_);
  fresh_->setObjectName("new_tags");
  name_it(fresh_, tr("New tags, separated by commas"));
  column->addWidget(caption);
  column->addWidget(fresh_);
  auto* used = new Label(tr("&Tags in use in this run:"), this);
  used->setBuddy(list_);
  list_->setObjectName("tags");
  name_it(list_, tr("Tags in use in this run"));
  column->addWidget(used);
  column->addWidget(list_, 1);
  for (const QString& tag : marks_->tags()) {
    const auto with = std::count_if(candidates_.begin(), candidates_.end(),
                                    [&](std::int64_t id) { return marks_->of(id).tags.contains(tag); });
    auto* item = new QListWidgetItem(harmless(tag), list_);
    const Qt::CheckState state = with == 0                    ? Qt::Unchecked
                                 : with == candidates_.size() ? Qt::Checked
                                                              : Qt::PartiallyChecked;
    item->setFlags(Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemIsUserCheckable);
    item->setCheckState(state);
    item->setData(Qt::UserRole, state);
    item->setData(Qt::UserRole + 1, tag);
  }
  used->setVisible(list_->count() > 0);
  list_->setVisible(list_->count() > 0);
  auto* box = new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel, this);
  column->addWidget(box);
  connect(box, &QDialogButtonBox::accepted, this, &QDialog::accept);
  connect(box, &QDialogButtonBox::rejected, this, &QDialog::reject);
  resize(340, list_->count() > 0 ? 340 : sizeHint().height());
  fresh_->setFocus();
  ask_before_discarding(this);
}

void TagDialog::accept() {
  for (int i = 0; i < list_->count(); ++i) {
    const QListWidgetItem* item = list_->item(i);
    if (item->checkState() != item->data(Qt::UserRole).toInt() && item->checkState() != Qt::PartiallyChecked)
      marks_->tag(candidates_, item->data(Qt::UserRole + 1).toString(), item->checkState() == Qt::Checked);
  }
  for (const QString& tag : fresh_->text().split(',', Qt::SkipEmptyParts)) marks_->tag(candidates_, tag, true);
  QDialog::accept();
}

}  // namespace ww::widgets
