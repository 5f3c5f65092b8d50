// SPDX-License-Identifier: GPL-3.0-or-later
// The code panel's documents: the tabs, where each was left, and a second one beside.
#include <QSplitter>
#include <QToolButton>
#include "panels/code/beside_view.h"
#include "panels/code/code_panel.h"
#include "panels/code/code_tabs.h"
#include "parts/theme/controls.h"
#include "session/actions/registry.h"
#include "session/edits.h"
#include "session/selection.h"

namespace ww::widgets {

QWidget* CodePanel::make_documents() {
  documents_ = new QWidget(this);
  auto* row = make_row(documents_, {0, 0, grid::step, 0});
  tab_bar_ = new CodeTabs(context_, tabs_, edits_, documents_);
  drafts_ = make_tool(documents_, "drafts", tr("Drafts"), tr("Drafts"), tr("Candidates with an unjudged draft"));
  drafts_->setPopupMode(QToolButton::InstantPopup);
  drafts_->hide();
  edit_ = make_tool(documents_, "edit_copy", tr("Edit a copy"), tr("Edit a copy"),
                    tr("Edit a copy of this candidate; once checked, it becomes a child"));
  row->addWidget(tab_bar_, 1);
  row->addWidget(drafts_);
  row->addWidget(edit_);
  documents_->hide();
  connect(tabs_, &OpenTabs::changed, this, &CodePanel::follow_tabs);
  connect(tabs_, &OpenTabs::candidate_wanted, this, &CodePanel::candidate_wanted);
  connect(tab_bar_, &CodeTabs::beside_wanted, this, &CodePanel::show_beside);
  connect(context_.selection, &Selection::current_changed, this, [this](std::int64_t candidate) {
    if (!candidate_ || has_left_ || candidate_->record.id == candidate) return;
    leave_place();
    has_left_ = true;
  });
  return documents_;
}

void CodePanel::add_document_actions() {
  Registry& r = *context_.registry;
  r.add("code.keep_tab", tr("Code"), tr("&Keep the tab open"), {}, {},
        tr("Keep the candidate's tab when another candidate is selected"), [this] { tabs_->keep(tabs_->current()); });
  r.add("code.close_tab", tr("Code"), tr("C&lose the tab"), QKeySequence("Ctrl+W"), {},
        tr("Close the candidate's tab; a draft is kept"), [this] { tabs_->close(tabs_->current()); });
  r.add("code.next_tab", tr("Code"), tr("Ne&xt tab"), QKeySequence("Ctrl+PgDown"), {},
        tr("Select the candidate of the next tab"), [this] { tabs_->step(1); });
  r.add("code.previous_tab", tr("Code"), tr("Pre&vious tab"), QKeySequence("Ctrl+PgUp"), {},
        tr("Select the candidate of the previous tab"), [this] { tabs_->step(-1); });
  r.add("code.beside", tr("Code"), tr("Show &beside, or close"), QKeySequence("Ctrl+\\"), {},
        tr("Show the candidate's text a second time, where it stays while you select others; or close that"),
        [this] { show_beside(beside_->candidate() != 0 ? 0 : tabs_->current()); });
  follow_tabs();
}

void CodePanel::follow_tabs() {
  documents_->setVisible(!tabs_->all().empty() || !edits_->all().empty());
  left_.removeIf([this](const auto& entry) { return tabs_->index_of(entry.key()) < 0; });
  if (tabs_->index_of(beside_->candidate()) < 0) show_beside(0);
  const std::int64_t now = tabs_->current();
  const int at = tabs_->index_of(now);
  const Registry& r = *context_.registry;
  for (const auto& [id, on] :
       {std::pair("code.keep_tab", at >= 0 && !tabs_->all()[static_cast<std::size_t>(at)].kept),
        std::pair("code.close_tab", tabs_->can_close(now)), std::pair("code.next_tab", tabs_->all().size() > 1),
        std::pair("code.previous_tab", tabs_->all().size() > 1),
        std::pair("code.beside", at >= 0 || beside_->candidate() != 0)})
    if (QAction* action = r.action(id)) action->setEnabled(on);
}

void CodePanel::show_beside(std::int64_t candidate) {
  const bool focused = beside_current_ && has_focus();
  if (candidate != 0) {
    tabs_->keep(candidate);
    if (!pane(cuda)) set_pane(cuda, true);
    for (const Listing at : {ptx_listing, sass_listing}) set_pane(at, false);  // room for two texts
  }
  beside_->show_candidate(candidate);
  if (candidate != 0) panes_->setSizes(QList<int>(panes_->count(), panes_->width() / 2));
  if (focused && candidate == 0) current()->widget()->setFocus();
}

void CodePanel::leave_place() {
  if (!candidate_ || tabs_->index_of(candidate_->record.id) < 0) return;
  left_[candidate_->record.id] = {source_->place(), draft_->place(), editing_};
}

bool CodePanel::return_to_place() {
  const auto at = left_.constFind(candidate_->record.id);
  if (at == left_.cend()) return false;
  source_->set_place(at->source);
  return true;
}

}  // namespace ww::widgets
