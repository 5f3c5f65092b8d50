// SPDX-License-Identifier: GPL-3.0-or-later
// What shows a run as it goes on: lineage, progress, pausing. Driven as a person does, with an engine that
// follows a script.
#include <QComboBox>
#include <QDir>
#include <QDropEvent>
#include <QLabel>
#include <QMimeData>
#include <QProgressBar>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QToolButton>
#include <QTreeView>
#include <QUndoStack>
#include <QVBoxLayout>
#include <QtTest>
#include <cmath>
#include <random>
#include <set>
#include "session/actions/registry.h"
#include "parts/theme/empty_page.h"
#include "parts/theme/label.h"
#include "panels/lineage/lineage_graph.h"
#include "panels/lineage/lineage_panel.h"
#include "panels/lineage/lineage_view.h"
#include "panels/plots/progress_panel.h"
#include "panels/plots/run_strip.h"
#include "panels/verdict/verdict_panel.h"
#include "session/run_facts.h"
#include "session/selection.h"
#include "session/session.h"
#include "shell/window/status.h"
#include "shell/window/worker_facts.h"
#include "parts/theme/text.h"
#include "parts/theme/theme.h"
#include "widgets/exploration_bench.h"
#include <qcustomplot.h>

using namespace ww;
using namespace ww::widgets;
using test::Bench;

namespace {

explore::CandidateRow row_of(std::int64_t id, std::int64_t parent, const std::string& state = "accepted",
                             double score = 0, Provenance provenance = Provenance::simulated) {
  explore::CandidateRow row;
  row.id = id;
  row.hash = "hash" + std::to_string(id);
  if (parent != 0) row.parent = "hash" + std::to_string(parent);
  row.title = "kernel " + std::to_string(id);
  row.state = enum_or_unknown<store::CandidateState>(state);
  if (row.state == store::CandidateState::rejected) row.failed_stage = evidence::Stage::smoke;
  row.verdict = state == "accepted"   ? "accepted: 6 cases x 5 seeds"
                : state == "rejected" ? "rejected at smoke: y[0] is wrong"
                                      : "";
  if (score > 0)
    row.score =
        appraisal::Score{score, provenance, provenance == Provenance::measured ? "\u00b5s" : "simulated issue slots"};
  return row;
}

// 1 has the children 2 and 3, 2 has 4; 5 is alone.
std::vector<explore::CandidateRow> family() {
  std::vector<explore::CandidateRow> rows = {row_of(1, 0, "accepted", 400), row_of(2, 1, "accepted", 200),
                                             row_of(3, 1, "rejected"), row_of(4, 2, "accepted", 100),
                                             row_of(5, 0, "not judged")};
  rows[0].rank = 3;
  rows[1].rank = 2;
  rows[3].rank = 1;
  return rows;
}

}  // namespace

class ExplorationTest : public QObject {
  Q_OBJECT

 private slots:
  void childrenAreToldFromTheirParents() {
    CandidateModel model;
    std::vector<explore::CandidateRow> rows = {row_of(1, 0), row_of(2, 1), row_of(3, 1), row_of(4, 1)};
    for (explore::CandidateRow& row : rows) {
      row.structure = "tiled";
      row.tuning = {{"BLOCK", row.id == 4 ? 256 : 128}};
    }
    rows[0].title = "Tiles in shared memory (BLOCK 128)";
    rows[1].title = "Tiles in shared memory, from #1 (BLOCK 128)";  // an edit
    rows[2].title = "Tiles, loads of four (BLOCK 128)";             // an improvement; its title is in the tooltip
    rows[3].title = "Tiles in shared memory (BLOCK 256)";           // its tuning tells it apart
    model.reset(rows);
    const auto name = [&](int row) {
      return model.index(row, CandidateModel::Name).data(CandidateModel::ShortNameRole).toString();
    };
    QCOMPARE(name(0), QString("tiled"));
    QCOMPARE(name(1), QString("tiled, from #1"));
    QCOMPARE(name(2), QString("tiled, from #1"));
    QCOMPARE(name(3), QString("tiled"));
  }

  void init() { QVERIFY(Theme::instance().apply("light")); }

  // Lineage.

  void layoutIsInLayersWithoutOverlap() {
    std::mt19937 random(7);
    for (const Flow flow : {Flow::across, Flow::down}) {
      std::vector<explore::CandidateRow> rows;
      for (int i = 1; i <= 700; ++i)
        rows.push_back(row_of(i,
                              i < 4 || i % 11 == 0 ? 0 : 1 + static_cast<int>(random() % static_cast<unsigned>(i - 1)),
                              i % 3 ? "accepted" : "rejected", i % 3 ? 100 + i : 0));
      const auto graph = make_lineage(rows, nullptr, flow);
      QCOMPARE(graph->nodes.size(), rows.size());
      std::set<std::pair<int, int>> places;
      for (const LineageNode& n : graph->nodes) {
        if (n.parent >= 0) {
          const LineageNode& p = graph->nodes[static_cast<std::size_t>(n.parent)];
          QCOMPARE(n.layer, p.layer + 1);
          QVERIFY(flow == Flow::across ? n.at.x() > p.at.x() : n.at.y() > p.at.y());
        }
        QVERIFY(graph->bounds.adjusted(-1, -1, 1, 1).contains(n.at));
        // Nobody stands on anybody's words.
        const qreal w = flow == Flow::across ? LineageGraph::long_step : LineageGraph::wide_step,
                    h = flow == Flow::across ? LineageGraph::short_step : LineageGraph::high_step;
        QVERIFY(places
                    .emplace(static_cast<int>(std::lround(n.at.x() / w * 2)),
                             static_cast<int>(std::lround(n.at.y() / h * 2)))
                    .second);
      }
      QVERIFY(graph->summary.contains("700 candidates"));
    }
  }

  // What another machine judged is counted and drawn apart, wherever verdicts are.
  void importedVerdictsAreNamedSo() {
    std::vector<explore::CandidateRow> rows = family();
    rows[3].imported = rows[1].imported = true;
    const auto graph = make_lineage(rows, nullptr, Flow::across);
    QVERIFY2(graph->summary.contains("1 proved, 1 rejected") &&
                 graph->summary.contains("2 imported and not judged here") &&
                 graph->summary.contains(", imported and not judged here, in generation"),
             qPrintable(graph->summary));
    QCOMPARE(graph->nodes[3].shown(), store::CandidateState::unknown);
    // Where there is little room, the number and the structure come first.
    rows[3].title = "The row stays in registers: read once (BLOCK 64)";
    rows[3].tuning = {{"BLOCK", 64}};
    rows[3].structure = "row-registers";
    const LineageNode named = make_lineage(rows, nullptr, Flow::across)->nodes[3];
    QVERIFY(named.name.startsWith("#4 row-registers") && named.name.endsWith("(BLOCK 64)"));
    QCOMPARE(named.label, "#4 " + qs(rows[3].title));
    QVERIFY(named.result.startsWith("100 "));
    CandidateModel model;
    model.reset(rows);
    QCOMPARE(model.accepted(), 1);
    QCOMPARE(model.imported(), 2);
    QCOMPARE(model.judged(), 3);
    QWidget window;
    StatusPart status(&window);
    status.show_run(false, {.judged = model.judged(),
                            .accepted = model.accepted(),
                            .structures = model.structures(),
                            .imported = model.imported()});
    QVERIFY2(status.text().contains("1 of 3 candidates proved, 1 structure; 2 imported, not judged here"),
             qPrintable(status.text()));
    status.show_run(false, {.budget = 7, .imported = 7});
    QCOMPARE(status.text(), QString("7 imported, not judged here"));
    WorkerFacts facts;
    facts.worker = "worker sandboxed";
    facts.worker_tip = "on: landlock (blocks files)";
    status.show_facts(facts);
    auto* worker = status.findChild<QLabel*>("status_worker");
    QCOMPARE(worker->toolTip(), facts.worker_tip);
    QSignalSpy wanted(&status, &StatusPart::protections_wanted);
    QTest::mouseClick(worker, Qt::LeftButton);
    QTest::keyClick(worker, Qt::Key_Return);
    QCOMPARE(wanted.size(), 2);
    QCOMPARE(wanted[1][0].toString(), facts.worker_tip);

    Bench b;
    auto* verdict = static_cast<test::PanelFixture&>(b).show(new VerdictPanel);
    auto view = std::make_shared<CandidateView>();
    view->record.state = store::CandidateState::accepted;
    view->record.summary = "accepted: 15 cases x 5 input sets";
    view->record.verdict.emplace().accepted = true;
    auto* summary = verdict->findChild<QLabel*>("verdict_summary");
    verdict->show_candidate(view);
    QVERIFY2(summary->text().startsWith("Proved"), qPrintable(summary->text()));
    view = std::make_shared<CandidateView>(*view);
    view->record.imported = true;
    verdict->show_candidate(view);
    QVERIFY2(summary->text().startsWith("Imported, not judged here: proved"), qPrintable(summary->text()));
  }

  // The words of an outermost candidate may take the room to its right.
  void outermostCandidatesHaveNoneToTheirRight() {
    for (const auto& n : make_lineage(family(), nullptr, Flow::down)->nodes) QVERIFY(!n.outermost);
    const auto graph = make_lineage(family(), nullptr, Flow::across);
    for (const LineageNode& n : graph->nodes) {
      bool beside = false;
      for (const LineageNode& other : graph->nodes)
        beside |= other.layer > n.layer && std::abs(other.at.y() - n.at.y()) < LineageGraph::short_step;
      QCOMPARE(n.outermost, !beside);
    }
    QVERIFY(graph->nodes[3].outermost && graph->nodes[4].outermost);  // the last generation, one without children
  }

  void theBestOfALineageIsNotInTheTrash() {
    std::vector<explore::CandidateRow> rows = {row_of(1, 0, "accepted", 50), row_of(2, 1, "accepted", 100)};
    rows[1].rank = 1;  // of those that are not in the trash
    const auto graph = make_lineage(rows, nullptr, Flow::across, {1});
    QVERIFY2(graph->summary.contains("The best is #2"), qPrintable(graph->summary));
    QVERIFY2(graph->nodes[0].verdict.contains("in the trash"), qPrintable(graph->nodes[0].verdict));
    QCOMPARE(graph->nodes[1].speed, 1.0);
  }

  void layoutTakesWhateverIsStored() {
    QVERIFY(make_lineage({}, nullptr, Flow::across)->nodes.empty());
    // A parent that is not here, one's own parent, a parent that comes later.
    std::vector<explore::CandidateRow> rows = {row_of(1, 99), row_of(2, 2), row_of(3, 4), row_of(4, 3)};
    auto graph = make_lineage(rows, nullptr, Flow::across);
    QCOMPARE(graph->roots.size(), std::size_t{3});
    QCOMPARE(graph->nodes[3].parent, 2);
    rows.clear();
    for (int i = 1; i <= 20000; ++i) rows.push_back(row_of(i, i - 1, "accepted", i));  // one long line
    graph = make_lineage(rows, nullptr, Flow::across);
    QCOMPARE(graph->layers, 20000);
    QCOMPARE(graph->nodes.back().at.y(), graph->nodes.front().at.y());
  }

  void nodesSayWhatIsKnown() {
    RunFacts facts;
    facts.candidates[2] = {"wider loads: fewer requests", "", "2026-11-20T10:00:00.000Z", "", 7};
    facts.candidates[3] = {"", "hash2", "", "", 0};
    facts.exchanges[7] = "improvement of candidate 1, by test:one";
    store::MoveRecord move;
    move.move = "wider loads";
    move.effect = 2;
    move.provenance = Provenance::simulated;
    facts.moves["hash2"] = move;
    auto rows = family();
    rows[2].state = store::CandidateState::duplicate;
    const auto graph = make_lineage(rows, &facts, Flow::across);
    const QString tip = graph->tooltip(1);
    for (const char* part : {"#2 kernel 2", "200 simulated issue slots", "the best needs 50 %", "From #1 kernel 1",
                             "wider loads, 2 times as fast (simulated)", "by test:one"})
      QVERIFY2(tip.contains(part), qPrintable(tip));
    QCOMPARE(graph->nodes[2].duplicate_of, 1);
    QVERIFY(graph->tooltip(2).contains("The same program as #2"));
    QVERIFY(graph->nodes[3].best && graph->tooltip(3).contains("the best of this run"));
    QVERIFY(graph->tooltip(4).contains("Not judged"));
    QVERIFY(graph->summary.contains("1 duplicate") && graph->summary.contains("The best is #4"));
  }

  void lineageFollowsPointerAndKeys() {
    Bench bench;
    auto* panel = bench.show<LineagePanel>();
    const auto* empty = panel->findChild<EmptyPage*>();
    QVERIFY(empty->isVisible() && empty->sentence()->text().endsWith('.'));
    QSignalSpy described(bench.registry.add("go.describe", "Go", "Describe", {}, {}, {}, [] {}), &QAction::triggered);
    QTest::mouseClick(empty->action(), Qt::LeftButton);
    QCOMPARE(described.count(), 1);
    QTest::keyClick(panel->view(), Qt::Key_Left);  // nothing to go to
    bench.model.reset(family());
    QTRY_VERIFY(panel->view()->graph() && panel->view()->graph()->nodes.size() == 5);
    LineageView* view = panel->view();
    const auto click = [&](std::int64_t id, Qt::KeyboardModifiers keys = {}) {
      QTest::mouseClick(view->viewport(), Qt::LeftButton, keys, view->position_of(id));
    };
    for (int id = 1; id <= 5; ++id) {
      QVERIFY(view->viewport()->rect().contains(view->position_of(id)));
      QCOMPARE(view->at(view->position_of(id)), id);
    }
    click(2);
    QCOMPARE(bench.selection.current(), 2);
    click(3, Qt::ControlModifier);
    QCOMPARE(bench.selection.compared(), QList<std::int64_t>{3});
    QCOMPARE(bench.selection.current(), 2);
    click(3, Qt::ControlModifier);
    QVERIFY(bench.selection.compared().isEmpty());
    // Keys: parent, child, sibling, root, best.
    click(2);
    QTest::keyClick(view, Qt::Key_Left);
    QCOMPARE(bench.selection.current(), 1);
    QTest::keyClick(view, Qt::Key_Left);  // the first has no parent
    QCOMPARE(bench.selection.current(), 1);
    QTest::keyClick(view, Qt::Key_Right);
    QCOMPARE(bench.selection.current(), 2);
    QTest::keyClick(view, Qt::Key_Down);
    QCOMPARE(bench.selection.current(), 3);
    QTest::keyClick(view, Qt::Key_End);
    QCOMPARE(bench.selection.current(), 4);
    QTest::keyClick(view, Qt::Key_Home);
    QCOMPARE(bench.selection.current(), 1);
    // The cursor goes alone; Space compares there, B makes it the baseline, Return opens it.
    QTest::keyClick(view, Qt::Key_Right, Qt::ControlModifier);
    QCOMPARE(bench.selection.current(), 1);
    QCOMPARE(view->cursor(), 2);
    QTest::keyClick(view, Qt::Key_Space);
    QCOMPARE(bench.selection.compared(), QList<std::int64_t>{2});
    QTest::keyClick(view, Qt::Key_B);
    QCOMPARE(bench.selection.baseline(), 2);
    QTest::keyClick(view, Qt::Key_Return);
    QCOMPARE(bench.selection.current(), 2);
    QCOMPARE(bench.went, QStringList{"go.code"});
    // What others select is shown.
    bench.selection.set_current(4);
    QCOMPARE(view->cursor(), 4);
    QVERIFY(view->details().contains("kernel 4") && view->details().contains("selected"));
    QVERIFY(view->accessibleDescription().contains("5 candidates") &&
            view->accessibleDescription().contains("kernel 4"));
    bench.picture("lineage-light");
  }

  void dropComparesAndTableSaysTheSame() {
    Bench bench;
    auto* panel = bench.show<LineagePanel>();
    bench.model.reset(family());
    LineageView* view = panel->view();
    QTRY_VERIFY(view->graph() && view->graph()->nodes.size() == 5);
    const QPoint from = view->position_of(4), to = view->position_of(1);
    QTest::mousePress(view->viewport(), Qt::LeftButton, {}, from);
    QTest::mouseMove(view->viewport(), (from + to) / 2 + QPoint(0, 70));  // over nothing
    QVERIFY(view->details().startsWith("Drop #4"));
    QTest::mouseMove(view->viewport(), to);
    QCOMPARE(view->details(), QString("Compare #4 kernel 4 with #1 kernel 1 as the baseline"));
    QTest::mouseRelease(view->viewport(), Qt::LeftButton, {}, to);
    QCOMPARE(bench.selection.baseline(), 1);
    QCOMPARE(bench.selection.current(), 4);
    QCOMPARE(bench.went, QStringList{"go.diff"});
    // Let go over nothing, or Escape: nothing happens.
    QTest::mousePress(view->viewport(), Qt::LeftButton, {}, view->position_of(3));
    QTest::mouseMove(view->viewport(), view->position_of(3) + QPoint(0, 60));
    QTest::keyClick(view, Qt::Key_Escape);
    QTest::mouseRelease(view->viewport(), Qt::LeftButton, {}, view->position_of(1));
    QCOMPARE(bench.selection.current(), 4);
    // A candidate from another panel is compared with the one that it is dropped on; what is no candidate is not taken.
    QMimeData mime;
    mime.setData(CandidateModel::mime_type, "3");
    QDragEnterEvent enter(view->position_of(2), Qt::CopyAction, &mime, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(view->viewport(), &enter);
    QVERIFY(enter.isAccepted());
    QDropEvent drop(QPointF(view->position_of(2)), Qt::CopyAction, &mime, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(view->viewport(), &drop);
    QCOMPARE(bench.selection.baseline(), 2);
    QCOMPARE(bench.selection.current(), 3);
    QMimeData wrong;
    wrong.setData(CandidateModel::mime_type, "three");
    QDragEnterEvent again(view->position_of(1), Qt::CopyAction, &wrong, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(view->viewport(), &again);
    QDropEvent no(QPointF(view->position_of(1)), Qt::CopyAction, &wrong, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(view->viewport(), &no);
    QCOMPARE(bench.selection.baseline(), 2);
    bench.selection.set_current(4);
    // The wheel zooms about the pointer, the background drags, 0 shows all again.
    const double before = view->zoom();
    view->zoom_by(1.7);  // wider than the window: what is smaller stands in its middle
    const QPoint fixed = view->position_of(2);
    QWheelEvent wheel(QPointF(fixed), view->viewport()->mapToGlobal(QPointF(fixed)), {}, {0, 240}, Qt::NoButton,
                      Qt::NoModifier, Qt::NoScrollPhase, false);
    QApplication::sendEvent(view->viewport(), &wheel);
    QVERIFY(view->zoom() > before);
    QVERIFY2(std::abs(view->position_of(2).x() - fixed.x()) <= 2,
             qPrintable(QString("%1 %2").arg(view->position_of(2).x()).arg(fixed.x())));
    QTest::keyClick(view, Qt::Key_Minus);
    QTest::keyClick(view, Qt::Key_0);
    QCOMPARE(view->zoom(), before);

    panel->show_table(true);
    QTreeView* tree = panel->tree();
    QVERIFY(tree->isVisible());
    QCOMPARE(tree->model()->rowCount(), 2);
    const QModelIndex first = tree->model()->index(0, 0);
    QCOMPARE(tree->model()->rowCount(first), 2);
    QCOMPARE(first.data().toString(), QString("#1 kernel 1"));
    QVERIFY(first.siblingAtColumn(2).data().toString().contains("400 simulated issue slots"));
    QVERIFY(tree->currentIndex().data().toString().contains("#4"));
    tree->setCurrentIndex(tree->model()->index(1, 0, first));
    QCOMPARE(bench.selection.current(), 3);
    bench.picture("lineage-table-light");
  }

  void lineageGrowsWithTheRun() {
    Bench bench;
    QVERIFY(bench.open());
    bench.engine->candidates = 6;
    bench.engine->hold_before(3);
    auto* panel = bench.show<LineagePanel>();
    QVERIFY(bench.session.explore(bench.options(6)));
    QTRY_COMPARE(bench.model.rowCount(), 3);
    QTRY_VERIFY(panel->view()->graph() && panel->view()->graph()->nodes.size() == 3);
    bench.engine->release();
    QTRY_VERIFY(!bench.session.running());
    QTRY_COMPARE(panel->view()->graph()->nodes.size(), std::size_t{6});
    QTRY_COMPARE(panel->view()->graph()->layers, 6);  // each from the one before
    QVERIFY(Theme::instance().apply("dark"));
    QVERIFY(panel->findChild<QToolButton*>("lineage_turn"));
    panel->findChild<QToolButton*>("lineage_turn")->click();
    QTRY_COMPARE(panel->view()->graph()->flow, Flow::down);
    bench.picture("lineage-down-dark");
  }

  void manyNodesStayInSight() {
    Bench bench;
    auto* panel = bench.show<LineagePanel>();
    std::vector<explore::CandidateRow> rows;
    for (int i = 1; i <= 10000; ++i)
      rows.push_back(row_of(i, i <= 20 ? 0 : i / 3, i % 4 ? "accepted" : "rejected", i % 4 ? 100 + i % 997 : 0));
    bench.model.reset(rows);
    LineageView* view = panel->view();
    QTRY_VERIFY(view->graph() && view->graph()->nodes.size() == 10000);
    bench.selection.set_current(7777);
    QVERIFY(view->viewport()->rect().contains(view->position_of(7777)));
    view->zoom_by(40);
    QVERIFY(view->viewport()->rect().contains(view->position_of(7777)));
    QTest::keyClick(view, Qt::Key_Left);
    QCOMPARE(bench.selection.current(), 7777 / 3);
    QVERIFY(view->viewport()->rect().contains(view->position_of(7777 / 3)));
    view->fit();
    bench.picture("lineage-many-light");
  }

  // Progress.

  void attemptsEndAtStages() {
    std::vector<CandidateModel::Row> rows;
    const auto add = [&](explore::CandidateRow row, std::optional<evidence::Stage> failed = {}) {
      row.failed_stage = failed;
      CandidateModel::Row r;
      r.data = std::move(row);
      rows.push_back(std::move(r));
    };
    add(row_of(1, 0, "accepted", 300));
    add(row_of(2, 0, "rejected"), evidence::Stage::compile);
    add(row_of(3, 0, "rejected"), evidence::Stage::smoke);
    add(row_of(4, 0, "accepted", 100));
    add(row_of(5, 0, "rejected"), evidence::Stage::compile);
    add(row_of(6, 0, "rejected"));
    add(row_of(7, 0, "duplicate"));
    add(row_of(8, 0, "not judged"));
    add(row_of(9, 0, "accepted", 200));
    add(row_of(10, 0, "judging"));
    RunFacts facts;
    facts.record.created = "2026-11-20T10:00:00.000Z";
    facts.candidates[4].created = "2026-11-20T10:01:30.000Z";
    const ProgressData data = make_progress(rows, &facts, {});
    QStringList keys;
    for (const AttemptEnd& e : data.ends)
      keys += (e.stage ? enum_text(*e.stage) : enum_text(e.state)) + " " + QString::number(e.count);
    QCOMPARE(keys, (QStringList{"accepted 3", "compile 2", "smoke 1", "rejected 1", "not judged 1", "duplicate 1"}));
    QCOMPARE(data.open, 1);
    QCOMPARE(data.attempts[3].minutes, 1.5);
    QVERIFY(std::isnan(data.attempts[0].minutes));
    QCOMPARE(data.attempts[8].best, 100.0);
    QVERIFY(data.summary.startsWith("10 attempts: 3 proved, 2 rejected at compile"));
    QVERIFY(data.summary.contains("The best is #4") && data.summary.contains("simulated"));
    QVERIFY(make_progress({}, nullptr, {}).attempts.empty());
  }

  void timeLeftIsEstimated() {
    Bench bench;
    auto* panel = bench.show_waiting<ProgressPanel>(3);
    QTRY_VERIFY2(panel->strip()->budget().join("; ").contains("less than a minute left"),
                 qPrintable(panel->strip()->budget().join("; ")));
    bench.engine->release();
    QTRY_VERIFY(!bench.session.running());
    QTRY_VERIFY(!panel->strip()->budget().join("; ").contains("left"));
  }

  void progressPausesAndGoesOn() {
    Bench bench;
    QVERIFY(bench.open());
    bench.engine->hold_before(2);
    auto* panel = bench.show<ProgressPanel>();
    auto* pause = panel->findChild<QToolButton*>("run_pause");
    auto* cancel = panel->findChild<QToolButton*>("run_cancel");
    QVERIFY(!pause->isVisible() && !cancel->isVisible() && !bench.registry.action("run.pause")->isEnabled());
    generator::RunOptions options = bench.options(6);
    options.budget.minutes = 10;
    QVERIFY(bench.session.explore(options));
    QTRY_COMPARE(bench.model.judged(), 2);
    QVERIFY(pause->isVisible() && cancel->isVisible());
    QCOMPARE(panel->strip()->state(), QString("Running"));
    QTRY_VERIFY(panel->strip()->budget().contains("2 of 6 judged"));
    QVERIFY(panel->strip()->budget().join("; ").contains("of 10 min"));
    QSignalSpy changes(&bench.session, &Session::state_changed);
    QTest::mouseClick(pause, Qt::LeftButton);
    QVERIFY(bench.session.paused() && changes.count() == 1);
    QCOMPARE(panel->strip()->state(), QString("Paused"));
    QCOMPARE(pause->text(), QString("Continue"));
    bench.engine->release();  // it would go on, if it were not paused
    bool stands = false;
    QObject::connect(&bench.session, &Session::events, &bench.window, [&](const std::vector<explore::Event>& batch) {
      for (const auto& e : batch)
        if (const auto* p = std::get_if<explore::RunPaused>(&e)) stands = p->paused;
    });
    QTRY_VERIFY(stands);
    QCOMPARE(bench.model.judged(), 2);
    QVERIFY(Theme::instance().apply("dark"));
    bench.picture("progress-paused-dark");
    bench.registry.action("run.pause")->trigger();
    QVERIFY(!bench.session.paused());
    QTRY_VERIFY(!bench.session.running());
    QVERIFY(!pause->isVisible());
    QTRY_VERIFY2(panel->strip()->state().startsWith("Done"), qPrintable(panel->strip()->state()));
    QTRY_COMPARE(panel->points(), 3);
    QVERIFY(panel->data().summary.contains("6 attempts: 3 proved"));
    // A click on a point selects.
    const Attempt& a = panel->data().attempts[2];
    const QPoint at(static_cast<int>(panel->plot()->xAxis->coordToPixel(3)),
                    static_cast<int>(panel->plot()->yAxis->coordToPixel(a.score)));
    QTest::mouseClick(panel->plot(), Qt::LeftButton, {}, at);
    QCOMPARE(bench.selection.current(), a.id);
    QTest::keyClick(panel->plot(), Qt::Key_Left);
    QVERIFY(bench.selection.current() != a.id);
    QVERIFY(Theme::instance().apply("light"));
    bench.picture("progress-light");
  }

  void aWaitOfAServiceIsCountedDown() {
    Bench bench;
    auto* panel = bench.show_waiting<ProgressPanel>(1);
    const auto tell = [&](std::int64_t exchange, std::chrono::seconds left) {
      emit bench.session.events({explore::Event(llm::ModelEvent(llm::Awaiting{exchange, "api.remote.example", left}))},
                                true);
    };
    using namespace std::chrono_literals;
    tell(7, 3723s);
    QCOMPARE(panel->strip()->state(), QString("api.remote.example asks to wait: 1:02:03 left"));
    tell(8, 60s);  // the longest is shown
    tell(7, 3722s);
    QCOMPARE(panel->strip()->state(), QString("api.remote.example asks to wait: 1:02:02 left"));
    tell(7, 0s);
    QCOMPARE(panel->strip()->state(), QString("api.remote.example asks to wait: 0:01:00 left"));
    tell(8, 0s);
    QCOMPARE(panel->strip()->state(), QString("Running"));
    tell(9, 60s);
    bench.engine->release();
    QTRY_VERIFY(!bench.session.running());
    QTRY_VERIFY2(panel->strip()->state().startsWith("Done"), qPrintable(panel->strip()->state()));
  }

  void aPausedRunIsCancelled() {
    Bench bench;
    auto* panel = bench.show_waiting<ProgressPanel>(1);
    panel->findChild<QToolButton*>("run_pause")->click();
    QVERIFY(bench.session.paused());
    panel->findChild<QToolButton*>("run_cancel")->click();
    QTRY_VERIFY(!bench.session.running());
    QVERIFY(!bench.session.paused());
    QTRY_VERIFY2(panel->strip()->state().startsWith("Cancelled"), qPrintable(panel->strip()->state()));
    bench.session.pause();  // there is nothing to pause
    QVERIFY(!bench.session.paused());
    // The next run does not begin paused.
    bench.engine->release();
    QVERIFY(bench.session.explore(bench.options(3)));
    QTRY_VERIFY(!bench.session.running());
    QCOMPARE(bench.model.judged(), 3);
  }

  void spendOfModelsIsShown() {
    Bench bench;
    QVERIFY(bench.open());
    auto* panel = bench.show<ProgressPanel>();
    generator::RunOptions options = bench.options(3);
    options.generator = "model";
    options.budget.tokens = 200000;
    options.budget.money = 1;
    QVERIFY(bench.session.explore(options));
    QTRY_VERIFY(!bench.session.running());
    QTRY_VERIFY2(panel->strip()->budget().join("; ").contains("of 200 k tokens"),
                 qPrintable(panel->strip()->budget().join("; ")));
    QVERIFY(panel->strip()->budget().join("; ").contains("of $1.00"));
    // By time: candidates that came at a known time.
    auto* against = panel->findChild<QComboBox*>("progress_against");
    against->setCurrentIndex(1);
    QCOMPARE(panel->plot()->axisRects().size(), 2);
    bench.picture("progress-models-light");
  }
};

QTEST_MAIN(ExplorationTest)
#include "exploration_test.moc"
