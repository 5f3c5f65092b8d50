// SPDX-License-Identifier: GPL-3.0-or-later
// The profiler's painted panels and the panel of advice, as a person uses them: with measured numbers, with simulated
// ones alone, with none, and with several candidates.
#include <QComboBox>
#include <QLabel>
#include <QMainWindow>
#include <QPushButton>
#include <QSignalSpy>
#include <QTableWidget>
#include <QTemporaryDir>
#include <QTextBrowser>
#include <QToolButton>
#include <QUndoStack>
#include <QtTest>
#include <cmath>
#include "session/actions/registry.h"
#include "panels/advice/advice_card.h"
#include "panels/advice/advice_panel.h"
#include "session/models/candidate_model.h"
#include "panels/profile/painted_panels.h"
#include "session/reviewer.h"
#include "session/selection.h"
#include "session/session.h"
#include "support/profiles.h"
#include "parts/theme/theme.h"
#include "widgets/known_profiles.h"
#include "widgets/panel_fixture.h"

using namespace ww;
using namespace ww::widgets;

namespace {

using measure::MixSource;
using support::bare;
using support::measured_view;
using support::simulated_view;

profile::Advice advice(const char* id, const char* title, double gain, int line) {
  return {id,   title, "2 of 3 (simulated).", "Do it in another way, and it will be better for it.",
          line, gain,  Provenance::simulated};
}

struct Bench : test::KnownProfiles, test::PanelFixture {
  Bench() : PanelFixture(scripted, services()) { window.resize(500, 350); }
  bool explore() { return open() && run(); }  // a workspace with six candidates
  std::vector<store::ReviewRecord> asked(std::int64_t candidate) { return *session.workspace()->reviews(candidate); }
  template <class Panel>
  Panel* show(Panel* (*make)(const Context&), Profiles profiles) {
    Panel* panel = make(context);
    window.setCentralWidget(panel);
    window.show();
    panel->show_profiles(profiles);
    (void)QTest::qWaitForWindowExposed(&window);
    QTest::qWait(0);
    return panel;
  }
};

AdvicePanel* make_advice_panel(const Context& context) { return new AdvicePanel(context); }

QString cells(ProfilePanel* panel) { return panel->csv(); }

ChartCanvas* canvas_of(PaintedPanel* panel) { return panel->findChild<ChartCanvas*>(); }

int spot_with(PaintedPanel* panel, const QString& part) {
  const QList<ChartSpot>& spots = panel->canvas()->spots();
  for (int i = 0; i < spots.size(); ++i)
    if (spots[i].text.contains(part)) return i;
  return -1;
}

// Every panel in three states, with one to eight candidates, small and large, in each theme: it paints inside of
// itself, says where numbers come from, and can be saved.
void works_everywhere(PaintedPanel* (*make)(const Context&), const char* id) {
  Bench b;
  auto* panel = b.show(make, {});
  QVERIFY2(panel->sentence().startsWith("Select a candidate"), id);
  QVERIFY(!panel->accessibleName().isEmpty());
  Profiles eight;
  for (int i = 1; i <= 8; ++i) eight.push_back(i % 2 ? simulated_view(i, i) : measured_view(i, i));
  for (const Profiles& some : {Profiles{simulated_view(1)}, Profiles{measured_view(2)},
                               Profiles{measured_view(2), simulated_view(1)}, eight}) {
    for (const QSize size : {QSize(340, 260), QSize(500, 350), QSize(1200, 700)}) {
      b.window.resize(size);
      panel->show_profiles(some);
      QCoreApplication::processEvents();
      QCoreApplication::processEvents();
      if (panel->sentence().contains("not measured") && some.size() == 1) continue;
      QTRY_VERIFY2(!panel->canvas()->spots().isEmpty(), id);
      QString outside = "not painted";
      const auto inside = [&] {  // it is painted anew when a scroll bar takes its place
        outside.clear();
        for (const ChartSpot& spot : panel->canvas()->spots())
          if (spot.text.isEmpty() || !QRectF(panel->canvas()->rect()).adjusted(-1, -1, 1, 1).contains(spot.rect))
            outside = QString("%1: %2 is outside at %3").arg(id, spot.text).arg(size.width());
        return outside.isEmpty();
      };
      QVERIFY2(QTest::qWaitFor(inside, 2000), qPrintable(outside));
      QVERIFY2(!panel->accessibleDescription().isEmpty(), id);
    }
    if (!panel->csv().isEmpty())
      QVERIFY2(panel->csv().contains("measured") || panel->csv().contains("simulated") ||
                   panel->csv().contains("modelled") || panel->csv().contains("counted"),
               id);
  }
  QTemporaryDir folder;
  for (const char* ending : {"csv", "png", "svg"}) {
    const QString file = folder.filePath(QString("x.") + ending);
    const QString problem = panel->save(file);
    QVERIFY2(problem.isEmpty(), qPrintable(problem));
    QVERIFY(QFileInfo(file).size() > 100);
  }
  QVERIFY(!panel->save("/nowhere/at/all.csv").isEmpty());
  panel->show_table(true);
  QVERIFY(panel->findChild<QTableWidget*>()->rowCount() > 0);
  panel->show_table(false);
}

}  // namespace

class ProfileMoreTest : public QObject {
  Q_OBJECT
 private slots:
  void initTestCase() { QVERIFY(Theme::instance().apply("light")); }

  void memory() { works_everywhere(make_memory_panel, "memory"); }
  void instructions() { works_everywhere(make_instructions_panel, "instructions"); }
  void stalls() { works_everywhere(make_stalls_panel, "stalls"); }
  void timeline() { works_everywhere(make_timeline_panel, "timeline"); }
  void hotSpots() { works_everywhere(make_hot_spots_panel, "hot spots"); }

  void memoryKeepsItsSourcesApart() {
    Bench b;
    auto* panel = b.show(make_memory_panel, {simulated_view(1)});
    QVERIFY2(panel->sentence().contains("1000 KiB") || panel->sentence().contains("0.98 MiB"),
             qPrintable(panel->sentence()));
    QVERIFY(panel->sentence().contains("simulated"));
    QVERIFY(spot_with(panel, "not measured: the SIMT machine has no caches") >= 0);
    QVERIFY(spot_with(panel, "32.00 sectors each") >= 0);
    QVERIFY(spot_with(panel, "bank conflicts") >= 0);
    panel->show_profiles({measured_view(2)});
    QVERIFY(panel->sentence().contains("Device memory: 2"));   // of both launches
    QTRY_VERIFY(spot_with(panel, "count the full set") >= 0);  // between L1 and L2
    QVERIFY(spot_with(panel, "4.00 sectors each") >= 0);
    auto none = bare(3);
    panel->show_profiles({none});
    QVERIFY(panel->sentence().contains("not measured: The SIMT machine has no hardware counters"));
  }

  void instructionsAreOfOneSourceAtATime() {
    Bench b;
    auto* panel = b.show(make_instructions_panel, {simulated_view(1), measured_view(2)});
    QVERIFY2(panel->sentence().contains("(simulated)"), qPrintable(panel->sentence()));
    QVERIFY(panel->sentence().contains("#2"));  // which is not known from this source, and says so
    QVERIFY(cells(panel).contains("it was not run on the SIMT machine"));
    auto* source = panel->findChild<QComboBox*>("mix_source");
    source->setFocus();
    source->setCurrentIndex(source->findData(static_cast<int>(MixSource::written)));
    QVERIFY(panel->sentence().contains("counted in the PTX text"));
    source->setCurrentIndex(source->findData(static_cast<int>(MixSource::operations)));
    QVERIFY(panel->sentence().startsWith("Not known from this source"));
    panel->show_profiles({measured_view(2)});
    source->setCurrentIndex(0);
    QVERIFY(panel->sentence().contains("(measured)"));
    QVERIFY(cells(panel).contains("Integer and logic (ALU),800,40.0 %,measured"));  // both launches
    QVERIFY(cells(panel).contains("Other,600,30.0 %"));
  }

  void stallsSayWhyThereAreNone() {
    Bench b;
    auto* panel = b.show(make_stalls_panel, {simulated_view(1)});
    QVERIFY2(panel->sentence().contains("has no clock"), qPrintable(panel->sentence()));
    auto counters_only = measured_view(2);
    for (auto& k : counters_only->counters->kernels) k.lines.clear();
    panel->show_profiles({counters_only});
    QVERIFY2(panel->sentence().startsWith("Warps spend 60.0 % of their time waiting for: global memory (measured)"),
             qPrintable(panel->sentence()));
    auto* source = panel->findChild<QComboBox*>("stall_source");
    source->setCurrentIndex(1);
    QVERIFY2(panel->sentence().contains("count the full set"), qPrintable(panel->sentence()));
  }
  void stallsLeadToLines() {
    Bench b;
    b.selection.set_current(2);
    auto* panel = b.show(make_stalls_panel, {measured_view(2)});
    panel->findChild<QComboBox*>("stall_source")->setCurrentIndex(1);
    QVERIFY2(panel->sentence().contains("75 samples (measured)"), qPrintable(panel->sentence()));
    QTRY_VERIFY(spot_with(panel, "line 3") >= 0);
    QSignalSpy chosen(&b.selection, &Selection::line_chosen);
    auto* canvas = canvas_of(panel);
    canvas->setFocus(Qt::TabFocusReason);
    const int wanted = spot_with(panel, "line 3:");
    QTest::keyClick(canvas, Qt::Key_Home);
    for (int i = 0; i < wanted; ++i) QTest::keyClick(canvas, Qt::Key_Down);
    QVERIFY(canvas->accessibleDescription().contains("line 3"));
    QTest::keyClick(canvas, Qt::Key_Return);
    QCOMPARE(chosen.count(), 1);
    QCOMPARE(b.selection.line(), 3);
  }

  void timelineIsMeasuredOrSaysThatItIsNot() {
    auto none = bare(3);
    none->launches.clear();
    none->launches_why_not = "the plan cannot be made";
    Bench b;
    auto* panel = b.show(make_timeline_panel, {none});
    QVERIFY(panel->sentence().contains("the plan cannot be made"));
    panel->show_profiles({measured_view(2)});
    QVERIFY2(panel->sentence().contains("2.00 µs more, for start, end and gaps"), qPrintable(panel->sentence()));
    QTRY_VERIFY(spot_with(panel, "their places are not measured") >= 0);
    panel->show_profiles({simulated_view(1)});
    QVERIFY(panel->sentence().contains("not measured"));
    QVERIFY(cells(panel).contains("not measured,70.0 %,modelled from simulated instructions by line"));
  }

  void hotSpotsAreChosen() {
    Bench b;
    b.selection.set_current(1);
    auto* panel = b.show(make_hot_spots_panel, {simulated_view(1)});
    QVERIFY2(panel->sentence().startsWith("Warp instructions (simulated): line 3 has 60.0 %"),
             qPrintable(panel->sentence()));
    QVERIFY(cells(panel).contains(",3,600,60.0 %,60.0 %,Warp instructions,simulated,"));
    QVERIFY(cells(panel).contains(",7,200,20.0 %,80.0 %,"));
    QTRY_VERIFY(spot_with(panel, "Line 7") >= 0);
    QSignalSpy chosen(&b.selection, &Selection::line_chosen);
    const QRectF row = panel->canvas()->spots()[spot_with(panel, "Line 7")].rect;
    QTest::mouseClick(canvas_of(panel), Qt::LeftButton, {}, row.center().toPoint());
    QCOMPARE(chosen.count(), 1);
    QCOMPARE(b.selection.line(), 7);
    auto* metric = panel->findChild<QComboBox*>("hot_metric");
    metric->setFocus();
    QTest::keyClick(metric, Qt::Key_End);
    QVERIFY2(panel->sentence().startsWith("Bank conflicts (simulated): line 7 has 100.0 %"),
             qPrintable(panel->sentence()));
    panel->show_profiles({measured_view(2)});
    QVERIFY2(panel->sentence().contains("choose another metric"), qPrintable(panel->sentence()));
    auto counters_only = measured_view(3);
    for (auto& k : counters_only->counters->kernels) k.lines.clear();
    panel->show_profiles({counters_only});
    QVERIFY2(panel->sentence().contains("no samples by line were taken"), qPrintable(panel->sentence()));
  }

  void adviceIsShownExplainedAndHandedOn() {
    Bench b;
    QVERIFY(b.explore());
    b.selection.set_current(4);
    auto view = simulated_view(4);
    view->advice = {advice("bank-conflicts", "Threads wait", 1.5, 7), advice("no-such-rule", "Something else", 0, 0)};
    b.window.resize(600, 600);
    auto* panel = b.show(make_advice_panel, {view});
    QCOMPARE(panel->cards().size(), 2);
    QVERIFY(panel->sentence().startsWith("2 pieces of advice"));
    AdviceCard* first = panel->cards()[0];
    QVERIFY(first->accessibleDescription().contains("By itself, at most 1.50 times faster (modelled)"));
    // A bound of one change is no bound of what several reached.
    QVERIFY(advice_bound(view->advice[0], 24.7).endsWith("; with other changes this run reached 24.7 times"));
    QVERIFY(!advice_bound(view->advice[0], 1.2).contains("reached"));
    QVERIFY(panel->cards()[1]->accessibleDescription().contains("The possible gain is unknown"));
    QVERIFY(!panel->cards()[1]->findChild<QToolButton*>("advice_line"));
    QSignalSpy chosen(&b.selection, &Selection::line_chosen);
    QTest::mouseClick(first->findChild<QToolButton*>("advice_line"), Qt::LeftButton);
    QCOMPARE(b.selection.line(), 7);
    QCOMPARE(chosen.count(), 1);

    auto* page = first->findChild<QTextBrowser*>("advice_page");
    auto* explain = first->findChild<QToolButton*>("advice_explain");
    explain->setFocus();
    QTest::keyClick(explain, Qt::Key_Space);
    QTRY_VERIFY(page->isVisible());
    QVERIFY(page->toPlainText().contains("32 banks"));
    QTRY_VERIFY(page->document()->size().height() <= page->viewport()->height() + 1);  // nothing of it is cut off
    QVERIFY(!page->toPlainText().contains("SPDX"));
    panel->cards()[1]->explain(true);
    QVERIFY(panel->cards()[1]
                ->findChild<QLabel*>("advice_explanation")
                ->isVisible());  // without a page the sentences alone
    QVERIFY(!panel->cards()[1]->findChild<QTextBrowser*>("advice_page")->isVisible());

    QSignalSpy wanted(Reviewer::of(b.context), &Reviewer::revision_wanted);
    QTest::mouseClick(first->findChild<QToolButton*>("advice_ask"), Qt::LeftButton);
    auto* handed = panel->findChild<QWidget*>("advice_handed");
    QTRY_VERIFY(handed->isVisible());
    QCOMPARE(b.asked(4).size(), std::size_t{1});
    QVERIFY(b.asked(4)[0].text.starts_with("Threads wait. 2 of 3 (simulated). Look at line 7. Do it in another way"));
    QVERIFY(!first->findChild<QToolButton*>("advice_ask")->isEnabled());
    QCOMPARE(b.engine->started_runs.load(), 1);  // nothing runs by itself
    QCOMPARE(wanted.count(), 0);
    QTest::mouseClick(panel->findChild<QPushButton*>("advice_ask_now"), Qt::LeftButton);
    QCOMPARE(wanted.count(), 1);
    QCOMPARE(wanted[0][0].toLongLong(), 4);

    test::FakeEngine::refuse_writes(b.folder.filePath("workspace"), "review");
    QTest::mouseClick(panel->cards()[1]->findChild<QToolButton*>("advice_ask"), Qt::LeftButton);
    QTRY_VERIFY(panel->cards()[1]
                    ->findChild<QToolButton*>("advice_ask")
                    ->isEnabled());  // it was not written, so that it can be asked again
    QCOMPARE(b.asked(4).size(), std::size_t{1});
    test::FakeEngine::take_writes(b.folder.filePath("workspace"), "review");
    b.selection.set_current(5);  // its profile is not there yet: a click asks for nothing
    panel->ask_for(view->advice[1]);
    QTest::qWait(20);
    QCOMPARE(b.asked(4).size(), std::size_t{1});
  }
  void adviceOfTheSearchSaysWhatItCanDo() {
    Bench b;
    QVERIFY(b.explore());
    b.selection.set_current(4);
    auto view = simulated_view(4);
    view->record.generator = "search";
    view->advice = {advice("spills", "Spills", 0, 0)};
    auto* panel = b.show(make_advice_panel, {view});
    b.registry.action("advice.ask")->trigger();
    auto* handed = panel->findChild<QWidget*>("advice_handed");
    QTRY_VERIFY(handed->isVisible());
    QVERIFY(handed->findChild<QLabel*>()->text().contains("The built-in search ignores requests"));
  }
  void adviceIsComparedWithTheBaseline() {
    Bench b;
    QTemporaryDir folder;
    b.session.open_workspace(folder.path());
    QTRY_VERIFY(b.session.ready());
    b.selection.set_current(4);
    auto old = simulated_view(3), view = simulated_view(4), third = simulated_view(5);
    old->advice = {advice("spills", "Spills", 1.2, 0), advice("atomics", "Atomics", 0, 0)};
    view->advice = {advice("bank-conflicts", "Conflicts", 1.5, 7), advice("spills", "Spills", 1.1, 0)};
    third->advice = {advice("bank-conflicts", "Conflicts", 1.4, 7)};
    b.known[3] = old;
    auto* panel = b.show(make_advice_panel, {view, third});
    QVERIFY(!panel->sentence().contains("Against"));
    b.selection.set_baseline(3);
    QTRY_VERIFY2(panel->sentence().contains("1 new, 1 gone, 1 kept"), qPrintable(panel->sentence()));
    QCOMPARE(panel->cards().size(), 2);
    QString all;
    for (QLabel* label : panel->findChildren<QLabel*>()) all += label->text() + "\n";
    QVERIFY(all.contains("new since #3"));
    QVERIFY(all.contains("Gone since #3"));
    QVERIFY(all.contains("Gone: Spills"));  // of the compared one, against the current one
    QVERIFY(panel->csv().contains("gone"));
    b.selection.set_baseline(99);  // cannot be read
    QTRY_VERIFY2(!panel->sentence().contains("Against"), qPrintable(panel->sentence()));
    auto nothing = simulated_view(4);
    nothing->advice_why_not = "No rule applies to its numbers.";
    panel->show_profiles({nothing});
    QCOMPARE(panel->sentence(), QString("There is no advice. No rule applies to its numbers."));
  }
};

QTEST_MAIN(ProfileMoreTest)
#include "profile_more_test.moc"
