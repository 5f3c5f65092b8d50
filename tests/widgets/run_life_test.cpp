// SPDX-License-Identifier: GPL-3.0-or-later
// What the window says while a run goes on, after it was cancelled and when it is resumed; where the focus, the docks
// and the comparison are afterwards; and what empty panels offer.
#include <QDockWidget>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QStatusBar>
#include <QTableView>
#include <QToolButton>
#include "panels/candidates/candidate_panel.h"
#include "panels/code/code_panel.h"
#include "panels/describe/describe_panel.h"
#include "panels/plots/run_strip.h"
#include "panels/runs/runs_panel.h"
#include "parts/editor/code_editor.h"
#include "parts/theme/empty_page.h"
#include "parts/theme/grid.h"
#include "parts/theme/label.h"
#include "session/bundles.h"
#include "session/edits.h"
#include "session/selection.h"
#include "shell/window/docks.h"
#include "shell/window/work_status.h"
#include "widgets/candidate_rows.h"
#include "widgets/window_fixture.h"

using namespace ww;
using namespace ww::widgets;
using ww::test::row;

class RunLifeTest : public QObject, test::WindowFixture {
  Q_OBJECT

  std::unique_ptr<MainWindow> opened() {
    auto w = open({.input = "softmax of 512 rows"});
    w->activateWindow();
    w->docks()->choose("explore");
    (void)QTest::qWaitFor([&] { return child<QPushButton>(w.get(), "explore")->isEnabled(); }, 20000);
    return w;
  }
  static bool raised(const MainWindow& w, const char* dock) { return !w.dock(dock)->visibleRegion().isEmpty(); }

 private slots:
  void init() { set_up(); }
  void cleanup() { engine_->release(); }

  void theStatusBarSaysHowLongARunStillTakes() {
    engine_->hold_before(4);
    auto w = opened();
    press(*w, "explore");
    QTRY_COMPARE(w->candidates()->model()->judged(), 4);
    auto* left = child<QLabel>(w.get(), "run_left");
    QTRY_COMPARE(left->text(), QString("less than a minute left"));
    QVERIFY(left->isVisible());
    picture(*w, "run-time-left");
    // The pill of the plot says the same, whole.
    w->show_dock("progress");
    auto* pill = child<QProgressBar>(w.get(), "budget_minutes");
    QTRY_VERIFY(pill->isVisible() && pill->format().contains("left"));
    QTRY_VERIFY(pill->width() >= pill->fontMetrics().horizontalAdvance(pill->format()) + 8);
    picture(*w, "run-progress");
    engine_->release();
    QVERIFY(ran(*w));
    QTRY_VERIFY(left->text().isEmpty());
  }

  void aResumedRunIsNotSaidToBeCancelled() {
    engine_->hold_before(2);
    auto w = opened();
    press(*w, "explore");
    QTRY_COMPARE(w->candidates()->model()->judged(), 2);
    press(*w, "cancel");
    QTRY_VERIFY(!w->session()->running());
    QTRY_VERIFY2(w->statusBar()->currentMessage().contains("cancelled"), qPrintable(w->statusBar()->currentMessage()));
    engine_->hold_before(3);
    QTRY_VERIFY(child<QPushButton>(w.get(), "resume")->isEnabled());
    press(*w, "resume");
    QTRY_COMPARE(w->candidates()->model()->judged(), 3);
    QVERIFY2(!w->statusBar()->currentMessage().contains("cancelled"), qPrintable(w->statusBar()->currentMessage()));
  }

  void whatACancelledRunLeftIsNotJudged() {
    CandidateModel model;
    CandidateFilter filter;
    filter.setSourceModel(&model);
    model.reset({row(1, "accepted", 10), row(2, "queued"), row(3, "queued")});
    const auto cell = [&](int at, int role = Qt::DisplayRole) {
      return model.index(at, CandidateModel::Verdict).data(role).toString();
    };
    QCOMPARE(cell(1), QString("Queued"));
    filter.set_state("open");
    QCOMPARE(filter.rowCount(), 2);
    model.set_live(false);
    QCOMPARE(cell(1), QString("Not judged"));
    QVERIFY2(cell(1, Qt::ToolTipRole).contains("Resume"), qPrintable(cell(1, Qt::ToolTipRole)));
    QCOMPARE(filter.rowCount(), 0);
    filter.set_words("state:not-judged");
    filter.set_state({});
    QCOMPARE(filter.rowCount(), 2);
    QCOMPARE(model.judged(), 1);  // a resumed run judges them
    model.set_live(true);
    QCOMPARE(cell(1), QString("Queued"));
    QCOMPARE(filter.rowCount(), 0);
  }

  // The log comes forward with what failed, and gives way to what it covered when the next run begins.
  void theDockThatTheLogCoveredComesBack() {
    auto w = opened();
    w->show_dock("verdict");
    QTRY_VERIFY(raised(*w, "verdict"));
    engine_->failure = "the worker ended";
    press(*w, "explore");
    QTRY_VERIFY(!w->session()->running() && raised(*w, "log"));
    engine_->failure.clear();
    QTRY_VERIFY(child<QPushButton>(w.get(), "explore")->isEnabled());
    press(*w, "explore");
    QTRY_VERIFY(raised(*w, "verdict"));
    QVERIFY(!raised(*w, "log"));
    QVERIFY(ran(*w));
    // Whoever went elsewhere meanwhile stays there.
    engine_->failure = "the worker ended";
    press(*w, "explore");
    QTRY_VERIFY(!w->session()->running() && raised(*w, "log"));
    w->show_dock("diff");
    QTRY_VERIFY(raised(*w, "diff"));
    engine_->failure.clear();
    QTRY_VERIFY(child<QPushButton>(w.get(), "explore")->isEnabled());
    press(*w, "explore");
    QVERIFY(ran(*w));
    QVERIFY(raised(*w, "diff"));
  }

  void theFocusStaysInTheCodeWhenADraftIsJudged() {
    auto w = opened();
    press(*w, "explore");
    QVERIFY(ran(*w));
    w->show_dock("code");
    auto* code = w->findChild<CodePanel*>();
    QTRY_VERIFY(code->source()->complete() && !code->source()->text().isEmpty());
    code->edit();
    QTRY_VERIFY(code->editing());
    code->draft()->insertAt("// changed\n", 0, 0);
    QTRY_VERIFY(child<QPushButton>(w.get(), "draft_check")->isEnabled());
    child<QPushButton>(w.get(), "draft_check")->setFocus();
    QTRY_VERIFY(code->isAncestorOf(QApplication::focusWidget()));
    action(*w, "code.check")->trigger();
    QVERIFY(code->isAncestorOf(QApplication::focusWidget()));
    QTRY_VERIFY(!w->session()->judging());
    QTRY_VERIFY(!code->editing() || !code->edits()->checking());
    QVERIFY2(QApplication::focusWidget() && code->isAncestorOf(QApplication::focusWidget()),
             qPrintable(QApplication::focusWidget() ? QApplication::focusWidget()->objectName() : QString("none")));
  }

  // Beside runs: what goes on, how much of it is done, and the time left or used.
  void theStatusBarSaysHowFarADraftIsJudged() {
    auto w = opened();
    press(*w, "explore");
    QVERIFY(ran(*w));
    auto* status = w->findChild<WorkStatus*>();
    auto* bar = status->findChild<QProgressBar*>();
    QVERIFY(!status->isVisible());
    w->session()->set_judging(true);
    QTRY_VERIFY(status->isVisible());
    QVERIFY2(status->text().startsWith("Judging the draft"), qPrintable(status->text()));
    QCOMPARE(bar->maximum(), 0);  // how much is not known
    QTRY_VERIFY2(status->text().contains("for 1 s"), qPrintable(status->text()));
    const auto report = [&](double fraction) {
      emit w->session()->events({explore::CandidateProgress{1, {"compare", "case odd, seed 3 of 5", fraction}}}, true);
    };
    report(0.5);
    QCOMPARE(status->text(), QString("Judging the draft \u00b7 less than a minute left"));
    QCOMPARE(bar->value(), bar->maximum() / 2);
    picture(*w, "draft-judged");
    report(0.25);  // the second judge begins: what is done stays done
    QCOMPARE(bar->value(), bar->maximum() / 2);
    report(1);
    QVERIFY2(!status->text().contains("left"), qPrintable(status->text()));
    w->session()->set_judging(false);
    QVERIFY(!status->isVisible());
    report(0.5);  // that of a run is not shown here
    QVERIFY(!status->isVisible());
  }

  void theStatusBarSaysWhatIsImportedAndExported() {
    auto w = opened();
    press(*w, "explore");
    QVERIFY(ran(*w));
    auto* status = w->findChild<WorkStatus*>();
    auto* bundles = w->findChild<Bundles*>();
    QStringList said;
    connect(bundles, &Bundles::began, w.get(), [&] { said += status->isVisible() ? status->text() : QString(); });
    QSignalSpy ended(bundles, &Bundles::ended), finished(bundles, &Bundles::done), failed(bundles, &Bundles::problem);
    bundles->export_file(folder_->filePath("runs.wwb"), 0);
    QTRY_COMPARE(ended.size(), 1);
    QVERIFY2(failed.isEmpty(), failed.isEmpty() ? "" : qPrintable(failed.front().front().toString()));
    QVERIFY(!status->isVisible());
    bundles->import_file(WW_SOURCE_DIR "/resources/tour/session.wwb");
    bundles->import_file(folder_->filePath("missing.wwb"));
    QTRY_COMPARE(ended.size(), 3);
    QTRY_COMPARE(finished.size() + failed.size(), 3);
    QCOMPARE(failed.size(), 1);
    QVERIFY(!status->isVisible());
    QCOMPARE(said, QStringList({"Exporting", "Importing", "Importing"}));
  }

  void clearingTheComparisonClearsTheBaseline() {
    auto w = opened();
    press(*w, "explore");
    QVERIFY(ran(*w));
    Selection* selection = w->findChild<Selection*>();
    QVERIFY(selection->compare(1, true));
    selection->set_baseline(2);
    QTest::mouseClick(child<QToolButton>(w.get(), "compare_clear"), Qt::LeftButton);
    QVERIFY(selection->compared().isEmpty());
    QCOMPARE(selection->baseline(), std::int64_t{0});
  }

  // At 1280 pixels: which run, of what, how large, when, how much is proved.
  void runsAreToldApartInTheirPanel() {
    auto w = opened();
    press(*w, "explore");
    QVERIFY(ran(*w));
    w->show_dock("runs");
    auto* table = w->runs()->findChild<QTableView*>("runs");
    QTRY_COMPARE(table->model()->rowCount(), 1);
    const auto cell = [&](int column) { return table->model()->index(0, column).data().toString(); };
    QVERIFY2(cell(RunModel::Op).startsWith("softmax ") && cell(RunModel::Op).contains(QChar(0xd7)),
             qPrintable(cell(RunModel::Op)));
    QVERIFY(QTime::fromString(cell(RunModel::When), "HH:mm").isValid());
    for (const int column : {RunModel::Number, RunModel::Op, RunModel::When, RunModel::Accepted})
      QTRY_VERIFY2(table->columnViewportPosition(column) + table->columnWidth(column) <= table->viewport()->width(),
                   qPrintable(QString::number(column)));
    picture(*w, "runs-panel");
  }

  // Where no run is shown, the panel leads back to those that there are.
  void anEmptyTableOffersTheRecentRuns() {
    auto w = opened();
    press(*w, "explore");
    QVERIFY(ran(*w));
    w->session()->close_run();
    w->session()->refresh_runs();
    w->show_dock("candidates");
    const auto links = [&] {
      QList<QPushButton*> list = w->candidates()->findChildren<QPushButton*>("empty_link");
      list.removeIf([](const QPushButton* one) { return !one->isVisible(); });
      return list;
    };
    QTRY_COMPARE(links().size(), 1);
    QVERIFY2(links().front()->text().startsWith("Run 1: softmax "), qPrintable(links().front()->text()));
    QVERIFY2(links().front()->text().contains(" proved"), qPrintable(links().front()->text()));
    QTest::mouseClick(links().front(), Qt::LeftButton);
    QTRY_COMPARE(w->session()->shown_run(), std::int64_t{1});
    QTRY_COMPARE(w->candidates()->model()->rowCount(), 6);
  }

  void everyEmptyPanelOffersTheRecentRuns() {
    auto w = opened();
    press(*w, "explore");
    QVERIFY(ran(*w));
    w->session()->close_run();
    w->session()->refresh_runs();
    QPushButton* link = nullptr;
    for (const char* panel :
         {"candidates", "code", "diff", "verdict", "profile", "occupancy", "conversation", "lineage", "pareto",
          "progress", "review", "receipt", "roofline", "stepper", "side_by_side"}) {
      w->show_dock(panel);
      const auto offered = [&] {
        for (QPushButton* one : w->dock(panel)->findChildren<QPushButton*>("empty_link"))
          if (one->isVisible() && one->accessibleName().startsWith("Run 1: softmax ")) {
            link = one;
            return one->parentWidget()->rect().contains(one->geometry());
          }
        return false;
      };
      const bool there = QTest::qWaitFor(offered, 20000);
      picture(*w, QString("recent-runs-") + panel);
      QVERIFY2(there, panel);
      for (const EmptyPage* page : w->dock(panel)->findChildren<EmptyPage*>())  // also where it scrolls with others
        if (page->isVisible() && page->action()->isVisible())
          QTRY_VERIFY2(page->rect().contains(page->action()->geometry()), panel);
    }
    QTest::mouseClick(link, Qt::LeftButton);
    QTRY_COMPARE(w->session()->shown_run(), std::int64_t{1});
    QTRY_COMPARE(w->candidates()->model()->rowCount(), 6);
    for (const QPushButton* one : w->findChildren<QPushButton*>("empty_link"))  // where a run is shown they are gone
      QVERIFY(!one->isVisible() || !one->accessibleName().startsWith("Run "));
  }

  // A candidate came while the stepper was out of sight, and went with its run.
  void theStepperIsOpenedAfterItsRunWasClosed() {
    auto w = opened();
    bool loaded = false;
    connect(w->session(), &Session::candidate_loaded, w.get(),
            [&](const auto& candidate) { loaded = candidate != nullptr; });
    press(*w, "explore");
    QVERIFY(ran(*w));
    w->candidates()->select(2);
    QTRY_VERIFY(loaded);
    w->session()->close_run();
    QVERIFY(!loaded);
    w->show_dock("stepper");
    const auto* page = w->dock("stepper")->findChild<EmptyPage*>();
    QTRY_VERIFY2(page->isVisible() && page->sentence()->text().startsWith("Select a candidate"),
                 qPrintable(page->sentence()->text()));
  }

  // They ask for no room of their own, and what does not fit whole is left out.
  void linksOfAnEmptyPageGiveWay() {
    EmptyPage page("run", "No candidates yet.", nullptr);
    const QSize before = page.minimumSizeHint();
    std::vector<EmptyLink> links;
    for (int i = 1; i <= 4; ++i)
      links.push_back({QString("Run %1: %2").arg(i).arg(QString("softmax ").repeated(9)), {}});
    page.show_links("Recent runs", links);
    QVERIFY(page.minimumSizeHint().height() <= before.height() + grid::step);  // the distance to it
    const auto visible = [&] {
      int count = 0;
      for (const QPushButton* one : page.findChildren<QPushButton*>("empty_link")) {
        count += one->isVisible();
        if (one->isVisible() && !one->parentWidget()->rect().contains(one->geometry())) return -1;
        if (one->isVisible() && one->text() != one->accessibleName() && one->toolTip() != one->accessibleName())
          return -2;
      }
      return count;
    };
    page.resize(700, 500);
    page.show();
    QTRY_COMPARE(visible(), 4);
    page.resize(240, 500);
    QTRY_COMPARE(visible(), 4);
    page.resize(240, before.height() + 110);
    QTRY_VERIFY(visible() > 0 && visible() < 4);
    page.resize(240, before.height() + grid::step);
    QTRY_COMPARE(visible(), 0);
    page.resize(700, 500);
    QTRY_COMPARE(visible(), 4);
    page.show_links("Recent runs", {});
    QCOMPARE(visible(), 0);
  }

  void emptyPanelsSayWhatToDo() {
    auto w = open();
    w->docks()->choose("explore");
    QTRY_VERIFY(w->session()->ready());
    for (const char* panel :
         {"runs", "log", "verdict", "conversation", "occupancy", "candidates", "code", "progress"}) {
      w->show_dock(panel);
      EmptyPage* page = nullptr;
      const auto shown = [&] {
        for (EmptyPage* one : w->dock(panel)->findChildren<EmptyPage*>())
          if (one->isVisible()) page = one;
        return page != nullptr;
      };
      QTRY_VERIFY2(shown(), panel);
      QVERIFY2(!page->sentence()->text().isEmpty() && page->action()->isVisible() && !page->action()->text().isEmpty(),
               panel);
      const auto labels = page->findChildren<QLabel*>();
      QVERIFY2(std::ranges::any_of(labels, [](const QLabel* l) { return l->isVisible() && !l->pixmap().isNull(); }),
               panel);
    }
    picture(*w, "empty-panels");
  }
};

QTEST_MAIN(RunLifeTest)
#include "run_life_test.moc"
