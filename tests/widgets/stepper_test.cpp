// SPDX-License-Identifier: GPL-3.0-or-later
// The stepper in the window, with the worker and the compiler: moves, breakpoints, what is drawn, and the way to it
// from a failing verdict and from a lesson.
#include <QComboBox>
#include <QLineEdit>
#include <QPushButton>
#include <QToolButton>
#include "base/files.h"
#include "op/sentence/phrasebook.h"
#include "panels/lessons/lessons_panel.h"
#include "panels/lessons/step_picture.h"
#include "panels/stepper/access_view.h"
#include "panels/stepper/lanes_view.h"
#include "panels/stepper/step_facts_view.h"
#include "panels/stepper/stepper_panel.h"
#include "panels/stepper/warp_timeline.h"
#include "parts/editor/code_editor.h"
#include "parts/editor/listing_view.h"
#include "parts/theme/label.h"
#include "parts/theme/theme.h"
#include "widgets/panel_fixture.h"

using namespace ww;
using namespace ww::widgets;

namespace {

constexpr const char* tiled =
    "//@ candidate square_matmul\n"
    "//@ launch product grid(ceildiv(N, 16), ceildiv(N, 16)) block(16, 16) args(a, b, y, N)\n"
    "extern \"C\" __global__ void product(const float* a, const float* b, float* y, int N) {\n"
    "  __shared__ float as[16][16], bs[16][16];\n"
    "  const int tx = threadIdx.x, ty = threadIdx.y;\n"
    "  const int j = blockIdx.x * 16 + tx, i = blockIdx.y * 16 + ty;\n"
    "  float sum = 0;\n"
    "  for (int k0 = 0; k0 < N; k0 += 16) {\n"
    "    as[tx][ty] = i < N && k0 + tx < N ? a[i * N + k0 + tx] : 0.0f;\n"
    "    bs[ty][tx] = j < N && k0 + ty < N ? b[(k0 + ty) * N + j] : 0.0f;\n"
    "    __syncthreads();\n"
    "    for (int k = 0; k < 16; ++k) sum += as[k][ty] * bs[k][tx];\n"
    "    __syncthreads();\n"
    "  }\n"
    "  if (i < N && j < N) y[i * N + j] = sum;\n"
    "}\n";
constexpr const char* racy =
    "//@ candidate sum\n"
    "//@ launch sums grid(R) block(64) args(x, y, C)\n"
    "extern \"C\" __global__ void sums(const float* x, float* y, int C) {\n"
    "  __shared__ float part[64];\n"
    "  const int t = threadIdx.x;\n"
    "  float s = 0;\n"
    "  for (int c = t; c < C; c += 64) s += x[blockIdx.x * C + c];\n"
    "  part[t] = s;\n"
    "  part[63 - t] += s;\n"
    "  __syncthreads();\n"
    "  if (t == 0) y[blockIdx.x] = part[0];\n"
    "}\n";
constexpr const char* too_early =
    "//@ candidate sum\n"
    "//@ launch sums grid(R) block(64) args(x, y, C)\n"
    "extern \"C\" __global__ void sums(const float* x, float* y, int C) {\n"
    "  __shared__ float part[64];\n"
    "  const int t = threadIdx.x;\n"
    "  part[t] = x[blockIdx.x * C + t];\n"
    "  if (t == 0) y[blockIdx.x] = part[0] + part[63];\n"
    "}\n";
constexpr const char* beyond =
    "//@ candidate sum\n"
    "//@ launch sums grid(R) block(64) args(x, y, C)\n"
    "extern \"C\" __global__ void sums(const float* x, float* y, int C) {\n"
    "  if (threadIdx.x == 0) y[blockIdx.x] = x[C * gridDim.x + 2];\n"
    "}\n";
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

}  // namespace

class StepperTest : public QObject {
  Q_OBJECT
  std::optional<op::Library> library_;

  stepping::Subject subject(const char* text, const std::string& sizes) {
    stepping::Subject s;
    s.candidate = text;
    const op::LibraryOp* const op = library_->find(candidate::named_op(text));
    s.spec = read_file(op->file).value();
    s.binding = stepping::sizes_of(sizes, op->spec).value();
    return s;
  }
  static bool settled(StepperPanel* panel) {
    return QTest::qWaitFor([&] { return !panel->session()->busy() && panel->session()->at(); }, 60000);
  }
  bool opened(StepperPanel* panel, const char* text, const std::string& sizes, const StepStart& start = {}) {
    panel->step_through(subject(text, sizes), start, "A kernel");
    return settled(panel);
  }
  static void press(test::PanelFixture& f, StepperPanel* panel, const char* name) {
    f.child<QToolButton>(name)->click();
    QVERIFY(settled(panel));
  }
  static std::int64_t position(StepperPanel* panel) { return panel->session()->at()->position; }

 private slots:
  void initTestCase() {
    auto library = op::Library::load(resources_dir() / "ops");
    QVERIFY(library);
    library_ = std::move(*library);
    Theme::instance().apply("light");
  }

  // A kernel that never ends: the window goes on, and so does the stepper when it is told to stop.
  void aRunThatTakesLongIsStopped() {
    test::PanelFixture f;
    auto* panel = f.show(new StepperPanel(f.context));
    QVERIFY(opened(panel, endless, "R = 1, C = 32"));
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

  void warpsAtOnePlaceAreNamedTogether() {
    std::vector<sim::WarpFacts> warps(5);
    for (std::size_t i = 0; i < warps.size(); ++i) {
      warps[i].warp = static_cast<std::uint32_t>(i);
      warps[i].groups.push_back({"ffffffff", sim::GroupState::ready, i == 2 ? 9 : 12});
    }
    warps[4].state = sim::WarpState::ended;
    warps[4].groups.clear();
    QCOMPARE(warp_sentences(warps), QStringList({"Warps 0 to 1: all lanes at line 12", "Warp 2: all lanes at line 9",
                                                 "Warp 3: all lanes at line 12", "Warp 4: ended"}));
  }

  void itStepsForwardsAndBack() {
    test::PanelFixture f;
    auto* panel = f.show(new StepperPanel(f.context));
    QVERIFY(opened(panel, tiled, "N = 20"));
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
    press(f, panel, "step_begin");
    QCOMPARE(position(panel), std::int64_t{0});
  }

  void breakpointsAndTheCursorStopIt() {
    test::PanelFixture f;
    auto* panel = f.show(new StepperPanel(f.context));
    QVERIFY(opened(panel, tiled, "N = 20"));
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

  void conflictsSectorsAndLanesAreDrawn() {
    test::PanelFixture f;
    auto* panel = f.show(new StepperPanel(f.context));
    f.window.resize(1280, 800);
    QVERIFY(opened(panel, tiled, "N = 20"));
    f.child<QComboBox>("stepper_warp")->setCurrentIndex(1);  // warp 0
    QVERIFY(settled(panel));
    bool global = false, shared = false;
    for (int i = 0; i < 120 && !(global && shared); ++i) {
      press(f, panel, "step_forward");
      const sim::Trace& t = *panel->session()->at();
      if (t.steps.empty() || t.steps.back().accesses.empty()) continue;
      const sim::SpaceAccess& a = t.steps.back().accesses.front();
      const AccessView* const view = panel->facts()->accesses().front();
      QVERIFY(view->isVisible());
      QCOMPARE(view->of_banks(), a.space == "shared");
      std::size_t lanes = 0;
      for (const AccessView::Piece& p : view->pieces()) lanes += p.lanes.size();
      QCOMPARE(lanes, a.lanes.size());  // of 4 bytes each
      if (a.space == "shared") {
        QCOMPARE(view->boxes(), static_cast<int>(a.wavefronts));
        shared = shared || a.conflicts > 0;
        if (a.conflicts > 0) f.picture("stepper-banks");
      } else {
        QCOMPARE(view->boxes(), static_cast<int>(a.sectors));
        if (!global) f.picture("stepper-sectors");
        global = true;
      }
    }
    QVERIFY(global && shared);
    QCOMPARE(panel->facts()->lanes()->shown().exist, ~0u);
    auto* registers = panel->facts()->registers();
    QVERIFY(registers->count() > 5);
    registers->setCurrentIndex(registers->count() - 1);
    QCOMPARE(panel->facts()->lanes()->shown().values.size(), qsizetype{32});
  }

  void theElementsWriterIsFound() {
    test::PanelFixture f;
    auto* panel = f.show(new StepperPanel(f.context));
    QVERIFY(opened(panel, tiled, "N = 20"));
    f.child<QLineEdit>("stepper_watch")->setText("y[21]");
    press(f, panel, "step_write");
    QCOMPARE(panel->session()->at()->steps.back().line, 15);
    const std::int64_t written = position(panel);
    press(f, panel, "step_run");
    press(f, panel, "step_write_back");
    QCOMPARE(position(panel), written);
    f.child<QLineEdit>("stepper_watch")->setText("y");
    f.child<QToolButton>("step_write")->click();
    QVERIFY(f.child<QLabel>("stepper_problem")->isVisible());
  }

  void aRaceStopsWithBothSides() {
    test::PanelFixture f;
    auto* panel = f.show(new StepperPanel(f.context));
    QVERIFY(opened(panel, racy, "R = 1, C = 64"));
    QString found;
    for (int i = 0; i < 4 && !found.contains("first:"); ++i) {
      press(f, panel, "step_run");
      QCOMPARE(panel->session()->at()->arrival, sim::Arrival::found);
      found = panel->facts()->found()->text();
      QVERIFY(panel->facts()->found()->isVisible());
    }
    QVERIFY2(found.contains("this:") && found.contains("first:"), qPrintable(found));
    f.window.resize(1000, 700);
    f.picture("stepper-race");
  }

  void aReadBeforeTheWriteShowsWhoWrites() {
    test::PanelFixture f;
    auto* panel = f.show(new StepperPanel(f.context));
    QVERIFY(opened(panel, too_early, "R = 1, C = 64"));
    QString found;
    for (int i = 0; i < 4 && !found.contains("never written"); ++i) {
      press(f, panel, "step_run");
      QCOMPARE(panel->session()->at()->arrival, sim::Arrival::found);
      found = panel->facts()->found()->text();
    }
    QVERIFY2(found.contains("this: thread (0, 0, 0), line 7"), qPrintable(found));
    QVERIFY2(found.contains("written later, at step ") && found.contains("thread (63, 0, 0), line 6"),
             qPrintable(found));
    QVERIFY2(found.contains("no barrier lies before the read"), qPrintable(found));
  }

  void anAccessOutOfBoundsShowsTheBuffer() {
    test::PanelFixture f;
    auto* panel = f.show(new StepperPanel(f.context));
    QVERIFY(opened(panel, beyond, "R = 2, C = 64"));
    press(f, panel, "step_run");
    QCOMPARE(panel->session()->at()->arrival, sim::Arrival::found);
    const QString found = panel->facts()->found()->text();
    QVERIFY2(found.contains("this: thread (0, 0, 0), line 4"), qPrintable(found));
    QVERIFY2(found.contains("x has bytes 0 to 511 (128 elements of f32); the access begins at byte 520"),
             qPrintable(found));
  }

  void theTimelineIsScrubbed() {
    test::PanelFixture f;
    auto* panel = f.show(new StepperPanel(f.context));
    QVERIFY(opened(panel, tiled, "N = 20"));
    auto* time = f.child<WarpTimeline>("stepper_time");
    QCOMPARE(time->shown().warps.size(), std::size_t{8});
    const QPoint middle(time->width() / 2, time->height() / 2);
    QTest::mouseClick(time->viewport(), Qt::LeftButton, {}, middle);
    QVERIFY(settled(panel));
    QCOMPARE(position(panel), time->position_at(middle.x()));
    QVERIFY(position(panel) > 100);
    // Warp 0 waits at the first barrier while the others come to it.
    const sim::WarpTime& first = time->shown().warps[0];
    const auto waits = std::ranges::find_if(first.waits, [](int n) { return n > 0; }) - first.waits.begin();
    QVERIFY(waits < static_cast<std::ptrdiff_t>(first.waits.size()));
    const int x = static_cast<int>((static_cast<double>(waits) + 1.5) * (time->viewport()->width() - 2) /
                                   static_cast<double>(first.waits.size()));
    QVERIFY(time->waits_at(0, x));
    QVERIFY(time->tip_at({x, 1}).contains("warp 0, waiting at a barrier"));
    QVERIFY(!time->waits_at(8, x));
    const int last = time->viewport()->width() - 3;  // no barrier is left there
    QVERIFY(!time->waits_at(0, last) && !time->tip_at({last, 1}).contains("waiting at"));
  }

  void aFailingVerdictLeadsToTheWrite() {
    test::PanelFixture f;
    QVERIFY(f.open());
    QVERIFY(f.run(1));
    auto* panel = f.show(new StepperPanel(f.context));
    auto view = std::make_shared<CandidateView>();
    view->record.text = wrong_softmax;
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
    panel->show_candidate(view);
    QVERIFY(settled(panel));
    QVERIFY(f.child<QPushButton>("stepper_wrong")->isVisible());
    f.child<QPushButton>("stepper_wrong")->click();
    QVERIFY(settled(panel));
    const sim::StepFacts& step = panel->session()->at()->steps.back();
    QCOMPARE(step.block, (std::vector<std::uint32_t>{2, 0, 0}));
    QCOMPARE(step.line, 4);
    QCOMPARE(step.accesses.front().kind, std::string("write"));
    const auto writes = [](const sim::LaneAccess& l) { return l.buffer == "y" && l.offset == 4 * (2 * 40 + 33); };
    QVERIFY(std::ranges::any_of(step.accesses.front().lanes, writes));
    QCOMPARE(f.child<QLineEdit>("stepper_block")->text(), QString("2, 0, 0"));
  }

  void whatCannotBeSteppedIsSaid() {
    test::PanelFixture f;
    auto* panel = f.show(new StepperPanel(f.context));
    stepping::Subject broken = subject(tiled, "N = 20");
    broken.candidate += "syntax error\n";
    panel->step_through(broken, {}, "Broken");
    QVERIFY(QTest::qWaitFor([&] { return !panel->session()->busy(); }, 60000));
    const auto labels = panel->findChildren<QLabel*>();
    QVERIFY(std::ranges::any_of(labels, [](const QLabel* l) {
      return l->isVisible() && l->text().startsWith("It cannot be stepped through");
    }));
    QVERIFY(opened(panel, tiled, "N = 20"));
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

  void picturesInThreeThemes() {
    test::PanelFixture f;
    auto* panel = f.show(new StepperPanel(f.context));
    StepStart start;
    start.position = 440;
    for (const char* theme : {"light", "dark", "high-contrast"}) {
      Theme::instance().apply(theme);
      for (const QSize size : {QSize(1000, 700), QSize(1280, 800), QSize(2560, 1440)}) {
        f.window.resize(size);
        if (!panel->session()->at()) QVERIFY(opened(panel, tiled, "N = 32", start));
        f.picture(QString("stepper-%1-%2").arg(theme).arg(size.width()));
      }
    }
    Theme::instance().apply("light");
  }
};

QTEST_MAIN(StepperTest)
#include "stepper_test.moc"
