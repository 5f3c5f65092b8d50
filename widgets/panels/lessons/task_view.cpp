// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/lessons/task_view.h"
#include <QFontMetrics>
#include <QPushButton>
#include <QTimer>
#include <QVBoxLayout>
#include <algorithm>
#include "panels/lessons/figure_view.h"
#include "parts/editor/code_editor.h"
#include "parts/theme/controls.h"
#include "parts/theme/flow_layout.h"
#include "parts/theme/label.h"
#include "parts/theme/text.h"
#include "parts/theme/theme.h"
#include "parts/theme/type.h"
#include "stepping/subject.h"

namespace ww::widgets {

namespace {

constexpr int kept_after = 1000;                      // milliseconds without a change
constexpr int least_editor = 160, most_editor = 900;  // pixels; longer kernels scroll

QString goals_text(const lesson::Task& task) {
  QStringList shape;
  for (const auto& [symbol, value] : task.binding.symbols) shape += QString("%1 = %2").arg(qs(symbol)).arg(value);
  QStringList lines{TaskView::tr("The op %1, %2:").arg(qs(task.op), shape.join(", ")),
                    TaskView::tr("\u2022 the gate proves the kernel %1").arg(qs(lesson::scope_text(task)))};
  for (const lesson::Goal& goal : task.goals) lines += QString("\u2022 ") + qs(lesson::goal_text(goal));
  return lines.join('\n');
}

QString judged_text(const lesson::Judged& judged) {
  QStringList lines{judged.passed() ? TaskView::tr("Passed.") : TaskView::tr("Not yet."),
                    capitalised(judged.verdict.summary())};
  if (const std::string left_out = lesson::left_out_text(judged); !left_out.empty()) lines += qs(left_out);
  for (const lesson::Reached& r : judged.goals)
    lines += (r.met ? TaskView::tr("Reached: %1; it is %2") : TaskView::tr("Missed: %1; it is %2"))
                 .arg(qs(lesson::goal_text(r.goal)), number_text(r.reached)) +
             (r.goal.of_start ? TaskView::tr(", the limit is %1").arg(number_text(r.limit)) : QString());
  return lines.join('\n');
}

}  // namespace

TaskView::TaskView(const lesson::Task& task, int number, const Kept& kept, QWidget* parent)
    : QFrame(parent), task_(task), passed_(qs(kept.passed)) {
  setProperty("role", "card");
  setObjectName("lesson_task_" + QString::number(number));
  auto* column = make_column(this, grid::panel);
  auto* title = make_paragraph(this, {}, "heading");
  title->setText(tr("Task %1: %2").arg(number).arg(qs(task.title)));
  auto* goals = make_selectable(this, "lesson_goals");
  goals->setText(goals_text(task));
  editor_ = new CodeEditor(CodeLanguage::cuda, false, this);
  editor_->setObjectName("lesson_kernel");
  name_it(editor_, tr("Your kernel for the task %1").arg(qs(task.title)));
  kept_ = begun(kept.draft);
  editor_->set_code(kept_);
  connect(&Theme::instance(), &Theme::changed, this, &TaskView::fit_editors);
  soon_ = new QTimer(this);
  soon_->setSingleShot(true);
  soon_->setInterval(kept_after);
  connect(soon_, &QTimer::timeout, this, &TaskView::keep_draft);
  connect(editor_, &CodeEditor::textChanged, soon_, [this] {
    if (!soon_->isActive()) soon_->start();  // also while one goes on typing
  });
  connect(editor_, &CodeEditor::textChanged, this, &TaskView::on_edited);
  auto* bar = new QWidget(this);
  auto* flow = new FlowLayout(bar);
  judge_ = make_button(bar, "lesson_judge", tr("Judge it"), tr("The gate on the SIMT machine, then the task's goals"));
  set_role(judge_, "primary");
  cancel_ = make_button(bar, "lesson_cancel", tr("Cancel"), tr("Ends the judgement"));
  hint_ = make_button(bar, "lesson_hint", tr("Hint"), tr("One step of help"));
  auto* again = make_button(bar, "lesson_start", tr("Start over"),
                            tr("The starting code; Undo brings yours back, and it is kept until you "
                               "write something else"));
  solution_ = make_button(bar, "lesson_solution", tr("Show a solution"), tr("Below your kernel, which stays"));
  solution_->setCheckable(true);
  auto* step = make_button(bar, "lesson_step", tr("Step through it"), tr("Your kernel in the stepper, at small sizes"));
  auto* beside = make_button(bar, "lesson_beside", tr("Beside the start"),
                             tr("Your kernel and the starting code, step by step on the same inputs"));
  passed_again_ = make_button(bar, "lesson_passed", tr("The kernel that passed"), tr("Undo brings yours back"));
  // Cancel comes last: where a button comes or goes, the others stay.
  for (QWidget* w :
       std::initializer_list<QWidget*>{judge_, hint_, step, beside, again, solution_, passed_again_, cancel_})
    flow->addWidget(w);
  wrong_ = make_button(this, "lesson_wrong", tr("Step to where it goes wrong"),
                       tr("In the stepper: where the wrong element is written last, or a check stops the kernel"));
  wrong_->hide();
  hints_ = make_selectable(this, "lesson_hints", "muted");
  state_ = make_selectable(this, "lesson_state");
  for (QWidget* w : std::initializer_list<QWidget*>{title, goals, editor_, bar, hints_, state_}) column->addWidget(w);
  make_row(column)->addWidget(wrong_, 0, Qt::AlignLeft);
  hints_->hide();
  tell_of_pass(kept.passes_now);
  hint_->setVisible(!task.hints.empty());
  show_judging(false);
  fit_editors();
  connect(judge_, &QPushButton::clicked, this, [this] {
    keep_draft();
    emit judge_wanted(editor_->text().toStdString());
  });
  connect(wrong_, &QPushButton::clicked, this, [this] { emit wrong_wanted(outcome_); });
  connect(cancel_, &QPushButton::clicked, this, &TaskView::cancel_wanted);
  connect(step, &QPushButton::clicked, this, [this] { emit step_wanted(editor_->text().toStdString()); });
  connect(beside, &QPushButton::clicked, this, [this] { emit beside_wanted(editor_->text().toStdString()); });
  connect(hint_, &QPushButton::clicked, this, &TaskView::show_hint);
  connect(passed_again_, &QPushButton::clicked, this, [this] {
    keep_draft();
    editor_->replace_code(passed_);
  });
  connect(again, &QPushButton::clicked, this, [this] {
    keep_draft();
    kept_ = qs(task_.start);  // so that what was written stays the draft
    editor_->replace_code(kept_);
  });
  connect(solution_, &QPushButton::toggled, this, &TaskView::show_solution);
}

int TaskView::height_of(int lines) const {
  const int line = QFontMetrics(painted_code_font()).lineSpacing() + 1;
  return std::clamp(lines * line + 2 * grid::step, least_editor, most_editor);
}

void TaskView::show_solution() {
  const bool on = solution_->isChecked();
  solution_->setText(on ? tr("Hide the solution") : tr("Show a solution"));
  if (on && !shown_solution_) {
    shown_solution_ = new CodeEditor(CodeLanguage::cuda, true, this);
    shown_solution_->setObjectName("lesson_shown_solution");
    name_it(shown_solution_, tr("A solution of the task %1").arg(qs(task_.title)));
    const QString code = qs(task_.solution);
    shown_solution_->set_code(code);
    auto* column = qobject_cast<QVBoxLayout*>(layout());
    column->insertWidget(column->indexOf(hints_), shown_solution_);
  }
  if (shown_solution_) shown_solution_->setVisible(on);
  fit_editors();
}

// As high as their text at the present size of letters.
void TaskView::fit_editors() {
  for (CodeEditor* e : {editor_, shown_solution_})
    if (e) e->setFixedHeight(height_of(static_cast<int>(e->text().count('\n')) + 2));
}

void TaskView::tell_of_pass(bool passes_now) {
  state_->setVisible(!passed_.isEmpty());
  offer_passed();
  if (passed_.isEmpty()) return;
  const bool shown = editor_->text() == passed_;
  told_ = passes_now;
  set_role(state_, passes_now ? "ok" : "muted");
  state_->setText(!passes_now ? (shown ? tr("This kernel passed before the task was changed: judge it again.")
                                       : tr("You passed this task before it was changed."))
                  : shown     ? tr("Passed. This is the kernel that did.")
                              : tr("You have passed this task, with another kernel than this one."));
}

void TaskView::offer_passed() { passed_again_->setVisible(!passed_.isEmpty() && editor_->text() != passed_); }

QString TaskView::begun(const std::string& draft) const {
  return !draft.empty() ? qs(draft) : passed_.isEmpty() ? qs(task_.start) : passed_;
}

void TaskView::on_edited() {
  offer_passed();
  if (told_ && judge_->isEnabled()) return tell_of_pass(*told_);
  if (!judged_.isEmpty() && editor_->text() != judged_ && judge_->isEnabled()) disown_judgement();
}

// What was judged is not what the editor holds now.
void TaskView::disown_judgement() {
  judged_.clear();
  set_role(state_, "muted");
  state_->setText(tr("Before you changed it:") + '\n' + state_->text());
}

void TaskView::show_hint() {
  if (shown_hints_ >= task_.hints.size()) return;
  ++shown_hints_;
  QStringList lines;
  for (std::size_t i = 0; i < shown_hints_; ++i)
    lines +=
        tr("Hint %1 of %2: %3").arg(i + 1).arg(task_.hints.size()).arg(without_code_marks(task_.hints[i]).trimmed());
  hints_->setText(lines.join('\n'));
  hints_->show();
  hint_->setEnabled(shown_hints_ < task_.hints.size());
}

void TaskView::show_judging(bool on) {
  QPushButton *from = on ? judge_ : cancel_, *to = on ? cancel_ : judge_;
  const bool held = from->hasFocus();
  to->setEnabled(true);
  to->show();
  if (held) to->setFocus(Qt::OtherFocusReason);
  judge_->setEnabled(!on);
  cancel_->setVisible(on);
}

void TaskView::show_step(const QString& text) {
  told_.reset();
  state_->setText(text);
  set_role(state_, "muted");
  state_->show();
}

QWidget* TaskView::state() const { return state_; }

void TaskView::keep_draft() {
  soon_->stop();
  const QString now = editor_->text();
  if (now == kept_) return;
  kept_ = now;
  emit drafted(now == passed_ || now == qs(task_.start) ? std::string() : now.toStdString());
}

void TaskView::take_draft(const std::string& kernel) {
  const QString now = begun(kernel);
  if (soon_->isActive() || editor_->text() != kept_ || now == kept_) return;
  kept_ = now;
  editor_->replace_code(now);
}

void TaskView::show_outcome(const LessonOutcome& outcome) {
  outcome_ = outcome;
  told_.reset();
  judged_ = qs(outcome.kernel);
  wrong_->setVisible(outcome.judged && stepping::failure_to_step(outcome.judged->verdict) != nullptr);
  const bool passed = outcome.judged && outcome.judged->passed();
  state_->setText(outcome.judged ? judged_text(*outcome.judged) : tr("Not judged: %1").arg(outcome.why_not));
  set_role(state_, passed ? "ok" : "error");
  state_->show();
  const bool of_this = !outcome.judged || outcome.of == lesson::hash_of(task_);
  if (passed && of_this) passed_ = judged_;
  offer_passed();
  if (!of_this) {  // a new version of the lesson came meanwhile
    judged_.clear();
    set_role(state_, "muted");
    state_->setText(tr("Of the task before it was changed:") + '\n' + state_->text());
  } else if (!judged_.isEmpty() && editor_->text() != judged_)
    disown_judgement();
  else
    emit said();
}

}  // namespace ww::widgets
