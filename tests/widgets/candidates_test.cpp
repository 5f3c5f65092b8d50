// SPDX-License-Identifier: GPL-3.0-or-later
// The table of candidates: its order while a run goes on, marks with undo, tags, notes, its filter.
// Pictures go to <build>/screenshots.
#include <QAbstractItemModelTester>
#include <QInputDialog>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QTableView>
#include <QCompleter>
#include <QScrollBar>
#include <QtTest>
#include "panels/candidates/query_edit.h"
#include "op/doubts.h"
#include "panels/candidates/result_text.h"
#include "panels/plots/progress_data.h"
#include "parts/theme/theme.h"
#include "widgets/candidate_rows.h"
#include "widgets/candidates_bench.h"

using namespace ww;
using namespace ww::widgets;
using ww::test::row;
using Bench = ww::test::CandidatesBench;

class CandidatesTest : public QObject {
  Q_OBJECT

 private slots:
  void init() { QVERIFY(Theme::instance().apply("light")); }

  // Whatever happens to the rows, the order is the one that a plain sort of all of them gives.
  void orderIsRightWhileARunGoesOn() {
    CandidateModel model;
    CandidateFilter filter;
    QAbstractItemModelTester of_model(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    filter.setSourceModel(&model);
    QTableView view;
    view.setModel(&filter);
    view.show();
    std::mt19937 random(3);
    const QList<int> columns = {CandidateModel::Rank,    CandidateModel::Score,  CandidateModel::Name,
                                CandidateModel::Verdict, CandidateModel::Number, CandidateModel::Tags};
    const QStringList queries = {"", "state:accepted", "tiled", "rank<=20", "-tag:a", "is:trashed OR state:open"};
    std::vector<explore::CandidateRow> rows;
    QPersistentModelIndex kept;
    std::int64_t kept_id = 0;
    QString query;
    for (int step = 0; step < 400; ++step) {
      std::vector<explore::Event> batch;
      for (int n = static_cast<int>(random() % 4); n >= 0; --n) {
        if (rows.empty() || random() % 2 == 0) {
          rows.push_back(
              row(10 + 2 * static_cast<std::int64_t>(rows.size()), "queued", {}, random() % 2 ? "tiled" : "naive"));
          batch.push_back(explore::CandidateProposed{rows.back()});
        } else {
          auto& one = rows[random() % rows.size()];
          one.state = random() % 3 ? store::CandidateState::accepted : store::CandidateState::rejected;
          one.score.reset();
          if (one.state == store::CandidateState::accepted)
            one.score = appraisal::Score{static_cast<double>(random() % 50), Provenance::measured, "\u00b5s"};
          one.rank.reset();
          batch.push_back(explore::CandidateJudged{one});
          explore::RanksChanged ranks;
          std::vector<explore::CandidateRow*> list;
          for (auto& r : rows)
            if (r.score) list.push_back(&r);
          std::stable_sort(list.begin(), list.end(),
                           [](auto* a, auto* b) { return a->score->value < b->score->value; });
          for (std::size_t i = 0; i < list.size(); ++i)
            ranks.ranks.emplace_back(list[i]->id, *(list[i]->rank = static_cast<int>(i) + 1));
          batch.push_back(ranks);
        }
      }
      model.apply(batch);
      if (step % 9 == 0)
        filter.sort(columns[static_cast<qsizetype>(random() % 6)],
                    random() % 2 ? Qt::AscendingOrder : Qt::DescendingOrder);
      if (step % 7 == 0) filter.hold(random() % 3 == 0);
      if (step % 13 == 0) filter.set_words(query = queries[static_cast<qsizetype>(random() % 6)]);
      if (step % 5 == 0) {
        CandidateMarks marks;
        marks.trashed = random() % 3 == 0;
        if (random() % 2) marks.tags = QStringList{random() % 2 ? "a" : "b"};
        model.set_marks({{rows[random() % rows.size()].id, marks}}, false);
      }
      std::vector<qlonglong> seen;
      for (int i = 0; i < filter.rowCount(); ++i) {
        seen.push_back(filter.index(i, 0).data(CandidateModel::IdRole).toLongLong());
        QCOMPARE(filter.mapFromSource(filter.mapToSource(filter.index(i, 1))), filter.index(i, 1));
      }
      if (kept.isValid()) QCOMPARE(kept.data(CandidateModel::IdRole).toLongLong(), kept_id);
      if (!kept.isValid() && filter.rowCount() > 0) {
        kept = filter.index(static_cast<int>(random() % static_cast<unsigned>(filter.rowCount())), 2);
        kept_id = kept.data(CandidateModel::IdRole).toLongLong();
      }
      if (filter.held_changes()) continue;
      const auto before = seen;
      CandidateFilter plain;  // made from nothing
      plain.setSourceModel(&model);
      plain.sort(filter.sorted_by(), filter.sorted_way());
      plain.set_words(query);
      seen.clear();
      for (int i = 0; i < plain.rowCount(); ++i)
        seen.push_back(plain.index(i, 0).data(CandidateModel::IdRole).toLongLong());
      QCOMPARE(before, seen);
    }
    QCOMPARE(model.rowCount(), static_cast<int>(rows.size()));
    QCOMPARE(model.accepted(), static_cast<int>(std::count_if(rows.begin(), rows.end(), [](const auto& r) {
               return r.state == store::CandidateState::accepted;
             })));
    QCOMPARE(model.structures(), model.accepted() > 0 ? 1 : 0);
  }

  // While the pointer is over the table, no row moves: new ones come at the end, and a note says so. When it leaves,
  // and when the keyboard does, the order is right again.
  void noRowMovesUnderThePointer() {
    Bench b;
    CandidateModel& model = *b.panel->model();
    auto* table = b.panel->table();
    auto* note = b.child<QLabel>("order_held");
    QTRY_VERIFY(b.session->ready() && table->window()->isActiveWindow());
    const auto judge = [&](std::int64_t id, double score) {
      model.apply({explore::CandidateJudged{row(id, "accepted", score)}});
      explore::RanksChanged ranks;
      std::vector<std::pair<double, std::int64_t>> list;
      for (const auto& r : model.rows())
        if (r.data.score) list.emplace_back(r.data.score->value, r.data.id);
      std::sort(list.begin(), list.end());
      for (std::size_t i = 0; i < list.size(); ++i) ranks.ranks.emplace_back(list[i].second, static_cast<int>(i) + 1);
      model.apply({ranks});
    };
    std::vector<explore::CandidateRow> rows;
    for (int id = 1; id <= 40; ++id) rows.push_back(row(id, "queued"));
    model.reset(rows);
    for (int id = 1; id <= 40; ++id) judge(id, 100 + id);
    const QList<std::int64_t> before = b.ids();
    QCOMPARE(before.first(), std::int64_t{1});
    table->verticalScrollBar()->setValue(3 * table->rowHeight(0));
    const QPoint third = table->visualRect(b.panel->filter()->index(5, CandidateModel::Name)).center();
    const std::int64_t aimed = before[5];

    QTest::mouseMove(table->viewport(), third);
    QTRY_VERIFY(b.panel->filter()->held());
    QVERIFY(note->isHidden());  // nothing waits yet
    judge(41, 5);
    judge(30, 4);
    model.apply({explore::CandidateProposed{row(42, "queued")}});
    QCOMPARE(b.ids(), before + QList<std::int64_t>({41, 42}));
    b.panel->show_best();  // as at the end of a run: selected, without scrolling to it
    QCOMPARE(b.panel->selected(), std::int64_t{30});
    QVERIFY(!note->isHidden());
    QCOMPARE(note->text(), QString("Order paused: 2 new"));
    QVERIFY(table->viewport()->geometry().contains(note->geometry()));
    b.picture("candidates-order-held");
    QTest::mouseClick(table->viewport(), Qt::LeftButton, {}, third);
    QCOMPARE(b.panel->selected(), aimed);

    // What the person asks for comes at once: the trash, another order.
    CandidateMarks trashed;
    trashed.trashed = true;
    model.set_marks({{before[7], trashed}}, false);
    QVERIFY(!b.ids().contains(before[7]));
    model.set_marks({}, true);
    table->sortByColumn(CandidateModel::Number, Qt::AscendingOrder);
    const QList<std::int64_t> by_number = b.ids();
    QVERIFY(std::is_sorted(by_number.begin(), by_number.end()) && note->isHidden());
    table->sortByColumn(CandidateModel::Rank, Qt::AscendingOrder);
    QCOMPARE(b.ids().first(), std::int64_t{30});
    judge(39, 3);
    QCOMPARE(b.ids().first(), std::int64_t{30});
    QCOMPARE(note->text(), QString("Order paused"));

    QTest::mouseMove(&b.window, QPoint(5, 5));
    QTRY_VERIFY(!b.panel->filter()->held());
    QVERIFY(note->isHidden());
    QCOMPARE(b.ids().mid(0, 3), QList<std::int64_t>({39, 30, 41}));
    QCOMPARE(b.panel->selected(), aimed);

    b.key(Qt::Key_Down);
    judge(38, 2);
    QCOMPARE(b.ids().first(), std::int64_t{39});
    QCOMPARE(note->text(), QString("Order paused, Esc sorts"));
    b.key(Qt::Key_Escape);
    QCOMPARE(b.ids().first(), std::int64_t{38});
    b.key(Qt::Key_Up);
    judge(37, 1);
    QCOMPARE(b.ids().first(), std::int64_t{38});
    b.child<QLineEdit>("filter")->setFocus(Qt::TabFocusReason);
    QCOMPARE(b.ids().first(), std::int64_t{37});

    // The rows of another run end it, until the pointer moves again.
    QTest::mouseMove(table->viewport(), third);
    QTRY_VERIFY(b.panel->filter()->held());
    model.reset(rows);
    QVERIFY(!b.panel->filter()->held());
    judge(9, 1);
    QCOMPARE(b.ids().first(), std::int64_t{9});
  }

  void pinsAreKeptAndUndone() {
    Bench b;
    b.run(6);
    b.panel->select(3);
    QCOMPARE(b.selection->current(), std::int64_t{3});
    b.key(Qt::Key_P);
    QTRY_COMPARE(b.cell(3, CandidateModel::Marked), QString("pinned"));
    QCOMPARE(b.stored(1).size(), std::size_t{1});
    QCOMPARE(b.undo->undoText(), QString("Pin: #3"));
    b.undo->undo();
    QTRY_COMPARE(b.cell(3, CandidateModel::Marked), QString());
    QVERIFY(b.stored(1).empty());
    b.undo->redo();
    QTRY_COMPARE(b.cell(3, CandidateModel::Marked), QString("pinned"));
    b.key(Qt::Key_P);  // off again
    b.key(Qt::Key_P);  // and on, before the first was stored
    QTRY_VERIFY(!b.panel->marks()->busy());
    QCOMPARE(b.cell(3, CandidateModel::Marked), QString("pinned"));
    // Several rows at once are one step.
    b.panel->table()->selectAll();
    b.key(Qt::Key_P);
    QTRY_COMPARE(b.stored(1).size(), std::size_t{6});
    b.undo->undo();
    QTRY_COMPARE(b.stored(1).size(), std::size_t{1});
    b.session->show_run(1);  // read again
    QTRY_COMPARE(b.cell(3, CandidateModel::Marked), QString("pinned"));
  }

  void whatTheProgramSelectsIsSelectedAlone() {
    Bench b;
    b.run(6);
    b.panel->select(3);
    b.key(Qt::Key_Down, Qt::ControlModifier);  // Ctrl is held from now on
    b.panel->select(5);
    QCOMPARE(b.panel->selected_all(), QList<std::int64_t>{5});
    QCOMPARE(b.selection->current(), std::int64_t{5});
    b.panel->table()->selectRow(1);
    QCOMPARE(b.panel->selected_all(), QList<std::int64_t>{b.ids().at(1)});
    QCOMPARE(b.selection->current(), b.ids().at(1));
    b.key(Qt::Key_Down);
    b.key(Qt::Key_Down, Qt::ShiftModifier);
    QCOMPARE(b.panel->selected_all().size(), 2);
    QCOMPARE(b.selection->current(), b.ids().at(3));
  }

  // A row that is in sight stays so when it moves; one that was scrolled away does not come back by itself.
  void theCurrentRowStaysInSight() {
    CandidatePanel panel;
    panel.resize(900, 400);
    panel.show();
    QVERIFY(QTest::qWaitForWindowExposed(&panel));
    std::vector<explore::CandidateRow> rows;
    for (int id = 1; id <= 80; ++id) rows.push_back(row(id, id < 80 ? "accepted" : "judging", id));
    for (int id = 1; id < 80; ++id) rows[static_cast<std::size_t>(id - 1)].rank = id;
    rows.back().rank = 1;
    panel.model()->reset(rows);
    const QTableView* table = panel.table();
    const auto in_sight = [&] { return table->viewport()->rect().contains(table->visualRect(table->currentIndex())); };
    panel.select(80);
    QVERIFY(in_sight() && table->currentIndex().row() < 2);
    panel.model()->apply({explore::CandidateJudged{row(80, "rejected")}});
    QTRY_COMPARE(table->currentIndex().row(), 79);
    QVERIFY(in_sight());
    table->verticalScrollBar()->setValue(0);
    rows.back() = row(80, "rejected");
    rows.back().rank = 40;
    panel.model()->apply({explore::CandidateJudged{rows.back()}});
    QTRY_VERIFY(table->currentIndex().row() < 79);
    QCOMPARE(table->verticalScrollBar()->value(), 0);
  }

  // What was selected for the person moves down as better ones come; the best stay in sight.
  void aRunDoesNotScrollTheTableAway() {
    CandidatePanel panel;
    panel.resize(900, 260);
    panel.show();
    QVERIFY(QTest::qWaitForWindowExposed(&panel));
    auto first = row(1, "accepted", 1000);
    first.rank = 1;
    panel.model()->reset({first});
    panel.show_best();
    QVERIFY(panel.shows_best());
    for (int id = 2; id <= 60; ++id) {
      auto better = row(id, "accepted", 1000 - id);
      better.rank = 1;
      std::vector<std::pair<std::int64_t, int>> ranks;
      for (int other = 1; other <= id; ++other) ranks.emplace_back(other, id - other + 1);
      panel.model()->apply({explore::CandidateJudged{better}, explore::RanksChanged{ranks}});
    }
    QTRY_COMPARE(panel.table()->currentIndex().row(), 59);
    QCOMPARE(panel.selected(), std::int64_t{1});
    QCOMPARE(panel.table()->verticalScrollBar()->value(), 0);
    panel.show_best();  // at the end of the run
    QCOMPARE(panel.selected(), std::int64_t{60});
    QCOMPARE(panel.table()->currentIndex().row(), 0);
    panel.keep_selected();  // it is being stepped through
    auto best = row(61, "accepted", 1);
    best.rank = 1;
    panel.model()->apply({explore::CandidateJudged{best}});
    panel.show_best();
    QCOMPARE(panel.selected(), std::int64_t{60});
  }

  void aFilterWithoutAMatchSaysSo() {
    Bench b;
    b.run(6);
    auto* filter = b.child<QLineEdit>("filter");
    filter->setText("no such word");
    QPushButton* clear = nullptr;
    QTRY_VERIFY([&] {
      for (QPushButton* one : b.panel->findChildren<QPushButton*>("empty_action"))
        if (one->isVisible()) clear = one;
      return clear != nullptr;
    }());
    QCOMPARE(clear->text(), QString("Clear the filter"));
    QVERIFY(!b.panel->table()->isVisible());
    QStringList said;
    for (const QLabel* label : b.panel->findChildren<QLabel*>())
      if (label->isVisible()) said += label->text();
    QVERIFY2(said.contains("No candidate matches \"no such word\"."), qPrintable(said.join('|')));
    b.picture("filter-no-match");
    QTest::mouseClick(clear, Qt::LeftButton);
    QTRY_VERIFY(b.panel->table()->isVisible());
    QCOMPARE(b.panel->filter()->rowCount(), 6);
    QVERIFY(b.panel->filter_text().isEmpty() && b.panel->shown_states() == 0);
    b.panel->set_filter({}, 3);  // none is "not judged"
    QTRY_VERIFY(clear->isVisible());
  }

  void homeAndEndSelectTheFirstAndTheLast() {
    Bench b;
    b.run(6);
    b.panel->select(b.ids().at(3));
    for (const Qt::KeyboardModifiers modifiers :
         {Qt::KeyboardModifiers(), Qt::KeyboardModifiers(Qt::ControlModifier)}) {
      b.key(Qt::Key_End, modifiers);
      QCOMPARE(b.selection->current(), b.ids().last());
      b.key(Qt::Key_Home, modifiers);
      QCOMPARE(b.selection->current(), b.ids().first());
      QCOMPARE(b.panel->selected_all(), QList<std::int64_t>{b.ids().first()});
    }
  }

  void marksOfAnotherRunAreUndoneInTheStore() {
    Bench b;
    b.run(3);
    b.panel->select(1);
    b.key(Qt::Key_P);
    QTRY_COMPARE(b.stored(1).size(), std::size_t{1});
    b.run(2);
    QCOMPARE(b.session->shown_run(), std::int64_t{2});
    QVERIFY(b.panel->model()->row_of(1) < 0);
    b.undo->undo();
    QTRY_VERIFY(b.stored(1).empty());
    QVERIFY(b.stored(2).empty());
    b.undo->redo();
    QTRY_COMPARE(b.stored(1).size(), std::size_t{1});
    b.session->show_run(1);
    QTRY_COMPARE(b.cell(1, CandidateModel::Marked), QString("pinned"));
  }

  // Ranks, the best and how the others compare are those of what is left.
  void whatIsInTheTrashHasNoRank() {
    Bench b;
    b.run(6);
    const auto ranks = [&] {
      QMap<QString, std::int64_t> by_rank;
      for (const std::int64_t id : b.ids()) by_rank[b.cell(id, CandidateModel::Rank)] = id;
      return by_rank;
    };
    const auto before = ranks();
    const std::int64_t first = before["1"], second = before["2"], third = before["3"];
    QVERIFY(first && second && third);
    b.panel->select(first);
    b.key(Qt::Key_Delete);
    QTRY_COMPARE(b.cell(second, CandidateModel::Rank), QString("1"));
    QCOMPARE(b.cell(third, CandidateModel::Rank), QString("2"));
    QCOMPARE(b.panel->model()->cost_ratio(
                 b.panel->model()->rows()[static_cast<std::size_t>(b.panel->model()->row_of(second))]),
             1.0);
    const auto& rows = b.panel->model()->rows();
    QVERIFY(result_text(result_of(rows)).startsWith(QString("Best: #%1").arg(second)));
    QVERIFY(make_progress(rows, nullptr, {}).summary.contains(QString("The best is #%1").arg(second)));
    b.undo->undo();
    QTRY_COMPARE(ranks(), before);
    QVERIFY(make_progress(rows, nullptr, {}).summary.contains(QString("The best is #%1").arg(first)));
  }

  void anUnconfirmedSpecIsNamedBesideTheResult() {
    Bench b;
    b.run(4);
    auto* result = b.child<QLabel>("result");
    QTRY_VERIFY(result->text().startsWith("Best: "));
    b.spec = op::marked_unconfirmed(b.spec, "a model wrote it");
    b.run(4);
    QTRY_VERIFY2(result->text().startsWith("The spec is unconfirmed. Best: "), qPrintable(result->text()));
    b.session->close_run();
    QTRY_VERIFY2(!result->text().contains("unconfirmed"), qPrintable(result->text()));
    b.session->show_run(1);
    QTRY_VERIFY2(result->text().startsWith("Best: "), qPrintable(result->text()));
  }

  void aSignedOneIsNamedWhenItGoesToTheTrash() {
    Bench b;
    b.run(4);
    const std::int64_t id = b.ids().at(0);
    b.panel->model()->set_signed({{id, review::ReviewState::accepted}});
    b.panel->select(id);
    b.key(Qt::Key_Delete);
    QTRY_COMPARE(b.ids().size(), 3);
    auto* notice = b.child<QLabel>("filter_problem");
    QTRY_VERIFY(notice->isVisible());
    QVERIFY2(notice->text().contains(QString("#%1 is signed").arg(id)) && notice->text().contains("receipt stays"),
             qPrintable(notice->text()));
  }

  void trashOnlyHides() {
    Bench b;
    b.run(6);
    b.panel->select(b.ids().at(1));
    const std::int64_t gone = b.selection->current(), next = b.ids().at(2);
    b.key(Qt::Key_Delete);
    QTRY_COMPARE(b.ids().size(), 5);
    QVERIFY(!b.ids().contains(gone));
    QCOMPARE(b.selection->current(), next);
    QVERIFY(b.window.findChildren<QLabel*>().size() > 0);
    QVERIFY(b.session->workspace()->candidate(gone).has_value());
    auto* field = b.child<QLineEdit>("filter");
    QTest::keyClicks(field, "is:trashed");
    QTRY_COMPARE(b.ids(), QList<std::int64_t>{gone});
    b.panel->select(gone);
    b.key(Qt::Key_Delete);  // takes it out
    QTRY_VERIFY(b.ids().isEmpty());
    field->clear();
    QTRY_COMPARE(b.ids().size(), 6);
    b.undo->undo();
    QTRY_COMPARE(b.ids().size(), 5);
    b.undo->undo();
    QTRY_COMPARE(b.ids().size(), 6);
  }

  void tagsAndNotes() {
    Bench b;
    b.run(6);
    b.panel->select(2);
    b.key(Qt::Key_T);
    auto* tags = b.child<QDialog>("tag_dialog");
    QVERIFY(tags);
    QTest::keyClicks(tags->findChild<QLineEdit*>("new_tags"), "good,  two  words ,");
    QTest::keyClick(tags->findChild<QLineEdit*>("new_tags"), Qt::Key_Return);
    QTRY_COMPARE(b.cell(2, CandidateModel::Tags), QString("good, two words"));
    QCOMPARE(b.panel->marks()->tags(), (QStringList{"good", "two words"}));
    QTRY_VERIFY(!b.child<QDialog>("tag_dialog"));
    b.panel->select(3);
    b.key(Qt::Key_T);
    tags = b.child<QDialog>("tag_dialog");
    auto* list = tags->findChild<QListWidget*>("tags");
    QCOMPARE(list->count(), 2);
    list->item(0)->setCheckState(Qt::Checked);
    tags->accept();
    QTRY_COMPARE(b.cell(3, CandidateModel::Tags), QString("good"));
    // The field completes tags that are in use.
    auto* field = b.child<QueryEdit>("filter");
    QTest::keyClicks(field, "tag:tw");
    QTRY_COMPARE(field->completer_of_words()->currentCompletion(), QString("tag:\"two words\""));
    QTest::keyClick(field->completer_of_words()->popup(), Qt::Key_Down);
    QTest::keyClick(field->completer_of_words()->popup(), Qt::Key_Return);
    QTRY_COMPARE(field->text(), QString("tag:\"two words\""));
    QTRY_COMPARE(b.ids(), QList<std::int64_t>{2});
    field->clear();
    b.panel->select(2);
    b.key(Qt::Key_N);
    auto* note = b.child<QInputDialog>("note_dialog");
    QVERIFY(note);
    note->findChild<QPlainTextEdit*>()->setPlainText("look at the tail\nof the loop");
    note->accept();
    QTRY_COMPARE(b.cell(2, CandidateModel::Note), QString("look at the tail of the loop"));
    QCOMPARE(b.cell(2, CandidateModel::Marked), QString("note"));
    b.undo->undo();
    QTRY_COMPARE(b.cell(2, CandidateModel::Note), QString());
    for (int i = 0; i < 3; ++i) b.undo->undo();
    QTRY_VERIFY(b.stored(1).empty() && b.panel->marks()->tags().isEmpty());
    // What cannot be kept is said and not shown.
    QSignalSpy problems(b.panel, &CandidatePanel::problem);
    test::FakeEngine::refuse_writes(b.folder.filePath("workspace"), "mark");
    b.panel->marks()->tag({2}, "more", true);
    QTRY_COMPARE(problems.size(), 1);
    QTRY_VERIFY(b.child<QLabel>("filter_problem")->text().contains("the disk is full"));
    QTRY_VERIFY(!b.panel->marks()->busy());
    QCOMPARE(b.cell(2, CandidateModel::Tags), QString());
    QVERIFY(b.panel->marks()->of(2).tags.isEmpty());
  }

  void aWrongFilterIsExplainedAndTheLastGoodOneStays() {
    Bench b;
    b.run(6);
    auto* field = b.child<QueryEdit>("filter");
    auto* problem = b.child<QLabel>("filter_problem");
    QTest::keyClicks(field, "state:accepted");
    QTRY_COMPARE(b.ids().size(), 3);
    QTest::keyClicks(field, " regs<lots");
    QTRY_VERIFY(problem->isVisible());
    QVERIFY2(problem->text().startsWith("At character 21: lots is not a number"), qPrintable(problem->text()));
    QVERIFY2(problem->text().contains("filtered by “state:accepted”"), qPrintable(problem->text()));
    QCOMPARE(b.ids().size(), 3);
    b.picture("candidates-filter-error");
    for (int i = 0; i < 4; ++i) QTest::keyClick(field, Qt::Key_Backspace);
    QTest::keyClicks(field, "30");
    QTRY_VERIFY(!problem->isVisible());
    QTRY_COMPARE(b.ids().size(), 2);
    // A wrong term alone filters nothing.
    field->clear();
    QTest::keyClicks(field, "nothing:x");
    QTRY_VERIFY(problem->isVisible() && problem->text().contains("There is no field"));
    QCOMPARE(b.ids().size(), 6);
    // What a filter hides is still the selected candidate, and is seen again.
    field->clear();
    b.panel->select(6);
    QTest::keyClicks(field, "state:accepted");
    QTRY_COMPARE(b.ids().size(), 3);
    QCOMPARE(b.selection->current(), std::int64_t{6});
    QCOMPARE(b.panel->selected(), std::int64_t{6});
    QTest::keyClick(field, Qt::Key_Escape);
    QTest::keyClick(field, Qt::Key_Escape);
    QTRY_COMPARE(b.ids().size(), 6);
    QCOMPARE(b.panel->table()->currentIndex().data(CandidateModel::IdRole).toLongLong(), 6);
    QVERIFY(b.child<QWidget>("filter_help")->toolTip().contains("regs<64"));
    QTest::keyClicks(field, "sta");
    QTRY_VERIFY(field->completer_of_words()->popup()->isVisible());
    QCOMPARE(field->completer_of_words()->currentCompletion(), QString("state:"));
  }
};

QTEST_MAIN(CandidatesTest)
#include "candidates_test.moc"
