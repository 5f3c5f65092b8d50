// SPDX-License-Identifier: GPL-3.0-or-later
// What the stepper shows of a step, with the worker and the compiler: lanes, accesses, findings, the divergence stack
// and the time line.
#include <QComboBox>
#include <QLineEdit>
#include <array>
#include <bit>
#include "panels/stepper/access_view.h"
#include "panels/stepper/divergence_view.h"
#include "panels/stepper/lanes_view.h"
#include "panels/stepper/step_facts_view.h"
#include "panels/stepper/warp_timeline.h"
#include "parts/theme/label.h"
#include "parts/theme/text.h"
#include "parts/theme/theme.h"
#include "widgets/stepped_panels.h"

using namespace ww;
using namespace ww::widgets;

namespace {

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
constexpr const char* divergent =
    "//@ candidate relu\n"
    "//@ launch relu grid(R) block(32) args(x, y, C)\n"
    "extern \"C\" __global__ void relu(const float* x, float* y, int C) {\n"
    "  const int t = threadIdx.x;\n"
    "#pragma unroll 1\n"
    "  for (int k = 0; k < t % 5; ++k) __nanosleep(k);\n"
    "  y[blockIdx.x * C + t] = fmaxf(x[blockIdx.x * C + t], 0.0f);\n"
    "}\n";

}  // namespace

class StepperFactsTest : public QObject, test::SteppedPanels {
  Q_OBJECT
 private slots:
  void initTestCase() { QVERIFY(load()); }

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

  // What a step wrote to several registers is all there.
  void allRegistersOfAStepAreShown() {
    test::PanelFixture f;
    auto* panel = stepper(f, test::wide, "R = 1, C = 128");
    const int height = panel->facts()->lanes()->sizeHint().height();
    f.child<QLineEdit>("stepper_watch")->setText("thread 3 reads x[12]");
    press(f, panel, "step_write");
    const sim::StepFacts& step = panel->session()->at()->steps.back();
    QCOMPARE(step.registers.size(), std::size_t{4});
    LanesView* const lanes = panel->facts()->lanes();
    QCOMPARE(lanes->shown().more.size(), qsizetype{3});
    const std::string& value = step.accesses.front().lanes[3].value;  // 16 bytes, hex
    QCOMPARE(value.size(), std::size_t{32});
    QStringList shown{lanes->shown().values[3]};
    for (const LaneValues& v : lanes->shown().more) shown += v.values[3];
    for (std::size_t i = 0; i < 4; ++i) {
      std::uint32_t bits = 0;
      for (std::size_t b = 4; b-- > 0;)
        bits = bits << 8 | static_cast<std::uint32_t>(std::stoul(value.substr(8 * i + 2 * b, 2), nullptr, 16));
      QCOMPARE(shown[static_cast<qsizetype>(i)].toFloat(), std::bit_cast<float>(bits));
      QVERIFY(lanes->tip_of(3).contains(qs(step.registers[i].name) + ", f32 = " + shown[static_cast<qsizetype>(i)]));
    }
    QVERIFY(lanes->sizeHint().height() > height);
    f.window.resize(1280, 800);
    f.picture("stepper-wide");
    auto* registers = panel->facts()->registers();
    registers->setCurrentIndex(registers->count() - 1);  // one that is chosen is shown alone
    QVERIFY(lanes->shown().more.isEmpty());
  }

  void linesBracketTheirSectors() {
    sim::SpaceAccess access;
    access.bytes = 4 * 6;
    access.sectors = 6;
    access.lines = 3;
    for (const std::int64_t offset : {0, 32, 96, 128, 288, 352})
      access.lanes.push_back({static_cast<std::uint32_t>(access.lanes.size()), "x", offset, 4, "00000000"});
    AccessView view(nullptr);
    view.resize(900, 200);
    view.show_access(access);
    QCOMPARE(view.boxes(), 6);
    std::vector<std::array<std::int64_t, 3>> lines;
    for (const AccessView::Line& l : view.lines()) lines.push_back({l.first, l.last, l.offset});
    QVERIFY(lines == (std::vector<std::array<std::int64_t, 3>>{{0, 2, 0}, {3, 3, 128}, {4, 5, 256}}));
    QCOMPARE(view.line_tip(1), QString("A line of 128 bytes, from byte 0: 3 of its 4 sectors move"));
    QVERIFY(view.line_tip(6).isEmpty());
    const QString sentence = access_sentence(access);
    QVERIFY2(sentence.contains(counted(6, "sector", "sectors") + " of 32 bytes (" + counted(3, "line", "lines") +
                               " of 128)"),
             qPrintable(sentence));
    const QImage bracketed = view.grab().toImage();
    access.lines = 4;  // the buffer begins within a line: nothing is bracketed
    view.show_access(access);
    QVERIFY(view.lines().empty() && view.line_tip(1).isEmpty());
    QVERIFY(view.grab().toImage() != bracketed);
  }

  void conflictsSectorsAndLanesAreDrawn() {
    test::PanelFixture f;
    auto* panel = f.show(new StepperPanel(f.context));
    f.window.resize(1280, 800);
    QVERIFY(opened(panel, test::conflicting, "N = 20"));
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
      QCOMPARE(view->of_banks(), a.space == sim::AccessedSpace::shared);
      std::size_t lanes = 0;
      for (const AccessView::Piece& p : view->pieces()) lanes += p.lanes.size();
      QCOMPARE(lanes, a.lanes.size());          // of 4 bytes each
      if (a.kind == simt::AccessKind::write) {  // the lanes show what they stored
        const QStringList values = panel->facts()->lanes()->shown().values;
        for (const sim::LaneAccess& one : a.lanes) {
          bool is_number = false;
          values[one.lane].toDouble(&is_number);
          QVERIFY2(is_number, qPrintable(values[one.lane]));
        }
      }
      if (a.space == sim::AccessedSpace::shared) {
        QCOMPARE(view->boxes(), static_cast<int>(a.wavefronts));
        shared = shared || a.conflicts > 0;
        if (a.conflicts > 0) f.picture("stepper-banks");
      } else {
        QCOMPARE(view->boxes(), static_cast<int>(a.sectors));
        QCOMPARE(view->lines().size(), static_cast<std::size_t>(a.lines));
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

  void aRaceStopsWithBothSides() {
    test::PanelFixture f;
    auto* panel = stepper(f, test::racy, "R = 1, C = 64");
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
    auto* panel = stepper(f, too_early, "R = 1, C = 64");
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
    auto* panel = stepper(f, beyond, "R = 2, C = 64");
    press(f, panel, "step_run");
    QCOMPARE(panel->session()->at()->arrival, sim::Arrival::found);
    const QString found = panel->facts()->found()->text();
    QVERIFY2(found.contains("this: thread (0, 0, 0), line 4"), qPrintable(found));
    QVERIFY2(found.contains("x has bytes 0 to 511 (128 elements of f32); the access begins at byte 520"),
             qPrintable(found));
  }

  // Where lanes take different paths: a row for each group of lanes, each lane in one of them.
  void theDivergenceStackIsThatOfTheWarp() {
    test::PanelFixture f;
    auto* panel = stepper(f, divergent, "R = 1, C = 32");
    DivergenceView* const stack = panel->facts()->divergence();
    int diverged = 0, deepest = 0;
    while (!panel->session()->at()->ended) {
      const sim::WarpFacts& warp = panel->session()->at()->warps.front();
      QCOMPARE(static_cast<int>(stack->groups().size()), static_cast<int>(warp.groups.size()));
      std::uint32_t lanes = 0;
      for (const sim::GroupFacts& g : warp.groups) {
        QCOMPARE(lanes & mask_of(g.mask), 0u);
        lanes |= mask_of(g.mask);
      }
      QCOMPARE(lanes, mask_of(warp.live));
      if (warp.groups.size() > 1) {
        ++diverged;
        if (static_cast<int>(stack->groups().size()) > deepest) f.picture("stepper-divergence");
        deepest = std::max(deepest, static_cast<int>(stack->groups().size()));
        const auto waits = [](const sim::GroupFacts& g) { return g.state == sim::GroupState::waits_for_lanes; };
        QVERIFY(std::ranges::any_of(warp.groups, waits) || mask_of(warp.groups.front().mask) != ~0u);
        QCOMPARE(stack->groups().front().state, sim::GroupState::next);  // on top
        for (std::size_t i = 0; i < warp.groups.size(); ++i) {
          const int count = std::popcount(mask_of(warp.groups[i].mask));
          const QString text = QString("%1 at line %2, ").arg(counted(count, "lane", "lanes")).arg(warp.groups[i].line);
          QVERIFY2(stack->row_text(i).startsWith(text), qPrintable(stack->row_text(i)));
          QVERIFY(stack->accessibleDescription().contains(stack->row_text(i)));
        }
      }
      press(f, panel, "step_forward");
    }
    QVERIFY(diverged > 5 && deepest > 1);
  }

  void theTimelineIsScrubbed() {
    test::PanelFixture f;
    auto* panel = stepper(f, test::conflicting, "N = 20");
    auto* time = f.child<WarpTimeline>("stepper_time");
    QCOMPARE(time->shown().warps.size(), std::size_t{8});
    const QPoint middle(time->width() / 2, time->height() / 2);
    QTest::mouseClick(time->viewport(), Qt::LeftButton, {}, middle);
    QVERIFY(settled(panel));
    QCOMPARE(position(panel), time->position_at(middle.x()));
    QVERIFY(position(panel) > 100);
    // Warp 0 waits at the first barrier while the others come to it.
    const sim::WarpTime& first = time->shown().warps[0];
    std::size_t part = 0;
    while (part < first.waits.size() && (first.waits[part] == 0 || first.steps[part] > 0)) ++part;
    QVERIFY(part < first.waits.size());
    const int x = static_cast<int>((static_cast<double>(part) + 0.5) * (time->viewport()->width() - 2) /
                                   static_cast<double>(first.waits.size()));
    QVERIFY(time->waits_at(0, x));
    QVERIFY(time->tip_at({x, 1}).contains("warp 0, waiting at a barrier"));
    QVERIFY(!time->waits_at(8, x));
    const int last = time->viewport()->width() - 3;  // no barrier is left there
    QVERIFY(!time->waits_at(0, last) && !time->tip_at({last, 1}).contains("waiting at"));
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
        if (!panel->session()->at()) QVERIFY(opened(panel, test::conflicting, "N = 32", start));
        f.picture(QString("stepper-%1-%2").arg(theme).arg(size.width()));
      }
    }
    Theme::instance().apply("light");
  }
};

QTEST_MAIN(StepperFactsTest)
#include "stepper_facts_test.moc"
