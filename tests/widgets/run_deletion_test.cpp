// SPDX-License-Identifier: GPL-3.0-or-later
// Runs are deleted in the whole window, by keyboard and mouse; what must stay, stays.
#include <QCheckBox>
#include <QDockWidget>
#include <QMenu>
#include <QMessageBox>
#include <QSpinBox>
#include <QTableView>
#include <QToolButton>
#include <QtTest>
#include "explore/delete_run.h"
#include "explore/run_lock.h"
#include "panels/candidates/candidate_panel.h"
#include "panels/code/code_panel.h"
#include "panels/log/log_panel.h"
#include "panels/runs/runs_panel.h"
#include "parts/editor/code_editor.h"
#include "session/edits.h"
#include "widgets/window_fixture.h"

using namespace ww;
using namespace ww::widgets;

class RunDeletionTest : public QObject, test::WindowFixture {
  Q_OBJECT

  void run(MainWindow& w, int candidates) {
    QTRY_VERIFY(child<QPushButton>(&w, "explore")->isEnabled());
    const int before = w.runs()->model()->rowCount();
    child<QSpinBox>(&w, "budget")->setValue(candidates);
    press(w, "explore");
    QTRY_VERIFY(!w.session()->running() && w.runs()->model()->rowCount() == before + 1 &&
                w.candidates()->model()->judged() == candidates);
  }
  static void press_delete(MainWindow& w, std::int64_t run) {
    w.show_dock("runs");
    QTableView* table = w.runs()->table();
    table->selectRow(w.runs()->model()->row_of(run));
    w.activateWindow();
    QVERIFY(QTest::qWaitFor([table] {
      table->setFocus();
      return table->hasFocus();
    }));
    QTest::keyClick(table, Qt::Key_Delete);
  }
  static QMessageBox* box(MainWindow& w) {
    QMessageBox* found = nullptr;
    if (!QTest::qWaitFor([&] {
          found = w.findChild<QMessageBox*>("delete_run");
          return found && found->isVisible();
        }))
      qFatal("no question");
    return found;
  }
  static void answer(MainWindow& w, bool yes) {
    QMessageBox* asked = box(w);
    QTest::mouseClick(yes ? asked->findChild<QPushButton*>("delete_run_yes")
                          : static_cast<QPushButton*>(asked->button(QMessageBox::Cancel)),
                      Qt::LeftButton);
    QTRY_VERIFY(!w.findChild<QMessageBox*>("delete_run"));
  }
  static bool logged(MainWindow& w, const QString& words) {
    const LogModel* log = w.log()->model();
    for (int row = 0; row < log->rowCount(); ++row)
      for (int column = 0; column < log->columnCount(); ++column)
        if (log->index(row, column).data().toString().contains(words)) return true;
    return false;
  }

 private slots:
  void init() { set_up(); }
  void cleanup() { engine_->release(); }

  void aRunGoesWhenAPersonSaysSo() {
    auto w = open({.input = "softmax of 512 rows"});
    run(*w, 3);
    w->selection()->compare(2, true);
    run(*w, 4);
    const std::int64_t shown = w->candidates()->model()->rows()[0].data.id;
    w->selection()->compare(shown, true);
    press_delete(*w, 1);
    QVERIFY(box(*w)->informativeText().contains("3 candidates"));
    QCOMPARE(box(*w)->defaultButton(), box(*w)->button(QMessageBox::Cancel));
    picture(*box(*w), "delete-run");
    answer(*w, false);
    QVERIFY(w->session()->workspace()->run(1).has_value());
    press_delete(*w, 1);
    answer(*w, true);
    QTRY_VERIFY(!w->session()->workspace()->run(1));
    QTRY_VERIFY(logged(*w, "Run 1 was deleted, with 3 candidates."));
    QTRY_COMPARE(w->runs()->model()->rowCount(), 1);
    // What is shown stays as it is; what was compared of the other run goes.
    QCOMPARE(w->session()->shown_run(), std::int64_t{2});
    QCOMPARE(w->candidates()->model()->rowCount(), 4);
    QCOMPARE(w->selection()->compared(), QList<std::int64_t>{shown});
    // The shown one, by its command: nothing is shown then, and the next run has a number of its own.
    action(*w, "runs.delete")->trigger();
    answer(*w, true);
    QTRY_COMPARE(w->runs()->model()->rowCount(), 0);
    QCOMPARE(w->session()->shown_run(), std::int64_t{0});
    QCOMPARE(w->candidates()->model()->rowCount(), 0);
    QVERIFY(w->selection()->compared().isEmpty() && w->selection()->current() == 0);
    action(*w, "runs.delete")->trigger();  // there is none
    run(*w, 2);
    QCOMPARE(w->session()->shown_run(), std::int64_t{3});
    QVERIFY(w->candidates()->model()->rows()[0].data.id > shown);
  }

  void aDraftStaysUnlessAPersonSaysSo() {
    auto w = open({.input = "softmax of 512 rows"});
    run(*w, 3);
    CodePanel& code = *w->code();
    w->candidates()->select(2);
    QTRY_VERIFY(w->selection()->current() == 2 && code.source()->text().contains("variant 1"));
    code.edit();
    QTRY_VERIFY(code.editing() && code.draft()->complete());
    code.draft()->insertAt("// precious\n", 0, 0);
    QTRY_VERIFY(code.edits()->has(2));
    run(*w, 4);
    press_delete(*w, 1);
    QVERIFY2(box(*w)->informativeText().contains("1 draft that was never judged stays"),
             qPrintable(box(*w)->informativeText()));
    picture(*box(*w), "delete-run-drafts");
    answer(*w, true);
    QTRY_COMPARE(w->runs()->model()->rowCount(), 1);
    // Its text is a document of its own, to be continued on another candidate.
    w->show_dock("code");
    const std::int64_t other = w->candidates()->model()->rows()[0].data.id;
    w->candidates()->select(other);
    QTRY_VERIFY(w->selection()->current() == other && code.source()->text().contains("variant 0"));
    auto* drafts = child<QToolButton>(w.get(), "drafts");
    QTRY_VERIFY(drafts->isVisible());
    QCOMPARE(drafts->menu()->actions().size(), 1);
    QVERIFY2(drafts->menu()->actions()[0]->text().contains("its candidate is gone"),
             qPrintable(drafts->menu()->actions()[0]->text()));
    drafts->menu()->actions()[0]->trigger();
    auto* left = child<QDialog>(w.get(), "left_draft");
    QVERIFY(left && left->isVisible());
    QVERIFY(left->findChild<CodeEditor*>("left_draft_text")->text().startsWith("// precious\n"));
    picture(*left, "left-draft");
    QTest::mouseClick(left->findChild<QPushButton*>("left_draft_continue"), Qt::LeftButton);
    QTRY_VERIFY(code.editing() && code.draft()->text().startsWith("// precious\n"));
    QVERIFY(code.edits()->has(other) && code.edits()->all().size() == 1);
    QTRY_COMPARE(QDir(folder_->filePath("workspace/drafts")).entryList({"*.cu"}),
                 QStringList{QString::number(other) + ".cu"});
    // With its run, where that is wanted; a note that was begun goes with it, which is said.
    QFile note(folder_->filePath("workspace/drafts/note-%1.txt").arg(other));
    QVERIFY(note.open(QFile::WriteOnly) && note.write("slow on long rows") > 0);
    note.close();
    action(*w, "runs.delete")->trigger();
    QVERIFY2(box(*w)->informativeText().contains("A text that you typed for its review"),
             qPrintable(box(*w)->informativeText()));
    box(*w)->findChild<QCheckBox*>("delete_run_drafts")->setChecked(true);
    answer(*w, true);
    QTRY_COMPARE(w->runs()->model()->rowCount(), 0);
    QTRY_VERIFY(code.edits()->all().empty());
    QTRY_VERIFY(QDir(folder_->filePath("workspace/drafts")).entryList({"*.cu"}).isEmpty());
    QVERIFY(!note.exists());
  }

  // By the command line beside the window, say.
  void aRunThatAnotherProgramDeletedGoes() {
    auto w = open({.input = "softmax of 512 rows"});
    run(*w, 3);
    w->selection()->compare(2, true);
    run(*w, 4);
    const auto other = store::Workspace::open(folder_->filePath("workspace").toStdString());
    QVERIFY(other.has_value());
    QVERIFY(explore::delete_run(**other, 1).has_value());
    QTRY_COMPARE(w->runs()->model()->rowCount(), 1);
    QVERIFY(logged(*w, "Run 1 is no longer in the workspace: another program deleted it."));
    QVERIFY(w->selection()->compared().isEmpty());
    QCOMPARE(w->session()->shown_run(), std::int64_t{2});
    QCOMPARE(w->candidates()->model()->rowCount(), 4);
    QVERIFY(explore::delete_run(**other, 2).has_value());  // the shown one
    QTRY_COMPARE(w->session()->shown_run(), std::int64_t{0});
    QVERIFY(logged(*w, "Run 2, which was shown, is no longer in the workspace"));
    QCOMPARE(w->candidates()->model()->rowCount(), 0);
    QCOMPARE(w->runs()->model()->rowCount(), 0);
    QVERIFY(w->selection()->current() == 0);
    run(*w, 2);  // the window goes on
    QCOMPARE(w->session()->shown_run(), std::int64_t{3});
  }

  void aRunThatIsGoneWhenItIsOpenedGoes() {
    auto w = open({.input = "softmax of 512 rows"});
    run(*w, 3);
    run(*w, 4);
    const auto other = store::Workspace::open(folder_->filePath("workspace").toStdString());
    QVERIFY(other.has_value() && explore::delete_run(**other, 1).has_value());
    w->session()->show_run(1);  // before the window could notice
    QTRY_COMPARE(w->runs()->model()->rowCount(), 1);
    QCOMPARE(w->session()->shown_run(), std::int64_t{2});
    QTRY_VERIFY(logged(*w, "Run 1 is no longer in the workspace"));
    w->session()->show_run(77);
    QTRY_VERIFY(logged(*w, "Run 77 is no longer in the workspace"));
  }

  void whatIsSignedStays() {
    auto w = open({.input = "softmax"});
    run(*w, 3);
    store::ReviewRecord review;
    review.candidate = 2;
    review.kind = store::ReviewKind::accepted;
    review.receipt = "{}";
    QVERIFY(w->session()->workspace()->add_review(review));
    press_delete(*w, 1);
    QTRY_VERIFY(logged(*w, "has the signed receipt of candidate 2"));
    QVERIFY(!w->findChild<QMessageBox*>("delete_run"));
    QCOMPARE(w->runs()->model()->rowCount(), 1);
  }

  void aRunInProgressStays() {
    auto w = open({.input = "softmax"});
    run(*w, 3);
    engine_->hold_before(1);
    press(*w, "explore");
    QTRY_VERIFY(w->session()->live_run() == 2 && w->runs()->model()->rowCount() == 2);
    press_delete(*w, 2);
    QTRY_VERIFY(logged(*w, "Run 2 is in progress"));
    engine_->release();
    QTRY_VERIFY(!w->session()->running());
    {
      const auto lock = explore::RunLock::take(w->session()->workspace()->folder(), 1);  // by another program
      QVERIFY(lock.has_value());
      press_delete(*w, 1);
      QTRY_VERIFY(logged(*w, "run 1 is in progress"));
    }
    QVERIFY(!w->findChild<QMessageBox*>("delete_run"));
    QCOMPARE(w->runs()->model()->rowCount(), 2);
  }

  void aRunThatIsSignedMeanwhileStays() {
    auto w = open({.input = "softmax"});
    run(*w, 3);
    press_delete(*w, 1);
    box(*w);
    store::ReviewRecord note;
    note.candidate = 1;
    note.text = "wait";
    QVERIFY(w->session()->workspace()->add_review(note));
    answer(*w, true);
    QTRY_VERIFY(logged(*w, "has a reviewer's notes on candidate 1"));
    QCOMPARE(w->session()->shown_run(), std::int64_t{1});
    QVERIFY(w->session()->workspace()->run(1).has_value());
  }
};

QTEST_MAIN(RunDeletionTest)
#include "run_deletion_test.moc"
