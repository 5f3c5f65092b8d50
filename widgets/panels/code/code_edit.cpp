// SPDX-License-Identifier: GPL-3.0-or-later
// The code panel's drafts: a copy of the candidate that the user edits and has judged.
#include <QApplication>
#include <QDockWidget>
#include <QMenu>
#include <QStackedWidget>
#include <QToolButton>
#include "panels/code/code_panel.h"
#include "panels/code/left_draft_dialog.h"
#include "panels/code/open_tabs.h"
#include "parts/editor/code_editor.h"
#include "session/models/candidate_model.h"
#include "session/edits.h"
#include "session/live_compiler.h"
#include "session/selection.h"
#include "parts/theme/text.h"
#include "parts/theme/dialogs.h"

namespace ww::widgets {

void CodePanel::make_editing(QWidget* page) {
  drafts_->setMenu(new QMenu(page));
  connect(draft_bar_, &DraftBar::continue_editing, this, &CodePanel::edit);
  connect(draft_bar_, &DraftBar::leave, this, [this] {
    leave_edit();
    update_draft();
    source_->setFocus();
  });
  connect(draft_bar_, &DraftBar::check, this, &CodePanel::check);
  connect(draft_bar_, &DraftBar::cancel, edits_, &Edits::cancel);
  connect(draft_bar_, &DraftBar::discard, this, [this] {
    const std::int64_t parent = shown();
    leave_edit();
    said_ = {};
    edits_->discard_undoably(parent);
    update_draft();
    source_->setFocus();
  });
  connect(draft_, &CodeEditor::text_complete, this, [this] {
    filling_draft_ = false;
    build_draft();
  });
  connect(draft_, &CodeEditor::textChanged, this, [this] {
    if (!editing_ || filling_draft_ || !draft_->complete()) return;
    refused_.clear();  // of another text
    said_ = {};
    if (draft_->text() == exact(candidate_->record.text))
      edits_->discard(shown());
    else
      edits_->keep(candidate_->record, draft_->text());
    tabs_->keep(candidate_->record.id);
    update_draft();
    build_draft();
  });
  connect(edits_, &Edits::drafts_changed, this, [this] {
    show_drafts();
    if (!editing_) update_draft();
  });
  connect(context_.session, &Session::run_shown, this, &CodePanel::show_drafts);
  connect(edits_, &Edits::state_changed, this, &CodePanel::update_draft);
  connect(edits_, &Edits::checked, this, &CodePanel::on_checked);
  connect(edits_, &Edits::refused, this, &CodePanel::on_refused);
  connect(edits_, &Edits::problem, context_.session, &Session::problem);
}

void CodePanel::edit() {
  if (!candidate_) return;
  for (QWidget* w = parentWidget(); w; w = w->parentWidget())  // another tab may hide it
    if (auto* dock = qobject_cast<QDockWidget*>(w)) dock->raise();
  if (editing_) return;
  said_ = {};
  begin_edit(edits_->has(shown()) ? edits_->draft(shown()) : exact(candidate_->record.text));
  if (draft_->text() == exact(candidate_->record.text)) refused_ = messages_;
  draft_->show_messages(refused_);
}

void CodePanel::begin_edit(const QString& text) {
  if (!pane(cuda)) show_listing(cuda);
  int line = 0, column = 0;
  source_->getCursorPosition(&line, &column);
  show_draft(text);
  draft_->go_to(line + 1);
  draft_->setFocus();
}

// The person returns to a candidate, perhaps from another panel, which keeps the focus.
void CodePanel::continue_edit(const CodeEditor::TextPlace& at) {
  show_draft(edits_->draft(shown()));
  draft_->set_place(at);
}

void CodePanel::show_draft(const QString& text) {
  editing_ = filling_draft_ = true;
  refused_.clear();
  draft_->set_code(text);
  texts_->setCurrentWidget(draft_);
  update_draft();
}

void CodePanel::leave_edit() {
  if (!editing_) return;
  editing_ = false;
  compiler_->stop();
  texts_->setCurrentWidget(source_);
}

bool CodePanel::has_focus() const {
  const QWidget* focus = QApplication::focusWidget();
  return focus && isAncestorOf(focus);
}

void CodePanel::check() {
  if (!editing_ || edits_->checking()) return;
  const QString text = draft_->text();
  if (text == exact(candidate_->record.text)) {
    said_ = {shown(), tr("No changes yet.")};
    update_draft();
    return;
  }
  edits_->keep(candidate_->record, text);
  said_ = {};
  if (has_focus()) draft_->setFocus();  // its buttons and those of the search go, or cannot be pressed meanwhile
  edits_->check(candidate_->record, text);
}

void CodePanel::update_draft() {
  edit_->setEnabled(candidate_ && !editing_);
  if (!candidate_) return;
  const bool kept = edits_->has(shown());
  const bool checking = edits_->checking(shown());
  const DraftBar::State state = checking   ? DraftBar::State::checking
                                : editing_ ? DraftBar::State::editing
                                : kept     ? DraftBar::State::kept
                                           : DraftBar::State::none;
  draft_->setReadOnly(checking);
  draft_bar_->show_state(state, name(), kept, edits_->why_not(), said_.of == shown() ? said_.text : QString());
  show_build();
}

// Of the whole workspace: those of another run open it.
void CodePanel::show_drafts() {
  QMenu* menu = drafts_->menu();
  menu->clear();
  const std::int64_t shown_run = context_.session->shown_run();
  for (const auto& [id, draft] : edits_->all()) {
    const std::int64_t of = id > 0 ? id : draft.second_of;
    const QString number = of > 0 ? tr("#%1 %2").arg(of).arg(harmless(draft.name)).trimmed() : tr("A draft");
    if (draft.second_of != 0)
      menu->addAction(tr("%1 (from another window)").arg(number), this, [this, at = id] { open_left_draft(at); });
    else if (draft.run == 0)
      menu->addAction(tr("%1 (its candidate is gone)").arg(number), this, [this, at = id] { open_left_draft(at); });
    else if (draft.run == shown_run)
      menu->addAction(number, this, [this, at = id] { context_.selection->set_current(at); });
    else
      menu->addAction(tr("%1 (run %2)").arg(number).arg(draft.run), this,
                      [this, at = id, run = draft.run] { emit candidate_wanted(run, at); });
  }
  drafts_->setVisible(!menu->isEmpty());
  drafts_->setText(tr("Drafts (%1)").arg(menu->actions().size()));
  documents_->setVisible(!tabs_->all().empty() || !menu->isEmpty());
  update_draft();
}

void CodePanel::open_left_draft(std::int64_t candidate) {
  if (!edits_->has(candidate)) return;
  auto* dialog = new LeftDraftDialog(edits_, candidate, candidate_ ? &candidate_->record : nullptr, this);
  connect(dialog, &QDialog::accepted, this, &CodePanel::edit);
  open_once(dialog);
}

// Whoever edits another candidate meanwhile is not taken away from it.
void CodePanel::on_checked(std::int64_t parent, std::int64_t candidate, bool known) {
  const bool elsewhere = editing_ && parent != shown();
  const int row = context_.candidates->row_of(candidate);
  const auto* data = row >= 0 ? &context_.candidates->rows()[static_cast<std::size_t>(row)].data : nullptr;
  if (known)
    said_ = {data && !elsewhere ? candidate : parent, tr("The run already has this text: it is #%1.").arg(candidate)};
  if (!elsewhere) {
    const bool focused = has_focus();
    leave_edit();
    if (focused) source_->setFocus();
    if (!known && data && data->state == store::CandidateState::rejected &&
        data->failed_stage == evidence::Stage::compile)
      edit_when_shown_ = candidate;  // so that editing continues
    context_.selection->set_current(candidate);
  }
  update_draft();
}

void CodePanel::on_refused(std::int64_t parent, const QString& why, const QString& detail) {
  said_ = {parent, tr("Not judged: %1").arg(why)};
  update_draft();
  if (parent != shown()) {
    emit context_.session->problem(tr("The draft of #%1 was not judged: %2").arg(parent).arg(why));
    return;
  }
  if (!editing_) return;
  refused_ = compile::read_log(draft_->text().toStdString(), detail.toStdString());
  draft_->show_messages(refused_);
  if (!refused_.empty()) draft_->go_to(refused_.front().where.place.line);
}

}  // namespace ww::widgets
