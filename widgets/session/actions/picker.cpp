// SPDX-License-Identifier: GPL-3.0-or-later
#include "session/actions/picker.h"
#include <QKeyEvent>
#include <QLineEdit>
#include <QListWidget>
#include <QTimer>
#include <QVBoxLayout>
#include <algorithm>
#include "parts/theme/controls.h"
#include "parts/theme/label.h"
#include "parts/theme/text.h"

namespace ww::widgets {

int fuzzy_score(const QString& typed, const QString& text) {
  if (typed.isEmpty()) return 1;
  const QString needle = typed.toLower(), hay = text.toLower();
  if (const qsizetype at = hay.indexOf(needle); at >= 0)
    return 1000 - static_cast<int>(std::min<qsizetype>(at, 400)) + (at == 0 ? 100 : 0);
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

Picker::Picker(const char* object, const QString& title, const QString& placeholder, Source source, QWidget* parent)
    : QDialog(parent), source_(std::move(source)) {
  setObjectName(object);
  setWindowTitle(title);
  resize(620, 420);
  auto* layout = new QVBoxLayout(this);
  input_ = new QLineEdit(this);
  input_->setPlaceholderText(placeholder);
  name_it(input_, title);
  list_ = new QListWidget(this);
  list_->setUniformItemSizes(true);
  list_->setTextElideMode(Qt::ElideRight);
  list_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  name_it(list_, tr("Matches"));
  nothing_ = new Label(tr("No matches."), this);
  set_role(nothing_, "muted");
  layout->addWidget(input_);
  layout->addWidget(nothing_);
  layout->addWidget(list_, 1);
  input_->installEventFilter(this);
  connect(input_, &QLineEdit::textChanged, this, &Picker::refresh);
  connect(input_, &QLineEdit::returnPressed, this, &Picker::take_current);
  connect(list_, &QListWidget::itemActivated, this, &Picker::take_current);
  refresh();
}

bool Picker::eventFilter(QObject* object, QEvent* event) {
  if (object == input_ && event->type() == QEvent::KeyPress) {
    const int key = static_cast<QKeyEvent*>(event)->key();
    const int step = key == Qt::Key_Down       ? 1
                     : key == Qt::Key_Up       ? -1
                     : key == Qt::Key_PageDown ? 8
                     : key == Qt::Key_PageUp   ? -8
                                               : 0;
    if (step != 0) {
      list_->setCurrentRow(std::clamp(list_->currentRow() + step, 0, std::max(0, list_->count() - 1)));
      return true;
    }
  }
  return QDialog::eventFilter(object, event);
}

void Picker::refresh() {
  picks_ = source_(input_->text().trimmed());
  if (picks_.size() > most_shown) picks_.resize(most_shown);
  list_->setUpdatesEnabled(false);
  list_->clear();
  for (qsizetype i = 0; i < picks_.size(); ++i) {
    const Pick& pick = picks_[i];
    auto* item =
        new QListWidgetItem(harmless(pick.detail.isEmpty() ? pick.text : pick.text + "    " + pick.detail), list_);
    item->setData(Qt::UserRole, pick.id);
    item->setToolTip(pick.tip);
    if (!pick.enabled) item->setFlags(item->flags() & ~Qt::ItemIsEnabled);
  }
  list_->setUpdatesEnabled(true);
  nothing_->setVisible(picks_.isEmpty());
  if (list_->count() > 0) list_->setCurrentRow(0);
}

void Picker::take_current() {
  const int row = list_->currentRow();
  if (row < 0 || row >= picks_.size() || !picks_[row].enabled) return;
  const auto take = picks_[row].take;
  accept();
  QTimer::singleShot(0, parent(), take);  // after this dialog has given the focus back
}

}  // namespace ww::widgets
