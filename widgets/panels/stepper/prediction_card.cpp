// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/stepper/prediction_card.h"
#include <QLineEdit>
#include <QPushButton>
#include <QVBoxLayout>
#include "parts/theme/controls.h"
#include "parts/theme/label.h"
#include "parts/theme/text.h"

namespace ww::widgets {

namespace {

QString question_text(const stepping::Prediction& p) {
  using Asks = stepping::Prediction::Asks;
  switch (p.asks) {
    case Asks::lanes: return PredictionCard::tr("How many lanes run it?");
    case Asks::sectors:
      return PredictionCard::tr("How many sectors of 32 bytes does its access to %1 move?")
          .arg(p.subject.empty() ? PredictionCard::tr("global memory") : qs(p.subject));
    case Asks::wavefronts:
      return PredictionCard::tr("How many passes over the banks (wavefronts) does its access to shared memory take?");
    case Asks::value: return PredictionCard::tr("Which value does lane %1 write to %2?").arg(p.lane).arg(qs(p.subject));
  }
  return {};
}

}  // namespace

PredictionCard::PredictionCard(QWidget* parent) : QFrame(parent) {
  setProperty("role", "card");
  setObjectName("stepper_prediction");
  auto* column = make_column(this, grid::panel, grid::half);
  question_ = make_selectable(this, "prediction_question", "heading");
  column->addWidget(question_);
  auto* row = make_row(column);
  answer_ = with_id(new QLineEdit(this), "prediction_answer");
  name_it(answer_, tr("Your prediction"));
  button_ = make_button(this, "prediction_button", tr("Answer"));
  set_role(button_, "primary");
  skip_ = make_button(this, "prediction_skip", tr("Skip"), tr("Shows the step without an answer"));
  row->addWidget(answer_, 1);
  row->addWidget(button_);
  row->addWidget(skip_);
  verdict_ = make_selectable(this, "prediction_verdict");
  score_ = make_label(this, "prediction_score", "muted");
  column->addWidget(verdict_);
  column->addWidget(score_);
  connect(answer_, &QLineEdit::returnPressed, this, &PredictionCard::press);
  connect(button_, &QPushButton::clicked, this, &PredictionCard::press);
  connect(skip_, &QPushButton::clicked, this, &PredictionCard::done);
}

void PredictionCard::start_again() {
  asked_ = right_ = 0;
  score_->clear();
}

void PredictionCard::ask(const stepping::Prediction& prediction, const sim::StepFacts& step) {
  prediction_ = prediction;
  answered_ = false;
  question_->setText(tr("Warp %1, line %2: %3\n%4")
                         .arg(step.warp)
                         .arg(step.line)
                         .arg(qs(step.instruction), question_text(prediction)));
  answer_->clear();
  answer_->setEnabled(true);
  button_->setText(tr("Answer"));
  skip_->show();
  verdict_->hide();
  show();
  answer_->setFocus(Qt::OtherFocusReason);
}

void PredictionCard::press() {
  if (answered_) return emit done();
  if (answer_->text().trimmed().isEmpty()) return;
  answered_ = true;
  const bool right = stepping::is_right(prediction_, answer_->text().toStdString());
  ++asked_;
  right_ += right ? 1 : 0;
  verdict_->setText(right ? tr("Right: %1.").arg(qs(prediction_.answer)) : tr("No: %1.").arg(qs(prediction_.answer)));
  set_role(verdict_, right ? "ok" : "error");
  verdict_->show();
  score_->setText(tr("%1 of %2 predictions were right.").arg(right_).arg(asked_));
  answer_->setEnabled(false);
  button_->setText(tr("Show the step"));
  skip_->hide();
  button_->setFocus(Qt::OtherFocusReason);
}

}  // namespace ww::widgets
