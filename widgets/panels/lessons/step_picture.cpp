// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/lessons/step_picture.h"
#include <QPushButton>
#include "panels/stepper/access_view.h"
#include "panels/stepper/lanes_view.h"
#include "parts/theme/controls.h"
#include "parts/theme/label.h"
#include "parts/theme/text.h"

namespace ww::widgets {

StepPicture::StepPicture(const lesson::Picture& picture, int number, QWidget* parent)
    : QFrame(parent), picture_(picture) {
  setProperty("role", "card");
  setObjectName("lesson_picture_" + QString::number(number));
  auto* column = make_column(this, grid::panel);
  auto* title = make_paragraph(this, {}, "heading");
  title->setText(qs(picture.title));
  state_ = make_selectable(this, "picture_state", "muted");
  state_->setText(tr("The kernel runs as far as this step\u2026"));
  lanes_ = new LanesView(this);
  access_ = new AccessView(this);
  cost_ = make_paragraph(this, "picture_cost");
  on_ = make_button(this, "picture_step", tr("Step on from here"), tr("This kernel in the stepper, at this step"));
  column->addWidget(title);
  column->addWidget(state_);
  column->addWidget(lanes_);
  column->addWidget(access_);
  column->addWidget(cost_);
  auto* row = make_row(column);
  row->addWidget(on_);
  row->addStretch(1);
  for (QWidget* w : std::initializer_list<QWidget*>{lanes_, access_, cost_, on_}) w->hide();
  connect(on_, &QPushButton::clicked, this, &StepPicture::step_wanted);
}

void StepPicture::show_step(const Result<lesson::Pictured>& pictured) {
  if (!pictured) {
    state_->setText(tr("It cannot be drawn: %1").arg(qs(pictured.error().text())));
    set_role(state_, "error");
    return;
  }
  pictured_ = *pictured;
  const sim::StepFacts& step = pictured->step;
  state_->setText((picture_.of_solution ? tr("Warp %1, line %2 of the solution: %3") : tr("Warp %1, line %2: %3"))
                      .arg(step.warp)
                      .arg(step.line)
                      .arg(qs(step.instruction)));
  on_->show();
  LanesPicture lanes = lanes_of_step(step);
  if (step.warp < pictured->warps.size()) lanes.exist = mask_of(pictured->warps[step.warp].lanes);
  const bool banks = picture_.drawing == lesson::Drawing::banks;
  if (picture_.drawing == lesson::Drawing::lanes) {
    lanes_->show_lanes(lanes);
    lanes_->show();
    cost_->setText(tr("Each box is a lane with its value of %1; lanes with a strong edge are active.").arg(lanes.what));
    cost_->show();
    return;
  }
  for (const sim::SpaceAccess& a : step.accesses) {
    if ((a.space == sim::AccessedSpace::shared) != banks) continue;
    access_->show_access(a);
    cost_->setText(access_sentence(a) +
                   (banks
                        ? tr(" Each column is a bank, each row a pass; a number is a lane, and 2\u00d7 are two lanes.")
                        : QString()));
    access_->show();
    cost_->show();
  }
}

}  // namespace ww::widgets
