// SPDX-License-Identifier: GPL-3.0-or-later
// The stepper in the window, with the worker and the compiler: moves, breakpoints, inputs, and the way to it
// from a failing verdict and from a lesson.
#include <QComboBox>
#include <QLineEdit>
#include <QPushButton>
#include "panels/lessons/lessons_panel.h"
#include "panels/lessons/step_picture.h"
#include "panels/stepper/access_view.h"
#include "panels/stepper/lanes_view.h"
#include "panels/stepper/step_facts_view.h"
#include "parts/editor/code_editor.h"
#include "parts/theme/label.h"
#include "parts/theme/theme.h"
#include "widgets/stepped_panels.h"

using namespace ww;
using namespace ww::widgets;

namespace {

constexpr const char* endless =
    "//@ candidate relu\n"
    "//@ launch relu grid(R) block(32) args(x, y, C)\n"
    "extern \"C\" __global__ void relu(const float* x, float* y, int C) {\n"
    "  volatile int k = 0;\n"
    "  while (true) k = k + 1;\n"
    "}\n";
constexpr const char* wrong_softmax =
    "//@ candidate softmax\n"
    "//@ launch rows grid(R) block(32) args(x, y, C)\n"
    "extern \"C\" __global__ void rows(const float* x, float* y, int C) {\n"
    "  for (int c = threadIdx.x; c < C; c += 32) y[blockIdx.x * C + c] = x[blockIdx.x * C + c];\n"
    "}\n";
constexpr const char* part_softmax =  // the first 32 elements of a row only
    "//@ candidate softmax\n"
    "//@ launch rows grid(R) block(32) args(x, y, C)\n"
    "extern \"C\" __global__ void rows(const float* x, float* y, int C) {\n"
    "  if (threadIdx.x < C) y[blockIdx.x * C + threadIdx.x] = x[blockIdx.x * C + threadIdx.x];\n"
    "}\n";

}  // namespace

class StepperTest : public QObject, test::SteppedPanels {
  Q_OBJECT
 private slots:
  void initTestCase() { QVERIFY(load()); }

  // A kernel that never ends: the window goes on, and so does the stepper when it is told to stop.
  void aRunThatTakesLongIsStopped() {
    test::PanelFixture f;
    auto* panel = stepper(f, endless, "R = 1, C = 32");
    const std::int64_t recorded = panel->session()->at()->recorded;
    auto* halt = f.child<QToolButton>("step_halt");
    QVERIFY(!halt->isEnabled());
    f.child<QToolButton>("step_run")->click();
    QVERIFY(panel->session()->busy() && halt->isEnabled());
    QTRY_COMPARE(f.child<QLabel>("stepper_state")->text(), QString("It runs\u2026"));
    halt->click();
    QVERIFY(settled(panel));
    QCOMPARE(position(panel), std::int64_t{0});
    QVERIFY(f.child<QLabel>("stepper_state")->text().startsWith("Step 0 of"));
    QVERIFY(!halt->isEnabled());
    f.child<QToolButton>("step_run")->click();
    f.child<QToolButton>("step_forward")->click();  // instead
    QVERIFY(settled(panel));
    QCOMPARE(position(panel), std::int64_t{1});
    QVERIFY(panel->session()->at()->recorded > recorded);
  }

  void itStepsForwardsAndBack() {
    test::PanelFixture f;
    auto* panel = stepper(f, test::conflicting, "N = 20");
    QCOMPARE(position(panel), std::int64_t{0});
    QVERIFY(panel->session()->at()->recorded > 1000);  // the launch has run once
    QCOMPARE(f.child<QLineEdit>("stepper_sizes")->text(), QString("N = 20"));
    QCOMPARE(f.child<QComboBox>("stepper_warp")->count(), 9);
    press(f, panel, "step_forward");
    QCOMPARE(position(panel), std::int64_t{1});
    press(f, panel, "step_back");
    QCOMPARE(position(panel), std::int64_t{0});
    f.child<QComboBox>("stepper_warp")->setCurrentIndex(2);  // warp 1
    QVERIFY(settled(panel));
    std::vector<std::int64_t> lines{position(panel)};
    for (int i = 0; i < 4; ++i) {
      press(f, panel, "step_line");
      lines.push_back(position(panel));
      QVERIFY(lines[lines.size() - 1] > lines[lines.size() - 2]);
    }
    for (std::size_t i = lines.size() - 1; i-- > 1;) {
      press(f, panel, "step_line_back");
      QCOMPARE(position(panel), lines[i]);
    }
    press(f, panel, "step_barrier");
    QVERIFY(panel->facts()->step()->text().contains("threads at a barrier go on"));
    const std::int64_t barrier = position(panel);
    press(f, panel, "step_barrier");
    QVERIFY(position(panel) > barrier);
    press(f, panel, "step_barrier_back");
    QCOMPARE(position(panel), barrier);
    press(f, panel, "step_run");
    QVERIFY(panel->session()->at()->ended);
    press(f, panel, "step_back");
    press(f, panel, "step_forward");
    QVERIFY(panel->session()->at()->ended && !panel->session()->at()->steps.empty());
    press(f, panel, "step_forward");  // there is none: the last one stays in sight
    QVERIFY(panel->session()->at()->ended && !panel->session()->at()->steps.empty());
    press(f, panel, "step_begin");
    QCOMPARE(position(panel), std::int64_t{0});
  }

  void breakpointsAndTheCursorStopIt() {
    test::PanelFixture f;
    auto* panel = stepper(f, test::conflicting, "N = 20");
    panel->source()->go_to(15);
    press(f, panel, "step_breakpoint");
    QCOMPARE(panel->breakpoints(), (std::set<int>{15}));
    press(f, panel, "step_run");
    const auto line_next = [&] {
      for (const sim::WarpFacts& w : panel->session()->at()->warps)
        for (const sim::GroupFacts& g : w.groups)
          if (g.state == sim::GroupState::next) return g.line;
      return 0;
    };
    QCOMPARE(line_next(), 15);
    press(f, panel, "step_begin");
    panel->source()->go_to(12);
    press(f, panel, "step_cursor");
    QCOMPARE(line_next(), 12);
    panel->source()->go_to(1);  // a comment
    press(f, panel, "step_breakpoint");
    QCOMPARE(panel->breakpoints(), (std::set<int>{15}));
    QVERIFY(f.child<QLabel>("stepper_problem")->text().contains("no instruction"));
  }

  // Back over what stopped it on the way: breakpoints, findings, the cursor's line.
  void runsGoBack() {
    test::PanelFixture f;
    auto* panel = stepper(f, test::conflicting, "N = 20");
    panel->source()->go_to(12);
    press(f, panel, "step_breakpoint");
    std::vector<std::int64_t> stops{0};
    for (int i = 0; i < 4; ++i) {
      press(f, panel, "step_run");
      QVERIFY(position(panel) > stops.back());
      stops.push_back(position(panel));
    }
    for (std::size_t i = stops.size() - 1; i-- > 0;) {
      press(f, panel, "step_run_back");
      QCOMPARE(position(panel), stops[i]);
    }
    press(f, panel, "step_run_back");  // it is at the beginning
    QCOMPARE(position(panel), std::int64_t{0});
    press(f, panel, "step_breakpoint");
    QVERIFY(panel->breakpoints().empty());
    press(f, panel, "step_run");
    QVERIFY(panel->session()->at()->ended);
    panel->source()->go_to(15);
    press(f, panel, "step_cursor_back");
    const std::int64_t last = position(panel);
    QVERIFY(last > 0 && last < panel->session()->at()->recorded);
    press(f, panel, "step_cursor_back");
    QVERIFY(position(panel) < last);
    press(f, panel, "step_cursor");
    QCOMPARE(position(panel), last);
    panel->source()->go_to(1);  // a comment
    f.child<QToolButton>("step_cursor_back")->click();
    QTRY_VERIFY(f.child<QLabel>("stepper_problem")->text().contains("no instruction"));
    QCOMPARE(position(panel), last);
  }

  void aRunGoesBackToWhatACheckFound() {
    test::PanelFixture f;
    auto* panel = stepper(f, test::racy, "R = 1, C = 64");
    press(f, panel, "step_run");
    QCOMPARE(panel->session()->at()->arrival, sim::Arrival::found);
    const std::int64_t first = position(panel);
    const QString found = panel->facts()->found()->text();
    press(f, panel, "step_forward");
    QVERIFY(panel->facts()->found()->text() != found);
    press(f, panel, "step_run_back");
    QCOMPARE(position(panel), first);
    QCOMPARE(panel->session()->at()->arrival, sim::Arrival::found);
    QCOMPARE(panel->facts()->found()->text(), found);
    press(f, panel, "step_run_back");
    QCOMPARE(position(panel), std::int64_t{0});
  }

  void keysStep() {
    test::PanelFixture f;
    auto* panel = stepper(f, test::conflicting, "N = 20");
    const auto key = [&](const char* action) {
      f.context.registry->trigger(action);
      QVERIFY(settled(panel));
    };
    key("stepper.forward");
    key("stepper.forward");
    QCOMPARE(position(panel), std::int64_t{2});
    key("stepper.back");
    QCOMPARE(position(panel), std::int64_t{1});
    key("stepper.run");
    QVERIFY(panel->session()->at()->ended);
    key("stepper.run_back");
    QCOMPARE(position(panel), std::int64_t{0});
    QVERIFY(f.child<QToolButton>("step_back")->toolTip().contains("Shift+F8"));
    f.context.registry->set_key("stepper.back", QKeySequence("Ctrl+Alt+8"));
    QVERIFY(f.child<QToolButton>("step_back")->toolTip().contains("Ctrl+Alt+8"));
    f.context.registry->set_key("stepper.back", QKeySequence("Shift+F8"));
    panel->hide();
    key("stepper.forward");
    QCOMPARE(position(panel), std::int64_t{0});
  }

  void inputsAreChosen() {
    test::PanelFixture f;
    auto* panel = stepper(f, test::wide, "R = 1, C = 128");
    auto* inputs = f.child<QComboBox>("stepper_inputs");
    auto* seed = f.child<QLineEdit>("stepper_seed");
    QCOMPARE(inputs->currentText(), QString("normal"));
    QCOMPARE(seed->text(), QString("1"));
    QVERIFY(inputs->findText("huge") >= 0);
    const auto value = [&] {
      f.child<QLineEdit>("stepper_watch")->setText("thread 3 reads x[12]");
      f.child<QToolButton>("step_write")->click();
      return settled(panel) && !panel->session()->at()->steps.empty()
                 ? panel->session()->at()->steps.back().accesses.front().lanes[3].value
                 : std::string();
    };
    const std::string first = value();
    QVERIFY(!first.empty());
    seed->setText("7");
    f.child<QPushButton>("stepper_restart")->click();
    QVERIFY(settled(panel));
    QCOMPARE(panel->session()->launch()->subject.seed, std::uint64_t{7});
    QVERIFY(value() != first);
    inputs->setCurrentText("constant");
    emit inputs->activated(inputs->currentIndex());
    QVERIFY(settled(panel));
    QCOMPARE(value(), std::string("0000803f0000803f0000803f0000803f"));
    seed->setText("many");
    f.child<QPushButton>("stepper_restart")->click();
    QVERIFY(f.child<QLabel>("stepper_problem")->text().contains("not many"));
    QCOMPARE(panel->session()->launch()->subject.seed, std::uint64_t{7});  // what was stepped through remains
  }

  void theElementsWriterIsFound() {
    test::PanelFixture f;
    auto* panel = stepper(f, test::conflicting, "N = 20");
    f.child<QLineEdit>("stepper_watch")->setText("y[21]");
    press(f, panel, "step_write");
    QCOMPARE(panel->session()->at()->steps.back().line, 15);
    const std::int64_t written = position(panel);
    press(f, panel, "step_run");
    press(f, panel, "step_write_back");
    QCOMPARE(position(panel), written);
    f.child<QToolButton>("step_begin")->click();
    QVERIFY(settled(panel));
    f.child<QLineEdit>("stepper_watch")->setText("y[21]");
    QTest::keyClick(f.child<QLineEdit>("stepper_watch"), Qt::Key_Return);
    QVERIFY(settled(panel));
    QCOMPARE(position(panel), written);
    f.child<QLineEdit>("stepper_watch")->setText("y");
    f.child<QToolButton>("step_write")->click();
    QVERIFY(f.child<QLabel>("stepper_problem")->isVisible());
  }

  // A candidate whose y[2, 33] is wrong.
  static std::shared_ptr<CandidateView> rejected(const char* text) {
    auto view = std::make_shared<CandidateView>();
    view->record.text = text;
    view->record.title = "Wrong";
    evidence::Verdict verdict;
    evidence::StageResult stage;
    stage.stage = evidence::Stage::cases;
    stage.outcome = evidence::Outcome::failed;
    stage.failure.emplace();
    stage.failure->case_name = "default";
    stage.failure->binding.symbols = {{"R", 3}, {"C", 40}};
    stage.failure->seed = 5;
    stage.failure->element.emplace();
    stage.failure->element->tensor = "y";
    stage.failure->element->index = {2, 33};
    verdict.stages.push_back(stage);
    view->record.verdict = verdict;
    return view;
  }

  void anElementThatIsNeverWrittenIsSaid() {
    test::PanelFixture f;
    QVERIFY(f.open());
    QVERIFY(f.run(1));
    auto* panel = f.show(new StepperPanel(f.context));
    panel->show_candidate(rejected(part_softmax));
    QVERIFY(settled(panel));
    f.child<QPushButton>("stepper_wrong")->click();
    QVERIFY(settled(panel));
    QVERIFY2(f.child<QLabel>("stepper_problem")->text().contains("No thread writes the wrong element"),
             qPrintable(f.child<QLabel>("stepper_problem")->text()));
    QVERIFY(f.child<QLabel>("stepper_problem")->isVisible());
    QCOMPARE(position(panel), std::int64_t{0});
    QCOMPARE(f.child<QLineEdit>("stepper_seed")->text(), QString("5"));  // the inputs are those of the failure
    press(f, panel, "step_forward");                                     // and it can be stepped through
    QCOMPARE(position(panel), std::int64_t{1});
  }

  void aFailingVerdictLeadsToTheWrite() {
    test::PanelFixture f;
    QVERIFY(f.open());
    QVERIFY(f.run(1));
    auto* panel = f.show(new StepperPanel(f.context));
    panel->show_candidate(rejected(wrong_softmax));
    QVERIFY(settled(panel));
    QVERIFY(f.child<QPushButton>("stepper_wrong")->isVisible());
    f.child<QPushButton>("stepper_wrong")->click();
    QVERIFY(settled(panel));
    const sim::StepFacts& step = panel->session()->at()->steps.back();
    QCOMPARE(step.block, (std::vector<std::uint32_t>{2, 0, 0}));
    QCOMPARE(step.line, 4);
    QCOMPARE(step.accesses.front().kind, simt::AccessKind::write);
    const auto writes = [](const sim::LaneAccess& l) { return l.buffer == "y" && l.offset == 4 * (2 * 40 + 33); };
    const auto wrong = std::ranges::find_if(step.accesses.front().lanes, writes);
    QVERIFY(wrong != step.accesses.front().lanes.end());
    // Its lane is marked, with what it wrote and what was expected; the marked line is that of the write.
    QCOMPARE(panel->facts()->lanes()->marked(), static_cast<int>(wrong->lane));
    const QString told = f.child<QLabel>("stepper_problem")->text();
    QVERIFY2(told.startsWith(QString("Lane %1 writes the wrong element here: y[2, 33] is ").arg(wrong->lane)),
             qPrintable(told));
    QCOMPARE(f.child<QLineEdit>("stepper_block")->text(), QString("2, 0, 0"));
  }

  void whatCannotBeSteppedIsSaid() {
    test::PanelFixture f;
    auto* panel = f.show(new StepperPanel(f.context));
    stepping::SteppedLaunch broken = subject(test::conflicting, "N = 20");
    broken.candidate += "syntax error\n";
    panel->step_through(broken, {}, "Broken");
    QVERIFY(QTest::qWaitFor([&] { return !panel->session()->busy(); }, 60000));
    const auto labels = panel->findChildren<QLabel*>();
    QVERIFY(std::ranges::any_of(labels, [](const QLabel* l) {
      return l->isVisible() && l->text().startsWith("It cannot be stepped through");
    }));
    // It can be corrected where it is: the text is there, and so is what was asked for.
    QVERIFY(panel->source()->text().contains("syntax error"));
    QCOMPARE(f.child<QLineEdit>("stepper_sizes")->text(), QString("N = 20"));
    QVERIFY(f.child<QPushButton>("stepper_restart")->isVisible() && !panel->facts()->isVisible());
    QVERIFY(!f.child<QToolButton>("step_forward")->isEnabled());
    QVERIFY(opened(panel, test::conflicting, "N = 20"));
    QVERIFY(panel->facts()->isVisible() && panel->facts()->width() > panel->width() / 3);
    QVERIFY(f.child<QToolButton>("step_forward")->isEnabled());
    f.child<QLineEdit>("stepper_block")->setText("99, 0, 0");
    f.child<QPushButton>("stepper_restart")->click();
    QVERIFY(QTest::qWaitFor([&] { return !panel->session()->busy(); }, 60000));
    QVERIFY(f.child<QLabel>("stepper_problem")->text().startsWith("It cannot be stepped through"));
    QCOMPARE(f.child<QLineEdit>("stepper_block")->text(), QString("99, 0, 0"));
    f.child<QLineEdit>("stepper_block")->setText("0, 0, 0");
    f.child<QPushButton>("stepper_restart")->click();
    QVERIFY(settled(panel));
    f.child<QLineEdit>("stepper_sizes")->setText("N = 100000");
    f.child<QPushButton>("stepper_restart")->click();
    QVERIFY(QTest::qWaitFor([&] { return !panel->session()->busy(); }, 60000));
    QVERIFY2(f.child<QLabel>("stepper_problem")->text().contains("too large at these sizes"),
             qPrintable(f.child<QLabel>("stepper_problem")->text()));
    f.child<QLineEdit>("stepper_sizes")->setText("N = many");
    f.child<QPushButton>("stepper_restart")->click();
    QVERIFY(f.child<QLabel>("stepper_problem")->text().contains("many"));
    f.child<QLineEdit>("stepper_sizes")->setText("N = 33");
    f.child<QPushButton>("stepper_restart")->click();
    QVERIFY(settled(panel));
    QCOMPARE(panel->session()->launch()->prepared.binding.symbols.at("N"), std::int64_t{33});
  }

  void aLessonsPictureLeadsOn() {
    test::PanelFixture f;
    auto* panel = f.show(new LessonsPanel(f.context));
    QVERIFY(QTest::qWaitFor([&] { return !panel->lessons()->all().empty(); }, 20000));
    panel->open("padding");
    auto* picture = panel->findChild<StepPicture*>();
    QVERIFY(picture);
    QVERIFY(QTest::qWaitFor([&] { return picture->drawn(); }, 60000));
    QVERIFY(picture->access()->of_banks());
    QCOMPARE(picture->access()->boxes(), 32);
    f.window.resize(1000, 700);
    QSignalSpy wanted(panel, &LessonsPanel::step_wanted);
    picture->button()->click();
    QCOMPARE(wanted.size(), 1);
  }
};

QTEST_MAIN(StepperTest)
#include "stepper_test.moc"
