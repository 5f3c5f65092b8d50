// SPDX-License-Identifier: GPL-3.0-or-later
#include "actions/palette.h"
#include <QKeyEvent>
#include <QLineEdit>
#include <QListWidget>
#include <QTimer>
#include <QVBoxLayout>
#include <algorithm>
#include "actions/registry.h"
#include "theme/text.h"

namespace ww::widgets {

int fuzzy_score(const QString& typed, const QString& text) {
  if (typed.isEmpty()) return 1;
  const QString needle = typed.toLower(), hay = text.toLower();
  if (const qsizetype at = hay.indexOf(needle); at >= 0) return 1000 - static_cast<int>(std::min<qsizetype>(at, 400)) + (at == 0 ? 100 : 0);
  int score = 1;
  qsizetype at = 0;
  for (const QChar c : needle) {
    if (c.isSpace()) continue;
    const qsizetype found = hay.indexOf(c, at);
    if (found < 0) return 0;
    score += found == 0 || !hay[found - 1].isLetterOrNumber() ? 20 : found == at ? 8 : 1;
    at = found + 1;
  }
  return score;
}

CommandPalette::CommandPalette(const Registry& registry, QWidget* parent) : QDialog(parent), registry_(registry) {
  setObjectName("command_palette");
  setWindowTitle(tr("Commands"));
  resize(520, 380);
  auto* layout = new QVBoxLayout(this);
  input_ = new QLineEdit(this);
  input_->setPlaceholderText(tr("Type a command"));
  name_it(input_, tr("Command"));
  list_ = new QListWidget(this);
  list_->setUniformItemSizes(true);
  name_it(list_, tr("Matching commands"));
  layout->addWidget(input_);
  layout->addWidget(list_);
  input_->installEventFilter(this);
  connect(input_, &QLineEdit::textChanged, this, &CommandPalette::filter);
  connect(input_, &QLineEdit::returnPressed, this, &CommandPalette::run_current);
  connect(list_, &QListWidget::itemActivated, this, &CommandPalette::run_current);
  filter();
}

bool CommandPalette::eventFilter(QObject* object, QEvent* event) {
  if (object == input_ && event->type() == QEvent::KeyPress) {
    const int key = static_cast<QKeyEvent*>(event)->key();
    const int step = key == Qt::Key_Down ? 1 : key == Qt::Key_Up ? -1 : key == Qt::Key_PageDown ? 8 : key == Qt::Key_PageUp ? -8 : 0;
    if (step != 0) {
      list_->setCurrentRow(std::clamp(list_->currentRow() + step, 0, std::max(0, list_->count() - 1)));
      return true;
    }
  }
  return QDialog::eventFilter(object, event);
}

void CommandPalette::filter() {
  struct Hit {
    int score;
    const ActionInfo* info;
  };
  std::vector<Hit> hits;
  for (const ActionInfo& info : registry_.all()) {
    if (info.id == "help.palette") continue;
    QString text = info.category + ": " + info.action->text();
    text.remove('&');
    if (const int score = fuzzy_score(input_->text(), text)) hits.push_back({score, &info});
  }
  std::stable_sort(hits.begin(), hits.end(), [](const Hit& a, const Hit& b) { return a.score > b.score; });
  list_->clear();
  for (const Hit& hit : hits) {
    QString text = hit.info->category + ": " + hit.info->action->text();
    text.remove('&');
    const QString key = hit.info->action->shortcut().toString(QKeySequence::NativeText);
    auto* item = new QListWidgetItem(key.isEmpty() ? text : text + "    " + key, list_);
    item->setData(Qt::UserRole, hit.info->id);
    item->setToolTip(hit.info->action->statusTip());
    if (!hit.info->action->isEnabled()) item->setFlags(item->flags() & ~Qt::ItemIsEnabled);
  }
  if (list_->count() > 0) list_->setCurrentRow(0);
}

void CommandPalette::run_current() {
  const QListWidgetItem* item = list_->currentItem();
  QAction* action = item ? registry_.action(item->data(Qt::UserRole).toString()) : nullptr;
  if (!action || !action->isEnabled()) return;
  accept();
  QTimer::singleShot(0, action, &QAction::trigger);  // after this dialog has given the focus back
}

}  // namespace ww::widgets
