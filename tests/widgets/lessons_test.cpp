// SPDX-License-Identifier: GPL-3.0-or-later
// The lessons in the window: the list, a lesson's page, answers, and a task's kernel judged by a scripted gate.
#include <QAbstractButton>
#include <QLabel>
#include <QLineEdit>
#include <QPointer>
#include <QScrollArea>
#include <QRegularExpression>
#include <QScrollBar>
#include "base/files.h"
#include "lesson/package.h"
#include "lesson/progress.h"
#include "panels/lessons/figure_view.h"
#include "panels/lessons/lessons_panel.h"
#include "panels/lessons/question_view.h"
#include "panels/lessons/task_view.h"
#include "parts/editor/code_editor.h"
#include "parts/theme/facts_view.h"
#include "parts/theme/label.h"
#include "parts/theme/text.h"
#include "shell/window/docks.h"
#include "widgets/window_fixture.h"

using namespace ww;
using namespace ww::widgets;

class LessonsTest : public QObject, test::WindowFixture {
  Q_OBJECT

  // The gate accepts a kernel that contains "good", and waits to be cancelled for one that contains "slow".
  Services services() {
    Services s = test::FakeEngine::services(engine_);
    s.lesson = [](const lesson::Task& task, const std::string& kernel, const std::stop_token& stop,
                  const rpc::ProgressHandler& progress) -> Result<lesson::Judged> {
      progress({"cases", "case default", 0.5});
      if (kernel.find("broken") != std::string::npos) return fail(Code::crashed, "the worker ended");
      while (kernel.find("slow") != std::string::npos && !stop.stop_requested()) std::this_thread::yield();
      if (stop.stop_requested()) return fail(Code::cancelled, "it was cancelled");
      lesson::Judged out;
      out.spec = "op " + task.op + "(x: f32[C]) -> y: f32[C]";
      if (kernel.find("wrong") != std::string::npos) {
        evidence::StageResult& stage = out.verdict.stages.emplace_back();
        stage.outcome = evidence::Outcome::failed;
        evidence::Failure& failure = stage.failure.emplace();
        failure.case_name = "tiny";
        failure.binding.symbols = {{"R", 2}, {"C", 3}};
        failure.seed = 7;
      }
      out.verdict.accepted = kernel.find("good") != std::string::npos;
      if (out.verdict.accepted)
        for (const lesson::Goal& goal : task.goals) out.goals.push_back({goal, goal.value, goal.value, true});
      return out;
    };
    return s;
  }
  std::unique_ptr<MainWindow> opened() {
    auto w = open_with(services());
    if (!QTest::qWaitFor([&] { return w->session()->ready(); })) return nullptr;
    action(*w, "layout.learn")->trigger();
    action(*w, "go.lessons")->trigger();
    auto* panel = w->findChild<LessonsPanel*>();
    return QTest::qWaitFor([&] { return !panel->lessons()->all().empty(); }) ? std::move(w) : nullptr;
  }
  static LessonsPanel* panel_of(MainWindow& w) { return w.findChild<LessonsPanel*>(); }
  static lesson::Progress stored() { return lesson::read_progress(lesson::progress_file()).value(); }

 private slots:
  void init() {
    set_up();
    qputenv("XDG_DATA_HOME", folder_->filePath("data").toUtf8());
  }

  void theWorkspaceLearnLeadsToThem() {
    auto w = open_with(services());
    action(*w, "layout.learn")->trigger();
    QTRY_VERIFY(child<QPushButton>(w.get(), "tour_lessons")->isVisible());
    press(*w, "tour_lessons");
    QTRY_VERIFY(panel_of(*w)->isVisible());
    QTRY_VERIFY(panel_of(*w)->lessons()->all().size() >= 24);
    picture(*w, "learn");
  }

  void theListSaysWhatEachTeaches() {
    auto w = opened();
    QVERIFY(w);
    LessonsPanel* panel = panel_of(*w);
    const auto in_files = lesson::lessons_in(lesson::lessons_folder());
    QVERIFY(in_files && in_files->size() >= 24);
    QCOMPARE(panel->lessons()->all().size(), in_files->size());
    const QList<QLabel*> labels = panel->findChildren<QLabel*>();
    for (const lesson::Lesson& l : *in_files) {
      const QString name = qs(l.name);
      QCOMPARE(child<QPushButton>(panel, qPrintable("lesson_" + name))->text(), qs(l.title));
      QVERIFY2(std::ranges::any_of(labels, [&](const QLabel* s) { return s->text() == qs(l.summary); }),
               qPrintable(name));
      if (!l.all<lesson::Task>().empty())
        QCOMPARE(child<QLabel>(panel, qPrintable("done_" + name))->text(), QString("Not passed yet"));
    }
    picture(*w, "lessons-list");
  }

  void aLessonIsReadWhole() {
    auto w = opened();
    QVERIFY(w);
    LessonsPanel* panel = panel_of(*w);
    for (const lesson::Lesson& l : panel->lessons()->all()) {
      panel->open(qs(l.name));
      QCOMPARE(panel->shown(), qs(l.name));
      QWidget* page = child<QScrollArea>(panel, "lesson_page")->widget();
      QCOMPARE(page->findChildren<QuestionView*>().size(), static_cast<qsizetype>(l.all<lesson::Question>().size()));
      QCOMPARE(page->findChildren<TaskView*>().size(), static_cast<qsizetype>(l.all<lesson::Task>().size()));
      QString shown;
      for (const FactsView* text : page->findChildren<FactsView*>()) shown += text->toPlainText() + '\n';
      for (const FigureView* figure : page->findChildren<FigureView*>()) shown += figure->toPlainText() + '\n';
      QVERIFY(shown.startsWith(qs(l.title)));
      for (const std::string* prose : l.all<std::string>()) {
        static const QRegularExpression word("[A-Za-z]{4,}");
        for (const QString& line : qs(*prose).split('\n'))
          if (!line.startsWith("```"))
            for (const QRegularExpressionMatch& m : word.globalMatch(line))
              QVERIFY2(shown.contains(m.captured()), qPrintable(qs(l.name) + ": " + m.captured()));
      }
    }
    panel->open("threads");
    QTRY_VERIFY(std::ranges::all_of(panel->findChildren<FactsView*>(), &FactsView::fitted));
    // A drawing of letters keeps its lines.
    auto* figure = panel->findChild<FigureView*>();
    QVERIFY(figure->toPlainText().startsWith("grid:    | block 0       | block 1"));
    QVERIFY(!figure->verticalScrollBar()->isVisible() && figure->verticalScrollBar()->maximum() == 0);
    QCOMPARE(figure->lineWrapMode(), QPlainTextEdit::NoWrap);
    picture(*w, "lesson-text");
    w->docks()->maximise(w->dock("lessons"));
    QTest::qWait(0);
    picture(*w, "lesson-maximised");
    w->docks()->maximise(w->dock("lessons"));
    for (const auto& [theme, size] : {std::pair{"dark", QSize(1000, 700)}, {"high-contrast", QSize(2560, 1440)}}) {
      QVERIFY(Theme::instance().apply(theme));
      w->resize(size);
      QTest::qWait(0);
      QTRY_COMPARE(figure->verticalScrollBar()->maximum(), 0);
      auto* area = child<QScrollArea>(panel, "lesson_page");
      area->ensureWidgetVisible(panel->findChild<QuestionView*>());
      QAbstractButton* choice = panel->findChild<QuestionView*>()->choices()[1];
      panel->findChild<QuestionView*>()->choices()[0]->setChecked(true);
      const QImage open = choice->grab().toImage();
      choice->setChecked(true);
      QVERIFY(choice->grab().toImage() != open);  // the mark shows in the theme
      picture(*w, QString("lesson-") + theme);
    }
    QVERIFY(Theme::instance().apply("light"));
    press(*panel, "lessons_back");
    QVERIFY(panel->shown().isEmpty());
    QVERIFY(child<QPushButton>(panel, "lesson_threads")->hasFocus());
  }

  // A click answers; the first answer is what the progress keeps.
  void questionsAreAnsweredWithAClick() {
    auto w = opened();
    QVERIFY(w);
    LessonsPanel* panel = panel_of(*w);
    panel->open("threads");
    auto* question = panel->findChild<QuestionView*>("lesson_question_1");
    QVERIFY(!question->answer()->isVisible());
    question->choices()[0]->click();
    QCOMPARE(question->answer()->text(), QString("No. Read the passage again, and choose another answer."));
    question->choices()[3]->click();
    QVERIFY(question->answer()->text().startsWith("Right. 1000 / 256"));
    QTRY_COMPARE(stored().answered.size(), std::size_t{1});
    const lesson::Answered first = stored().answered.front();
    QVERIFY(first.lesson == "threads" && first.question == 1 && first.choice == 1 && !first.right);
    // Also on the words of a choice.
    auto* other = panel->findChild<QuestionView*>("lesson_question_2");
    for (QLabel* label : other->findChildren<QLabel*>())
      if (label->property("choice").toInt() == 3) QTest::mouseClick(label, Qt::LeftButton);
    QVERIFY(other->answer()->text().startsWith("Right."));
    QTRY_COMPARE(stored().answered.size(), std::size_t{2});
    // Later, and at the place where one was.
    auto* bar = child<QScrollArea>(panel, "lesson_page")->verticalScrollBar();
    bar->setValue(bar->maximum() / 2);
    const int place = bar->value();
    QVERIFY(place > 0);
    panel->show_list();
    panel->open("threads");
    QTRY_COMPARE(bar->value(), place);
    QVERIFY(panel->findChild<QuestionView*>("lesson_question_1")->answer()->text().endsWith("was not right."));
    QVERIFY(panel->findChild<QuestionView*>("lesson_question_2")->answer()->text().endsWith("before: right."));
  }

  void aKernelIsJudged() {
    auto w = opened();
    QVERIFY(w);
    LessonsPanel* panel = panel_of(*w);
    panel->open("threads");
    auto* task = panel->findChild<TaskView*>();
    const lesson::Lesson& l =
        *std::ranges::find(panel->lessons()->all(), std::string("threads"), &lesson::Lesson::name);
    const lesson::Task of = *l.all<lesson::Task>().front();
    QCOMPARE(task->editor()->text(), qs(of.start));
    auto* state = child<QLabel>(task, "lesson_state");
    auto *judge = child<QPushButton>(task, "lesson_judge"), *cancel = child<QPushButton>(task, "lesson_cancel");
    judge->setFocus();
    QTest::keyClick(judge, Qt::Key_Space);
    QVERIFY(!judge->isEnabled() && cancel->isVisible() && cancel->hasFocus());
    QTRY_VERIFY2(state->text().startsWith("Not yet."), qPrintable(state->text()));
    QVERIFY(judge->isEnabled() && !cancel->isVisible() && stored().passed.empty());
    QVERIFY(judge->hasFocus());  // a further Space does not start over
    task->editor()->set_code("slow");
    QVERIFY2(state->text().startsWith("Before you changed it:"), qPrintable(state->text()));
    // What is written while another text is judged is not what the verdict is about.
    task->editor()->set_code("bad");
    judge->click();
    task->editor()->set_code("never judged");
    QTRY_VERIFY(judge->isEnabled());
    QVERIFY2(state->text().startsWith("Before you changed it:\nNot yet."), qPrintable(state->text()));
    task->editor()->set_code("slow");
    judge->click();
    QTRY_COMPARE(state->text(), QString("cases: case default"));
    cancel->click();
    QTRY_VERIFY(judge->isEnabled());
    QVERIFY2(state->text().startsWith("Not judged: "), qPrintable(state->text()));
    task->editor()->set_code("broken");
    judge->click();
    QTRY_VERIFY2(state->text().contains("the worker ended"), qPrintable(state->text()));
    QVERIFY(stored().passed.empty());  // neither passed nor failed
    // The last hint disables its button; Space does not push the next one instead.
    auto* hint = child<QPushButton>(task, "lesson_hint");
    QSignalSpy stepped(task, &TaskView::step_wanted);
    hint->setFocus();
    QTest::keyClick(hint, Qt::Key_Space);
    QVERIFY(child<QLabel>(task, "lesson_hints")->text().startsWith("Hint 1 of "));
    while (hint->isEnabled()) QTest::keyClick(hint, Qt::Key_Space);
    QWidget* holder = w->focusWidget();
    QVERIFY(holder && !qobject_cast<QAbstractButton*>(holder));
    QTest::keyClick(holder, Qt::Key_Space);
    QVERIFY(stepped.isEmpty());
    task->editor()->set_code("// good");
    judge->click();
    QTRY_VERIFY2(state->text().startsWith("Passed."), qPrintable(state->text()));
    QTRY_COMPARE(stored().passed.size(), std::size_t{1});
    QCOMPARE(stored().passed.front().kernel, std::string("// good"));
    QCOMPARE(child<QLabel>(panel, "done_threads")->text(), QString("Passed"));
    child<QScrollArea>(panel, "lesson_page")->ensureWidgetVisible(state);
    picture(*w, "lesson-task");
    // It is there the next time.
    panel->show_list();
    panel->open("threads");
    QCOMPARE(panel->findChild<TaskView*>()->editor()->text(), QString("// good"));
    task = panel->findChild<TaskView*>();
    press(*task, "lesson_start");
    QCOMPARE(task->editor()->text(), qs(of.start));
    // A solution is shown below what one wrote.
    task->editor()->set_code("// mine");
    auto* solution = child<QPushButton>(task, "lesson_solution");
    solution->click();
    QCOMPARE(child<CodeEditor>(task, "lesson_shown_solution")->text(), qs(of.solution));
    QCOMPARE(task->editor()->text(), QString("// mine"));
    solution->click();
    QVERIFY(!child<CodeEditor>(task, "lesson_shown_solution")->isVisible());
    // That a kernel passed is said beside another one, and it comes back.
    panel->show_list();
    panel->open("threads");
    task = panel->findChild<TaskView*>();
    QVERIFY(child<QLabel>(task, "lesson_state")->text().startsWith("You have passed this task"));
    press(*task, "lesson_passed");
    QCOMPARE(task->editor()->text(), QString("// good"));
    QCOMPARE(child<QLabel>(task, "lesson_state")->text(), QString("Passed. This is the kernel that did."));
    task->editor()->set_code("// mine");
    // Starting over keeps it until something else is written.
    press(*task, "lesson_start");
    panel->show_list();
    panel->open("threads");
    QCOMPARE(panel->findChild<TaskView*>()->editor()->text(), QString("// mine"));
  }

  // What is to be done to its page afterwards ends with it.
  void aPageIsLeftAtTheMomentOfItsVerdict() {
    auto w = opened();
    QVERIFY(w);
    LessonsPanel* panel = panel_of(*w);
    panel->open("threads");
    const QPointer<TaskView> task = panel->findChild<TaskView*>();
    QSignalSpy said(task.data(), &TaskView::said);
    connect(panel->lessons(), &Lessons::judging_changed, panel, [panel] {
      if (!panel->lessons()->judging()) panel->open("warps");
    });
    task->editor()->set_code("// good");
    press(*task, "lesson_judge");
    QTRY_COMPARE(panel->shown(), QString("warps"));
    QVERIFY(!task && said.size() == 1);
    QCoreApplication::processEvents();
    QCOMPARE(child<QScrollArea>(panel, "lesson_page")->verticalScrollBar()->value(), 0);
  }

  void whatIsBeingWrittenIsKept() {
    auto w = opened();
    QVERIFY(w);
    LessonsPanel* panel = panel_of(*w);
    panel->open("threads");
    const QString start = panel->findChild<TaskView*>()->editor()->text();
    panel->findChild<TaskView*>()->editor()->set_code("// begun");
    panel->open("warps");  // away before it was kept by itself
    panel->open("threads");
    QCOMPARE(panel->findChild<TaskView*>()->editor()->text(), QString("// begun"));
    panel->findChild<TaskView*>()->editor()->set_code("// begun, and more");
    w.reset();
    QCOMPARE(stored().find_draft("threads", 1)->kernel, std::string("// begun, and more"));
    w = opened();
    QVERIFY(w);
    panel = panel_of(*w);
    panel->open("threads");
    auto* task = panel->findChild<TaskView*>();
    QCOMPARE(task->editor()->text(), QString("// begun, and more"));
    task->editor()->set_code("// good");
    press(*task, "lesson_judge");
    QTRY_COMPARE(stored().passed.size(), std::size_t{1});
    QVERIFY(stored().drafts.empty());
    press(*task, "lesson_start");
    QCOMPARE(task->editor()->text(), start);
    panel->show_list();
    panel->open("threads");
    QCOMPARE(panel->findChild<TaskView*>()->editor()->text(), QString("// good"));  // nothing new was written
  }

  void aFailureIsSteppedTo() {
    auto w = opened();
    QVERIFY(w);
    LessonsPanel* panel = panel_of(*w);
    panel->open("threads");
    auto* task = panel->findChild<TaskView*>();
    auto* wrong = child<QPushButton>(task, "lesson_wrong");
    QSignalSpy wanted(panel, &LessonsPanel::step_wanted);
    task->editor()->set_code("bad");
    press(*task, "lesson_judge");
    QTRY_VERIFY(child<QLabel>(task, "lesson_state")->text().startsWith("Not yet."));
    QVERIFY(!wrong->isVisible());  // nothing that could be run again is named
    task->editor()->set_code("wrong");
    press(*task, "lesson_judge");
    QTRY_VERIFY(wrong->isVisible());
    task->editor()->set_code("changed since");
    wrong->click();
    QCOMPARE(wanted.size(), 1);
    const auto subject = wanted[0][0].value<stepping::SteppedLaunch>();
    QCOMPARE(subject.candidate, std::string("wrong"));
    QVERIFY(subject.spec.find("op add(") != std::string::npos);
    QCOMPARE(subject.binding.symbols.at("C"), std::int64_t{3});
    QCOMPARE(subject.seed, std::uint64_t{7});
    task->editor()->set_code("// good");
    press(*task, "lesson_judge");
    QTRY_VERIFY(!wrong->isVisible());
  }

  void wordsLeadToLessonsAndTerms() {
    auto w = opened();
    QVERIFY(w);
    LessonsPanel* panel = panel_of(*w);
    auto* search = child<QLineEdit>(panel, "lessons_search");
    QTest::keyClicks(search, "bank conflict");
    QVERIFY(child<QPushButton>(panel, "found_term_bank conflict"));
    QTRY_VERIFY(!panel->findChild<QPushButton*>("lesson_threads"));  // nothing of the list is left
    picture(*w, "lessons-found");
    press(*panel, "found_padding");
    QCOMPARE(panel->shown(), QString("padding"));
    // From the lesson to the profiler's advice, and back by the page's own link.
    panel->open("coalescing");
    QMetaObject::invokeMethod(panel->findChildren<FactsView*>().back(), "link", Q_ARG(QString, ""),
                              Q_ARG(QString, "../rules/advice/uncoalesced-loads.md"));
    QTRY_COMPARE(panel->shown(), QString("advice"));
    QVERIFY(panel->findChildren<FactsView*>().front()->toPlainText().contains("A warp's loads touch more memory"));
    QMetaObject::invokeMethod(panel->findChildren<FactsView*>().back(), "link", Q_ARG(QString, ""),
                              Q_ARG(QString, "../../lessons/coalescing.md"));
    QTRY_COMPARE(panel->shown(), QString("coalescing"));
    panel->show_list();
    search->clear();
    QTest::keyClicks(search, "zebra crossing");
    QTRY_VERIFY(child<QLabel>(panel, "lessons_none") && child<QLabel>(panel, "lessons_none")->isVisible());
    search->clear();
    QTRY_VERIFY(child<QPushButton>(panel, "lesson_threads"));
    press(*panel, "lessons_glossary");
    QCOMPARE(panel->shown(), QString("glossary"));
    QVERIFY(panel->findChildren<FigureView*>().size() >= 8);
    // Its index leads to each term.
    auto* page = child<QScrollArea>(panel, "lesson_page");
    QVERIFY(panel->findChildren<FactsView*>().front()->toPlainText().contains("ulp"));
    QMetaObject::invokeMethod(panel->findChildren<FactsView*>().front(), "link", Q_ARG(QString, ""),
                              Q_ARG(QString, "../glossary/bank_conflict"));
    QTRY_VERIFY(page->verticalScrollBar()->value() > 0);
    picture(*w, "lessons-glossary");
  }

  void aClassIsImported() {
    auto w = opened();
    QVERIFY(w);
    LessonsPanel* panel = panel_of(*w);
    lesson::Package package;
    package.title = "Class 7";
    package.lessons.push_back({"ours", "---\ntitle: Ours\nsummary: Of this class.\nafter: threads\n---\nText\n"});
    const QString file = folder_->filePath("class.json");
    QVERIFY(lesson::write_package(file.toStdString(), package));
    panel->import_class(file);
    QTRY_VERIFY(child<QPushButton>(panel, "lesson_ours"));
    QCOMPARE(child<QLabel>(panel, "lessons_problem")->text(), QString("Class 7: 1 lesson imported."));
    panel->open("ours");
    QCOMPARE(panel->shown(), QString("ours"));
    const QString again = folder_->filePath("again.json");
    panel->pack_class(qs(lesson::own_lessons_folder().string()), again);
    QCOMPARE(lesson::read_package(again.toStdString()).value().lessons.size(), std::size_t{1});
    panel->pack_class(folder_->filePath("absent"), again);
    QVERIFY(child<QLabel>(panel, "lessons_problem")->text().contains("has no lessons"));
    package.lessons.front().name = "threads";
    QVERIFY(lesson::write_package(file.toStdString(), package));
    panel->import_class(file);
    QVERIFY(child<QLabel>(panel, "lessons_problem")->text().contains("has a lesson 'threads' of its own"));
    panel->import_class(folder_->filePath("absent.json"));
    QVERIFY(child<QLabel>(panel, "lessons_problem")->isVisible());
  }

  // A teacher who writes a lesson sees it at once, at the place that is read.
  void aLessonThatIsWrittenIsShown() {
    make_folders(lesson::own_lessons_folder());
    const auto file = lesson::own_lessons_folder() / "ours.md";
    const auto text = [](const char* words) {
      std::string all = "---\ntitle: Ours\nsummary: Of this class.\n---\n";
      for (int i = 0; i < 80; ++i) all += std::string(words) + "\n\n";
      return all;
    };
    QVERIFY(write_file_atomic(file, text("First words.")));
    auto w = opened();
    QVERIFY(w);
    LessonsPanel* panel = panel_of(*w);
    panel->open("ours");
    const auto shown = [&] { return panel->findChildren<FactsView*>().back()->toPlainText(); };
    auto* bar = child<QScrollArea>(panel, "lesson_page")->verticalScrollBar();
    QTRY_VERIFY(bar->maximum() > 300);
    bar->setValue(200);
    QVERIFY(write_file_atomic(file, text("Other words.")));
    QTRY_VERIFY2(shown().contains("Other words."), qPrintable(shown().left(80)));
    QTRY_COMPARE(bar->value(), 200);
    // A version that cannot be read takes nothing from sight.
    QVERIFY(write_file_atomic(file, "no lesson"));
    auto* problem = child<QLabel>(panel, "lessons_problem");
    QTRY_VERIFY(problem->isVisible() && problem->text().contains("'ours' is left out"));
    QVERIFY(shown().contains("Other words."));
    QVERIFY(write_file_atomic(file, text("Last words.")));
    QTRY_VERIFY2(shown().contains("Last words."), qPrintable(shown().left(80)));
    QVERIFY(!problem->isVisible());
    std::filesystem::remove(file);
    QTRY_VERIFY(problem->isVisible() && problem->text().contains("no longer there"));
    QVERIFY(shown().contains("Last words."));
  }

  static std::string lesson_with_task(const char* goal) {
    return std::string(
               "---\ntitle: Ours\nsummary: Of this class.\n---\n```task\ntitle: One\nop: relu\nset: R = 4\ngoal: ") +
           goal + "\n```\n```cuda start\nstart\n```\n```cuda solution\nsolved\n```\n";
  }

  // The class's own lesson, open; its file is `ours()`.
  static std::filesystem::path ours() { return lesson::own_lessons_folder() / "ours.md"; }
  LessonsPanel* opened_ours(std::unique_ptr<MainWindow>& w, const std::string& text) {
    make_folders(lesson::own_lessons_folder());
    if (!write_file_atomic(ours(), text) || !(w = opened())) qFatal("no window with a lesson");
    panel_of(*w)->open("ours");
    return panel_of(*w);
  }

  void whatIsWrittenSurvivesItsLesson() {
    std::unique_ptr<MainWindow> w;
    LessonsPanel* panel = opened_ours(w, lesson_with_task("launches = 1"));
    auto* problem = child<QLabel>(panel, "lessons_problem");
    panel->findChild<TaskView*>()->editor()->set_code("// begun");
    QVERIFY(write_file_atomic(ours(), "no lesson"));
    QTRY_VERIFY(problem->isVisible());
    panel->show_list();
    QTRY_VERIFY(stored().find_draft("ours", 1) != nullptr);
    QVERIFY(write_file_atomic(ours(), lesson_with_task("launches = 1")));
    QTRY_VERIFY(!problem->isVisible());
    panel->open("ours");
    auto* editor = panel->findChild<TaskView*>()->editor();
    QCOMPARE(editor->text(), QString("// begun"));
    // A teacher's new version leaves the caret where one writes.
    editor->setFocus();
    editor->setCursorPosition(0, 5);
    QVERIFY(write_file_atomic(ours(), lesson_with_task("launches = 2")));
    QTRY_VERIFY(panel->findChild<TaskView*>()->task().goals.front().value == 2);
    editor = panel->findChild<TaskView*>()->editor();
    int line = 0, column = 0;
    editor->getCursorPosition(&line, &column);
    QVERIFY(editor->hasFocus() && column == 5);
    QCOMPARE(editor->text(), QString("// begun"));
  }

  void aPassHoldsForTheTaskAsItWas() {
    std::unique_ptr<MainWindow> w;
    LessonsPanel* panel = opened_ours(w, lesson_with_task("launches = 1"));
    panel->findChild<TaskView*>()->editor()->set_code("// good");
    press(*panel->findChild<TaskView*>(), "lesson_judge");
    QTRY_COMPARE(child<QLabel>(panel, "done_ours")->text(), QString("Passed"));
    QVERIFY(write_file_atomic(ours(), lesson_with_task("launches = 2")));
    QTRY_COMPARE(child<QLabel>(panel, "done_ours")->text(), QString("Not passed yet"));
    const auto said = [&] { return child<QLabel>(panel->findChild<TaskView*>(), "lesson_state")->text(); };
    QTRY_VERIFY2(said().contains("before the task was changed"), qPrintable(said()));
    press(*panel->findChild<TaskView*>(), "lesson_judge");
    QTRY_COMPARE(child<QLabel>(panel, "done_ours")->text(), QString("Passed"));
    // A verdict of the task as it was before is not one of the task that is seen.
    LessonOutcome earlier;
    earlier.judged.emplace().verdict.accepted = true;
    earlier.kernel = "// good";
    earlier.of = "another task";
    panel->findChild<TaskView*>()->show_outcome(earlier);
    QVERIFY2(said().startsWith("Of the task before it was changed:"), qPrintable(said()));
    auto* again = child<QPushButton>(panel->findChild<TaskView*>(), "lesson_passed");
    QVERIFY(!again->isVisible());
    panel->findChild<TaskView*>()->editor()->set_code("// good, and more");
    QVERIFY(again->isVisible());
  }

  // Another window, or a terminal, on the same progress.
  void aKernelThatAnotherWindowKeptIsTaken() {
    auto w = opened();
    QVERIFY(w);
    LessonsPanel* panel = panel_of(*w);
    panel->open("threads");
    auto* editor = panel->findChild<TaskView*>()->editor();
    const auto other_keeps = [](const char* kernel) {
      return lesson::change_progress(lesson::progress_file(), [&](lesson::Progress& p) {
        p.keep_draft({"threads", 1, kernel});
      });
    };
    QVERIFY(other_keeps("// of the other"));
    QTRY_COMPARE(editor->text(), QString("// of the other"));
    editor->set_code("// of the other, and mine");
    QTRY_VERIFY(stored().find_draft("threads", 1)->kernel == "// of the other, and mine");
    QVERIFY(other_keeps("// of all"));
    QTRY_COMPARE(editor->text(), QString("// of all"));
    editor->undo();
    QCOMPARE(editor->text(), QString("// of the other, and mine"));
  }

  // What is being written outlives the file of the progress, and a while in which it cannot be written.
  void progressOutlivesItsFile() {
    auto w = opened();
    QVERIFY(w);
    LessonsPanel* panel = panel_of(*w);
    panel->open("threads");
    auto* task = panel->findChild<TaskView*>();
    task->editor()->set_code("// good");
    press(*task, "lesson_judge");
    QTRY_COMPARE(stored().passed.size(), std::size_t{1});
    task->editor()->set_code("// begun");
    QTRY_VERIFY(stored().find_draft("threads", 1) != nullptr);
    QVERIFY(std::filesystem::remove(lesson::progress_file()));
    QTRY_VERIFY(stored().passed.size() == 1 && stored().find_draft("threads", 1)->kernel == "// begun");
    QCOMPARE(task->editor()->text(), QString("// begun"));
    const std::string before = read_file(lesson::progress_file()).value();
    auto* problem = child<QLabel>(panel, "lessons_problem");
    QVERIFY(write_file_atomic(lesson::progress_file(), "{\"passed\": [ trunc"));
    task->editor()->set_code("// begun, and more");
    task->keep_draft();
    QTRY_VERIFY(problem->isVisible() && problem->text().contains("not stored"));
    QVERIFY(write_file_atomic(lesson::progress_file(), before));
    QTRY_VERIFY(!problem->isVisible());
    QTRY_COMPARE(stored().find_draft("threads", 1)->kernel, std::string("// begun, and more"));
    QCOMPARE(task->editor()->text(), QString("// begun, and more"));
  }

  void resultsAreExported() {
    auto w = opened();
    QVERIFY(w);
    LessonsPanel* panel = panel_of(*w);
    const QString csv = folder_->filePath("results.csv"), json = folder_->filePath("results.json");
    panel->export_results(csv);
    QVERIFY(child<QLabel>(panel, "lessons_problem")->text().contains("no results yet") && !QFile::exists(csv));
    panel->open("threads");
    panel->findChild<QuestionView*>("lesson_question_1")->choices()[3]->click();
    panel->export_results(csv);
    panel->export_results(json);
    QCOMPARE(read_file(csv.toStdString()).value(),
             std::string("lesson,part,result,time,again\nthreads,question 1,right,,\n"));
    QVERIFY(read_file(json.toStdString()).value().find("\"question 1\"") != std::string::npos);
    panel->export_results(qs(lesson::progress_file().string()));
    QVERIFY(child<QLabel>(panel, "lessons_problem")->text().startsWith("That file holds your progress"));
    panel->export_results(folder_->path());
    QVERIFY(!child<QLabel>(panel, "lessons_problem")->text().startsWith("1 result in"));
  }

  // What a terminal wrote meanwhile is kept; a file that cannot be read is not written over.
  // A file that cannot be read is left as it is, and the lessons are there.
  void brokenProgressIsTold() {
    make_folders(lesson::progress_file().parent_path());
    QVERIFY(write_file_atomic(lesson::progress_file(), "{\"passed\": 3}"));
    auto w = opened();
    QVERIFY(w);
    auto* problem = child<QLabel>(w.get(), "lessons_problem");
    QTRY_VERIFY(problem->isVisible());
    QVERIFY2(problem->text().contains("is moved away"), qPrintable(problem->text()));
    LessonsPanel* panel = panel_of(*w);
    panel->lessons()->answer(panel->lessons()->all().front(), 1, 1);
    QTRY_VERIFY(problem->text().startsWith("Your progress was not stored"));
    QCOMPARE(read_file(lesson::progress_file()).value(), std::string("{\"passed\": 3}"));
  }

  void progressIsSharedWithTheTerminal() {
    auto w = opened();
    QVERIFY(w);
    LessonsPanel* panel = panel_of(*w);
    lesson::Progress terminal;
    terminal.pass({"warps", 1, "// of a terminal", "2026-01-01T00:00:00Z"});
    QVERIFY(lesson::write_progress(lesson::progress_file(), terminal));
    panel->open("threads");
    panel->findChild<QuestionView*>("lesson_question_1")->choices()[3]->click();
    QTRY_COMPARE(stored().answered.size(), std::size_t{1});
    QCOMPARE(stored().passed.size(), std::size_t{1});
    QFile file(QString::fromStdString(lesson::progress_file().string()));
    QVERIFY(file.open(QIODevice::WriteOnly) && file.write("{broken") > 0);
    file.close();
    panel->findChild<QuestionView*>("lesson_question_2")->choices()[2]->click();
    QTRY_VERIFY(child<QLabel>(panel, "lessons_problem")->text().startsWith("Your progress was not stored: "));
    const auto beside = lesson::unsaved_file();
    QCOMPARE(lesson::read_progress(beside).value().answered.size(), std::size_t{2});
    QVERIFY(file.open(QIODevice::ReadOnly));
    QCOMPARE(file.readAll(), QByteArray("{broken"));
  }
};

QTEST_MAIN(LessonsTest)
#include "lessons_test.moc"
