// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/lessons/question_view.h"
#include <QEvent>
#include <QHBoxLayout>
#include <QRadioButton>
#include <QVBoxLayout>
#include "panels/lessons/figure_view.h"
#include "parts/theme/controls.h"
#include "parts/theme/label.h"
#include "parts/theme/text.h"

namespace ww::widgets {

QuestionView::QuestionView(const lesson::Question& question, int number, QWidget* parent)
    : QFrame(parent), question_(question) {
  setProperty("role", "card");
  setObjectName("lesson_question_" + QString::number(number));
  auto* column = make_column(this, grid::panel, grid::half);
  auto* caption = make_label(this, {}, "muted");
  caption->setText(tr("Question %1").arg(number));
  auto* text = make_paragraph(this, {}, "heading");
  text->setText(without_code_marks(question.text));
  column->addWidget(caption);
  column->addWidget(text);
  for (std::size_t i = 0; i < question.choices.size(); ++i) {
    const int choice = static_cast<int>(i) + 1;
    auto* row = make_row(column);
    auto* button = with_id(new QRadioButton(this), QString("choice_%1").arg(choice));
    name_it(button, without_code_marks(question.choices[i].text));
    auto* words = make_paragraph(this, {});
    words->setText(without_code_marks(question.choices[i].text));
    words->setProperty("choice", choice);
    words->setCursor(Qt::PointingHandCursor);
    words->installEventFilter(this);
    row->addWidget(button, 0, Qt::AlignTop);
    row->addWidget(words, 1);
    connect(button, &QRadioButton::clicked, this, [this, choice] { choose(choice); });
    choices_ += button;
  }
  answer_ = make_selectable(this, "lesson_answer");
  answer_->hide();
  column->addWidget(answer_);
}

void QuestionView::choose(int choice) {
  const bool right = question_.choices[static_cast<std::size_t>(choice) - 1].right;
  answer_->setText(right ? tr("Right. %1").arg(without_code_marks(question_.why))
                         : tr("No. Read the passage again, and choose another answer."));
  set_role(answer_, right ? "ok" : "error");
  answer_->show();
  emit chosen(choice);
}

void QuestionView::show_answered(bool right) {
  answer_->setText(right ? tr("You answered this before: right.")
                         : tr("You answered this before: your first answer was not right."));
  set_role(answer_, "muted");
  answer_->show();
}

bool QuestionView::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::MouseButtonRelease) {
    const int choice = watched->property("choice").toInt();
    if (choice >= 1 && choice <= choices_.size()) choices_[choice - 1]->click();
  }
  return QFrame::eventFilter(watched, event);
}

}  // namespace ww::widgets
