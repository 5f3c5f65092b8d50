// SPDX-License-Identifier: GPL-3.0-or-later
#include "parts/editor/search_bar.h"
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLineEdit>
#include <QScrollArea>
#include <QTimer>
#include <QToolButton>
#include "parts/editor/searchable.h"
#include "parts/theme/controls.h"
#include "parts/theme/label.h"

namespace ww::widgets {

SearchBar::SearchBar(std::function<Searchable*()> text, QWidget* parent) : QFrame(parent), text_(std::move(text)) {
  setProperty("role", "searchbar");
  auto* layout = make_row(this, grid::bar);
  input_ = make_search(this, {}, tr("Find"), tr("Find in the code"));
  count_ = make_label(this, {}, "muted");
  count_->setMinimumWidth(70);
  layout->addWidget(input_, 1);
  layout->addWidget(count_);
  const auto button = [&](const char* icon, const QString& name, auto run) {
    QToolButton* b = make_icon_tool(this, icon, name, name);
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
  Searchable* e = text_();
  if (const QString picked = e ? e->picked() : QString(); !picked.isEmpty()) input_->setText(picked);
  show();
  for (QWidget* w = parentWidget(); w; w = w->parentWidget())  // in a panel that is scrolled
    if (auto* area = qobject_cast<QScrollArea*>(w))
      QTimer::singleShot(0, this, [this, area] { area->ensureWidgetVisible(this, 0, 0); });
  input_->setFocus(Qt::ShortcutFocusReason);
  input_->selectAll();
  refresh();
}

void SearchBar::refresh() {
  Searchable* e = text_();
  if (!e) return;
  const int n = e->mark_all(isVisibleTo(parentWidget()) ? input_->text() : QString());
  count_->setText(input_->text().isEmpty()       ? QString()
                  : n == 0                       ? tr("no match")
                  : n == 1                       ? tr("1 match")
                  : n >= Searchable::most_marked ? tr("%1 matches or more").arg(n)
                                                 : tr("%1 matches").arg(n));
}

void SearchBar::step(bool forward, bool from_start) {
  if (Searchable* e = text_()) e->find(input_->text(), forward, from_start);
}

void SearchBar::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_Escape) {
    input_->clear();
    hide();
    if (Searchable* e = text_()) e->widget()->setFocus();
  } else if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) {
    step(!(event->modifiers() & Qt::ShiftModifier), false);
  } else {
    QFrame::keyPressEvent(event);
  }
}

}  // namespace ww::widgets
