// SPDX-License-Identifier: GPL-3.0-or-later
#include "parts/editor/search_bar.h"
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLineEdit>
#include <QPushButton>
#include <QRegularExpression>
#include <QScrollArea>
#include <QTimer>
#include <QToolButton>
#include "parts/theme/controls.h"
#include "parts/theme/label.h"

namespace ww::widgets {

namespace {
constexpr int one_row = 760;  // pixels, for both fields and their buttons
}  // namespace

SearchBar::SearchBar(std::function<Searchable*()> text, QWidget* parent) : QFrame(parent), text_(std::move(text)) {
  setProperty("role", "searchbar");
  rows_ = make_column(this, {}, 0);
  auto* layout = make_row(rows_, grid::bar);
  input_ = make_search(this, "search_words", tr("Find"), tr("Find in the code"));
  expression_ = make_tool(this, "search_expression", ".*", tr("Regular expression"),
                          tr("Find a regular expression; ^ and $ match at each line"));
  expression_->setCheckable(true);
  count_ = make_label(this, "search_count", "muted");
  count_->setMinimumWidth(70);
  layout->addWidget(input_, 1);
  layout->addWidget(expression_);
  layout->addWidget(count_);
  const auto button = [&](const char* icon, const QString& name, auto run) {
    QToolButton* b = make_icon_tool(this, icon, name, name);
    connect(b, &QToolButton::clicked, this, run);
    layout->addWidget(b);
  };
  button("previous", tr("Previous match (Shift+Return)"), [this] { step(false, false); });
  button("next", tr("Next match (Return)"), [this] { step(true, false); });
  button("close", tr("Close the search (Escape)"), [this] { end(); });
  replacing_ = new QWidget(this);
  make_replacing(replacing_);
  rows_->addWidget(replacing_);
  const auto changed = [this] {
    refresh();
    step(true, true);
  };
  connect(input_, &QLineEdit::textChanged, this, changed);
  connect(expression_, &QToolButton::toggled, this, changed);
  hide();
}

// Side by side where there is room, so that the text keeps its height.
void SearchBar::resizeEvent(QResizeEvent* event) {
  QFrame::resizeEvent(event);
  rows_->setDirection(width() >= one_row ? QBoxLayout::LeftToRight : QBoxLayout::TopToBottom);
}

void SearchBar::refresh_if_open() {
  if (isVisibleTo(parentWidget())) refresh();
}

SearchHost* search_host_of(QWidget* focused) {
  for (QWidget* w = focused; w; w = w->parentWidget())
    if (auto* host = dynamic_cast<SearchHost*>(w)) return host;
  return nullptr;
}

void SearchBar::make_replacing(QWidget* row) {
  auto* layout = make_row(row, grid::bar);
  with_ = make_search(row, "replace_words", tr("Replace with"),
                      tr("Replacement for each match; \\1 to \\9 stand for an expression's groups"));
  auto* one = make_button(row, "replace", tr("Replace"), tr("Replace the selected match and go to the next (Return)"));
  auto* all = make_button(row, "replace_all", tr("Replace all"), tr("Replace all matches in one step"));
  layout->addWidget(with_, 1);
  layout->addWidget(one);
  layout->addWidget(all);
  connect(one, &QPushButton::clicked, this, [this] { replace(false); });
  connect(all, &QPushButton::clicked, this, [this] { replace(true); });
}

SearchText SearchBar::what() const {
  Searchable* e = text_();
  return {input_->text(), expression_->isChecked() && e && e->takes_expressions()};
}

void SearchBar::fit() {
  Searchable* e = text_();
  expression_->setVisible(e && e->takes_expressions());
  replacing_->setVisible(e && e->replaces());
}

void SearchBar::open() {
  Searchable* e = text_();
  if (const QString picked = e ? e->picked() : QString(); !picked.isEmpty() && !expression_->isChecked())
    input_->setText(picked);
  fit();
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
  const bool open = isVisibleTo(parentWidget());
  if (open) fit();
  const SearchText text = what();
  const QString fault = text.expression ? QRegularExpression(text.words).errorString() : QString();
  const bool valid = !text.expression || QRegularExpression(text.words).isValid();
  const int n = e->mark_all(open && valid ? text : SearchText());
  count_->setText(text.words.isEmpty()           ? QString()
                  : !valid                       ? fault
                  : n == 0                       ? tr("no match")
                  : n == 1                       ? tr("1 match")
                  : n >= Searchable::most_marked ? tr("%1 matches or more").arg(n)
                                                 : tr("%1 matches").arg(n));
}

void SearchBar::step(bool forward, bool from_start) {
  if (Searchable* e = text_()) e->find(what(), forward, from_start);
}

void SearchBar::replace(bool all) {
  Searchable* e = text_();
  if (!e || !e->replaces()) return;
  if (!all) {
    e->replace(what(), with_->text());
    return refresh();
  }
  const int n = e->replace_all(what(), with_->text());
  refresh();
  count_->setText(n == 1 ? tr("1 replaced") : tr("%1 replaced").arg(n));
}

void SearchBar::end() {
  input_->clear();
  hide();
  if (Searchable* e = text_()) e->widget()->setFocus();
}

void SearchBar::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_Escape) {
    end();
  } else if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) {
    if (with_->hasFocus())
      replace(false);
    else
      step(!(event->modifiers() & Qt::ShiftModifier), false);
  } else {
    QFrame::keyPressEvent(event);
  }
}

}  // namespace ww::widgets
