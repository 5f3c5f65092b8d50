// SPDX-License-Identifier: GPL-3.0-or-later
#include "actions/shortcuts_page.h"
#include <QDialogButtonBox>
#include <QHeaderView>
#include <QTreeWidget>
#include <QVBoxLayout>
#include "actions/registry.h"
#include "theme/text.h"

namespace ww::widgets {

ShortcutsPage::ShortcutsPage(const Registry& registry, QWidget* parent) : QDialog(parent) {
  setObjectName("shortcuts_page");
  setWindowTitle(tr("Keyboard shortcuts"));
  resize(620, 520);
  auto* layout = new QVBoxLayout(this);
  auto* tree = new QTreeWidget(this);
  name_it(tree, tr("Actions and their keys"));
  tree->setColumnCount(3);
  tree->setHeaderLabels({tr("Action"), tr("Key"), tr("What it does")});
  tree->setRootIsDecorated(false);
  for (const QString& category : registry.categories()) {
    auto* group = new QTreeWidgetItem(tree, {category});
    QFont bold = group->font(0);
    bold.setBold(true);
    group->setFont(0, bold);
    group->setFirstColumnSpanned(true);
    for (const ActionInfo& info : registry.all()) {
      if (info.category != category) continue;
      QString text = info.action->text();
      text.remove('&');
      const QString key = info.action->shortcut().toString(QKeySequence::NativeText);
      auto* row = new QTreeWidgetItem(group, {text, key.isEmpty() ? dash() : key, info.action->statusTip()});
      row->setToolTip(2, info.action->statusTip());
    }
  }
  tree->expandAll();
  tree->header()->setSectionResizeMode(0, QHeaderView::ResizeToContents);
  tree->header()->setSectionResizeMode(1, QHeaderView::ResizeToContents);
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  layout->addWidget(tree);
  layout->addWidget(buttons);
}

}  // namespace ww::widgets
