// SPDX-License-Identifier: GPL-3.0-or-later
// The comparison in the whole window: its bar, by mouse and keyboard, over runs and restarts.
#include <QAbstractProxyModel>
#include <QDockWidget>
#include <QDropEvent>
#include <QLabel>
#include <QMimeData>
#include <QSpinBox>
#include <QTableView>
#include <QToolBar>
#include <QToolButton>
#include <QtTest>
#include "panels/candidates/candidate_panel.h"
#include "panels/describe/describe_panel.h"
#include "panels/diff/candidate_picker.h"
#include "panels/diff/diff_panel.h"
#include "panels/lineage/lineage_panel.h"
#include "panels/log/log_panel.h"
#include "panels/profile/series_style.h"
#include "panels/runs/runs_panel.h"
#include "session/compared_names.h"
#include "session/guests.h"
#include "session/profile_loader.h"
#include "shell/window/compare_bar.h"
#include "shell/window/docks.h"
#include "widgets/window_fixture.h"

using namespace ww;
using namespace ww::widgets;

class ComparisonTest : public QObject, test::WindowFixture {
  Q_OBJECT
  using Ids = QList<std::int64_t>;

  std::unique_ptr<MainWindow> ran(int candidates = 10) {
    engine_->candidates = candidates;
    auto w = open({.input = "softmax of 512 rows"});
    run(*w, candidates);
    return w;
  }
  void run(MainWindow& w, int candidates) {
    QTRY_VERIFY(child<QPushButton>(&w, "explore")->isEnabled());
    child<QSpinBox>(&w, "budget")->setValue(candidates);
    press(w, "explore");
    QTRY_VERIFY(w.session()->shown_run() != 0 && !w.session()->running() &&
                w.candidates()->model()->judged() == candidates);
  }
  static QToolBar* bar(MainWindow& w) { return w.findChild<QToolBar*>("compare_bar"); }
  static void press_key(MainWindow& w, Qt::Key key) {
    QTableView* table = w.candidates()->table();
    w.activateWindow();
    QVERIFY(QTest::qWaitFor([table] {
      table->setFocus();
      return table->hasFocus();
    }));
    QTest::keyClick(table, key);
  }
  static void space(MainWindow& w, std::int64_t candidate) {  // as a person does in the table
    w.candidates()->select(candidate);
    press_key(w, Qt::Key_Space);
  }
  static QStringList texts(MainWindow& w) {
    QStringList list;
    for (CompareChip* chip : w.compare_bar()->chips()) list.append(chip->name()->text());
    return list;
  }
  static CompareChip* chip(MainWindow& w, std::int64_t candidate) {
    for (CompareChip* c : w.compare_bar()->chips())
      if (c->face().candidate == candidate) return c;
    qFatal("no chip");
    return nullptr;
  }

  // Where the row is on the screen.
  static int row_top(MainWindow& w, std::int64_t candidate) {
    QTableView* table = w.candidates()->table();
    const CandidateModel* model = w.candidates()->model();
    const auto* filter = static_cast<const QAbstractProxyModel*>(table->model());
    const QModelIndex at = filter->mapFromSource(model->index(model->row_of(candidate), CandidateModel::Name));
    return table->viewport()->mapTo(&w, table->visualRect(at).topLeft()).y();
  }

 private slots:
  void init() { set_up(); }
  void cleanup() { engine_->release(); }

  void rowsStayWhereTheyAre() {
    auto w = ran();
    child<QLabel>(w.get(), "result")->setText("short");
    QTest::qWait(50);
    const int top = row_top(*w, 2);
    child<QLabel>(w.get(), "result")->setText(QString("a line that grows ").repeated(20));
    space(*w, 2);  // the first one that is compared
    w->candidates()->table()->selectAll();
    action(*w, "comparison.add")->trigger();  // more than there are letters: a notice
    QTRY_VERIFY(child<QLabel>(w.get(), "filter_problem")->isVisible());
    action(*w, "comparison.clear")->trigger();
    space(*w, 3);
    QTest::qWait(50);
    QCOMPARE(row_top(*w, 2), top);
  }

  void aSecondLineOfTheResultTakesNoRoomFromTheTable() {
    auto w = ran();
    auto* result = child<QLabel>(w.get(), "result");
    const int height = w->candidates()->table()->height();
    for (const char* text : {"", "short", "two lines of a result:\nas long as they are"}) {
      result->setText(text);
      QTest::qWait(20);
      QCOMPARE(w->candidates()->table()->height(), height);
    }
  }

  void rowsShowTheirLetters() {
    auto w = ran();
    QTableView* table = w->candidates()->table();
    const auto has_colour = [&](std::int64_t candidate, int series) {
      const CandidateModel* model = w->candidates()->model();
      const auto* filter = static_cast<const QAbstractProxyModel*>(table->model());
      const QModelIndex at = filter->mapFromSource(model->index(model->row_of(candidate), CandidateModel::Rank));
      table->scrollTo(at);
      const QImage cell = table->viewport()->grab(table->visualRect(at)).toImage();
      const QRgb wanted = series_style(series).color.rgb();
      for (int y = 0; y < cell.height(); ++y)
        for (int x = 0; x < cell.width(); ++x)
          if (cell.pixel(x, y) == wanted) return true;
      return false;
    };
    QVERIFY(!has_colour(2, 0) && !has_colour(3, 1));
    space(*w, 2);
    space(*w, 3);
    w->candidates()->select(4);
    QVERIFY(has_colour(2, 0) && has_colour(3, 1) && !has_colour(4, 0) && !has_colour(4, 1));
    w->candidates()->select(2);  // on the colour of the selected row, too
    QVERIFY(has_colour(2, 0));
    picture(*w, "letters-light");
    w->selection()->compare(2, false);
    QVERIFY(!has_colour(2, 0));
  }

  void theBarIsThereWhileARunIsShown() {
    auto w = open({.input = "softmax of 512 rows"});
    QVERIFY(bar(*w)->isHidden());
    run(*w, 6);
    QVERIFY(!bar(*w)->isHidden());
    QVERIFY(child<QLabel>(w.get(), "compare_none")->isVisible());
    QVERIFY(!child<QToolButton>(w.get(), "compare_clear")->isEnabled());
    QTest::qWait(50);
    const int docks_top = w->dock("candidates")->y();
    space(*w, 2);
    QVERIFY(!child<QLabel>(w.get(), "compare_none")->isVisible());
    QCOMPARE(w->compare_bar()->chips().size(), 1);
    QVERIFY(chip(*w, 2)->face().current);
    QVERIFY2(chip(*w, 2)->name()->text().startsWith("#2 "), qPrintable(chip(*w, 2)->name()->text()));
    space(*w, 3);
    QCOMPARE(w->selection()->compared(), (Ids{2, 3}));
    QVERIFY(chip(*w, 3)->name()->accessibleName().startsWith("B, #3 "));
    QVERIFY(chip(*w, 3)->name()->accessibleName().endsWith("selected"));
    // One that is only selected stands behind, and its button adds it.
    w->candidates()->select(5);
    QCOMPARE(w->compare_bar()->chips().size(), 3);
    QCOMPARE(chip(*w, 5)->face().place, -1);
    QTest::mouseClick(chip(*w, 5)->change(), Qt::LeftButton);
    QCOMPARE(w->selection()->compared(), (Ids{2, 3, 5}));
    // What is taken out leaves the letters of the others alone; the next one takes the free letter.
    QTest::mouseClick(chip(*w, 2)->change(), Qt::LeftButton);
    QCOMPARE(chip(*w, 3)->face().place, 1);
    space(*w, 6);
    QCOMPARE(w->selection()->place(6), 0);
    // A layout that was stored without a bar does not hide it.
    w->docks()->choose("profile");
    QVERIFY(!bar(*w)->isHidden());
    QTest::mouseClick(child<QToolButton>(w.get(), "compare_clear"), Qt::LeftButton);
    QVERIFY(w->compare_bar()->chips().isEmpty());
    QVERIFY(w->selection()->compared().isEmpty());
    w->docks()->choose("explore");
    QTRY_COMPARE(w->dock("candidates")->y(), docks_top);
  }

  void chipsFollowTheKeyboard() {
    auto w = ran();
    for (const std::int64_t id : {1, 2, 3}) space(*w, id);
    w->activateWindow();
    w->actions_registry()->action("comparison.focus")->trigger();
    QTRY_VERIFY(chip(*w, 1)->name()->hasFocus());
    QTest::keyClick(chip(*w, 1)->name(), Qt::Key_Left);  // there is nothing
    QVERIFY(chip(*w, 1)->name()->hasFocus());
    QTest::keyClick(chip(*w, 1)->name(), Qt::Key_Return);
    QCOMPARE(w->selection()->current(), std::int64_t{1});
    QTest::keyClick(chip(*w, 1)->name(), Qt::Key_Right);
    QVERIFY(chip(*w, 2)->name()->hasFocus());
    QTest::keyClick(chip(*w, 2)->name(), Qt::Key_B);
    QCOMPARE(w->selection()->baseline(), std::int64_t{2});
    QVERIFY(chip(*w, 2)->name()->text().endsWith("baseline"));
    QTest::keyClick(chip(*w, 2)->name(), Qt::Key_B);
    QCOMPARE(w->selection()->baseline(), std::int64_t{0});
    QTest::keyClick(chip(*w, 2)->name(), Qt::Key_Delete);
    QCOMPARE(w->selection()->compared(), (Ids{1, 3}));
    QTRY_VERIFY(chip(*w, 3)->name()->hasFocus());  // the focus stays in the bar
    QTest::keyClick(chip(*w, 3)->name(), Qt::Key_Delete);
    QTest::keyClick(chip(*w, 1)->name(), Qt::Key_Delete);
    QVERIFY(w->compare_bar()->chips().isEmpty());
  }

  void commandsChangeIt() {
    auto w = ran();
    QVERIFY(!action(*w, "comparison.clear")->isEnabled());
    w->candidates()->select(4);
    action(*w, "comparison.add")->trigger();
    action(*w, "comparison.add")->trigger();  // again: nothing
    QCOMPARE(w->selection()->compared(), Ids{4});
    action(*w, "candidates.baseline")->trigger();
    QCOMPARE(w->selection()->baseline(), std::int64_t{4});
    action(*w, "comparison.remove")->trigger();
    QVERIFY(w->selection()->compared().isEmpty());
    action(*w, "comparison.remove")->trigger();
    w->candidates()->table()->selectAll();
    action(*w, "comparison.add")->trigger();  // more than there are letters
    QCOMPARE(w->selection()->compared().size(), Selection::most_compared);
    QVERIFY(child<QLabel>(w.get(), "filter_problem")->text().contains("At most 8"));
    action(*w, "comparison.clear")->trigger();
    QVERIFY(w->selection()->compared().isEmpty());
  }

  void aRowIsDroppedOnTheBar() {
    auto w = ran();
    space(*w, 1);
    const auto drop = [&](const QByteArray& ids, const char* type) {
      QMimeData data;
      data.setData(type, ids);
      QDragEnterEvent enter({20, 8}, Qt::CopyAction, &data, Qt::LeftButton, {});
      QApplication::sendEvent(bar(*w), &enter);
      if (!enter.isAccepted()) return false;
      QDropEvent event({20, 8}, Qt::CopyAction, &data, Qt::LeftButton, {});
      QApplication::sendEvent(bar(*w), &event);
      return event.isAccepted();
    };
    QVERIFY(drop("3\n4", CandidateModel::mime_type));
    QCOMPARE(w->selection()->compared(), (Ids{1, 3, 4}));
    QVERIFY(!drop("5", "text/plain"));
    drop("nonsense\n-7\n999999", CandidateModel::mime_type);  // none of the run
    QCOMPARE(w->selection()->compared(), (Ids{1, 3, 4}));
    drop("1\n2\n3\n4\n5\n6\n7\n8\n9\n10", CandidateModel::mime_type);
    QCOMPARE(w->selection()->compared().size(), Selection::most_compared);
    const LogModel* log = w->log()->model();
    bool said = false;
    for (int row = 0; row < log->rowCount(); ++row)
      for (int column = 0; column < log->columnCount(); ++column)
        said |= log->index(row, column).data().toString().contains("At most 8");
    QVERIFY(said);
  }

  void panelsShareTheLetters() {
    auto w = ran();
    for (const std::int64_t id : {1, 2}) space(*w, id);
    w->candidates()->select(3);
    QTRY_COMPARE(w->context().profiles->profiles().size(), std::size_t{3});
    QCOMPARE(w->context().profiles->profiles()[0]->record.id, std::int64_t{3});
    QCOMPARE(w->context().profiles->profiles()[1]->record.id, std::int64_t{1});
    const auto cell = [&](std::int64_t id) {
      const CandidateModel* m = w->candidates()->model();
      return m->index(m->row_of(id), CandidateModel::Compared).data().toString();
    };
    QCOMPARE(cell(1), QString("A"));
    QCOMPARE(cell(2), QString("B"));
    QCOMPARE(cell(3), QString());
    // The current one of the comparison comes first, and keeps its letter.
    w->candidates()->select(2);
    QTRY_COMPARE(w->context().profiles->profiles().size(), std::size_t{2});
    QTRY_COMPARE(w->context().profiles->profiles()[0]->record.id, std::int64_t{2});
    QCOMPARE(cell(2), QString("B"));
  }

  // The first candidates have no parent: the other compared ones are what one wants to see them against.
  void aCandidateWithoutParentIsDiffedAgainstTheComparison() {
    auto w = ran(3);
    w->show_dock("diff");
    w->candidates()->select(1);
    QVERIFY(w->candidates()->model()->rows()[0].data.parent.empty());
    QTRY_VERIFY(child<QLabel>(w.get(), "diff_why_not")->text().contains("no parent") || !w->diff()->pair());
    for (const std::int64_t id : {1, 2}) QVERIFY(w->selection()->compare(id, true));
    QTRY_VERIFY(w->diff()->pair() && w->diff()->left() == 1 && w->diff()->right() == 2);
    w->candidates()->select(2);
    QTRY_VERIFY(w->diff()->pair() && w->diff()->right() == 2);
  }

  void twoThatAreComparedAreTheDiff() {
    auto w = ran(6);
    w->candidates()->select(4);
    for (const std::int64_t id : {5, 3}) QVERIFY(w->selection()->compare(id, true));
    w->show_dock("diff");
    QTRY_VERIFY(w->diff()->pair() && w->diff()->left() == 5 && w->diff()->right() == 3);  // A beside B
    w->candidates()->select(3);
    w->candidates()->select(5);
    QTRY_VERIFY(w->diff()->pair() && w->diff()->left() == 5 && w->diff()->right() == 3);
    w->candidates()->select(6);  // another one: against its parent
    QTRY_COMPARE(w->diff()->right(), std::int64_t{6});
    w->candidates()->select(3);
    QTRY_COMPARE(w->diff()->left(), std::int64_t{5});
    QVERIFY(w->selection()->compare(5, false));
    QTRY_VERIFY(w->diff()->left() != 5 && w->diff()->right() == 3);
  }

  void theDiffOffersTheComparedOnes() {
    auto w = ran(6);
    for (const std::int64_t id : {2, 3}) space(*w, id);
    run(*w, 4);
    w->show_dock("diff");
    auto* left = child<CandidatePicker>(w.get(), "diff_left");
    QTest::mouseClick(left, Qt::LeftButton);
    QList<QToolButton*> offered;
    for (QToolButton* button : left->findChildren<QToolButton*>("picker_of_comparison"))
      if (button->isVisible()) offered.append(button);
    QCOMPARE(offered.size(), 2);
    QVERIFY2(offered[1]->text().startsWith("B  #3 "), qPrintable(offered[1]->text()));
    QVERIFY(offered[1]->text().contains("run 1"));
    QTest::mouseClick(offered[1], Qt::LeftButton);
    QTRY_VERIFY2(left->text().startsWith("B  #3 "), qPrintable(left->text()));  // of another run
    w->selection()->compare(3, false);
    QVERIFY2(left->text().startsWith("#3 "), qPrintable(left->text()));
  }

  // Each says as much as there is room for, and the bar is used before a name is cut.
  void chipsShareTheRoomOfTheBar() {
    auto w = ran();
    for (const std::int64_t id : {1, 2, 3, 4}) space(*w, id);
    w->selection()->set_baseline(2);
    int widest = 0, cut = 0;
    for (int width = 1900; width >= 700; width -= 40) {
      w->resize(width, 800);
      QTest::qWait(1);
      int names = 0, used = 0;
      bool elided = false, numbers = false;
      const auto* flow = child<QWidget>(w.get(), "compare_flow");
      for (CompareChip* one : w->compare_bar()->chips()) {
        const QString text = one->name()->text();
        QVERIFY2(text.startsWith(one->face().number), qPrintable(text));
        elided |= text.contains(QChar(0x2026));
        numbers |= text == one->face().number;
        names += text.contains(one->face().text);
        used += one->width();
        QCOMPARE(one->y(), 0);  // one row
        if (one->face().baseline && !numbers) QVERIFY2(text.endsWith("baseline"), qPrintable(text));
      }
      if (names == w->compare_bar()->chips().size()) ++widest;
      if (elided) {
        ++cut;
        QVERIFY2(2 * used > flow->width(), qPrintable(QString("%1 of %2").arg(used).arg(flow->width())));
      }
    }
    QVERIFY(widest > 0 && cut > 0);
  }

  // The column to tick is in sight at the usual size, beside the name.
  void theColumnToTickIsInSight() {
    auto w = ran();
    const QTableView* table = w->candidates()->table();
    const int left = table->columnViewportPosition(CandidateModel::Compared);
    QVERIFY(left >= 0 && left + table->columnWidth(CandidateModel::Compared) <= table->viewport()->width());
    QVERIFY(left < table->columnViewportPosition(CandidateModel::Name));
    picture(*w, "compare-column");
  }

  // In a review the diff answers what changed against the parent.
  void aReviewComparesWithTheParent() {
    auto w = ran();
    std::int64_t child_id = 0, parent_id = 0;
    for (const CandidateModel::Row& row : w->candidates()->model()->rows())
      for (const CandidateModel::Row& other : w->candidates()->model()->rows())
        if (!row.data.parent.empty() && row.data.parent == other.data.hash) {
          child_id = row.data.id;
          parent_id = other.data.id;
        }
    QVERIFY(child_id != 0);
    std::int64_t other = 1;
    while (other == child_id || other == parent_id) ++other;
    w->selection()->set_baseline(other);
    w->candidates()->select(child_id);
    w->docks()->choose("review");
    w->show_dock("diff");
    QTRY_COMPARE(w->diff()->right(), child_id);
    QTRY_COMPARE(w->diff()->left(), parent_id);
    action(*w, "diff.baseline")->trigger();  // asked for by name
    QTRY_COMPARE(w->diff()->left(), other);
    w->docks()->choose("explore");
    action(*w, "diff.parent")->trigger();
    QTRY_COMPARE(w->diff()->left(), parent_id);
    w->candidates()->select(other);
    w->candidates()->select(child_id);
    QTRY_COMPARE(w->diff()->left(), other);
  }

  void candidatesOfAnotherRunStay() {
    auto w = ran(6);
    for (const std::int64_t id : {2, 3}) space(*w, id);
    w->selection()->set_baseline(2);
    run(*w, 4);
    QCOMPARE(w->session()->shown_run(), std::int64_t{2});
    QCOMPARE(w->selection()->compared(), (Ids{2, 3}));
    QCOMPARE(w->selection()->baseline(), std::int64_t{2});  // of the comparison: it stays
    const std::int64_t other = w->candidates()->model()->rows()[1].data.id;
    space(*w, other);
    QTRY_VERIFY2(chip(*w, 2)->name()->text().contains("run 1"), qPrintable(texts(*w).join(" | ")));
    QVERIFY(!chip(*w, other)->name()->text().contains("run"));
    QTRY_COMPARE(w->context().profiles->profiles().size(), std::size_t{3});
    // A click on it shows its run.
    QTest::mouseClick(chip(*w, 3)->name(), Qt::LeftButton);
    QTRY_COMPARE(w->session()->shown_run(), std::int64_t{1});
    QTRY_COMPARE(w->selection()->current(), std::int64_t{3});
    QTRY_VERIFY(chip(*w, other)->name()->text().contains("run 2"));
    QVERIFY(!chip(*w, 2)->name()->text().contains("run"));
  }

  void candidatesOfAnotherWorkspaceStay() {
    {
      auto w = ran(6);
      for (const std::int64_t id : {2, 3}) space(*w, id);
      w->selection()->set_baseline(2);
      QTRY_VERIFY(!w->context().profiles->profiles().empty());
      w->session()->open_workspace(folder_->filePath("other"));
      QTRY_COMPARE(w->session()->folder(), folder_->filePath("other"));
      QTRY_COMPARE(texts(*w).size(), 2);
      QTRY_VERIFY2(texts(*w)[0].startsWith("#2 ") && texts(*w)[0].contains("workspace"),
                   qPrintable(texts(*w).join(" | ")));
      run(*w, 4);  // its numbers are those of the other workspace, too
      const std::int64_t own = w->candidates()->model()->rows()[1].data.id;
      space(*w, own);
      const Ids compared = w->selection()->compared();
      QCOMPARE(compared.size(), 3);
      QCOMPARE(compared[2], own);
      // Two of one number are told apart where there is room for numbers only.
      if (const auto same = std::ranges::find(compared, number_of(own), number_of); *same != own) {
        w->resize(760, 700);
        QTRY_VERIFY2(chip(*w, *same)->name()->text().contains("workspace"), qPrintable(texts(*w).join(" | ")));
        QVERIFY(chip(*w, *same)->name()->text() != chip(*w, own)->name()->text());
        w->resize(1280, 800);
      }
      QVERIFY(is_guest(compared[0]) && is_guest(compared[1]));
      QCOMPARE(w->selection()->baseline(), compared[0]);
      QTRY_COMPARE(w->context().profiles->profiles().size(), std::size_t{3});
      for (const auto& view : w->context().profiles->profiles()) QVERIFY2(view->problem.empty(), view->problem.c_str());
      QVERIFY(!chip(*w, own)->name()->text().contains("other"));
      // Both sides of the diff, each from its workspace.
      w->show_dock("diff");
      w->diff()->show_pair(compared[1], own);
      QTRY_VERIFY(w->diff()->pair() && w->diff()->left() == compared[1] && w->diff()->right() == own);
      QVERIFY2(w->diff()->pair()->left->name.startsWith("#3 "), qPrintable(w->diff()->pair()->left->name));
      QVERIFY(w->diff()->pair()->left->record.text != w->diff()->pair()->right->record.text);
      picture(*w, "comparison-workspaces");
      QVERIFY(w->close());
    }
    // They survive a restart, and a click on one opens its workspace, where the others are guests.
    auto w = open({.workspace = folder_->filePath("other")});
    QTRY_COMPARE(w->selection()->compared().size(), 3);
    const Ids compared = w->selection()->compared();
    QVERIFY(is_guest(compared[0]) && is_guest(compared[1]) && compared[2] > 0);
    QTRY_COMPARE(w->selection()->baseline(), compared[0]);
    QTRY_VERIFY(chip(*w, compared[1])->name()->text().startsWith("#3 "));
    w->session()->show_run(1);  // comes while the workspace is being left
    QTest::mouseClick(chip(*w, compared[1])->name(), Qt::LeftButton);
    QTRY_VERIFY(w->session()->folder().endsWith("workspace"));
    QTRY_COMPARE(w->selection()->current(), std::int64_t{3});
    const Ids back = w->selection()->compared();
    QCOMPARE(back.first(2), (Ids{2, 3}));
    QVERIFY(is_guest(back[2]) && number_of(back[2]) == compared[2]);
    QCOMPARE(w->selection()->baseline(), std::int64_t{2});
  }

  void candidatesOfADeletedWorkspaceLeave() {
    auto w = ran(6);
    space(*w, 2);
    const std::int64_t guest = w->session()->guests().id_of(folder_->filePath("none"), 5);
    QVERIFY(w->selection()->compare(guest, true));
    QTRY_COMPARE(w->selection()->compared(), Ids{2});
  }

  void itSurvivesARestart() {
    {
      auto w = ran(6);
      for (const std::int64_t id : {2, 3, 5}) space(*w, id);
      w->selection()->compare(2, false);  // A is free
      w->candidates()->select(5);
      press_key(*w, Qt::Key_B);
      w->candidates()->select(4);
      QVERIFY(w->close());
    }
    QSettings settings(folder_->filePath("settings.ini"), QSettings::IniFormat);
    QVERIFY(!settings.value("window/compared").toString().isEmpty());
    settings.setValue("window/compared", settings.value("window/compared").toString() + " 77 no -3");
    settings.sync();
    auto w = open();
    QTRY_COMPARE(w->selection()->current(), std::int64_t{4});
    QCOMPARE(w->selection()->baseline(), std::int64_t{5});
    QTRY_COMPARE(w->selection()->compared(), (Ids{3, 5}));  // what is not in the workspace is not compared
    QCOMPARE(w->selection()->place(3), 1);
    QVERIFY(!bar(*w)->isHidden());
    QTRY_VERIFY(chip(*w, 3)->name()->text().startsWith("#3 "));
  }

  void theBaselineAloneSurvivesARestart() {
    {
      auto w = ran(6);
      w->candidates()->select(5);
      press_key(*w, Qt::Key_B);
      QVERIFY(w->close());
    }
    auto w = open();
    QTRY_COMPARE(w->selection()->baseline(), std::int64_t{5});
    QVERIFY(w->compare_bar()->chips().isEmpty());
  }

  void eightFitInOneRow() {
    auto w = ran();
    space(*w, 2);
    QTRY_COMPARE(w->compare_bar()->chips().size(), 1);
    const int height = bar(*w)->height();
    w->candidates()->table()->selectAll();
    action(*w, "comparison.add")->trigger();
    w->candidates()->select(10);
    w->selection()->set_baseline(9);
    for (const QSize& size : {QSize(1000, 700), QSize(1280, 800), QSize(2560, 1440)}) {
      w->resize(size);
      QTRY_COMPARE(w->size(), size);
      QCoreApplication::processEvents();
      QTRY_COMPARE(bar(*w)->height(), height);
      for (CompareChip* c : w->compare_bar()->chips()) {
        QTRY_VERIFY2(bar(*w)->rect().contains(QRect(c->mapTo(bar(*w), QPoint()), c->size())),
                     qPrintable(QString("%1 at %2").arg(c->name()->text()).arg(size.width())));
        QVERIFY(c->name()->width() >=
                c->name()->iconSize().width() + 8 + c->name()->fontMetrics().horizontalAdvance(c->name()->text()));
        QVERIFY(c->name()->text().startsWith(c->face().number));  // words may be cut, never the number
      }
      for (const char* theme : {"light", "dark", "high-contrast"}) {
        QVERIFY(Theme::instance().apply(theme));
        picture(*w, QString("comparison-%1-%2").arg(size.width()).arg(theme));
      }
    }
  }
};

QTEST_MAIN(ComparisonTest)
#include "comparison_test.moc"
