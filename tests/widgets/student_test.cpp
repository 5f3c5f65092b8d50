// SPDX-License-Identifier: GPL-3.0-or-later
// A student's hour in the whole window, by mouse and keyboard alone, with the engine's own judge: three lessons from
// their first line to a task that is passed, a picture that leads into the stepper, and back.
#include <QAbstractButton>
#include <QClipboard>
#include <QDockWidget>
#include <QLabel>
#include <QLineEdit>
#include <QMenuBar>
#include <QScrollArea>
#include <QScrollBar>
#include <QStatusBar>
#include <QToolButton>
#include "lesson/progress.h"
#include "panels/lessons/figure_view.h"
#include "panels/lessons/lessons_panel.h"
#include "panels/lessons/question_view.h"
#include "panels/lessons/step_picture.h"
#include "panels/lessons/task_view.h"
#include "panels/stepper/prediction_card.h"
#include "panels/stepper/side_by_side_panel.h"
#include "panels/stepper/step_facts_view.h"
#include "panels/stepper/stepper_panel.h"
#include "parts/editor/code_editor.h"
#include "parts/theme/facts_view.h"
#include "parts/theme/label.h"
#include "session/services.h"
#include "shell/window/docks.h"
#include "widgets/window_fixture.h"

using namespace ww;
using namespace ww::widgets;

namespace {
constexpr int patience = 300000;  // ms, for a judgement on a busy machine
}

class StudentTest : public QObject, test::WindowFixture {
  Q_OBJECT
  std::unique_ptr<MainWindow> window_;
  LessonsPanel* lessons_ = nullptr;
  StepperPanel* stepper_ = nullptr;

  // What the mouse reaches: visible, enabled, inside the window, and scrolled to.
  void click(QWidget* w, QPoint at = {}) {
    for (QWidget* p = w->parentWidget(); p != nullptr; p = p->parentWidget())
      if (auto* area = qobject_cast<QScrollArea*>(p)) area->ensureWidgetVisible(w, 10, 10);
    QTRY_VERIFY2(w->isVisible() && w->isEnabled(), qPrintable(w->objectName()));
    if (at.isNull()) at = w->rect().center();
    const QPoint in_window = w->mapTo(window_.get(), at);
    QVERIFY2(window_->rect().contains(in_window), qPrintable(w->objectName() + " lies outside of the window"));
    QTest::mouseClick(w, Qt::LeftButton, {}, at);
  }
  template <class W>
  W* named(const char* name, QWidget* in = nullptr) {
    W* found = (in != nullptr ? in : window_.get())->findChild<W*>(name);
    if (found == nullptr) qFatal("no %s", name);
    return found;
  }
  static const lesson::Task& task_of(const lesson::Lesson& l) { return *l.all<lesson::Task>().front(); }
  const lesson::Lesson& lesson_named(const char* name) {
    return *std::ranges::find(lessons_->lessons()->all(), std::string(name), &lesson::Lesson::name);
  }

  void answer_all(const lesson::Lesson& l) {
    int number = 0;
    for (const lesson::Question* q : l.all<lesson::Question>()) {
      auto* view = named<QuestionView>(qPrintable(QString("lesson_question_%1").arg(++number)), lessons_);
      for (std::size_t i = 0; i < q->choices.size(); ++i) {  // the wrong ones first
        if (q->choices[i].right) continue;
        click(view->choices()[static_cast<qsizetype>(i)],
              {8, view->choices()[static_cast<qsizetype>(i)]->height() / 2});
        QVERIFY(view->answer()->text().startsWith("No."));
        break;
      }
      for (std::size_t i = 0; i < q->choices.size(); ++i)
        if (q->choices[i].right)
          click(view->choices()[static_cast<qsizetype>(i)],
                {8, view->choices()[static_cast<qsizetype>(i)]->height() / 2});
      QVERIFY2(view->answer()->text().startsWith("Right."), qPrintable(view->answer()->text()));
    }
  }

  // Judged, with what the state says afterwards.
  QString judged(TaskView* task) {
    click(named<QPushButton>("lesson_judge", task));
    auto* judge = named<QPushButton>("lesson_judge", task);
    if (!QTest::qWaitFor([&] { return judge->isEnabled(); }, patience)) return "no judgement";
    return named<QLabel>("lesson_state", task)->text();
  }

  void paste(TaskView* task, const std::string& kernel) {
    CodeEditor* editor = task->editor();
    click(editor->viewport(), {80, 20});
    QTest::keyClick(editor, Qt::Key_A, Qt::ControlModifier);
    QGuiApplication::clipboard()->setText(qs(kernel));
    QTest::keyClick(editor, Qt::Key_V, Qt::ControlModifier);
    QCOMPARE(editor->text(), qs(kernel));
  }

 private slots:
  void init() {
    set_up();
    qputenv("XDG_DATA_HOME", folder_->filePath("data").toUtf8());
    Services services = test::FakeEngine::services(engine_);
    services.lesson = lesson_judge();
    window_ = open_with(services);
    QVERIFY(QTest::qWaitForWindowExposed(window_.get()));
    lessons_ = window_->findChild<LessonsPanel*>();
    stepper_ = window_->findChild<StepperPanel*>();
  }
  void cleanup() { window_.reset(); }

  void threeLessonsFromStartToJudgedTask() {
    QTest::keyClick(window_.get(), Qt::Key_4, Qt::ControlModifier);  // the workspace Learn
    QTRY_VERIFY(named<QPushButton>("tour_lessons")->isVisible());
    click(named<QPushButton>("tour_lessons"));
    QTRY_VERIFY_WITH_TIMEOUT(!lessons_->lessons()->all().empty(), 20000);

    // Threads: a hint, and the guard typed by hand.
    click(named<QPushButton>("lesson_threads"));
    QCOMPARE(lessons_->shown(), QString("threads"));
    answer_all(lesson_named("threads"));
    auto* task = named<TaskView>("lesson_task_1", lessons_);
    QVERIFY(judged(task).startsWith("Not yet."));
    click(named<QPushButton>("lesson_hint", task));
    QVERIFY(named<QLabel>("lesson_hints", task)->isVisible());
    CodeEditor* editor = task->editor();
    const QStringList lines = editor->text().split('\n');
    const auto line_with = [&](const char* words) {
      for (int i = 0; i < lines.size(); ++i)
        if (lines[i].contains(words)) return i;
      return -1;
    };
    editor->setFocus();
    editor->setCursorPosition(line_with("z[i] ="), 2);
    QTest::keyClicks(editor, "if (i < n) ");
    const int launch = line_with("//@ launch"), from = static_cast<int>(lines[launch].indexOf("R * C / 256 + 1"));
    editor->setCursorPosition(launch, from);
    for (int i = 0; i < 15; ++i) QTest::keyClick(editor, Qt::Key_Delete);
    QTest::keyClicks(editor, "ceildiv(R * C, 256)");
    const QString passed = judged(task);
    QVERIFY2(passed.startsWith("Passed."), qPrintable(passed));
    picture(*window_, "student-threads");

    // Warps: the picture leads into the stepper, where a step is predicted; then back, and the task.
    click(named<QPushButton>("lessons_next"));
    QVERIFY(lessons_->shown() != "threads");
    click(named<QPushButton>("lessons_back"));
    click(named<QPushButton>("lesson_warps"));
    auto* drawn = named<StepPicture>("lesson_picture_1", lessons_);
    QTRY_VERIFY_WITH_TIMEOUT(drawn->drawn(), patience);
    click(drawn->button());
    QTRY_VERIFY_WITH_TIMEOUT(stepper_->isVisible() && !stepper_->session()->busy() && stepper_->session()->at(),
                             patience);
    const std::int64_t begun = stepper_->session()->at()->position;
    click(named<QToolButton>("step_predict", stepper_));
    for (int i = 0; i < 40 && !stepper_->prediction()->isVisible(); ++i) {
      click(named<QToolButton>("step_forward", stepper_));
      QTRY_VERIFY_WITH_TIMEOUT(!stepper_->session()->busy(), patience);
    }
    QVERIFY(stepper_->session()->at()->position > begun);
    QTest::keyClicks(stepper_->prediction()->answer(), "1");
    QTest::keyClick(stepper_->prediction()->answer(), Qt::Key_Return);
    QVERIFY(stepper_->prediction()->verdict()->isVisible());
    picture(*window_, "student-predicts");
    click(stepper_->prediction()->button());
    QVERIFY(stepper_->facts()->isVisible());
    action(*window_, "go.lessons")->trigger();
    QTRY_VERIFY(lessons_->isVisible());
    QCOMPARE(lessons_->shown(), QString("warps"));
    answer_all(lesson_named("warps"));
    task = named<TaskView>("lesson_task_1", lessons_);
    paste(task, task_of(lesson_named("warps")).solution);
    const QString warps = judged(task);
    QVERIFY2(warps.startsWith("Passed."), qPrintable(warps));

    // Coalescing: the starting code misses its goals, and the page says by how much.
    click(named<QPushButton>("lessons_back"));
    click(named<QPushButton>("lesson_coalescing"));
    answer_all(lesson_named("coalescing"));
    task = named<TaskView>("lesson_task_1", lessons_);
    const QString missed = judged(task);
    QVERIFY2(missed.contains("Missed: "), qPrintable(missed));
    paste(task, task_of(lesson_named("coalescing")).solution);
    const QString coalesced = judged(task);
    QVERIFY2(coalesced.startsWith("Passed."), qPrintable(coalesced));
    click(named<QPushButton>("lessons_back"));
    for (const char* name : {"threads", "warps", "coalescing"})
      QCOMPARE(named<QLabel>(qPrintable(QString("done_%1").arg(name)), lessons_)->text(), QString("Passed"));
    QTRY_COMPARE(lesson::read_progress(lesson::progress_file()).value().passed.size(), std::size_t{3});
    picture(*window_, "student-done");
  }

  // What is being written, whether it passes or not.
  void ownKernelIsSteppedAndSetBesideTheStart() {
    QTest::keyClick(window_.get(), Qt::Key_4, Qt::ControlModifier);
    action(*window_, "go.lessons")->trigger();
    QTRY_VERIFY_WITH_TIMEOUT(!lessons_->lessons()->all().empty(), 20000);
    click(named<QPushButton>("lesson_coalescing"));
    const lesson::Task& task = task_of(lesson_named("coalescing"));
    auto* view = named<TaskView>("lesson_task_1", lessons_);
    paste(view, task.solution);
    click(named<QPushButton>("lesson_step", view));
    QTRY_VERIFY_WITH_TIMEOUT(stepper_->isVisible() && !stepper_->session()->busy() && stepper_->session()->at(),
                             patience);
    QCOMPARE(stepper_->source()->text(), qs(task.solution));
    click(named<QToolButton>("step_forward", stepper_));
    QTRY_COMPARE_WITH_TIMEOUT(stepper_->session()->at()->position, std::int64_t{1}, patience);

    auto* beside = window_->findChild<SideBySidePanel*>();
    const auto arrived = [&] {
      return beside->session(0)->at() && beside->session(1)->at() && !beside->session(0)->busy() &&
             !beside->session(1)->busy();
    };
    click(named<QPushButton>("lesson_beside", view));
    QTRY_VERIFY_WITH_TIMEOUT(beside->isVisible() && arrived(), patience);
    QCOMPARE(named<CodeEditor>("side_source_left", beside)->text(), qs(task.start));
    QCOMPARE(named<CodeEditor>("side_source_right", beside)->text(), qs(task.solution));
    QCOMPARE(beside->session(0)->launch()->prepared.binding, beside->session(1)->launch()->prepared.binding);
    click(named<QToolButton>("side_end", beside));
    QTRY_VERIFY_WITH_TIMEOUT(arrived() && beside->session(0)->at()->ended && beside->session(1)->at()->ended, patience);
    QVERIFY(beside->session(0)->at()->totals->sectors > beside->session(1)->at()->totals->sectors);
    picture(*window_, "student-beside");
  }

  // Every lesson on a laptop's screen and presented: its pictures are drawn, and its figures are seen whole.
  void everyLessonIsDrawn() {
    window_->resize(1280, 800);
    QTest::keyClick(window_.get(), Qt::Key_4, Qt::ControlModifier);
    action(*window_, "go.lessons")->trigger();
    QTRY_VERIFY_WITH_TIMEOUT(!lessons_->lessons()->all().empty(), 20000);
    const std::vector<lesson::Lesson> all = lessons_->lessons()->all();
    for (const bool presented : {false, true}) {
      if (presented) {
        named<QPushButton>("lessons_back")->setFocus();
        QTest::keyClick(window_.get(), Qt::Key_F11, Qt::ShiftModifier);
        window_->setWindowState(Qt::WindowNoState);  // the screen without a display is narrower than a laptop's
        window_->resize(1280, 800);
      }
      for (const lesson::Lesson& l : all) {
        lessons_->open(qs(l.name));
        QWidget* page = named<QScrollArea>("lesson_page", lessons_)->widget();
        for (StepPicture* p : page->findChildren<StepPicture*>())
          QTRY_VERIFY2_WITH_TIMEOUT(p->drawn(), l.name.c_str(), patience);
        QTRY_VERIFY(std::ranges::all_of(page->findChildren<FactsView*>(), &FactsView::fitted));
        for (FigureView* figure : page->findChildren<FigureView*>())
          QTRY_VERIFY2(figure->horizontalScrollBar()->maximum() == 0,
                       qPrintable(qs(l.name) + (presented ? ", presented: " : ": ") + figure->toPlainText()));
        picture(*page, (presented ? "presented-" : "lesson-at-1280-") + qs(l.name));
      }
    }
    QTest::keyClick(window_.get(), Qt::Key_F11, Qt::ShiftModifier);
  }

  void aLessonIsPresented() {
    QTest::keyClick(window_.get(), Qt::Key_4, Qt::ControlModifier);
    action(*window_, "go.lessons")->trigger();
    QTRY_VERIFY_WITH_TIMEOUT(!lessons_->lessons()->all().empty(), 20000);
    lessons_->open("threads");
    named<QPushButton>("lessons_back")->setFocus();
    const int height = lessons_->fontMetrics().height();
    QTest::keyClick(window_.get(), Qt::Key_F11, Qt::ShiftModifier);
    QCOMPARE(Theme::instance().current(), QString("high-contrast"));
    QVERIFY(lessons_->fontMetrics().height() > height);
    QVERIFY(window_->isFullScreen() && lessons_->isVisible() && !named<QWidget>("tour_lessons")->isVisible());
    QTRY_VERIFY(named<QLabel>("presentation_hint")->isVisible());
    QVERIFY(!window_->statusBar()->isVisible() && !window_->menuBar()->isVisible());
    picture(*window_, "presented");
    QTest::keyClick(window_.get(), Qt::Key_Escape);
    QCOMPARE(Theme::instance().current(), QString("light"));
    QCOMPARE(lessons_->fontMetrics().height(), height);
    QVERIFY(!window_->isFullScreen() && window_->statusBar()->isVisible() && window_->menuBar()->isVisible());
    // Closing the panel ends it, too.
    QTest::keyClick(window_.get(), Qt::Key_F11, Qt::ShiftModifier);
    QVERIFY(window_->isFullScreen());
    window_->dock("lessons")->close();
    QTRY_VERIFY(!window_->isFullScreen() && window_->dock("tour")->isVisible());
    QCOMPARE(Theme::instance().current(), QString("light"));
  }
};

QTEST_MAIN(StudentTest)
#include "student_test.moc"
