// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/diff/change_notes.h"
#include <QHBoxLayout>
#include <QListWidget>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QVBoxLayout>
#include "parts/theme/controls.h"
#include "parts/theme/label.h"

namespace ww::widgets {

ChangeNotes::ChangeNotes(QWidget* parent) : QWidget(parent) {
  auto* column = make_column(this, grid::panel);
  none_ = new Label(tr("No comments yet. Go to a change, write a comment and save."), this);
  none_->setProperty("role", "muted");
  none_->setWordWrap(true);
  list_ = with_id(new QListWidget(this), "change_notes");
  list_->setWordWrap(true);
  list_->setAlternatingRowColors(true);
  list_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  name_it(list_, tr("Comments on the right candidate"), tr("Press Return to go to the line"));
  where_ = make_paragraph(this, "change_note_where");
  box_ = with_id(new QPlainTextEdit(this), "change_note_text");
  box_->setTabChangesFocus(true);
  box_->setMaximumHeight(90);
  box_->setPlaceholderText(tr("Comment on this change"));
  name_it(box_, tr("Comment on the change"));
  where_->setBuddy(box_);
  save_ = make_button(this, "change_note_save", tr("&Save comment"));
  name_it(save_, tr("Save comment"), tr("Saves it as a review note; Undo withdraws it"));
  column->addWidget(none_);
  column->addWidget(list_, 1);
  column->addWidget(where_);
  column->addWidget(box_);
  auto* bar = make_row(column);
  bar->addStretch(1);
  bar->addWidget(save_);
  connect(box_, &QPlainTextEdit::textChanged, this, &ChangeNotes::update_save);
  connect(save_, &QPushButton::clicked, this, [this] {
    saving_ = true;
    update_save();
    emit save_wanted(line_, box_->toPlainText().trimmed());
  });
  connect(list_, &QListWidget::itemActivated, this, [this](QListWidgetItem* item) {
    if (const int line = item->data(Qt::UserRole).toInt(); line > 0) emit line_activated(line);
  });
  set_notes({});
  set_target(0, {}, tr("Go to a change to comment on it (F7)."));
}

void ChangeNotes::set_notes(const std::vector<store::ReviewRecord>& notes) {
  list_->clear();
  for (const store::ReviewRecord& note : notes) {
    QStringList head;
    head += note.line > 0 ? tr("Line %1").arg(note.line) : tr("The whole");
    if (!note.reviewer.empty()) head += qs(note.reviewer);
    head += when_text(note.created);
    auto* item = new QListWidgetItem(head.join(" \u00b7 ") + "\n" + qs(note.text), list_);
    item->setData(Qt::UserRole, note.line);
    item->setToolTip(qs(note.text));
  }
  none_->setVisible(notes.empty());
  list_->setVisible(!notes.empty());
}

void ChangeNotes::set_target(int line, const QString& name, const QString& why_not) {
  line_ = line;
  where_->setText(line > 0 ? tr("On the change at line %1 of %2").arg(line).arg(name) : why_not);
  box_->setEnabled(line > 0);
  update_save();
}

void ChangeNotes::begin() { box_->setFocus(Qt::OtherFocusReason); }

void ChangeNotes::ended(bool stored) {
  if (saving_ && stored) box_->clear();
  saving_ = false;
  update_save();
}

void ChangeNotes::update_save() {
  save_->setEnabled(line_ > 0 && !saving_ && !box_->toPlainText().trimmed().isEmpty());
}

}  // namespace ww::widgets
