// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/tour/tour_panel.h"
#include <QAction>
#include <QApplication>
#include <QFrame>
#include <QHBoxLayout>
#include <QPushButton>
#include <QVBoxLayout>
#include "session/actions/registry.h"
#include "parts/theme/page_stack.h"
#include "parts/theme/controls.h"
#include "parts/theme/label.h"
#include "panels/tour/tour.h"

namespace ww::widgets {

namespace {
QPushButton* tour_button(QWidget* parent, const char* object, const QString& text, const QString& tip) {
  auto* button = make_button(parent, object, text);
  name_it(button, text, tip);
  button->setAutoDefault(true);  // Return presses it
  return button;
}

// The button runs the action, and names its key.
void run_action(QPushButton* button, QAction* action) {
  QObject::connect(button, &QPushButton::clicked, action, &QAction::trigger);
  const auto name_key = [button, action] { button->setToolTip(action->toolTip()); };
  QObject::connect(action, &QAction::changed, button, name_key);
  name_key();
}
}  // namespace

TourPanel::TourPanel(const Context& context, QWidget* parent)
    : QWidget(parent), context_(context), tour_(new Tour(context, this)) {
  setProperty("role", "panel");
  pages_ = new PageStack(this);
  pages_->addWidget(make_offer());
  pages_->addWidget(make_step());
  add_actions();
  connect(tour_, &Tour::changed, this, &TourPanel::update_state);
  connect(tour_, &Tour::showed_panel, this, &TourPanel::refocus);
  update_state();
}

QWidget* TourPanel::make_offer() {
  auto* first = new QWidget(this);
  auto* intro = make_column(first, grid::page);
  offer_ = make_selectable(first, "tour_offer");
  start_ =
      tour_button(first, "tour_start", tr("Start the tour"), tr("Opens the bundled session in a separate workspace"));
  start_->setProperty("role", "primary");
  continue_ = tour_button(first, "tour_continue", tr("Continue"), tr("Where you stopped"));
  intro->addWidget(heading(tr("Two minutes through a finished session"), first));
  intro->addWidget(offer_);
  auto* row = make_row(intro);
  row->addWidget(start_);
  row->addWidget(continue_);
  row->addStretch(1);
  auto* lessons = tour_button(first, "tour_lessons", tr("Take the lessons"),
                              tr("From threads to tensor cores, with questions and kernels to write"));
  intro->addSpacing(grid::wide);
  intro->addWidget(heading(tr("Lessons in GPU programming"), first));
  auto* about = make_paragraph(first, "tour_about_lessons");
  about->setText(
      tr("Each lesson teaches one idea and ends with a kernel that you write. The gate judges it, on any "
         "machine."));
  intro->addWidget(about);
  make_row(intro)->addWidget(lessons, 0, Qt::AlignLeft);
  intro->addStretch(1);
  connect(lessons, &QPushButton::clicked, this, [this] {
    context_.registry->trigger("layout.learn");
    context_.registry->trigger("go.lessons");
  });
  return first;
}

QWidget* TourPanel::make_step() {
  auto* page = new QWidget(this);
  auto* column = make_column(page, grid::page);
  number_ = make_label(page, "tour_number", "muted");
  title_ = heading({}, page);
  title_->setObjectName("tour_title");
  title_->setWordWrap(true);
  text_ = make_selectable(page, "tour_text");
  exercise_box_ = new QFrame(page);
  exercise_box_->setProperty("role", "notice");
  auto* box = new QVBoxLayout(exercise_box_);
  exercise_ = make_selectable(exercise_box_, "tour_exercise");
  box->addWidget(exercise_);
  missing_ = make_selectable(page, "tour_missing");
  set_role(missing_, "warning");
  back_ = tour_button(page, "tour_back", tr("Back"), tr("The previous step"));
  next_ = tour_button(page, "tour_next", tr("Next"), tr("The next step"));
  next_->setProperty("role", "primary");
  skip_ =
      tour_button(page, "tour_skip", tr("Skip"), tr("End the tour and go back to the workspace that was open before"));
  auto* buttons = new QHBoxLayout;
  for (QPushButton* b : {back_, next_}) buttons->addWidget(b);
  buttons->addStretch(1);
  buttons->addWidget(skip_);
  for (QWidget* w : std::initializer_list<QWidget*>{number_, title_, text_, exercise_box_, missing_})
    column->addWidget(w);
  column->addLayout(buttons);
  column->addStretch(1);
  return page;
}

void TourPanel::add_actions() {
  Registry& r = *context_.registry;
  const auto start = [this](int step) {
    context_.registry->trigger("layout.learn");  // the user's own layout does not change
    context_.registry->trigger("go.tour");
    held_ = next_;
    tour_->start(step);
  };
  QAction* begin = r.add("tour.start", tr("Help"), tr("Start the &tour"), {}, {},
                         tr("Two minutes through a finished session, without a GPU or a key"), [start] { start(0); });
  QAction* forth = r.add("tour.next", tr("Help"), tr("&Next step of the tour"), QKeySequence(Qt::ALT | Qt::Key_Right),
                         {}, tr("Continue the tour"), [this] { next(); });
  QAction* back = r.add("tour.back", tr("Help"), tr("&Previous step of the tour"), QKeySequence(Qt::ALT | Qt::Key_Left),
                        {}, tr("Go back in the tour"), [this] { go(tour_->step() - 1); });
  QAction* skip =
      r.add("tour.skip", tr("Help"), tr("&Skip the tour"), {}, {},
            tr("End the tour and go back to the workspace that was open before"), [this] { tour_->leave(); });
  run_action(start_, begin);
  connect(continue_, &QPushButton::clicked, this, [this, start] { start(reached_); });
  run_action(next_, forth);
  run_action(back_, back);
  run_action(skip_, skip);
}

void TourPanel::go(int step) {
  QWidget* focused = QApplication::focusWidget();
  held_ = focused && isAncestorOf(focused) ? focused : nullptr;
  tour_->go(step);
}

// The panel that a step shows takes the focus; a person who steps with the keys goes on from here.
void TourPanel::refocus() {
  if (!held_ || !tour_->on()) return;
  (held_->isEnabled() && held_->isVisible() ? held_.data() : next_)->setFocus(Qt::OtherFocusReason);
}

void TourPanel::next() {
  if (tour_->step() + 1 < tour_->count())
    go(tour_->step() + 1);
  else if (tour_->on())
    tour_->leave();
}

void TourPanel::set_reached(int step) {
  reached_ = step;
  update_state();
}

void TourPanel::update_state() {
  for (const char* id : {"tour.next", "tour.back", "tour.skip"}) context_.registry->action(id)->setEnabled(tour_->on());
  if (!tour_->on()) {
    pages_->setCurrentIndex(0);
    offer_->setText(tour_->opening() ? tr("The session is being unpacked...")
                    : !tour_->problem().isEmpty()
                        ? tour_->problem()
                        : tr("The program includes a session recorded on an H200: kernels from the first correct "
                             "one to the fastest, with their verdicts, times and "
                             "counters. The tour opens it in a separate workspace. It needs no GPU and no key."));
    start_->setEnabled(!tour_->opening());
    continue_->setVisible(reached_ > 0);
    continue_->setEnabled(!tour_->opening());
    return;
  }
  pages_->setCurrentIndex(1);
  const TourStep& step = *tour_->current();
  number_->setText(tr("Step %1 of %2").arg(tour_->step() + 1).arg(tour_->count()));
  title_->setText(step.title);
  text_->setText(tour_->text());
  exercise_->setText(tr("Try: %1").arg(step.exercise));
  exercise_box_->setVisible(!step.exercise.isEmpty());
  missing_->setText(tour_->missing());
  missing_->setVisible(!tour_->missing().isEmpty());
  back_->setEnabled(tour_->step() > 0);
  const bool last = tour_->step() + 1 == tour_->count();
  next_->setText(last ? tr("Finish") : tr("Next"));
  skip_->setVisible(!last);
  refocus();
  if (reached_ != tour_->step()) {
    reached_ = tour_->step();
    emit reached_changed();
  }
}

}  // namespace ww::widgets
