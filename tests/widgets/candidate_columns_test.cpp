// SPDX-License-Identifier: GPL-3.0-or-later
// The table of candidates: its columns, comparison, drag and drop, menu, and what its cells say.
// Pictures go to <build>/screenshots.
#include <QDialog>
#include <QHeaderView>
#include <QLabel>
#include <QListWidget>
#include <QMenu>
#include <QMimeData>
#include <QPushButton>
#include <QScrollBar>
#include <QTableView>
#include <QtTest>
#include <map>
#include "parts/theme/theme.h"
#include "widgets/candidate_rows.h"
#include "widgets/candidates_bench.h"

using namespace ww;
using namespace ww::widgets;
using ww::test::row;
using Bench = ww::test::CandidatesBench;

class CandidateColumnsTest : public QObject {
  Q_OBJECT

 private slots:
  void init() { QVERIFY(Theme::instance().apply("light")); }

  void columnsAreChosenAndRemembered() {
    Bench b;
    b.run(3);
    QHeaderView* header = b.panel->table()->horizontalHeader();
    QVERIFY(header->isSectionHidden(CandidateModel::Note));
    QCOMPARE(header->visualIndex(CandidateModel::Spread), 9);
    emit header->customContextMenuRequested(QPoint(20, 5));
    auto* menu = b.child<QMenu>("column_menu");
    QVERIFY(menu);
    for (QAction* action : menu->actions())
      if (action->text() == "Note") action->trigger();
    QVERIFY(!header->isSectionHidden(CandidateModel::Note));
    menu->close();
    b.key(Qt::Key_C);
    auto* dialog = b.child<QDialog>("column_dialog");
    QVERIFY(dialog);
    auto* list = dialog->findChild<QListWidget*>("columns");
    QCOMPARE(list->count(), int{CandidateModel::ColumnCount});
    QCOMPARE(list->item(0)->text(), QString("Rank"));
    list->setCurrentRow(1);
    for (QPushButton* button : dialog->findChildren<QPushButton*>())
      if (button->accessibleName() == "Move the column to the left") QTest::mouseClick(button, Qt::LeftButton);
    QCOMPARE(header->visualIndex(CandidateModel::Compared), 0);
    list->item(1)->setCheckState(Qt::Unchecked);
    QVERIFY(header->isSectionHidden(CandidateModel::Rank));
    for (int i = 0; i < list->count(); ++i) list->item(i)->setCheckState(Qt::Unchecked);
    QCOMPARE(header->hiddenSectionCount(), header->count() - 1);  // one stays
    for (QPushButton* button : dialog->findChildren<QPushButton*>())
      if (button->accessibleName() == "Reset the columns") QTest::mouseClick(button, Qt::LeftButton);
    QCOMPARE(header->visualIndex(CandidateModel::Name), 2);
    QVERIFY(!header->isSectionHidden(CandidateModel::Name));
    header->moveSection(header->visualIndex(CandidateModel::Tags), 0);
    header->resizeSection(CandidateModel::Name, 333);
    header->setSectionHidden(CandidateModel::Parent, true);
    const QByteArray state = b.panel->save_header();
    dialog->close();
    CandidatePanel other;
    other.restore_header(state);
    for (int column = 0; column < CandidateModel::ColumnCount; ++column) {
      QCOMPARE(other.table()->isColumnHidden(column), header->isSectionHidden(column));
      QCOMPARE(other.table()->horizontalHeader()->visualIndex(column), header->visualIndex(column));
    }
    QCOMPARE(other.table()->columnWidth(CandidateModel::Name), 333);
    QVERIFY(other.table()->isColumnHidden(CandidateModel::Parent));
    QCOMPARE(other.table()->horizontalHeader()->visualIndex(CandidateModel::Tags), 0);
    for (const QByteArray& wrong :
         {QByteArray(), QByteArray("nonsense"), header->saveState(), state.left(state.size() / 2)}) {
      CandidatePanel third;  // of another version, or damaged: as at first
      third.restore_header(wrong);
      QCOMPARE(third.table()->horizontalHeader()->visualIndex(CandidateModel::Spread), 9);
      QVERIFY(!third.table()->isColumnHidden(CandidateModel::Name));
    }
  }

  void comparedCandidatesStayTicked() {
    Bench b;
    b.run(12);
    b.panel->select(3);
    b.key(Qt::Key_Space);
    QCOMPARE(b.selection->compared(), QList<std::int64_t>{3});
    b.panel->select(2);
    QCOMPARE(b.selection->compared(), QList<std::int64_t>{3});
    QCOMPARE(b.cell(3, CandidateModel::Compared), QString("A"));
    QCOMPARE(b.cell(2, CandidateModel::Compared), QString());
    // A click on the tick of another row.
    const QModelIndex tick = b.panel->filter()->mapFromSource(
        b.panel->model()->index(b.panel->model()->row_of(1), CandidateModel::Compared));
    QVERIFY(b.panel->filter()->setData(tick, Qt::Checked, Qt::CheckStateRole));
    QCOMPARE(b.selection->compared(), (QList<std::int64_t>{3, 1}));
    QCOMPARE(b.cell(1, CandidateModel::Compared), QString("B"));
    b.panel->select(3);  // letters stay
    QCOMPARE(b.selection->compared(), (QList<std::int64_t>{3, 1}));
    b.selection->compare(3, false);  // by another panel
    QCOMPARE(b.cell(3, CandidateModel::Compared), QString());
    QCOMPARE(b.cell(1, CandidateModel::Compared), QString("B"));
    b.panel->select(4);
    b.key(Qt::Key_Space);  // the first free letter
    QCOMPARE(b.cell(4, CandidateModel::Compared), QString("A"));
    b.panel->table()->selectAll();
    b.key(Qt::Key_Space);
    QVERIFY(b.child<QLabel>("filter_problem")->isVisible());
    QVERIFY(b.selection->compared().size() == Selection::most_compared);
    b.picture("candidates-compared");
    // The baseline.
    b.panel->select(4);
    b.key(Qt::Key_B);
    QCOMPARE(b.selection->baseline(), std::int64_t{4});
    QCOMPARE(b.cell(4, CandidateModel::Marked), QString("baseline"));
    b.key(Qt::Key_B);
    QCOMPARE(b.selection->baseline(), std::int64_t{0});
    // Another run forgets it all.
    b.session->show_run(1);
    QTRY_VERIFY(b.selection->current() == 0 && b.selection->compared().isEmpty());
    QTRY_VERIFY(b.panel->model()->rowCount() == 12 && b.panel->model()->series(3) < 0);
  }

  void aRowIsDraggedOntoAnother() {
    Bench b;
    b.run(6);
    QSignalSpy wanted(b.panel, &CandidatePanel::diff_wanted);
    CandidateFilter* filter = b.panel->filter();
    const auto at = [&](std::int64_t id) {
      return filter->mapFromSource(b.panel->model()->index(b.panel->model()->row_of(id), CandidateModel::Name));
    };
    const std::unique_ptr<QMimeData> data(filter->mimeData({at(3), at(3).siblingAtColumn(0)}));
    QVERIFY(data && data->hasFormat("application/x-warpwright-candidate"));
    QCOMPARE(data->data("application/x-warpwright-candidate"), QByteArray("3"));
    QVERIFY(filter->canDropMimeData(data.get(), Qt::CopyAction, -1, -1, at(5)));
    QVERIFY(!filter->canDropMimeData(data.get(), Qt::CopyAction, -1, -1, at(3)));
    QVERIFY(!filter->canDropMimeData(data.get(), Qt::CopyAction, 2, 0, {}));
    QMimeData text;
    text.setText("3");
    QVERIFY(!filter->canDropMimeData(&text, Qt::CopyAction, -1, -1, at(5)));
    // As the view does it.
    const QPoint place = b.panel->table()->visualRect(at(5)).center();
    QDragEnterEvent enter(place, Qt::CopyAction, data.get(), Qt::LeftButton, Qt::NoModifier);
    QCoreApplication::sendEvent(b.panel->table()->viewport(), &enter);
    QVERIFY(enter.isAccepted());
    QDragMoveEvent move(place, Qt::CopyAction, data.get(), Qt::LeftButton, Qt::NoModifier);
    QCoreApplication::sendEvent(b.panel->table()->viewport(), &move);
    QVERIFY(move.isAccepted());
    QDropEvent drop(place, Qt::CopyAction, data.get(), Qt::LeftButton, Qt::NoModifier);
    QCoreApplication::sendEvent(b.panel->table()->viewport(), &drop);
    QCOMPARE(wanted.size(), 1);
    QCOMPARE(wanted[0], (QList<QVariant>{QVariant::fromValue(std::int64_t{3}), QVariant::fromValue(std::int64_t{5})}));
    QCOMPARE(b.selection->baseline(), std::int64_t{5});
    QCOMPARE(b.selection->current(), std::int64_t{3});
    QCOMPARE(b.panel->model()->rowCount(), 6);
    QMimeData strange;
    strange.setData("application/x-warpwright-candidate", "77\nx");
    QVERIFY(!filter->dropMimeData(&strange, Qt::CopyAction, -1, -1, at(5)));
  }

  void theMenuSaysWhatItWillDo() {
    Bench b;
    b.run(6);
    b.panel->select(3);
    b.key(Qt::Key_P);
    QTRY_COMPARE(b.cell(3, CandidateModel::Marked), QString("pinned"));
    emit b.panel->table()->customContextMenuRequested(QPoint(40, 10));
    auto* menu = b.child<QMenu>("candidate_menu");
    QVERIFY(menu);
    QStringList texts;
    for (QAction* action : menu->actions()) texts += action->text().remove('&').section('\t', 0, 0);
    QVERIFY2(texts.contains("Unpin") && texts.contains("Compare") && texts.contains("Move to trash") &&
                 texts.contains("Set as baseline"),
             qPrintable(texts.join("; ")));
    for (QAction* action : menu->actions())  // a tick would say that it is on
      if (action->objectName() == "candidates.compare") QVERIFY(action->icon().isNull() && !action->isCheckable());
    for (QAction* action : menu->actions())
      if (action->objectName() == "candidates.pin") action->trigger();
    QTRY_COMPARE(b.cell(3, CandidateModel::Marked), QString());
    // Sorting without a mouse.
    emit b.panel->table()->customContextMenuRequested(QPoint(40, 10));
    menu = b.window.findChildren<QMenu*>("candidate_menu").last();
    QMenu* sort = nullptr;
    for (QAction* action : menu->actions())
      if (action->menu()) sort = action->menu();
    QVERIFY(sort && sort->actions().first()->text() == "Rank (now ascending)");
    sort->actions().first()->trigger();
    QCOMPARE(b.panel->table()->horizontalHeader()->sortIndicatorOrder(), Qt::DescendingOrder);
    for (const ActionInfo& info : b.registry->all())
      QVERIFY2(!info.action->statusTip().isEmpty() && (info.category == "Candidates" || info.category == "Comparison"),
               qPrintable(info.id));
  }

  void spreadIsShownWhereItWasMeasured() {
    CandidatePanel panel;
    auto measured = row(1, "accepted", 100), wide = row(2, "accepted", 200), counted = row(3, "accepted", 300);
    measured.score->q1 = 99.5;
    measured.score->q3 = 100.5;
    wide.score->q1 = 190;
    wide.score->q3 = 230;
    counted.score = appraisal::Score{300, Provenance::simulated, "simulated issue slots"};
    panel.model()->reset({measured, wide, counted, row(4, "accepted", 120), row(5, "rejected")});
    const auto at = [&](int r) { return panel.model()->index(r, CandidateModel::Spread); };
    QCOMPARE(at(0).data().toString(), QString("1 %"));
    QCOMPARE(at(1).data().toString(), QString("20 %"));
    QVERIFY(at(0).data(Qt::ToolTipRole).toString().contains("99.5 and 100.5"));
    for (int r = 2; r < 5; ++r) QCOMPARE(at(r).data().toString(), QString("\u2014"));
    QVERIFY(at(2).data(Qt::ToolTipRole).toString().contains("simulated cost"));
    QVERIFY(at(3).data(Qt::ToolTipRole).toString().contains("not in the workspace"));
    panel.resize(1280, 300);
    panel.show();
    QVERIFY(panel.grab().save(WW_BINARY_DIR "/screenshots/candidates-spread.png"));
    panel.filter()->sort(CandidateModel::Spread, Qt::DescendingOrder);
    QCOMPARE(panel.filter()->index(0, 0).data(CandidateModel::IdRole).toLongLong(), 2);
    QCOMPARE(panel.filter()->index(1, 0).data(CandidateModel::IdRole).toLongLong(), 1);
  }

  // Every ranked row says how far it is from the best, in figures and as a bar; equal costs have one rank.
  void barsAndRanksTellTheDistanceToTheBest() {
    CandidatePanel panel;
    panel.resize(1280, 300);
    panel.show();
    QVERIFY(QTest::qWaitForWindowExposed(&panel));
    const auto ranked = [](std::int64_t id, double cost, int rank) {
      auto r = row(id, "accepted", cost);
      r.rank = rank;
      return r;
    };
    CandidateModel& model = *panel.model();
    const auto at = [&](std::int64_t id, int column) { return model.index(model.row_of(id), column); };
    const auto ratio = [&](std::int64_t id) {
      return at(id, CandidateModel::Score).data(CandidateModel::CostRatioRole);
    };
    const auto tip = [&](std::int64_t id) { return at(id, CandidateModel::Score).data(Qt::ToolTipRole).toString(); };
    const auto rank = [&](std::int64_t id) { return at(id, CandidateModel::Rank).data().toString(); };
    QTableView* table = panel.table();
    const auto bar = [&](std::int64_t id) {  // its length in pixels
      const QRect cell = table->visualRect(panel.filter()->mapFromSource(at(id, CandidateModel::Score)));
      const QImage drawn = table->viewport()->grab(cell).toImage().convertToFormat(QImage::Format_RGB32);
      const QRgb ink = Theme::instance().color("border-strong").rgb();
      int most = 0;
      int high = 0;
      for (int y = 0; y < drawn.height(); ++y) {
        int run = 0;
        for (int x = 0; x < drawn.width(); ++x) run += drawn.pixel(x, y) == ink;
        most = std::max(most, run);
        high += run > 0;
      }
      if (most > 0 && high < 6) return -1;  // a line, which under a number looks like an underline
      return most;
    };
    auto unranked = row(6, "accepted", 90);
    model.reset({ranked(1, 300, 4), ranked(2, 100, 1), ranked(3, 150, 2), ranked(4, 150, 2), row(5, "rejected"),
                 unranked, ranked(7, 5000, 5)});
    panel.select(5);  // the bars of a selected row have another colour
    for (const auto& [id, wanted] : std::map<std::int64_t, double>{{1, 3}, {2, 1}, {3, 1.5}, {4, 1.5}, {7, 50}})
      QCOMPARE(ratio(id).toDouble(), wanted);
    QVERIFY(!ratio(5).isValid() && !ratio(6).isValid());
    QVERIFY2(tip(1).contains("3.00 \u00d7 the best cost"), qPrintable(tip(1)));
    QVERIFY2(tip(3).contains("1.50 \u00d7 the best cost"), qPrintable(tip(3)));
    QVERIFY(!tip(5).contains("the best cost") && !tip(6).contains("the best cost"));
    QCOMPARE((QStringList{rank(2), rank(3), rank(4), rank(1), rank(7)}), (QStringList{"1", "2", "2", "4", "5"}));
    QCOMPARE(rank(6), QString("\u2014"));
    QTRY_VERIFY(bar(2) > 0);
    QCOMPARE(bar(3), bar(4));
    QVERIFY2(std::abs(bar(3) - 1.5 * bar(2)) <= 2, qPrintable(QString("%1 and %2").arg(bar(3)).arg(bar(2))));
    QVERIFY2(std::abs(bar(1) - 3 * bar(2)) <= 3, qPrintable(QString("%1 and %2").arg(bar(1)).arg(bar(2))));
    QVERIFY(bar(7) > bar(1) && bar(7) < table->columnWidth(CandidateModel::Score));
    QCOMPARE(bar(5), 0);
    QCOMPARE(bar(6), 0);
    // A better one arrives: all of them are measured against it.
    model.apply({explore::CandidateJudged{row(8, "accepted", 50)},
                 explore::RanksChanged{{{8, 1}, {2, 2}, {3, 3}, {4, 3}, {1, 5}, {7, 6}}}});
    for (const auto& [id, wanted] : std::map<std::int64_t, double>{{1, 6}, {2, 2}, {3, 3}, {4, 3}, {8, 1}})
      QCOMPARE(ratio(id).toDouble(), wanted);
    QCOMPARE((QStringList{rank(8), rank(2), rank(3), rank(4), rank(1)}), (QStringList{"1", "2", "3", "3", "5"}));
    QVERIFY2(std::abs(bar(2) - 2 * bar(8)) <= 2, qPrintable(QString("%1 and %2").arg(bar(2)).arg(bar(8))));
    // Another run has a best of its own.
    model.reset({ranked(9, 400, 1), ranked(10, 800, 2)});
    QCOMPARE(ratio(9).toDouble(), 1.0);
    QCOMPARE(ratio(10).toDouble(), 2.0);
  }

  // A name is cut where the column is narrow; the pointer gives all of it. The tuning stands beside it.
  void namesAndTuningAreSaidWhole() {
    CandidatePanel panel;
    const char* long_title =
        "One warp per row, four columns in one vector load, the tail handled by a separate predicated loop (BLOCK 256, "
        "ITEMS 4, UNROLL 8)";
    auto tuned = row(1, "accepted", 100, long_title), plain = row(2, "accepted", 120, "One thread per row"),
         bare = row(3, "accepted", 130, "A block (of rows) each"), nameless = row(4, "accepted", 140, "");
    nameless.structure.clear();
    tuned.tuning = {{"BLOCK", 256}, {"ITEMS", 4}, {"UNROLL", 8}};
    panel.model()->reset({tuned, plain, bare, nameless});
    const auto at = [&](int r) { return panel.model()->index(r, CandidateModel::Name); };
    const auto tip = [&](int r) { return at(r).data(Qt::ToolTipRole).toString(); };
    QVERIFY2(tip(0).startsWith(QString(long_title) + "\n"), qPrintable(tip(0)));
    QVERIFY2(tip(0).contains("Kind of kernel: row-warp") && tip(0).contains("Candidate #1, hash1"), qPrintable(tip(0)));
    QVERIFY(tip(1).startsWith("One thread per row\n"));
    QCOMPARE(at(0).data(CandidateModel::TuningRole).toString(), QString("BLOCK 256, ITEMS 4, UNROLL 8"));
    QCOMPARE(at(0).data(CandidateModel::ShortNameRole).toString(), QString("row-warp"));
    QVERIFY(at(0).data(Qt::AccessibleTextRole).toString().endsWith(long_title));
    for (int r = 1; r < 4; ++r) QCOMPARE(at(r).data(CandidateModel::TuningRole).toString(), QString());
    QVERIFY(tip(3).startsWith("hash4\n"));  // what has no title is known by its text
    // They are drawn beside the name.
    panel.resize(1900, 300);
    panel.show();
    QVERIFY(QTest::qWaitForWindowExposed(&panel));
    QTableView* table = panel.table();
    const auto picture = [&](int r) {
      const QRect cell = table->visualRect(panel.filter()->mapFromSource(at(r)));
      return table->viewport()->grab(cell).toImage();
    };
    const QImage with = picture(0);
    tuned.tuning.clear();
    panel.model()->reset({tuned, plain, bare, nameless});
    QTRY_VERIFY(picture(0) != with);
  }

  // Candidates of one structure differ by it alone.
  void theTuningIsToldApartInANarrowTable() {
    CandidatePanel panel;
    auto tuned = row(1, "accepted", 100, "One warp per row, the row kept in registers");
    tuned.structure = "row-warp-registers";
    panel.resize(620, 300);
    panel.show();
    QVERIFY(QTest::qWaitForWindowExposed(&panel));
    QSet<QByteArray> seen;
    for (const int items : {2, 4, 8})
      for (const int warps : {1, 4}) {
        tuned.tuning = {{"ITEMS", items}, {"WARPS", warps}};
        panel.model()->reset({tuned, row(2, "accepted", 120, "One thread per row")});
        const QModelIndex at = panel.filter()->mapFromSource(panel.model()->index(0, CandidateModel::Name));
        QTRY_VERIFY(panel.table()->visualRect(at).width() > 0);
        const QImage drawn = panel.table()->viewport()->grab(panel.table()->visualRect(at)).toImage();
        seen.insert(QByteArray(reinterpret_cast<const char*>(drawn.constBits()), drawn.sizeInBytes()));
      }
    QCOMPARE(seen.size(), 6);
  }

  void aParentHasANumberAndAName() {
    CandidatePanel panel;
    auto child = row(3, "accepted", 90), stray = row(4, "accepted", 95);
    child.parent = "hash2";
    stray.parent = "0123456789abcdef";
    panel.model()->reset({row(2, "accepted", 100), child, stray});
    const auto at = [&](int r) { return panel.model()->index(r, CandidateModel::Parent); };
    QCOMPARE(at(1).data().toString(), QString("#2 tiled"));
    QCOMPARE(at(2).data().toString(), QString("not in this run"));
    QVERIFY(at(2).data(Qt::ToolTipRole).toString().contains("0123456789abcdef"));
  }

  void namesStayInSight() {
    Bench bench;
    std::vector<explore::CandidateRow> rows;
    for (int i = 1; i <= 12; ++i) rows.push_back(row(i, "accepted", 100.0 + i));
    bench.panel->model()->reset(rows);
    bench.window.resize(900, 440);
    bench.window.show();
    QVERIFY(QTest::qWaitForWindowExposed(&bench.window));
    QTableView* table = bench.panel->table();
    const int name = CandidateModel::Name;
    emit table->horizontalHeader()->customContextMenuRequested(QPoint(20, 5));
    auto* menu = bench.child<QMenu>("column_menu");
    for (QAction* action : menu->actions())  // all columns, which the table has no room for
      if (action->isCheckable() && !action->isChecked()) action->trigger();
    menu->close();
    // The spare width is the names'.
    const int narrow = table->columnWidth(name);
    bench.window.resize(2400, 440);
    QTRY_VERIFY(table->columnWidth(name) > narrow);
    bench.window.resize(900, 440);
    QTRY_COMPARE(table->columnWidth(name), narrow);
    // They do not scroll sideways, and a click on one selects its row.
    QScrollBar* bar = table->horizontalScrollBar();
    QVERIFY(bar->maximum() > 100);
    const QPoint at(table->columnViewportPosition(name) + 30, table->rowViewportPosition(5) + 8);
    const QRect names(table->viewport()->mapTo(table, QPoint(table->columnViewportPosition(name), 0)),
                      QSize(narrow - 4, table->rowViewportPosition(11)));
    const QImage before = table->grab(names).toImage();
    bar->setValue(bar->maximum());
    QTRY_COMPARE(table->grab(names).toImage(), before);
    QWidget* there = table->childAt(table->viewport()->mapTo(table, at));
    QVERIFY(there && there != table->viewport());
    QTest::mouseClick(there, Qt::LeftButton, {}, there->mapFrom(table, table->viewport()->mapTo(table, at)));
    QCOMPARE(bench.panel->selected(), std::int64_t{6});
  }

  void partialClaimsAreSaidInTheTable() {
    CandidatePanel panel;
    auto whole = row(1, "accepted", 100), partial = row(2, "accepted", 200), wrong = row(3, "rejected");
    whole.cases = {15, 15};
    partial.cases = {10, 15};
    partial.verdict = "proved: 10 cases x 5 seeds, 5 not claimed";
    panel.model()->reset({whole, partial, wrong, row(4, "accepted", 120)});
    const auto at = [&](int r) { return panel.model()->index(r, CandidateModel::Verdict); };
    QCOMPARE(at(0).data().toString(), QString("15 of 15 cases"));
    QCOMPARE(at(1).data().toString(), QString("10 of 15 cases"));
    QVERIFY(!at(0).data(CandidateModel::PartialRole).toBool() && at(1).data(CandidateModel::PartialRole).toBool());
    QVERIFY(at(1).data(Qt::ToolTipRole).toString().contains("Proved at 10 of its 15 cases"));
    QCOMPARE(at(3).data().toString(), QString("Proved"));  // how many is unknown
    // The words fit where the column is as wide as it is at first.
    panel.resize(1280, 300);
    panel.show();
    QVERIFY(QTest::qWaitForWindowExposed(&panel));
    QVERIFY(panel.table()->fontMetrics().horizontalAdvance(at(1).data().toString()) + 34 <=
            panel.table()->columnWidth(CandidateModel::Verdict));
  }
};

QTEST_MAIN(CandidateColumnsTest)
#include "candidate_columns_test.moc"
