// SPDX-License-Identifier: GPL-3.0-or-later
// Candidates as documents of the panel Code, in the whole window: the preview, tabs that are kept, a text beside.
// Pictures go to <build>/screenshots.
#include <QDockWidget>
#include <QMenu>
#include <QMessageBox>
#include <QLabel>
#include <QLineEdit>
#include <QTabBar>
#include <QTableView>
#include <QToolButton>
#include <QtTest>
#include <algorithm>
#include "panels/candidates/candidate_panel.h"
#include "panels/code/beside_view.h"
#include "panels/code/code_panel.h"
#include "panels/code/open_tabs.h"
#include "panels/runs/runs_panel.h"
#include "parts/editor/code_editor.h"
#include "parts/theme/elide_label.h"
#include "session/edits.h"
#include "shell/window/docks.h"
#include "widgets/audit.h"
#include "widgets/window_fixture.h"

using namespace ww;
using namespace ww::widgets;

class DocumentsTest : public QObject, test::WindowFixture {
  Q_OBJECT

  std::unique_ptr<MainWindow> opened() {
    auto w = open();
    (void)QTest::qWaitForWindowActive(w.get());
    w->docks()->choose("explore");
    w->docks()->show("code");
    (void)QTest::qWaitFor([&] { return w->session()->ready(); }, 20000);
    return w;
  }
  static bool explored(MainWindow& w) { return explore(w) && ran(w); }
  static bool shows(MainWindow& w, std::int64_t id) {
    w.candidates()->select(id);
    return is_shown(w, id);
  }
  static bool is_shown(MainWindow& w, std::int64_t id) {
    const QString variant = "variant " + QString::number((id - 1) % 6);
    return QTest::qWaitFor([&] {
      return w.selection()->current() == id && w.candidates()->selected() == id &&
             w.code()->source()->text().contains(variant);
    });
  }
  static QTabBar* tabs(MainWindow& w) { return child<QTabBar>(&w, "code_tabs"); }
  // "2 3 4*": the tabs, with a star at the preview.
  static QString open_ones(MainWindow& w) {
    QStringList list;
    for (const OpenTab& tab : w.code()->tabs()->all()) list << QString::number(tab.row.id) + (tab.kept ? "" : "*");
    return list.join(' ');
  }
  static QPoint middle_of(QTabBar* bar, int index) { return bar->tabRect(index).center(); }
  static QPoint row_of(MainWindow& w, std::int64_t id) {
    const CandidatePanel& panel = *w.candidates();
    const QModelIndex at =
        panel.filter()->mapFromSource(panel.model()->index(panel.model()->row_of(id), CandidateModel::Name));
    panel.table()->scrollTo(at);
    return panel.table()->visualRect(at).center();
  }
  static void choose_in_menu(MainWindow& w, int tab, const QString& words) {
    QTabBar* bar = tabs(w);
    QContextMenuEvent asked(QContextMenuEvent::Mouse, middle_of(bar, tab), bar->mapToGlobal(middle_of(bar, tab)));
    QApplication::sendEvent(bar, &asked);
    auto* menu = child<QMenu>(&w, "code_tab_menu");
    QVERIFY(menu && menu->isVisible());
    for (QAction* action : menu->actions())
      if (Registry::plain_text(action) == words) {
        QVERIFY(action->isEnabled());
        action->trigger();
      }
    menu->close();
    QTRY_VERIFY(!w.findChild<QMenu*>("code_tab_menu"));
  }

 private slots:
  void init() { set_up(); }
  void cleanup() { engine_->release(); }

  void theSelectionIsAPreviewUntilItIsKept() {
    auto w = opened();
    QVERIFY(!tabs(*w)->isVisible());
    QVERIFY(explored(*w));
    QVERIFY(shows(*w, 2));
    QCOMPARE(open_ones(*w), QString("2*"));
    QTabBar* bar = tabs(*w);
    QVERIFY(bar->isVisible());
    QCOMPARE(bar->tabText(0).section(' ', 0, 0), QString("#2"));
    const auto& row = w->candidates()->model()->rows()[1].data;
    QVERIFY2(bar->tabText(0).contains(CandidateModel::short_name(row)), qPrintable(bar->tabText(0)));
    QVERIFY2(bar->accessibleTabName(0).contains("Proved") && bar->accessibleTabName(0).contains("preview"),
             qPrintable(bar->accessibleTabName(0)));
    QVERIFY(!bar->tabIcon(0).isNull());
    QVERIFY(shows(*w, 3));  // takes its place
    QCOMPARE(open_ones(*w), QString("3*"));
    QTest::mouseDClick(bar, Qt::LeftButton, {}, middle_of(bar, 0));
    QCOMPARE(open_ones(*w), QString("3"));
    QVERIFY(!bar->accessibleTabName(0).contains("preview"));
    QVERIFY(shows(*w, 4));
    QCOMPARE(open_ones(*w), QString("3 4*"));
    // Rows of the table: a middle click, a double click, Return, the menu's entry.
    QTest::mouseClick(w->candidates()->table()->viewport(), Qt::MiddleButton, {}, row_of(*w, 5));
    QTRY_COMPARE(open_ones(*w), QString("3 5"));
    QCOMPARE(w->selection()->current(), std::int64_t{5});
    QVERIFY(shows(*w, 1));
    w->candidates()->table()->setFocus();
    QTest::keyClick(w->candidates()->table(), Qt::Key_Return);
    QCOMPARE(open_ones(*w), QString("3 5 1"));
    QVERIFY(shows(*w, 6));
    action(*w, "candidates.keep_open")->trigger();
    QCOMPARE(open_ones(*w), QString("3 5 1 6"));
    QVERIFY(shows(*w, 2));
    action(*w, "code.keep_tab")->trigger();
    QVERIFY(!action(*w, "code.keep_tab")->isEnabled());
    QCOMPARE(open_ones(*w), QString("3 5 1 6 2"));
    for (int i = 0; i < bar->count(); ++i)
      QVERIFY2(!bar->tabText(i).contains(QChar(0x2026)), qPrintable(bar->tabText(i)));
    picture(*w, "documents-light");
  }

  void aTabSelectsItsCandidateAndIsClosed() {
    auto w = opened();
    QVERIFY(explored(*w));
    for (const std::int64_t id : {2, 3, 4}) w->code()->tabs()->keep(id);
    QVERIFY(shows(*w, 5));
    QCOMPARE(open_ones(*w), QString("2 3 4 5*"));
    QTabBar* bar = tabs(*w);
    QTest::mouseClick(bar, Qt::LeftButton, {}, middle_of(bar, 1));
    QVERIFY(is_shown(*w, 3));
    QCOMPARE(bar->currentIndex(), 1);
    QTest::keyClick(w->code()->source(), Qt::Key_PageDown, Qt::ControlModifier);
    QVERIFY(is_shown(*w, 4));
    for (int i = 0; i < 3; ++i) QTest::keyClick(w->code()->source(), Qt::Key_PageUp, Qt::ControlModifier);
    QVERIFY(is_shown(*w, 5));  // round the end
    bar->setFocus();
    QTest::keyClick(bar, Qt::Key_Left);
    QVERIFY(is_shown(*w, 4));
    // Closed by its key, its cross, the middle button. Its neighbour takes the place of the selected one.
    QTest::keyClick(w->code()->source(), Qt::Key_W, Qt::ControlModifier);
    QVERIFY(is_shown(*w, 5));
    QCOMPARE(open_ones(*w), QString("2 3 5*"));
    auto* cross = qobject_cast<QToolButton*>(bar->tabButton(0, QTabBar::RightSide));
    QCOMPARE(cross->accessibleName(), QString("Close #2"));
    QTest::mouseClick(cross, Qt::LeftButton);
    QCOMPARE(open_ones(*w), QString("3 5*"));
    QTest::mouseClick(bar, Qt::MiddleButton, {}, middle_of(bar, 1));
    QVERIFY(is_shown(*w, 3));
    QCOMPARE(open_ones(*w), QString("3"));
    // The last one: it stays as the preview of what is selected.
    action(*w, "code.close_tab")->trigger();
    QCOMPARE(open_ones(*w), QString("3*"));
    QVERIFY(!action(*w, "code.close_tab")->isEnabled() && !action(*w, "code.next_tab")->isEnabled());
    QTest::mouseClick(bar, Qt::MiddleButton, {}, middle_of(bar, 0));
    QCOMPARE(open_ones(*w), QString("3*"));
    for (const std::int64_t id : {1, 2}) w->code()->tabs()->keep(id);
    choose_in_menu(*w, 0, "Close the others");
    QCOMPARE(open_ones(*w), QString("1 3*"));
  }

  void tabsAreDraggedIntoAnotherOrder() {
    {
      auto w = opened();
      QVERIFY(explored(*w));
      for (const std::int64_t id : {2, 3, 4}) w->code()->tabs()->keep(id);
      QVERIFY(shows(*w, 2));
      QTabBar* bar = tabs(*w);
      const QPoint from = middle_of(bar, 0), to = middle_of(bar, 2) + QPoint(bar->tabRect(2).width() / 3, 0);
      QTest::mousePress(bar, Qt::LeftButton, {}, from);
      for (int i = 1; i <= 10; ++i) {
        QMouseEvent move(QEvent::MouseMove, from + (to - from) * i / 10, bar->mapToGlobal(from + (to - from) * i / 10),
                         Qt::NoButton, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(bar, &move);
      }
      QTest::mouseRelease(bar, Qt::LeftButton, {}, to);
      QTRY_COMPARE(open_ones(*w), QString("3 4 2"));
      QCOMPARE(w->selection()->current(), std::int64_t{2});
      QTRY_VERIFY(tabs(*w)->tabText(2).startsWith("#2"));
      w->close();
    }
    auto w = opened();
    QTRY_COMPARE(open_ones(*w), QString("3 4 2"));
  }

  // At the size that a window has at first: with a draft, an error in it and the replacing search.
  void tabsAndToolsStayInSight() {
    auto w = opened();
    QVERIFY(explored(*w));
    CodePanel& code = *w->code();
    QVERIFY(shows(*w, 2));
    code.edit();
    QTRY_VERIFY(code.editing() && code.draft()->complete());
    code.draft()->insertAt("// B ", 0, 0);
    code.draft()->setFocus();
    code.open_search();
    QTRY_VERIFY(child<QLineEdit>(&code, "replace_words")->isVisible());
    QTest::qWait(50);  // until it is laid out
    picture(*w, "documents-full");
    const auto in_sight = [&](const QWidget* part) { return part->visibleRegion().boundingRect() == part->rect(); };
    QVERIFY(in_sight(tabs(*w)));
    for (const char* part : {"pane_0", "draft_check", "search_words", "replace_words"})
      QVERIFY2(in_sight(child<QWidget>(&code, part)), part);
  }

  // It has another one's verdict, and none of its own.
  void aDuplicateSaysWhoseVerdictItHas() {
    auto w = opened();
    QVERIFY(explored(*w));
    const auto workspace = w->session()->workspace();
    store::CandidateRecord copy = workspace->candidate(2).value();
    const std::string of = copy.hash;
    copy.hash = "the same with a comment";
    copy.text = "// mine\n" + copy.text;
    const std::int64_t id = workspace->add_candidate(copy).value();
    QVERIFY(workspace->set_duplicate(id, of));
    w->session()->show_run(1);
    QTRY_VERIFY(w->candidates()->model()->row_of(id) >= 0);
    w->candidates()->select(id);
    QTRY_VERIFY(w->code()->source()->text().startsWith("// mine"));
    auto* line = child<ElideLabel>(w.get(), "verdict_line");
    QVERIFY2(line->full_text().startsWith("The same program as #2, which was judged: "), qPrintable(line->full_text()));
    w->show_dock("verdict");
    const auto said = [&] { return child<QLabel>(w.get(), "verdict_summary")->text(); };
    QTRY_VERIFY2(said().startsWith("The same program as #2, which was judged: "), qPrintable(said()));
  }

  void eachTabKeepsItsPlaceAndItsDraft() {
    auto w = opened();
    QVERIFY(explored(*w));
    CodePanel& code = *w->code();
    QVERIFY(shows(*w, 2));
    code.tabs()->keep(2);
    code.source()->setCursorPosition(7, 3);
    code.source()->setFirstVisibleLine(2);
    const CodeEditor::TextPlace left = code.source()->place();
    QVERIFY(left.line == 7 && left.column == 3);
    QVERIFY(shows(*w, 3));
    QVERIFY(code.source()->place().line != 7);
    // An edit keeps its tab.
    code.edit();
    code.draft()->setFocus();
    code.draft()->setCursorPosition(5, 0);
    QTest::keyClicks(code.draft(), "// mine");
    QCOMPARE(open_ones(*w), QString("2 3"));
    QTRY_VERIFY(tabs(*w)->tabText(1).endsWith("draft"));
    QVERIFY(tabs(*w)->accessibleTabName(1).contains("unjudged draft"));
    const CodeEditor::TextPlace typed = code.draft()->place();
    w->candidates()->table()->setFocus();
    QVERIFY(shows(*w, 2));
    QVERIFY(!code.editing());
    const CodeEditor::TextPlace back = code.source()->place();
    QVERIFY(back.line == left.line && back.column == left.column && back.top == left.top);
    // Back at its draft, which does not take the focus.
    QVERIFY(shows(*w, 3));
    QTRY_VERIFY(code.editing());
    QVERIFY(code.draft()->text().contains("// mine"));
    QCOMPARE(code.draft()->place().line, typed.line);
    QCOMPARE(code.draft()->place().column, typed.column);
    QVERIFY(w->candidates()->table()->hasFocus());
    // Closed, the draft is still there.
    action(*w, "code.close_tab")->trigger();
    QVERIFY(is_shown(*w, 2));
    QCOMPARE(open_ones(*w), QString("2"));
    QVERIFY(code.edits()->has(3));
  }

  void aSecondTextStaysBeside() {
    auto w = opened();
    w->resize(1000, 700);
    QVERIFY(explored(*w));
    CodePanel& code = *w->code();
    QVERIFY(shows(*w, 2));
    QVERIFY(!code.beside()->isVisible());
    QTest::keyClick(code.source(), Qt::Key_Backslash, Qt::ControlModifier);
    QVERIFY(code.beside()->isVisible());
    QTRY_VERIFY(code.beside()->text()->text().contains("variant 1"));
    QVERIFY(code.beside()->text()->isReadOnly());
    QCOMPARE(open_ones(*w), QString("2"));
    QVERIFY(shows(*w, 4));  // to the left, and the other one stays
    QVERIFY(code.beside()->text()->text().contains("variant 1"));
    QVERIFY(code.source()->isVisible() && code.source()->width() > 100 && code.beside()->width() > 100);
    // What is searched is the text that has the focus.
    code.beside()->text()->setFocus();
    action(*w, "code.find")->trigger();
    QTest::keyClicks(QApplication::focusWidget(), "variant 1");
    QCOMPARE(code.beside()->text()->selectedText(), QString("variant 1"));
    picture(*w, "documents-beside");
    // Another one from its tab's menu; it goes with its tab, and by its cross.
    w->code()->tabs()->keep(5);
    choose_in_menu(*w, w->code()->tabs()->index_of(5), "Show beside");
    QTRY_VERIFY(code.beside()->text()->text().contains("variant 4"));
    code.tabs()->close(5);
    QVERIFY(!code.beside()->isVisible());
    action(*w, "code.beside")->trigger();
    QTRY_VERIFY(code.beside()->text()->text().contains("variant 3"));
    QTest::mouseClick(child<QToolButton>(w.get(), "beside_close"), Qt::LeftButton);
    QVERIFY(!code.beside()->isVisible());
    QVERIFY(code.source()->isVisible());
  }

  void everythingFitsInEveryTheme() {
    auto w = opened();
    QVERIFY(explored(*w));
    for (const std::int64_t id : {1, 2, 3, 4, 5}) w->code()->tabs()->keep(id);
    QVERIFY(shows(*w, 3));
    action(*w, "code.beside")->trigger();
    QVERIFY(shows(*w, 6));
    w->code()->beside()->text()->setFocus();
    for (const char* theme : {"light", "dark", "high-contrast"})
      for (const QSize size : {QSize(1000, 700), QSize(1280, 800)}) {
        QVERIFY(Theme::instance().apply(theme));
        w->resize(size);
        QTest::qWait(50);  // until it is laid out and painted
        const QString name = QStringLiteral("documents-%1-%2").arg(theme).arg(size.width());
        picture(*w, name);
        QWidget* code = w->dock("code");
        const QStringList found = test::clipped(code) + test::overlapping(code) + test::inaccessible(code) +
                                  test::elided(code) + test::nested_scrolling(code) + test::invisible_indicators(code);
        QVERIFY2(found.isEmpty(), qPrintable(name + ": " + found.join("; ")));
      }
  }

  void theDiffIsOneStepAway() {
    auto w = opened();
    QVERIFY(explored(*w));
    w->code()->tabs()->keep(2);
    QVERIFY(shows(*w, 3));
    choose_in_menu(*w, 0, "Differences from the selected one");
    QCOMPARE(w->selection()->baseline(), std::int64_t{2});
    QCOMPARE(w->selection()->current(), std::int64_t{3});
  }

  void tabsAreThereAgainInTheNextSession() {
    {
      auto w = opened();
      QVERIFY(explored(*w));
      for (const std::int64_t id : {4, 2}) w->code()->tabs()->keep(id);
      QVERIFY(shows(*w, 3));
      QCOMPARE(open_ones(*w), QString("4 2 3*"));
      w->close();
    }
    auto w = opened();
    QVERIFY(is_shown(*w, 3));
    QCOMPARE(open_ones(*w), QString("4 2 3*"));
    QTRY_VERIFY(tabs(*w)->tabText(0).size() > 3);
    // Candidates of the other workspace have the same numbers.
    w->candidates()->model()->set_signed({{3, review::ReviewState::accepted}});
    w->session()->open_workspace(folder_->filePath("other"));
    QTRY_VERIFY(w->session()->folder().endsWith("other"));
    QCOMPARE(w->candidates()->model()->review_state(3), review::ReviewState::open);
    QCOMPARE(open_ones(*w), QString());
    QVERIFY(!tabs(*w)->isVisible());
    w->session()->open_workspace(folder_->filePath("workspace"));
    QTRY_VERIFY(w->session()->folder().endsWith("workspace"));
    QCOMPARE(w->code()->tabs()->kept(), (QList<std::int64_t>{4, 2}));
    w->session()->open_workspace(folder_->filePath("other"));
    QTRY_VERIFY(w->session()->folder().endsWith("other"));
    w->close();
    auto again = open({.workspace = folder_->filePath("workspace")});
    QTRY_VERIFY(again->session()->ready());
    QTRY_COMPARE(again->code()->tabs()->kept(), (QList<std::int64_t>{4, 2}));
  }

  // Both runs have the same texts.
  void aDraftIsOfOneCandidate() {
    auto w = opened();
    QVERIFY(explored(*w) && explored(*w));
    QTRY_COMPARE(w->session()->shown_run(), std::int64_t{2});
    const auto workspace = w->session()->workspace();
    QCOMPARE(workspace->candidate(8)->hash, workspace->candidate(2)->hash);
    CodePanel& code = *w->code();
    code.tabs()->keep(2);
    QVERIFY(shows(*w, 8));
    code.edit();
    code.draft()->insertAt("// mine\n", 0, 0);
    QTRY_VERIFY(tabs(*w)->tabText(1).endsWith("draft"));
    QVERIFY2(!tabs(*w)->tabText(0).endsWith("draft"), qPrintable(tabs(*w)->tabText(0)));
    QTest::mouseClick(tabs(*w), Qt::LeftButton, {}, middle_of(tabs(*w), 0));
    QVERIFY(is_shown(*w, 2));
    QVERIFY(!child<QPushButton>(w.get(), "draft_continue")->isVisible());
    // Listed from wherever one is, and one step away.
    auto* drafts = child<QToolButton>(w.get(), "drafts");
    const auto listed = [&] { return drafts->isVisible() ? drafts->text() : QString(); };
    QTRY_COMPARE(w->session()->shown_run(), std::int64_t{1});
    QCOMPARE(listed(), QString("Drafts (1)"));
    QTRY_VERIFY(QFile::exists(folder_->filePath("workspace/drafts/8.cu")));
    w->session()->open_workspace(folder_->filePath("other"));
    QTRY_VERIFY(w->session()->folder().endsWith("other"));
    QTRY_COMPARE(listed(), QString());
    w->session()->open_workspace(folder_->filePath("workspace"));
    QTRY_COMPARE(listed(), QString("Drafts (1)"));
    w->session()->show_run(1);
    QTRY_COMPARE(w->session()->shown_run(), std::int64_t{1});
    QCOMPARE(listed(), QString("Drafts (1)"));
    QCOMPARE(drafts->menu()->actions().size(), 1);
    QVERIFY2(drafts->menu()->actions()[0]->text().startsWith("#8 ") &&
                 drafts->menu()->actions()[0]->text().endsWith("(run 2)"),
             qPrintable(drafts->menu()->actions()[0]->text()));
    drafts->menu()->actions()[0]->trigger();
    QVERIFY(is_shown(*w, 8));
    QTRY_VERIFY(child<QPushButton>(w.get(), "draft_continue")->isVisible());
  }

  // Earlier versions named drafts by the candidate's text, which several runs may have.
  void aDraftOfAnEarlierVersionIsOfTheLatestRun() {
    QString hash;
    {
      auto w = opened();
      QVERIFY(explored(*w) && explored(*w));
      hash = qs(w->session()->workspace()->candidate(2)->hash);
      w->close();
    }
    const QDir drafts(folder_->filePath("workspace/drafts"));
    QVERIFY(drafts.mkpath("."));
    for (const QString& name : {hash, QString("nobody")}) {
      QFile file(drafts.filePath(name + ".cu"));
      QVERIFY(file.open(QIODevice::WriteOnly) && file.write("// old\n") > 0);
    }
    auto w = opened();
    QTRY_VERIFY(w->code()->edits()->has(8));
    QCOMPARE(w->code()->edits()->draft(8), QString("// old\n"));
    QCOMPARE(w->code()->edits()->all().size(), std::size_t{2});  // the other one's candidate is unknown
    QCOMPARE(w->code()->edits()->all().begin()->second.run, std::int64_t{0});
    w->code()->edits()->discard(8);
    QTRY_COMPARE(drafts.entryList(QDir::Files), QStringList{"nobody.cu"});
  }

  void tabsOfAnotherRun() {
    auto w = opened();
    QVERIFY(explored(*w));
    w->code()->tabs()->keep(2);
    QVERIFY(shows(*w, 3));
    QVERIFY(explored(*w));
    QTRY_VERIFY(w->selection()->current() > 6);
    QCOMPARE(w->code()->tabs()->kept(), QList<std::int64_t>{2});
    QTabBar* bar = tabs(*w);
    QVERIFY2(bar->tabToolTip(0).contains("Of run 1"), qPrintable(bar->tabToolTip(0)));
    QTest::mouseClick(bar, Qt::LeftButton, {}, middle_of(bar, 0));
    QVERIFY(is_shown(*w, 2));
    QCOMPARE(w->session()->shown_run(), std::int64_t{1});
    // A run that is deleted takes its tabs with it.
    w->code()->tabs()->keep(8);
    QTRY_COMPARE(w->code()->tabs()->all()[1].run, std::int64_t{2});
    w->show_dock("runs");
    w->runs()->table()->selectRow(w->runs()->model()->row_of(2));
    action(*w, "runs.delete")->trigger();
    QTRY_VERIFY(w->findChild<QMessageBox*>("delete_run"));
    QTest::mouseClick(w->findChild<QMessageBox*>("delete_run")->findChild<QPushButton*>("delete_run_yes"),
                      Qt::LeftButton);
    QTRY_COMPARE(open_ones(*w), QString("2"));
  }
};

QTEST_MAIN(DocumentsTest)
#include "documents_test.moc"
