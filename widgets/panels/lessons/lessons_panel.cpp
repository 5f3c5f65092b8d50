// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/lessons/lessons_panel.h"
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QStackedLayout>
#include <QToolButton>
#include "base/files.h"
#include "op/sentence/phrasebook.h"
#include "panels/lessons/figure_view.h"
#include "panels/lessons/question_view.h"
#include "panels/lessons/step_picture.h"
#include "panels/lessons/task_view.h"
#include "parts/editor/code_editor.h"
#include "parts/theme/controls.h"
#include "parts/theme/facts_view.h"
#include "parts/theme/label.h"
#include "parts/theme/page_stack.h"
#include "parts/theme/scroll_anchor.h"
#include "parts/theme/text.h"
#include "parts/theme/type.h"
#include "profile/advice.h"

namespace ww::widgets {

namespace {
constexpr int page_columns = 96;  // of code; longer lines of text are hard to read
}

LessonsPanel::LessonsPanel(const Context& context, QWidget* parent)
    : QWidget(parent),
      lessons_(new Lessons(context.services.lesson, this)),
      worker_(std::make_shared<rpc::Supervisor>()) {
  setProperty("role", "panel");
  setObjectName("lessons_panel");
  auto* outer = make_column(this, grid::panel);
  problem_ = make_selectable(this, "lessons_problem", "error");
  problem_->hide();
  outer->addWidget(problem_);
  auto* bar_of_list = make_row(outer);
  search_ = make_search(this, "lessons_search", tr("Find in lessons and glossary"), tr("Find in lessons and glossary"));
  auto* glossary = make_button(this, "lessons_glossary", tr("Glossary"), tr("All terms, with drawings"));
  bar_of_list->addWidget(search_, 1);
  bar_of_list->addWidget(glossary);
  bar_of_list->addWidget(make_class_menu(context.registry));
  connect(search_, &QLineEdit::textChanged, this, [this](const QString& words) {
    show_list();
    if (words.trimmed().isEmpty())
      fill_list();
    else
      fill_found(words);
  });
  connect(glossary, &QPushButton::clicked, this, [this] { show_glossary(); });
  auto* both = new QWidget(this);
  pages_ = new PageStack(both);
  outer->addWidget(both, 1);

  list_area_ = make_scroll_area(this, "lessons_list");
  auto* list = new QWidget(list_area_);
  list_ = make_column(list, {grid::half, 0, grid::half, 0}, grid::wide);
  list_area_->setWidget(list);
  pages_->addWidget(list_area_);

  auto* reader = new QWidget(this);
  auto* column = make_column(reader);
  auto* bar = make_row(column);
  back_ = make_button(reader, "lessons_back", tr("All lessons"), tr("The list of lessons"));
  next_ = make_button(reader, "lessons_next", tr("Next lesson"), tr("The lesson after this one"));
  bar->addWidget(back_);
  bar->addStretch(1);
  bar->addWidget(next_);
  page_area_ = make_scroll_area(reader, "lesson_page");
  column->addWidget(page_area_, 1);
  connect(page_area_->verticalScrollBar(), &QScrollBar::rangeChanged, this, &LessonsPanel::restore_place);
  anchor_ = new ScrollAnchor(page_area_);
  pages_->addWidget(reader);

  connect(back_, &QPushButton::clicked, this, &LessonsPanel::show_list);
  connect(next_, &QPushButton::clicked, this, [this] {
    const auto at = std::ranges::find(lessons_->all(), shown_.toStdString(), &lesson::Lesson::name);
    if (at != lessons_->all().end() && at + 1 != lessons_->all().end()) open(qs((at + 1)->name));
  });
  connect(lessons_, &Lessons::loaded, this, &LessonsPanel::on_loaded);
  connect(lessons_, &Lessons::progress_changed, this, &LessonsPanel::update_done);
  connect(lessons_, &Lessons::problem, this, [this](const QString& text) { say(text, "error"); });
  connect(lessons_, &Lessons::stored_again, problem_, &QWidget::hide);
  connect(lessons_, &Lessons::judging_changed, this, [this] {
    for (TaskView* task : tasks_) task->show_judging(lessons_->judging());
  });
  connect(lessons_, &Lessons::judged, this, [this](const QString& name, int task, const LessonOutcome& outcome) {
    if (TaskView* view = name == shown_ ? tasks_.value(task) : nullptr) view->show_outcome(outcome);
  });
  connect(lessons_, &Lessons::draft_changed, this, [this](const QString& name, int task) {
    const lesson::Draft* draft = lessons_->progress().find_draft(name.toStdString(), task);
    if (TaskView* view = name == shown_ ? tasks_.value(task) : nullptr)
      view->take_draft(draft ? draft->kernel : std::string());
  });
}

LessonsPanel::~LessonsPanel() {
  keep_drafts();
  stop_.request_stop();
}

void LessonsPanel::keep_drafts() {
  for (TaskView* task : tasks_) task->keep_draft();
}

void LessonsPanel::hideEvent(QHideEvent* event) {
  QWidget::hideEvent(event);
  keep_drafts();
}

void LessonsPanel::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  if (!std::exchange(asked_, true)) lessons_->load();
}

const lesson::Lesson* LessonsPanel::find(const QString& name) const {
  const auto at = std::ranges::find(lessons_->all(), name.toStdString(), &lesson::Lesson::name);
  return at == lessons_->all().end() ? nullptr : &*at;
}

// Also after a file of a lesson was written: the page that is read shows the new text at the same place.
void LessonsPanel::on_loaded() {
  problem_->hide();
  if (const QString news = std::exchange(news_, QString()); !news.isEmpty()) say(news, "ok");
  const QString words = search_->text();
  if (words.trimmed().isEmpty())
    fill_list();
  else
    fill_found(words);
  if (const QString name = std::exchange(pending_, QString()); !name.isEmpty()) return open(name);
  if (shown_.isEmpty() || shown_.toStdString() != drawn_.name) return;
  const lesson::Lesson* now = find(shown_);
  if (now == nullptr)  // what is on it stays in sight; if the file cannot be read, that is said next
    return say(tr("This lesson is no longer there. Its page stays as it was read until you leave it."), "error");
  if (*now != drawn_) draw_again();
}

// Where one reads and writes.
void LessonsPanel::draw_again() {
  int written = 0, line = 0, column = 0;
  for (auto [number, task] : tasks_.asKeyValueRange())
    if (task->editor()->hasFocus()) {
      written = number;
      task->editor()->getCursorPosition(&line, &column);
    }
  const int place = page_area_->verticalScrollBar()->value();
  const int offset = written > 0 ? tasks_.value(written)->y() - place : 0;
  open(shown_);
  TaskView* const task = tasks_.value(written);
  wanted_place_ = task ? 0 : place;
  restore_place();
  if (task) {
    anchor_->hold(task, offset);
    task->editor()->setCursorPosition(line, column);
    task->editor()->setFocus(Qt::OtherFocusReason);
  }
}

void LessonsPanel::fill_list() {
  clear_layout(list_);
  done_.clear();
  titles_.clear();
  auto* page = list_->parentWidget();
  for (const lesson::Lesson& l : lessons_->all()) {
    const QString name = qs(l.name);
    auto* entry = make_column(list_, {}, 0);
    auto* row = make_row(entry);
    auto* title = make_button(page, "lesson_" + name, qs(l.title), qs(l.summary));
    set_role(title, "link");
    done_[name] = make_label(page, "done_" + name, "muted");
    auto* summary = make_paragraph(page, {}, "muted");
    summary->setText(qs(l.summary));
    row->addWidget(title);
    row->addStretch(1);
    row->addWidget(done_[name]);
    entry->addWidget(summary);
    titles_[name] = title;
    connect(title, &QPushButton::clicked, this, [this, name] { open(name); });
  }
  list_->addStretch(1);
  update_done();
}

void LessonsPanel::update_done() {
  for (const lesson::Lesson& l : lessons_->all()) {
    Label* done = done_.value(qs(l.name));
    if (!done) continue;
    const int tasks = static_cast<int>(l.all<lesson::Task>().size()), passed = lessons_->passed(l);
    done->setText(tasks == 0        ? QString()
                  : passed == tasks ? tr("Passed")
                  : tasks == 1      ? tr("Not passed yet")
                                    : tr("%1 of %2 tasks passed").arg(passed).arg(tasks));
    set_role(done, tasks > 0 && passed == tasks ? "ok" : "muted");
  }
}

// A lesson that is opened again is shown where it was left.
void LessonsPanel::keep_place() {
  if (!shown_.isEmpty() && page_area_->widget())
    places_[shown_] = wanted_place_ > 0 ? wanted_place_ : page_area_->verticalScrollBar()->value();
  wanted_place_ = 0;
}

// Its texts get their heights one after the other: as soon as the page is long enough.
void LessonsPanel::restore_place() {
  QScrollBar* bar = page_area_->verticalScrollBar();
  if (wanted_place_ <= 0 || bar->maximum() < wanted_place_) return;
  bar->setValue(std::exchange(wanted_place_, 0));
}

void LessonsPanel::show_list() {
  keep_drafts();
  keep_place();
  if (QPushButton* title = titles_.value(shown_)) {
    pages_->setCurrentIndex(0);
    title->setFocus(Qt::OtherFocusReason);
    list_area_->ensureWidgetVisible(title);
  }
  pages_->setCurrentIndex(0);
  shown_.clear();
}

void LessonsPanel::open(const QString& name) {
  const lesson::Lesson* l = find(name);
  if (!l && lessons_->all().empty()) pending_ = name;
  if (!l) return;
  drawn_ = *l;
  QWidget* page = begin_page(name)->parentWidget();
  add_passage({false, "# " + qs(l->title)});
  int questions = 0, tasks = 0;
  for (const lesson::Part& part : l->parts) add_part(*l, part, questions, tasks);
  if (!l->sources.empty()) {
    QStringList sources;
    for (const std::string& s : l->sources) sources += qs(s);
    auto* from = make_selectable(page, "lesson_sources", "muted");
    from->setText(tr("Sources: %1").arg(sources.join("; ")));
    page_->addWidget(from);
  }
  if (!l->advice.empty()) {
    QString links = "## " + tr("The profiler's advice on this") + "\n";
    for (const std::string& id : l->advice)
      links += QString("- [%1](../rules/advice/%2.md)\n").arg(qs(profile::advice_title(id)), qs(id));
    add_passage({false, links});
  }
  end_page();
  next_->setEnabled(l != &lessons_->all().back());
  const auto all = static_cast<int>(l->all<lesson::Task>().size());
  wanted_place_ = all > 0 && lessons_->passed(*l) == all ? 0 : places_.value(name);  // a finished one from the top
  restore_place();
  draw_pictures(*l);
}

QVBoxLayout* LessonsPanel::begin_page(const QString& shown) {
  keep_drafts();
  keep_place();
  shown_ = shown;
  tasks_.clear();
  pictures_.clear();
  auto* page = new QWidget(page_area_);
  page_ = make_column(page, {grid::half, grid::half, grid::step, 0});
  fit(page);
  next_->setEnabled(false);
  return page_;
}

void LessonsPanel::fit(QWidget* page) {
  page->setMaximumWidth(page_columns * QFontMetrics(painted_code_font()).horizontalAdvance('0'));
}

void LessonsPanel::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::StyleChange && page_area_ != nullptr && page_area_->widget() != nullptr)
    fit(page_area_->widget());
}

void LessonsPanel::end_page() {
  page_->addStretch(1);
  QWidget* page = page_->parentWidget();
  page_area_->setWidget(page);  // which deletes the one before
  page->show();
  pages_->setCurrentIndex(1);
  anchor_->release();
  page_area_->verticalScrollBar()->setValue(0);
  page_area_->setFocus(Qt::OtherFocusReason);  // its keys scroll
}

void LessonsPanel::keyPressEvent(QKeyEvent* event) {
  QScrollBar* bar = page_area_->verticalScrollBar();
  if (shown_.isEmpty() || (event->key() != Qt::Key_Home && event->key() != Qt::Key_End))
    return QWidget::keyPressEvent(event);
  bar->setValue(event->key() == Qt::Key_Home ? bar->minimum() : bar->maximum());
}

void LessonsPanel::add_passage(const Passage& passage) {
  QWidget* page = page_->parentWidget();
  if (passage.figure) return page_->addWidget(new FigureView(passage.text, page));
  auto* text = new FactsView(page);
  name_it(text, tr("Text of the lesson"));
  text->show_markdown(passage.text);
  connect(
      text, &FactsView::link, this, [this](const QString&, const QString& target) { follow(target); },
      Qt::QueuedConnection);  // it replaces the page that the link is on
  page_->addWidget(text);
}

// In a worker, one after the other; of the shown lesson only.
void LessonsPanel::draw_pictures(const lesson::Lesson& l) {
  stop_.request_stop();
  stop_ = {};
  if (pictures_.isEmpty()) return drawer_.forget();
  drawer_.submit([this, l, worker = worker_, stop = stop_.get_token()]() -> LatestJob::Deliver {
    const Result<op::Library> library = op::Library::load(resources_dir() / "ops");
    std::vector<Result<lesson::Pictured>> drawn;
    for (const lesson::Picture* p : l.all<lesson::Picture>())
      drawn.push_back(library ? lesson::pictured(l, *p, *library, *worker, stop)
                              : Result<lesson::Pictured>(tl::unexpected(library.error())));
    return [this, name = qs(l.name), drawn = std::move(drawn)] {
      for (std::size_t i = 0; name == shown_ && i < drawn.size() && i < static_cast<std::size_t>(pictures_.size()); ++i)
        pictures_[static_cast<qsizetype>(i)]->show_step(drawn[i]);
    };
  });
}

void LessonsPanel::add_part(const lesson::Lesson& l, const lesson::Part& part, int& questions, int& tasks) {
  QWidget* page = page_->parentWidget();
  if (const auto* prose = std::get_if<std::string>(&part)) {
    for (const Passage& passage : passages_of(*prose)) add_passage(passage);
  } else if (const auto* question = std::get_if<lesson::Question>(&part)) {
    const int number = ++questions;
    auto* view = new QuestionView(*question, number, page);
    page_->addWidget(view);
    for (const lesson::Answered& a : lessons_->progress().answered)
      if (a.lesson == l.name && a.question == number) view->show_answered(a.right);
    connect(view, &QuestionView::chosen, this,
            [this, number](int choice) { lessons_->answer(drawn_, number, choice); });
  } else if (const auto* picture = std::get_if<lesson::Picture>(&part)) {
    auto* view = new StepPicture(*picture, static_cast<int>(pictures_.size()) + 1, page);
    page_->addWidget(view);
    pictures_ += view;
    connect(view, &StepPicture::step_wanted, this, [this, view, title = qs(l.title)] {
      StepStart start;
      start.block = view->step()->block;
      start.position = view->step()->position;
      emit step_wanted(view->step()->subject, start, title);
    });
  } else if (const auto* task = std::get_if<lesson::Task>(&part)) {
    const int number = ++tasks;
    const lesson::Passed* passed = lessons_->progress().find_passed(l.name, number);
    const lesson::Draft* draft = lessons_->progress().find_draft(l.name, number);
    TaskView::Kept kept;
    if (passed) kept.passed = passed->kernel;
    if (draft) kept.draft = draft->kernel;
    kept.passes_now = lessons_->progress().has_passed(l, number);
    auto* view = new TaskView(*task, number, kept, page);
    page_->addWidget(view);
    tasks_[number] = view;
    view->show_judging(lessons_->judging());
    connect(lessons_, &Lessons::step, view, [this, view, number](int judged, const QString& text) {
      if (lessons_->judging() && judged == number) view->show_step(text);
    });
    connect(view, &TaskView::cancel_wanted, lessons_, &Lessons::cancel);
    connect(view, &TaskView::drafted, this,
            [this, name = l.name, number](const std::string& kernel) { lessons_->keep_draft(name, number, kernel); });
    connect(
        view, &TaskView::said, view, [this, view] { page_area_->ensureWidgetVisible(view->state()); },
        Qt::QueuedConnection);  // once it has its height, if it is still shown then
    connect(view, &TaskView::step_wanted, this,
            [this, t = *task, title = qs(l.title)](const std::string& kernel) { step_through(t, kernel, title); });
    connect(view, &TaskView::beside_wanted, this,
            [this, t = *task](const std::string& kernel) { step_beside_start(t, kernel); });
    connect(view, &TaskView::wrong_wanted, this, [this, title = qs(l.title)](const LessonOutcome& outcome) {
      StepStart start;
      start.failure = *stepping::failure_to_step(outcome.judged->verdict);
      emit step_wanted(stepping::subject_of(*start.failure, outcome.judged->spec, outcome.kernel), start, title);
    });
    connect(view, &TaskView::judge_wanted, this,
            [this, number](const std::string& kernel) { lessons_->judge(drawn_, number, kernel); });
  }
}

void LessonsPanel::step_through(const lesson::Task& task, const std::string& kernel, const QString& title) {
  with_subject(task, kernel, {}, [this, title](const stepping::SteppedLaunch& subject) {
    emit step_wanted(subject, StepStart(), title);
  });
}

void LessonsPanel::step_beside_start(const lesson::Task& task, const std::string& kernel) {
  with_subject(task, task.start, task.binding, [this, kernel](const stepping::SteppedLaunch& subject) {
    std::array<stepping::SteppedLaunch, 2> both{subject, subject};
    both[1].candidate = kernel;
    emit beside_wanted(both, {tr("The starting code"), tr("Your kernel")});
  });
}

// The op library is read away from the window's thread.
void LessonsPanel::with_subject(const lesson::Task& task, const std::string& kernel, const op::Binding& sizes,
                                std::function<void(const stepping::SteppedLaunch&)> then) {
  stepper_.submit([this, task, kernel, sizes, then = std::move(then)]() -> LatestJob::Deliver {
    const auto subject = op::Library::load(resources_dir() / "ops").and_then([&](const op::Library& library) {
      return lesson::subject_of(task, kernel, library, sizes);
    });
    return [this, subject, then] {
      problem_->setVisible(!subject);
      if (subject)
        then(*subject);
      else
        problem_->setText(qs(subject.error().text()));
    };
  });
}

}  // namespace ww::widgets
