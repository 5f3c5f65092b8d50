// SPDX-License-Identifier: GPL-3.0-or-later
// The stepper in a class room, with the worker and the compiler: variables, live registers, the spec's element,
// predictions, moments as files, the memory lens, and two candidates side by side.
#include <QComboBox>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QSlider>
#include "base/files.h"
#include "panels/lens/lens_panel.h"
#include "panels/lens/lens_view.h"
#include "panels/stepper/divergence_view.h"
#include "panels/stepper/lanes_view.h"
#include "panels/stepper/prediction_card.h"
#include "panels/stepper/side_by_side_panel.h"
#include "panels/stepper/step_facts_view.h"
#include "parts/editor/code_editor.h"
#include "parts/theme/label.h"
#include "parts/theme/theme.h"
#include "stepping/moment.h"
#include "widgets/stepped_panels.h"

using namespace ww;
using namespace ww::widgets;

namespace {

constexpr const char* row_sums =
    "//@ candidate sum\n"
    "//@ launch sums grid(R) block(32) args(x, y, C)\n"
    "extern \"C\" __global__ void sums(const float* x, float* y, int C) {\n"
    "  const int lane = threadIdx.x;\n"
    "  float total = 0;\n"
    "  for (int c = lane; c < C; c += 32) total += x[blockIdx.x * C + c];\n"
    "  for (int d = 16; d > 0; d /= 2) total += __shfl_xor_sync(0xffffffffu, total, d);\n"
    "  if (lane == 0) y[blockIdx.x] = total;\n"
    "}\n";
constexpr const char* thread_sums =
    "//@ candidate sum\n"
    "//@ launch sums grid(ceildiv(R, 32)) block(32) args(x, y, R, C)\n"
    "extern \"C\" __global__ void sums(const float* x, float* y, int R, int C) {\n"
    "  const int r = blockIdx.x * 32 + threadIdx.x;\n"
    "  if (r >= R) return;\n"
    "  float total = 0;\n"
    "  for (int c = 0; c < C; ++c) total += x[r * C + c];\n"
    "  y[r] = total;\n"
    "}\n";

}  // namespace

class ClassroomTest : public QObject, test::SteppedPanels {
  Q_OBJECT
 private slots:
  void initTestCase() { QVERIFY(load()); }

  void variablesHaveTheirNames() {
    test::PanelFixture f;
    auto* panel = stepper(f, row_sums, "R = 2, C = 40");
    QVERIFY(panel->session()->at()->variables.empty());  // optimised
    press(f, panel, "step_debug");
    QVERIFY(f.child<QToolButton>("step_debug")->isChecked());
    f.child<QLineEdit>("stepper_watch")->setText("thread 5 total changes");
    press(f, panel, "step_write");
    const sim::Trace& t = *panel->session()->at();
    QCOMPARE(t.arrival, sim::Arrival::there);
    const auto variable = [&](const char* name) {
      const auto at = std::ranges::find(t.variables, std::string(name), &sim::VariableFacts::name);
      return at == t.variables.end() ? std::string("absent") : at->values[5];
    };
    QCOMPARE(variable("lane"), std::string("5"));
    QCOMPARE(variable("C"), std::string("40"));
    QVERIFY(variable("total") != "absent" && !variable("total").empty());
    auto* shown = panel->facts()->registers();
    QVERIFY(shown->findText("lane (const int)") > 0);
    shown->setCurrentIndex(shown->findText("lane (const int)"));
    QCOMPARE(panel->facts()->lanes()->shown().values[7], QString("7"));
    f.window.resize(1280, 800);
    f.picture("stepper-variables");
    f.child<QLineEdit>("stepper_watch")->setText("nothing changes");
    f.child<QToolButton>("step_write")->click();
    QTRY_VERIFY_WITH_TIMEOUT(f.child<QLabel>("stepper_problem")->isVisible(), 60000);
    QVERIFY(f.child<QLabel>("stepper_problem")->text().contains("no variable or register 'nothing'"));
  }

  void registersSpeakCudaAndTheSpecFollows() {
    test::PanelFixture f;
    auto* panel = stepper(f, row_sums, "R = 2, C = 40");
    f.child<QLineEdit>("stepper_watch")->setText("thread 3 reads x[3]");
    press(f, panel, "step_write");
    const sim::Trace& t = *panel->session()->at();
    QCOMPARE(t.arrival, sim::Arrival::there);
    QVERIFY(t.live && !t.live->registers.empty() && t.live->most_words >= t.live->words);
    QVERIFY(panel->facts()->live()->text().contains("threadIdx.x"));
    QVERIFY(panel->facts()->totals()->text().contains("sector"));
    QCOMPARE(panel->facts()->divergence()->groups().size(), t.warps[0].groups.size());
    // Lane 3 reads an element of x; what it works on is the row's sum.
    QTest::mouseClick(panel->facts()->lanes()->viewport(), Qt::LeftButton, {},
                      panel->facts()->lanes()->cell(3).center().toPoint());
    QVERIFY(settled(panel->session()));
    QVERIFY2(panel->facts()->element()->text().startsWith("Lane 3 reads x[0, 3]"),
             qPrintable(panel->facts()->element()->text()));
    QTest::mouseClick(panel->facts()->lanes()->viewport(), Qt::LeftButton, {},
                      panel->facts()->lanes()->cell(0).center().toPoint());
    QVERIFY(settled(panel->session()));
    QVERIFY2(panel->facts()->element()->text().contains("works on y[0] = sum(c) x[0, c]"),
             qPrintable(panel->facts()->element()->text()));
    f.window.resize(1280, 800);
    f.picture("stepper-element");
  }

  void predictionsAreAskedFirst() {
    test::PanelFixture f;
    auto* panel = stepper(f, row_sums, "R = 2, C = 40");
    f.child<QToolButton>("step_predict")->click();
    PredictionCard* card = panel->prediction();
    for (int i = 0; i < 60 && !card->question()->text().contains("sectors"); ++i) {
      press(f, panel, "step_forward");
      if (!card->isVisible()) continue;
      QVERIFY(!panel->facts()->isVisible());
    }
    QVERIFY2(card->question()->text().contains("to x move?"), qPrintable(card->question()->text()));
    f.picture("stepper-prediction");
    QTest::keyClicks(card->answer(), "4");
    QTest::keyClick(card->answer(), Qt::Key_Return);
    QCOMPARE(card->verdict()->text(), QString("Right: 4."));
    QVERIFY(!panel->facts()->isVisible());
    card->button()->click();
    QVERIFY(panel->facts()->isVisible() && !card->isVisible());
    QVERIFY(panel->facts()->step()->text().contains("ld.global"));
    press(f, panel, "step_back");  // nothing is asked on the way back
    QVERIFY(!card->isVisible());
    press(f, panel, "step_forward");
    QTest::keyClicks(card->answer(), "31");
    card->button()->click();
    QCOMPARE(card->verdict()->text(), QString("No: 4."));
    QCOMPARE(f.child<QLabel>("prediction_score")->text(), QString("1 of 2 predictions were right."));
    f.child<QToolButton>("step_predict")->click();
    QVERIFY(!card->isVisible() && panel->facts()->isVisible());
  }

  void aMomentIsTheSameElsewhere() {
    test::PanelFixture f;
    auto* panel = stepper(f, row_sums, "R = 3, C = 50", {{1, 0, 0}, 20, {}, {}});
    const QString file = f.folder.filePath("here.wwmoment");
    QSignalSpy saved(panel, &StepperPanel::told);
    panel->save_moment(file);
    QTRY_COMPARE_WITH_TIMEOUT(saved.size(), 1, 60000);
    const auto moment = stepping::read_moment(file.toStdString());
    QVERIFY2(moment, moment ? "" : moment.error().text().c_str());
    QCOMPARE(moment->position, std::int64_t{20});
    QCOMPARE(moment->block, (std::vector<std::int64_t>{1, 0, 0}));
    QCOMPARE(moment->state.size(), std::size_t{16});
    test::PanelFixture other;
    auto* there = other.show(new StepperPanel(other.context));
    there->open_moment(file);
    QVERIFY(settled(there->session()));
    QCOMPARE(position(there), std::int64_t{20});
    QCOMPARE(there->session()->at()->state, moment->state);
    QVERIFY(!other.child<QLabel>("stepper_problem")->isVisible());
    QCOMPARE(there->facts()->step()->text(), panel->facts()->step()->text());
    // Another state is said to be one; what is no moment is refused, and nothing is lost.
    stepping::Moment changed = *moment;
    changed.state = "0123456789abcdef";
    QVERIFY(stepping::write_moment(f.folder.filePath("changed.wwmoment").toStdString(), changed));
    there->open_moment(f.folder.filePath("changed.wwmoment"));
    QTRY_VERIFY_WITH_TIMEOUT(other.child<QLabel>("stepper_problem")->text().contains("differs from the saved one"),
                             60000);
    QVERIFY(write_file_atomic(f.folder.filePath("none.wwmoment").toStdString(), "{\"version\": 1}"));
    there->open_moment(f.folder.filePath("none.wwmoment"));
    QVERIFY(other.child<QLabel>("stepper_problem")->text().contains("is no moment of a kernel"));
    QCOMPARE(position(there), std::int64_t{20});
  }

  void theLensShowsABufferOverTheLaunch() {
    test::PanelFixture f;
    auto* panel = f.show(new StepperPanel(f.context));
    auto* lens = f.show(new LensPanel(f.context, panel->session()));
    QSignalSpy looked(lens, &LensPanel::looked_done);
    QVERIFY(opened(panel, row_sums, "R = 4, C = 40", {{}, 0, {}, {}}));
    QTRY_VERIFY_WITH_TIMEOUT(looked.size() > 0, 60000);
    QCOMPARE(f.child<QComboBox>("lens_buffer")->currentText(), QString("y"));
    QCOMPARE(lens->lens()->writes, std::vector<std::int64_t>(4, 1));
    QVERIFY(lens->has_errors());
    auto* shows = f.child<QComboBox>("lens_shows");
    shows->setCurrentIndex(shows->findData("error"));
    const auto within = [](picture::Colour c) { return c != picture::nothing && c.green >= c.red; };  // white to green
    QVERIFY(std::ranges::all_of(lens->view()->colours(), within));
    // A kernel whose last row is wrong by little more than the bound: amber there, and nowhere else.
    std::string slightly = row_sums;
    slightly.replace(slightly.find("= total;"), 8, "= blockIdx.x == 3 ? total * 1.001f : total;");
    looked.clear();
    QVERIFY(opened(panel, slightly.c_str(), "R = 4, C = 40", {{}, 0, {}, {}}));
    QTRY_VERIFY_WITH_TIMEOUT(looked.size() > 0 && lens->has_errors(), 60000);
    shows->setCurrentIndex(shows->findData("error"));
    const auto colours = lens->view()->colours();
    QCOMPARE(std::ranges::count_if(colours, within), std::ptrdiff_t{3});
    QVERIFY(!within(colours[3]) && colours[3].red > colours[3].green);
    looked.clear();
    auto* buffers = f.child<QComboBox>("lens_buffer");
    buffers->setCurrentIndex(buffers->findText("x"));
    QTRY_VERIFY_WITH_TIMEOUT(looked.size() > 0, 60000);
    QCOMPARE(lens->lens()->reads, std::vector<std::int64_t>(160, 1));
    QVERIFY(f.child<QLabel>("lens_legend")->text().contains("has no reference"));
    shows->setCurrentIndex(shows->findData("reads"));
    auto* frames = f.child<QSlider>("lens_frames");
    QCOMPARE(frames->maximum(), static_cast<int>(lens->lens()->frames.size()));
    frames->setValue(0);
    const auto early = lens->view()->colours();
    frames->setValue(frames->maximum());
    QVERIFY(early != lens->view()->colours());
    QVERIFY(lens->view()->element_text(3).contains("read 1 time"));
    f.window.resize(1000, 900);
    f.picture("lens");
    for (const char* name : {"x.svg", "x.png", "x.gif"}) {
      const QString file = f.folder.filePath(name);
      const Status written = lens->export_to(file);
      QVERIFY2(written, written ? "" : written.error().text().c_str());
      const std::string bytes = read_file(file.toStdString()).value();
      QVERIFY(bytes.starts_with("<svg") || bytes.starts_with("\x89PNG") || bytes.starts_with("GIF89a"));
      if (!file.endsWith("svg")) QVERIFY(QImage(file).width() > 100);
    }
    QVERIFY(!lens->export_to(f.folder.filePath("x.bmp")));
  }

  void twoCandidatesRunSideBySide() {
    test::PanelFixture f;
    auto* panel = f.show(new SideBySidePanel(f.context));
    f.window.resize(1280, 800);
    panel->compare({subject(thread_sums, "R = 64, C = 64"), subject(row_sums, "R = 64, C = 64")});
    for (std::size_t side : {0, 1}) QVERIFY(settled(panel->session(side)));
    panel->go(SideBySidePanel::parts / 2);
    for (std::size_t side : {0, 1}) {
      QVERIFY(settled(panel->session(side)));
      const sim::Trace& t = *panel->session(side)->at();
      QCOMPARE(t.position, t.recorded / 2);
    }
    f.picture("side-by-side");
    panel->step(0);
    QTRY_VERIFY(panel->session(0)->at()->position > panel->session(0)->at()->recorded / 2);
    QVERIFY(settled(panel->session(0)));
    QVERIFY(settled(panel->session(1)));
    const auto share = [&](std::size_t side) {
      const sim::Trace& t = *panel->session(side)->at();
      return static_cast<double>(t.position) / static_cast<double>(t.recorded);
    };
    QTRY_VERIFY(std::abs(share(0) - share(1)) < 0.01);
    panel->go(SideBySidePanel::parts);
    for (std::size_t side : {0, 1}) QVERIFY(settled(panel->session(side)));
    QTRY_VERIFY(panel->session(0)->at()->ended && panel->session(1)->at()->ended);
    // One thread a row reads 4 bytes of each of 32 sectors; one warp a row reads whole sectors.
    const sim::StepTotals left = *panel->session(0)->at()->totals, right = *panel->session(1)->at()->totals;
    QVERIFY(left.sectors > 6 * right.sectors);
    QVERIFY(panel->totals(0)->text() != panel->totals(1)->text());
    f.child<QLineEdit>("side_sizes")->setText("R = x");
    QTest::keyClick(f.child<QLineEdit>("side_sizes"), Qt::Key_Return);
    auto* problem = f.child<QLabel>("side_problem");
    QVERIFY(problem->isVisible());
    // What is too large can be corrected.
    f.child<QLineEdit>("side_sizes")->setText("R = 2, C = 100000000000");
    QTest::keyClick(f.child<QLineEdit>("side_sizes"), Qt::Key_Return);
    QTRY_VERIFY2(problem->isVisible() && problem->text().contains("too large"), qPrintable(problem->text()));
    f.child<QLineEdit>("side_sizes")->setText("R = 64, C = 64");
    QTest::keyClick(f.child<QLineEdit>("side_sizes"), Qt::Key_Return);
    for (std::size_t side : {0, 1}) QVERIFY(settled(panel->session(side)));
    QVERIFY(!problem->isVisible());
    // A kernel that cannot be compiled leaves no other one's step in sight, and room for its text.
    stepping::SteppedLaunch broken = subject(row_sums, "R = 64, C = 64");
    for (int i = 0; i < 40; ++i) broken.candidate += "unknown_" + std::to_string(i) + " x;\n";
    panel->compare({subject(thread_sums, "R = 64, C = 64"), broken});
    QTRY_VERIFY2(problem->isVisible() && problem->text().startsWith("Right: "), qPrintable(problem->text()));
    QVERIFY(problem->text().contains("further lines") && problem->height() < panel->height() / 3);
    QVERIFY(panel->totals(1)->text().isEmpty());
    QVERIFY(f.child<CodeEditor>("side_source_right")->text().contains("unknown_39"));
  }
};

QTEST_MAIN(ClassroomTest)
#include "classroom_test.moc"
