// SPDX-License-Identifier: GPL-3.0-or-later
#include "shell/settings/settings_dialog.h"
#include <QAbstractButton>
#include <QDialogButtonBox>
#include <QGridLayout>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QScrollArea>
#include <QStackedWidget>
#include "parts/theme/controls.h"
#include "parts/theme/label.h"

namespace ww::widgets {

SettingsDialog::SettingsDialog(QWidget* parent) : QDialog(parent) {
  setObjectName("settings");
  setWindowTitle(tr("Settings"));
  resize(980, 680);
  auto* grid = new QGridLayout(this);
  words_ = make_search(this, "settings_words", tr("Search settings"), tr("Search settings"));
  list_ = with_id(new QListWidget(this), "settings_pages");
  name_it(list_, tr("Pages of the settings"));
  nothing_ = new Label(tr("No setting matches."), this);
  nothing_->setWordWrap(true);
  set_role(nothing_, "muted");
  nothing_->hide();
  stack_ = new QStackedWidget(this);
  for (QWidget* w : std::initializer_list<QWidget*>{words_, list_, nothing_}) w->setFixedWidth(210);
  grid->addWidget(words_, 0, 0);
  grid->addWidget(nothing_, 1, 0);
  grid->addWidget(list_, 2, 0);
  grid->addWidget(stack_, 0, 1, 3, 1);
  grid->setRowStretch(2, 1);
  grid->setColumnStretch(1, 1);
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
  buttons->button(QDialogButtonBox::Close)->setAutoDefault(false);
  grid->addWidget(buttons, 3, 0, 1, 2);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  connect(words_, &QLineEdit::textChanged, this, &SettingsDialog::search);
  connect(list_, &QListWidget::currentRowChanged, this, &SettingsDialog::turn_to);
}

void SettingsDialog::add_page(const QString& id, const QString& title, std::function<QWidget*()> make,
                              const QString& words) {
  pages_list_.append({id, title, words, std::move(make)});
  QScrollArea* scroll = make_scroll_area(stack_);
  scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAsNeeded);
  stack_->addWidget(scroll);
  list_->addItem(title);
}

void SettingsDialog::turn_to(int row) {
  if (row < 0) return;
  Page& page = pages_list_[row];
  if (!page.widget) {
    page.widget = page.make();
    static_cast<QScrollArea*>(stack_->widget(row))->setWidget(page.widget);
    mark(page, words_->text().split(' ', Qt::SkipEmptyParts));
  }
  stack_->setCurrentIndex(row);
}

void SettingsDialog::show_page(const QString& id) {
  for (int i = 0; i < pages_list_.size(); ++i)
    if (pages_list_[i].id == id) list_->setCurrentRow(i);
  words_->setFocus();
}

QString SettingsDialog::page() const { return pages_list_.value(list_->currentRow()).id; }

QStringList SettingsDialog::words_of(const QWidget* page) {
  QStringList words;
  for (const QWidget* w : page->findChildren<QWidget*>()) {
    words += w->accessibleName() + " " + w->toolTip();
    if (const auto* label = qobject_cast<const Label*>(w)) words += label->text();
    if (const auto* button = qobject_cast<const QAbstractButton*>(w)) words += button->text();
  }
  return words;
}

void SettingsDialog::search(const QString& typed) {
  int first = -1;
  const QStringList wanted = typed.split(' ', Qt::SkipEmptyParts);
  for (int i = 0; i < pages_list_.size(); ++i) {
    const Page& page = pages_list_[i];
    QString text = page.title + " " + page.words + (page.widget ? " " + words_of(page.widget).join(' ') : QString());
    text.remove('&');
    bool fits = true;
    for (const QString& word : wanted) fits &= text.contains(word, Qt::CaseInsensitive);
    list_->item(i)->setHidden(!fits);
    if (fits && first < 0) first = i;
    if (page.widget) mark(page, wanted);
  }
  nothing_->setVisible(first < 0);
  if (first >= 0 && (list_->currentRow() < 0 || list_->item(list_->currentRow())->isHidden()))
    list_->setCurrentRow(first);
}

// Sets the controls off that have the words.
void SettingsDialog::mark(const Page& page, const QStringList& wanted) {
  for (QWidget* w : page.widget->findChildren<QWidget*>()) {
    const auto* label = qobject_cast<Label*>(w);
    const auto* button = qobject_cast<QAbstractButton*>(w);
    if (!label && !button) continue;
    const QString text = (label ? label->text() : button->text()).remove('&');
    bool fits = !wanted.isEmpty() && !text.isEmpty();
    for (const QString& word : wanted) fits &= word.size() > 1 && text.contains(word, Qt::CaseInsensitive);
    QFont font = w->font();
    if (font.underline() == fits) continue;
    font.setUnderline(fits);
    w->setFont(font);
  }
}

}  // namespace ww::widgets
