// SPDX-License-Identifier: GPL-3.0-or-later
// The code panel's drafts, compiled while they are edited.
#include <QBoxLayout>
#include <QComboBox>
#include <QToolButton>
#include <algorithm>
#include "panels/code/build_view.h"
#include "panels/code/code_panel.h"
#include "panels/verdict/verdict_line.h"
#include "parts/plan_form.h"
#include "parts/theme/dialogs.h"
#include "op/parse.h"
#include "parts/editor/code_editor.h"
#include "parts/theme/controls.h"
#include "parts/theme/elide_label.h"
#include "parts/theme/text.h"
#include "session/live_compiler.h"
#include "session/session.h"

namespace ww::widgets {

namespace {

std::vector<candidate::BareKernel> draft_kernels(const std::string& text, candidate::Language language) {
  if (language != candidate::Language::cuda || !candidate::named_op(text).empty()) return {};
  return PlanForm::kernels_of(text);
}

}  // namespace

void CodePanel::make_live(QBoxLayout* column) {
  compiler_ = new LiveCompiler(context_, this);
  build_ = with_id(new BuildView(this), "build");
  build_->hide();
  column->addWidget(build_);
  connect(compiler_, &LiveCompiler::changed, this, &CodePanel::show_build);
  connect(build_, &BuildView::plan_wanted, this, &CodePanel::write_plan);
  connect(build_, &BuildView::target_chosen, this, &CodePanel::build_draft);
  connect(build_, &BuildView::options_chosen, this, &CodePanel::choose_options);
  connect(build_, &BuildView::go_to, this, [this](int line, int column) {
    draft_->go_to(line, column);
    draft_->setFocus();
  });
}

void CodePanel::build_draft() {
  if (!editing_ || !candidate_ || !draft_->complete()) return;
  const store::CandidateRecord& record = candidate_->record;
  const QString text = draft_->text();
  build_->offer_plan(!draft_kernels(text.toStdString(), record.language).empty());
  build_->set_target(context_.session->shown_architecture());
  build_->show_options(candidate::options_of(text.toStdString()), record.language);
  compiler_->compile({text, record.text, record.language, build_->target()});
}

void CodePanel::show_build() {
  build_->setVisible(editing_);
  for (QWidget* of_the_candidate : std::initializer_list<QWidget*>{counter_, hints_, provenance_})
    of_the_candidate->setVisible(!editing_ && (of_the_candidate != counter_ || counter_->count() > 1));
  verdict_->show_candidate(editing_ ? nullptr : candidate_);  // it is not the draft's
  if (!editing_) return;
  build_->show_build(*compiler_, context_.session->busy());
  const LiveCompiler::State state = compiler_->state();
  if (state == LiveCompiler::State::waiting || state == LiveCompiler::State::compiling) return;
  std::vector<compile::LogMessage> messages = refused_;
  if (state != LiveCompiler::State::paused)
    messages.insert(messages.end(), compiler_->build().messages.begin(), compiler_->build().messages.end());
  draft_->show_messages(messages);
}

// The options are in the text and nowhere else.
void CodePanel::choose_options(const candidate::CompilerOptions& options) {
  if (!editing_ || draft_->isReadOnly()) return build_draft();
  int line = 0, column = 0;
  draft_->getCursorPosition(&line, &column);
  const int before = draft_->lines();
  draft_->replace_code(exact(candidate::with_options(draft_->text().toStdString(), options)));
  draft_->setCursorPosition(std::max(0, line + draft_->lines() - before), column);
}

void CodePanel::write_plan() {
  if (!editing_ || draft_->isReadOnly()) return;
  const QString text = draft_->text();
  std::vector<candidate::BareKernel> kernels = draft_kernels(text.toStdString(), candidate_->record.language);
  Result<op::Spec> spec = op::parse_spec(context_.session->shown_spec());
  if (kernels.empty() || !spec) return;
  auto* form = new PlanForm(text, std::move(kernels), std::move(*spec), this);
  connect(form, &QDialog::accepted, this, [this, form, text] {
    if (editing_ && draft_->text() == text) draft_->replace_code(form->text());
    draft_->setFocus();
  });
  open_once(form);
}

}  // namespace ww::widgets
