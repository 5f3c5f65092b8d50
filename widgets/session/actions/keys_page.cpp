// SPDX-License-Identifier: GPL-3.0-or-later
#include "session/actions/keys_page.h"
#include <QHBoxLayout>
#include <QHeaderView>
#include <QKeySequenceEdit>
#include <QLineEdit>
#include <QPushButton>
#include <QTreeWidget>
#include <QVBoxLayout>
#include "session/actions/registry.h"
#include "parts/theme/controls.h"
#include "parts/theme/label.h"

namespace ww::widgets {

KeysPage::KeysPage(Registry* registry, QWidget* parent) : QWidget(parent), registry_(registry) {
  setObjectName("keys_page");
  auto* column = make_column(this);
  words_ = make_search(this, "key_words", tr("Search by name, key or description"), tr("Search actions"));
  tree_ = with_id(new QTreeWidget(this), "keys");
  name_it(tree_, tr("Actions and their keys"), tr("Changed keys are marked with *"));
  tree_->setColumnCount(3);
  tree_->setHeaderLabels({tr("Action"), tr("Key"), tr("What it does")});
  tree_->setUniformRowHeights(true);
  tree_->setAllColumnsShowFocus(true);
  name_ = heading({}, this);
  key_ = with_id(new QKeySequenceEdit(this), "new_key");
  name_it(key_, tr("New key of the action"), tr("Click here, then press the key"));
  set_ = make_button(this, "assign_key", tr("Assign"));
  none_ = make_button(this, "no_key", tr("No key"));
  reset_ = make_button(this, "reset_key", tr("Reset"), tr("Restore this action's default key"));
  reset_all_ = make_button(this, "reset_keys", tr("Reset all"), tr("Restore all default keys"));
  for (QPushButton* b : {set_, none_, reset_, reset_all_}) b->setAutoDefault(false);
  conflict_ = make_paragraph(this, "key_conflict", "warning");
  auto* row = new QHBoxLayout;
  row->addWidget(key_, 1);
  for (QPushButton* b : {set_, none_, reset_, reset_all_}) row->addWidget(b);
  column->addWidget(words_);
  column->addWidget(tree_, 1);
  column->addWidget(name_);
  column->addLayout(row);
  column->addWidget(conflict_);

  connect(words_, &QLineEdit::textChanged, this, &KeysPage::set_filter);
  connect(tree_, &QTreeWidget::currentItemChanged, this, &KeysPage::show_action);
  connect(tree_, &QTreeWidget::itemActivated, key_, qOverload<>(&QWidget::setFocus));
  connect(key_, &QKeySequenceEdit::keySequenceChanged, this, [this](const QKeySequence& key) {
    const QString why = registry_->why_not(selected(), key);
    conflict_->setText(why);
    const QAction* action = registry_->action(selected());
    set_->setEnabled(action && !key.isEmpty() && why.isEmpty() && key != action->shortcut());
  });
  connect(set_, &QPushButton::clicked, this, &KeysPage::assign);
  connect(none_, &QPushButton::clicked, this, [this] { registry_->set_key(selected(), {}); });
  connect(reset_, &QPushButton::clicked, this, [this] { registry_->reset_key(selected()); });
  connect(reset_all_, &QPushButton::clicked, registry_, &Registry::reset_keys);
  connect(registry_, &Registry::keys_changed, this, &KeysPage::fill);
  fill();
  tree_->header()->setSectionResizeMode(0, QHeaderView::ResizeToContents);
  tree_->header()->setSectionResizeMode(1, QHeaderView::ResizeToContents);
}

QString KeysPage::selected() const {
  return tree_->currentItem() ? tree_->currentItem()->data(0, Qt::UserRole).toString() : QString();
}

void KeysPage::fill() {
  const QString kept = selected();
  tree_->clear();
  QTreeWidgetItem* again = nullptr;
  for (const QString& category : registry_->categories()) {
    auto* group = new QTreeWidgetItem(tree_, {category});
    QFont bold = group->font(0);
    bold.setBold(true);
    group->setFont(0, bold);
    group->setFirstColumnSpanned(true);
    for (const ActionInfo& info : registry_->all()) {
      if (info.category != category) continue;
      const QString key = info.action->shortcut().toString(QKeySequence::NativeText);
      auto* row =
          new QTreeWidgetItem(group, {Registry::plain_text(info.action),
                                      (key.isEmpty() ? dash() : key) + (registry_->changed_key(info) ? " *" : ""),
                                      info.action->statusTip()});
      row->setData(0, Qt::UserRole, info.id);
      row->setToolTip(2, info.action->statusTip());
      if (info.id == kept) again = row;
    }
  }
  tree_->expandAll();
  set_filter(words_->text());
  if (again) tree_->setCurrentItem(again);
  show_action();
}

void KeysPage::set_filter(const QString& words) {
  if (words_->text() != words) {
    words_->setText(words);
    return;
  }
  for (int i = 0; i < tree_->topLevelItemCount(); ++i) {
    QTreeWidgetItem* group = tree_->topLevelItem(i);
    int left = 0;
    for (int j = 0; j < group->childCount(); ++j) {
      const QString text = group->text(0) + " " + group->child(j)->text(0) + " " + group->child(j)->text(1) + " " +
                           group->child(j)->text(2);
      bool fits = true;
      for (const QString& word : words.split(' ', Qt::SkipEmptyParts)) fits &= text.contains(word, Qt::CaseInsensitive);
      group->child(j)->setHidden(!fits);
      left += fits;
    }
    group->setHidden(left == 0);
  }
}

void KeysPage::show_action() {
  const ActionInfo* info = registry_->find(selected());
  name_->setText(info ? info->category + ": " + Registry::plain_text(info->action)
                      : tr("Select an action to change its key"));
  key_->setEnabled(info != nullptr);
  key_->setKeySequence(info ? info->action->shortcut() : QKeySequence());
  conflict_->clear();
  set_->setEnabled(false);
  none_->setEnabled(info && !info->action->shortcut().isEmpty());
  reset_->setEnabled(info && registry_->changed_key(*info));
  bool any = false;
  for (const ActionInfo& one : registry_->all()) any |= registry_->changed_key(one);
  reset_all_->setEnabled(any);
}

void KeysPage::assign() {
  const QKeySequence key = key_->keySequence();
  if (!registry_->why_not(selected(), key).isEmpty()) return;
  registry_->set_key(selected(), key);
}

}  // namespace ww::widgets
