// SPDX-License-Identifier: GPL-3.0-or-later
#include "editor/search_bar.h"
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QToolButton>
#include "editor/code_editor.h"
#include "theme/text.h"
#include "theme/theme.h"

namespace ww::widgets {

SearchBar::SearchBar(std::function<CodeEditor*()> editor, QWidget* parent) : QFrame(parent), editor_(std::move(editor)) {
  setProperty("role", "searchbar");
  auto* layout = new QHBoxLayout(this);
  layout->setContentsMargins(6, 4, 6, 4);
  input_ = new QLineEdit(this);
  input_->setPlaceholderText(tr("Find"));
  input_->setClearButtonEnabled(true);
  name_it(input_, tr("Find in the code"));
  count_ = new QLabel(this);
  count_->setProperty("role", "muted");
  count_->setMinimumWidth(70);
  layout->addWidget(input_, 1);
  layout->addWidget(count_);
  const auto button = [&](const char* icon, const QString& name, auto run) {
    auto* b = new QToolButton(this);
    b->setIcon(Theme::instance().icon(icon));
    connect(&Theme::instance(), &Theme::changed, b, [b, icon] { b->setIcon(Theme::instance().icon(icon)); });
    name_it(b, name, name);
    connect(b, &QToolButton::clicked, this, run);
    layout->addWidget(b);
  };
  button("previous", tr("Previous match (Shift+Return)"), [this] { step(false, false); });
  button("next", tr("Next match (Return)"), [this] { step(true, false); });
  button("close", tr("Close the search (Escape)"), [this] {
    input_->clear();
    hide();
  });
  connect(input_, &QLineEdit::textChanged, this, [this] {
    refresh();
    step(true, true);
  });
  hide();
}

void SearchBar::open() {
  CodeEditor* e = editor_();
  if (e && e->hasSelectedText() && !e->selectedText().contains('\n')) input_->setText(e->selectedText());
  show();
  input_->setFocus(Qt::ShortcutFocusReason);
  input_->selectAll();
  refresh();
}

void SearchBar::refresh() {
  CodeEditor* e = editor_();
  if (!e) return;
  const int n = e->mark_all(isVisibleTo(parentWidget()) ? input_->text() : QString());
  count_->setText(input_->text().isEmpty() ? QString() : n == 0 ? tr("no match") : n == 1 ? tr("1 match") : tr("%1 matches").arg(n));
}

void SearchBar::step(bool forward, bool from_start) {
  if (CodeEditor* e = editor_()) e->find(input_->text(), forward, from_start);
}

void SearchBar::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_Escape) {
    input_->clear();
    hide();
    if (CodeEditor* e = editor_()) e->setFocus();
  } else if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) {
    step(!(event->modifiers() & Qt::ShiftModifier), false);
  } else {
    QFrame::keyPressEvent(event);
  }
}

}  // namespace ww::widgets
