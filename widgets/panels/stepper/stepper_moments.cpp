// SPDX-License-Identifier: GPL-3.0-or-later
// The stepper in a classroom: predictions, variables, and moments as files.
#include <QFileInfo>
#include <QHBoxLayout>
#include <QToolButton>
#include "panels/stepper/lanes_view.h"
#include "panels/stepper/prediction_card.h"
#include "panels/stepper/step_facts_view.h"
#include "panels/stepper/stepper_panel.h"
#include "parts/theme/controls.h"
#include "parts/theme/elide_label.h"
#include "session/file_dialogs.h"
#include "stepping/moment.h"

namespace ww::widgets {

namespace {
QString moments_filter() { return StepperPanel::tr("Moments of kernels (*%1)").arg(stepping::moment_suffix); }
}  // namespace

void StepperPanel::add_moments(QWidget* bar) {
  predict_ = tool(bar, "step_predict", tr("Predict"),
                  tr("Asks what a step or line did before it shows it; press again to end"), [this] {
                    card_->start_again();
                    if (!predict_->isChecked() && session_->at()) show_arrival();
                  });
  predict_->setCheckable(true);
  debug_ = tool(bar, "step_debug", tr("Variables"),
                tr("Compiles the kernel without optimisation, so that its variables have names; starts again"),
                [this] { start_again(); });
  debug_->setCheckable(true);
  tool(bar, "step_save", tr("Save the moment"), tr("This kernel at this step as a file, for others to open"), [this] {
    const QString file = FileDialogs::instance().save(this, FileKind::moment, tr("Save the moment"),
                                                      tr("step%1").arg(stepping::moment_suffix), moments_filter());
    if (!file.isEmpty()) save_moment(file);
  });
  tool(bar, "step_open", tr("Open a moment"), tr("A kernel at a step that was saved"), [this] { choose_moment(); });
}

void StepperPanel::choose_moment() {
  const QString file = FileDialogs::instance().open(this, FileKind::moment, tr("Open a moment"), moments_filter());
  if (!file.isEmpty()) open_moment(file);
}

void StepperPanel::save_moment(const QString& file) {
  if (!session_->at()) return complain(tr("There is nothing to save yet."));
  stepping::Moment moment;
  moment.title = title_->full_text().toStdString();
  moment.workspace = QFileInfo(context_.session->folder()).fileName().toStdString();
  if (candidate_ && candidate_->record.text == subject_.candidate) moment.hash = candidate_->record.hash;
  session_->save(QFileInfo(file).suffix().isEmpty() ? file + stepping::moment_suffix : file, std::move(moment));
}

void StepperPanel::open_moment(const QString& file) {
  const Result<stepping::Moment> moment = stepping::read_moment(file.toStdString());
  if (!moment) {
    if (session_->launch()) return complain(qs(moment.error().text()));
    return on_failed(qs(moment.error().text()));
  }
  StepStart start;
  start.block = moment->block;
  start.position = moment->position;
  start.state = moment->state;
  session_->set_lane(moment->lane);
  facts_->lanes()->set_marked(moment->lane);
  step_through(moment->subject(), start, qs(moment->title));
}

bool StepperPanel::asks_first() {
  const bool moved = std::exchange(moved_, false);
  if (!moved || !predict_->isChecked() || !session_->at() || session_->at()->steps.empty()) return false;
  const sim::StepFacts& step = session_->at()->steps.back();
  const auto prediction = stepping::prediction_of(step, facts_->lanes()->marked());
  if (!prediction) return false;
  facts_->hide();
  mark_lines(step.line, step.ptx_line);  // what is asked of
  card_->ask(*prediction, step);
  return true;
}

}  // namespace ww::widgets
