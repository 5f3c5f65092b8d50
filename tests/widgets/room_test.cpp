// SPDX-License-Identifier: GPL-3.0-or-later
// Room for work: docks after a resize, columns after a zoom, what the wheel scrolls, the search bar, the table of
// numbers, and where file dialogs open.
#include <QComboBox>
#include <QDockWidget>
#include <QFileDialog>
#include <QHeaderView>
#include <QLineEdit>
#include <QMenu>
#include <QPointer>
#include <QScrollArea>
#include <QScrollBar>
#include <QSettings>
#include <QStandardPaths>
#include <QTabBar>
#include <QTableView>
#include <QTimer>
#include <QWheelEvent>
#include <QtTest>
#include "panels/candidates/candidate_panel.h"
#include "panels/code/code_panel.h"
#include "panels/describe/describe_panel.h"
#include "panels/describe/run_form.h"
#include "panels/describe/spec_view.h"
#include "panels/diff/diff_panel.h"
#include "panels/diff/number_table.h"
#include "panels/runs/runs_panel.h"
#include "parts/editor/code_editor.h"
#include "parts/editor/listing_view.h"
#include "parts/editor/search_bar.h"
#include "session/file_dialogs.h"
#include "shell/window/docks.h"
#include "widgets/own_paths.h"
#include "widgets/window_fixture.h"

using namespace ww;
using namespace ww::widgets;

class RoomTest : public QObject, test::WindowFixture {
  Q_OBJECT
  std::unique_ptr<MainWindow> opened() {
    auto w = open({.input = "softmax of 512 rows"});
    (void)QTest::qWaitForWindowActive(w.get());
    w->docks()->choose("explore");
    (void)QTest::qWaitFor([&] { return w->session()->ready(); }, 20000);
    QTest::qWait(50);
    return w;
  }
  static bool explored(MainWindow& w) {
    if (!QTest::qWaitFor([&] { return w.describe()->can_explore(); }, 20000)) return false;
    press(w, "explore");
    return ran(w);
  }
  // Widths of the columns that are in sight, and last the height of a row.
  static QList<int> measures(const MainWindow& w) {
    const QTableView* table = w.candidates()->table();
    QList<int> list;
    for (int column = 0; column < CandidateModel::ColumnCount; ++column)
      if (!table->isColumnHidden(column)) list += table->columnWidth(column);
    return list << table->verticalHeader()->defaultSectionSize();
  }
  // Of the shown columns, those that are whole in sight.
  static QList<int> whole_columns(const QTableView& table) {
    QList<int> list;
    for (int column = 0; column < CandidateModel::ColumnCount; ++column) {
      const int left = table.columnViewportPosition(column);
      if (!table.isColumnHidden(column) && left >= 0 && left + table.columnWidth(column) <= table.viewport()->width())
        list += column;
    }
    return list;
  }
  // In a window of its own that has no room for all columns: the names, which take what is left over, get nothing.
  static bool with_a_narrow_table(MainWindow& w) {
    w.dock("candidates")->setFloating(true);
    w.dock("candidates")->resize(900, 300);
    return QTest::qWaitFor([&] {
      const int width = w.candidates()->table()->viewport()->width();
      return width > 700 && width <= 900;
    });
  }
  // Ticked by the person: none hides by itself.
  static bool with_chosen_columns(MainWindow& w) {
    w.dock("candidates")->setFloating(true);
    w.dock("candidates")->resize(1800, 300);
    if (!QTest::qWaitFor([&] { return w.candidates()->table()->viewport()->width() > 1500; })) return false;
    tick_column(w, "Note");
    tick_column(w, "Note");
    return true;
  }
  static void tick_column(MainWindow& w, const QString& title) {
    emit w.candidates()->table()->horizontalHeader()->customContextMenuRequested(QPoint(20, 5));
    auto* menu = w.findChild<QMenu*>("column_menu");
    for (QAction* action : menu->actions())
      if (action->text() == title) action->trigger();
    menu->close();
    QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
  }
  static QStringList titles_without_room(MainWindow& w) {  // as the menu of the headers says
    emit w.candidates()->table()->horizontalHeader()->customContextMenuRequested(QPoint(20, 5));
    auto* menu = w.findChild<QMenu*>("column_menu");
    QStringList titles;
    for (const QAction* action : menu->actions())
      if (QString title = action->text(); title.endsWith(" (no room)") && !action->isChecked())
        titles += title.remove(" (no room)");
    menu->close();
    QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
    return titles;
  }
  static diff::NumberRow number(const char* name, double left, double right) {
    diff::NumberRow row;
    row.left.name = name;
    row.left.value = left;
    row.right = row.left;
    row.right.value = right;
    return row;
  }
  static QString text_of(const QList<int>& numbers) {
    QStringList list;
    for (const int number : numbers) list += QString::number(number);
    return list.join(' ');
  }
  std::unique_ptr<MainWindow> opened_again() {  // with what the last one showed
    auto w = open();
    (void)QTest::qWaitFor([&] { return w->candidates()->model()->judged() == 6; }, 20000);
    return w;
  }
  static void resize(MainWindow& w, QSize size) {
    w.resize(size);
    QTest::qWait(50);  // sizes follow between events
  }
  // Takes the dialog that opens next, and answers it. `file` is relative to the folder that it shows.
  static QString folder_of_next(const std::function<void()>& open, const QString& file = {}) {
    QString folder;
    QTimer answer;  // again until the dialog closes: it refuses a file while its list of the folder is not there yet
    int attempts = 0;
    QObject::connect(&answer, &QTimer::timeout, &answer, [&] {
      auto* modal = qobject_cast<QDialog*>(QApplication::activeModalWidget());
      auto* dialog = qobject_cast<QFileDialog*>(modal);
      if (!dialog) return modal ? modal->reject() : void();
      if (folder.isEmpty()) folder = dialog->directory().absolutePath();
      if (file.isEmpty() || ++attempts > 3000) return dialog->reject();
      if (auto* name = dialog->findChild<QLineEdit*>("fileNameEdit")) name->setText(file);  // as typed
      QMetaObject::invokeMethod(dialog, "accept", Qt::QueuedConnection);
    });
    answer.start(10);
    open();
    return folder;
  }

 private slots:
  void init() { set_up(); }

  // What says which candidate it is, what it costs and whether it is right; at 1920 all that the table shows at first.
  void theTableHasRoomForWhatMatters() {
    const auto w = opened();
    QVERIFY(explored(*w));
    using C = CandidateModel;
    const QTableView& table = *w->candidates()->table();
    for (const int column : {C::Rank, C::Compared, C::Name, C::Score, C::Verdict, C::Registers})
      QVERIFY2(whole_columns(table).contains(column), qPrintable(QString::number(column)));
    picture(*w, "table-1280");
    w->resize(1920, 1050);
    QTRY_COMPARE(table.horizontalScrollBar()->maximum(), 0);
    picture(*w, "table-1920");
  }

  // Where something is signed, the table says so before it says what matters less.
  void theTableHasRoomForWhatIsSigned() {
    const auto w = opened();
    QVERIFY(explored(*w));
    using C = CandidateModel;
    const QTableView& table = *w->candidates()->table();
    resize(*w, {1000, 700});
    QTRY_VERIFY(titles_without_room(*w).contains("Signed"));
    w->candidates()->model()->set_signed({{3, review::ReviewState::accepted}});
    for (const QSize size : {QSize(1000, 700), QSize(1280, 800)}) {
      resize(*w, size);
      for (const int column : {C::Name, C::Score, C::Verdict, C::Signed})
        QTRY_VERIFY2(whole_columns(table).contains(column), qPrintable(QString::number(column)));
      QTRY_COMPARE(table.horizontalScrollBar()->maximum(), 0);
      picture(*w, "table-signed-" + QString::number(size.width()));
    }
    w->candidates()->model()->set_signed({});
    resize(*w, {1000, 700});
    QTRY_VERIFY(titles_without_room(*w).contains("Signed"));
  }

  void aTableWithoutNamesIsRefused() {
    const auto w = opened();
    QVERIFY(explored(*w));
    tick_column(*w, "Candidate");
    QVERIFY(!w->candidates()->table()->isColumnHidden(CandidateModel::Name));
    tick_column(*w, "Registers");
    QVERIFY(w->candidates()->table()->isColumnHidden(CandidateModel::Registers));
  }

  // A second run shortens nothing that tells runs apart.
  void runsKeepTheirSizesInSight() {
    const auto w = opened();
    QVERIFY(explored(*w));
    w->show_dock("runs");
    const QTableView& runs = *w->runs()->table();
    QTRY_COMPARE(runs.model()->rowCount(), 1);
    const QModelIndex op = runs.model()->index(0, RunModel::Op);
    QTRY_VERIFY2(runs.columnWidth(RunModel::Op) >=
                     static_cast<const QAbstractItemView&>(runs).sizeHintForIndex(op).width(),
                 qPrintable(op.data().toString()));
  }

  void theListOfStatesIsSaidWhole() {
    const auto w = opened();
    QVERIFY(explored(*w));
    auto* states = child<QComboBox>(w.get(), "state_filter");
    states->showPopup();
    QTRY_VERIFY(states->view()->isVisible());
    picture(*states->view()->window(), "state-filter");
    QVERIFY(states->view()->viewport()->width() >= states->view()->sizeHintForColumn(0));
    states->hidePopup();
  }

  // It need not be there: a workspace is made in it.
  void aWorkspaceIsMadeByItsPath() {
    const auto w = opened();
    const QString made = folder_->filePath("new");
    const QString shown = folder_of_next([&] { action(*w, "file.open_workspace")->trigger(); }, made);
    QCOMPARE(shown, QDir(folder_->path()).absolutePath());  // beside the one that is open
    QTRY_COMPARE(w->session()->folder(), made);
    QVERIFY(QFile::exists(made));
  }

  // The least important columns give way, and come back with the room.
  void tablesDoNotScrollSideways() {
    const auto w = opened();
    QVERIFY(explored(*w));
    w->show_dock("runs");
    const QTableView& table = *w->candidates()->table();
    const QTableView& runs = *w->runs()->table();
    QTRY_COMPARE(runs.model()->rowCount(), 1);
    const QString wide = text_of(measures(*w));
    for (const char* layout : {"explore", "profile", "review", "learn"})
      for (const int width : {1280, 1000}) {
        w->docks()->choose(layout);
        w->docks()->show("candidates");
        if (layout == QByteArray("explore")) w->docks()->show("runs");
        resize(*w, {width, width == 1000 ? 700 : 800});
        const QByteArray where = layout + QByteArray::number(width);
        QTRY_VERIFY2(table.isVisible() && table.horizontalScrollBar()->maximum() == 0, where);
        QVERIFY2(whole_columns(table).contains(CandidateModel::Name), where);
        QVERIFY2(whole_columns(table).contains(CandidateModel::Score), where);
        if (runs.isVisible()) QTRY_VERIFY2(runs.horizontalScrollBar()->maximum() == 0, where);
        for (int c = 0; runs.isVisible() && c < RunModel::ColumnCount; ++c)
          QVERIFY2(runs.isColumnHidden(c) || runs.columnWidth(c) >= runs.horizontalHeader()->sectionSizeHint(c), where);
        picture(*w, "columns-" + where);
      }
    w->docks()->choose("explore");
    resize(*w, {1000, 700});
    QVERIFY(titles_without_room(*w).contains("Generator"));
    QVERIFY(runs.isColumnHidden(RunModel::Generator));
    QVERIFY(runs.model()->index(0, RunModel::Number).data(Qt::ToolTipRole).toString().contains("generator search"));
    resize(*w, {1280, 800});
    QTRY_COMPARE(text_of(measures(*w)), wide);
    for (int i = 0; i < 5; ++i) action(*w, "view.zoom_in")->trigger();
    QTRY_COMPARE(table.horizontalScrollBar()->maximum(), 0);
    QTRY_COMPARE(runs.horizontalScrollBar()->maximum(), 0);
    action(*w, "view.zoom_reset")->trigger();
    QTRY_COMPARE(text_of(measures(*w)), wide);
  }

  void aChosenColumnStays() {
    QString before;
    {
      const auto w = opened();
      QVERIFY(explored(*w));
      const QTableView& table = *w->candidates()->table();
      QVERIFY(table.isColumnHidden(CandidateModel::Generator));
      resize(*w, {1000, 700});
      before = text_of(measures(*w));
      QVERIFY(w->close());
    }
    {
      const auto w = opened_again();  // what has no room is no choice of the person's
      resize(*w, {1000, 700});
      QTRY_COMPARE(text_of(measures(*w)), before);
      const QTableView& table = *w->candidates()->table();
      resize(*w, {1280, 800});
      tick_column(*w, "Generator (no room)");
      QVERIFY(!table.isColumnHidden(CandidateModel::Generator));
      QVERIFY(titles_without_room(*w).isEmpty());
      resize(*w, {1000, 700});
      QVERIFY(!table.isColumnHidden(CandidateModel::Generator) && !table.isColumnHidden(CandidateModel::Verdict));
      QVERIFY(table.horizontalScrollBar()->maximum() > 0);
      QVERIFY(w->close());
    }
    const auto w = opened_again();
    const QTableView& table = *w->candidates()->table();
    resize(*w, {1000, 700});
    QVERIFY(!table.isColumnHidden(CandidateModel::Generator) && table.horizontalScrollBar()->maximum() > 0);
    tick_column(*w, "Default columns");
    QTRY_COMPARE(table.horizontalScrollBar()->maximum(), 0);
    QVERIFY(table.isColumnHidden(CandidateModel::Generator));
  }

  void aWidenedColumnStays() {
    const auto w = opened();
    QVERIFY(explored(*w));
    const QTableView& table = *w->candidates()->table();
    QHeaderView* header = table.horizontalHeader();
    const int column = CandidateModel::Registers, wider = header->sectionSize(column) + 150;
    QWidget* bar = header->viewport();
    const QPoint edge(header->sectionViewportPosition(column) + header->sectionSize(column) - 1, header->height() / 2);
    QTest::mouseMove(bar, edge);
    QTest::mousePress(bar, Qt::LeftButton, {}, edge);
    QTest::mouseMove(bar, edge + QPoint(80, 0));
    QTest::mouseMove(bar, edge + QPoint(150, 0));
    QTest::mouseRelease(bar, Qt::LeftButton, {}, edge + QPoint(150, 0));
    QTRY_VERIFY(table.isColumnHidden(CandidateModel::Signed));
    QTRY_COMPARE(table.horizontalScrollBar()->maximum(), 0);
    QCOMPARE(table.columnWidth(column), wider);
  }

  void zoomingLeavesTheTableAsItWas() {
    const auto w = opened();
    QVERIFY(explored(*w));
    QTableView* table = w->candidates()->table();
    QVERIFY(with_chosen_columns(*w));
    QVERIFY(with_a_narrow_table(*w));
    table->horizontalHeader()->resizeSection(CandidateModel::Verdict, 231);  // as a person drags them
    table->horizontalHeader()->resizeSection(CandidateModel::Shared, 44);    // as narrow as a column can be
    const QString before = text_of(measures(*w));
    const int rows = measures(*w).last();
    action(*w, "view.zoom_in")->trigger();
    QCOMPARE(table->columnWidth(CandidateModel::Verdict), 254);
    QVERIFY(measures(*w).last() > rows);
    action(*w, "view.zoom_out")->trigger();
    QCOMPARE(text_of(measures(*w)), before);
    for (int round = 0; round < 4; ++round) {
      for (int i = 0; i < 6; ++i) action(*w, "view.zoom_in")->trigger();
      for (int i = 0; i < 9; ++i) action(*w, "view.zoom_out")->trigger();
      for (int i = 0; i < 3; ++i) action(*w, "view.zoom_in")->trigger();
    }
    QCOMPARE(text_of(measures(*w)), before);
    for (int i = 0; i < 7; ++i) action(*w, "view.zoom_in")->trigger();
    action(*w, "view.zoom_reset")->trigger();
    QCOMPARE(text_of(measures(*w)), before);
    // What is dragged while the text is large belongs to it: it shrinks with the text.
    for (int i = 0; i < 10; ++i) action(*w, "view.zoom_in")->trigger();
    table->horizontalHeader()->resizeSection(CandidateModel::Registers, 300);
    action(*w, "view.zoom_reset")->trigger();
    QCOMPARE(table->columnWidth(CandidateModel::Registers), 150);
    QCOMPARE(table->columnWidth(CandidateModel::Verdict), 231);
    // So does what is hidden meanwhile.
    for (int i = 0; i < 5; ++i) action(*w, "view.zoom_in")->trigger();
    table->setColumnHidden(CandidateModel::Registers, true);
    action(*w, "view.zoom_reset")->trigger();
    table->setColumnHidden(CandidateModel::Registers, false);
    QCOMPARE(table->columnWidth(CandidateModel::Registers), 150);
  }

  void codeAndPtxAreZoomedAlike() {
    const auto w = opened();
    QVERIFY(explored(*w));
    w->candidates()->select(1);
    const auto code_height = [&] {
      return int(w->code()->source()->SendScintilla(QsciScintillaBase::SCI_TEXTHEIGHT, 0UL));
    };
    const int before = code_height(), ptx = w->code()->ptx()->fontMetrics().height();
    for (int i = 0; i < 5; ++i) action(*w, "view.zoom_in")->trigger();
    QTRY_VERIFY2(qAbs(code_height() - before * 1.5) <= 2, qPrintable(QString("%1, %2").arg(before).arg(code_height())));
    QVERIFY(qAbs(w->code()->ptx()->fontMetrics().height() - ptx * 1.5) <= 2);
    action(*w, "view.zoom_reset")->trigger();
    QTRY_COMPARE(code_height(), before);
  }

  void aRestartAtAnotherZoomLeavesTheTableAsItWas() {
    const auto set_zoom = [&](int percent) {
      QSettings(folder_->filePath("settings.ini"), QSettings::IniFormat).setValue("window/zoom", percent);
    };
    QString usual, large;
    {
      const auto w = opened();
      QVERIFY(explored(*w));
      QVERIFY(with_chosen_columns(*w));
      w->candidates()->table()->horizontalHeader()->resizeSection(CandidateModel::Verdict, 231);
      QVERIFY(with_a_narrow_table(*w));
      usual = text_of(measures(*w));
      for (int i = 0; i < 5; ++i) action(*w, "view.zoom_in")->trigger();
      large = text_of(measures(*w));
      QVERIFY(w->close());
    }
    {
      const auto w = opened_again();  // at the zoom that it was closed at
      QVERIFY(with_a_narrow_table(*w));
      QCOMPARE(text_of(measures(*w)), large);
      QCOMPARE(w->candidates()->table()->columnWidth(CandidateModel::Verdict), 347);
      action(*w, "view.zoom_reset")->trigger();
      QCOMPARE(text_of(measures(*w)), usual);
      for (int i = 0; i < 5; ++i) action(*w, "view.zoom_in")->trigger();
      QVERIFY(w->close());
    }
    set_zoom(100);
    {
      const auto w = opened_again();
      QVERIFY(with_a_narrow_table(*w));
      QCOMPARE(text_of(measures(*w)), usual);
      QVERIFY(w->close());
    }
    set_zoom(150);
    const auto w = opened_again();
    QVERIFY(with_a_narrow_table(*w));
    QCOMPARE(text_of(measures(*w)), large);
    action(*w, "view.zoom_reset")->trigger();
    QCOMPARE(text_of(measures(*w)), usual);
  }

  // The wheel over a box without the focus scrolls the form around it.
  void theWheelScrollsTheFormAndLeavesItsBoxes() {
    const auto w = opened();
    QTRY_VERIFY(w->describe()->can_explore());
    w->describe()->form()->set_generator("model");  // many fields
    w->show_dock("describe");
    w->describe()->focus_sentence();
    auto* box = child<QComboBox>(w.get(), "generator");
    QScrollArea* area = nullptr;
    for (QWidget* around = box; around && !area; around = around->parentWidget())
      area = qobject_cast<QScrollArea*>(around);
    QVERIFY(area && w->describe()->isAncestorOf(area));
    QScrollBar* bar = area->verticalScrollBar();
    w->resize(1280, 600);
    QTRY_VERIFY(bar->maximum() > 100);
    const auto turn = [](QWidget* over, int by) {  // as by the window system: what ignores it passes it on
      const QPoint at = over->rect().center();
      QWheelEvent event(at, over->mapToGlobal(at), {}, {0, by}, Qt::NoButton, Qt::NoModifier, Qt::NoScrollPhase, false);
      QSpontaneKeyEvent::setSpontaneous(&event);
      qApp->notify(over, &event);
    };
    QVERIFY(!(box->focusPolicy() & 0x4));  // the wheel gives no focus
    for (QComboBox* one : {box, child<QComboBox>(w.get(), "writing_mode")}) {
      area->ensureWidgetVisible(one);
      QTRY_VERIFY(one->isVisible() && !one->visibleRegion().isEmpty());
      one->setCurrentIndex(1);
      QVERIFY(one->count() > 2 && !one->hasFocus());
      bar->setValue(bar->maximum() / 2);
      for (const int by : {-120, 120, 120}) {
        const int before = bar->value();
        turn(one, by);
        QVERIFY2(by < 0 ? bar->value() > before : bar->value() < before, qPrintable(one->objectName()));
        QCOMPARE(one->currentIndex(), 1);
        QVERIFY(!one->hasFocus());
      }
    }
    // With the focus it is the box that turns.
    auto* mode = child<QComboBox>(w.get(), "writing_mode");
    mode->setFocus();
    QTRY_VERIFY(mode->hasFocus());
    const int before = bar->value();
    turn(mode, -120);
    QCOMPARE(mode->currentIndex(), 2);
    QCOMPARE(bar->value(), before);
  }

  void docksKeepTheirSharesThroughAResize() {
    const auto w = opened();
    QDockWidget *code = w->dock("code"), *candidates = w->dock("candidates");
    w->resizeDocks({code}, {620}, Qt::Horizontal);  // as by a separator
    w->resizeDocks({candidates}, {220}, Qt::Vertical);
    QTest::mouseRelease(w.get(), Qt::LeftButton);
    const QSize before = code->size();
    const int table = candidates->height();
    for (const QSize size : {QSize(1000, 700), QSize(2200, 1300), QSize(1000, 700), QSize(1280, 800)}) {
      resize(*w, size);
      QVERIFY2(std::abs(code->width() - before.width() * size.width() / 1280) <= 90,
               qPrintable(QString("%1 of %2").arg(code->width()).arg(size.width())));
    }
    QVERIFY2(std::abs(code->width() - before.width()) <= 12, qPrintable(QString::number(code->width())));
    QVERIFY2(std::abs(code->height() - before.height()) <= 12, qPrintable(QString::number(code->height())));
    QVERIFY2(std::abs(candidates->height() - table) <= 12, qPrintable(QString::number(candidates->height())));
  }

  void aDoubleClickMaximisesAPanel() {
    const auto w = opened();
    const auto shown = [&] {
      QStringList ids;
      for (const QDockWidget* dock : w->docks()->all())
        if (!dock->isHidden()) ids += dock->objectName();
      return ids;
    };
    const QStringList before = shown();
    QVERIFY(before.size() > 3);
    QDockWidget* candidates = w->dock("candidates");
    const QSize size = candidates->size();
    candidates->raise();
    QTabBar* tabs = nullptr;
    int tab = -1;
    for (QTabBar* bar : w->findChildren<QTabBar*>(QString(), Qt::FindDirectChildrenOnly))
      for (int i = 0; i < bar->count(); ++i)
        if (bar->isVisible() && bar->tabText(i) == candidates->windowTitle()) tabs = bar, tab = i;
    if (tabs)
      QTest::mouseDClick(tabs, Qt::LeftButton, {}, tabs->tabRect(tab).center());
    else
      QTest::mouseDClick(candidates, Qt::LeftButton, {}, QPoint(20, 6));
    QCOMPARE(shown(), QStringList("candidates"));
    QVERIFY(w->docks()->maximised() && !candidates->isFloating());
    QTRY_VERIFY(candidates->width() > 1200);
    resize(*w, {1100, 760});
    resize(*w, {1280, 800});
    QTest::mouseDClick(candidates, Qt::LeftButton, {}, QPoint(20, 6));  // on its title
    QCOMPARE(shown(), before);
    QTRY_VERIFY2((candidates->size() - size).width() <= 12, qPrintable(QString::number(candidates->width())));
    // By the keyboard; another panel that is asked for, or another layout, brings the rest back.
    w->show_dock("code");
    action(*w, "view.maximise")->trigger();
    QCOMPARE(shown(), QStringList("code"));
    w->show_dock("verdict");
    QVERIFY(!w->docks()->maximised() && shown().size() >= before.size());
    action(*w, "view.maximise")->trigger();
    w->docks()->choose("review");
    QVERIFY(!w->docks()->maximised() && shown().size() > 1);
    w->docks()->choose("explore");
    QVERIFY(shown().size() >= before.size());
  }

  // Sizes that the person gave, not those of the layout's data.
  void aMaximisedPanelGoesBackToItsSizeAfterARestart() {
    QSize code, candidates;
    {
      const auto w = opened();
      QVERIFY(explored(*w));
      w->show_dock("code");
      w->resizeDocks({w->dock("code")}, {640}, Qt::Horizontal);
      const int height = w->dock("candidates")->height();
      w->resizeDocks({w->dock("candidates")}, {height + 40}, Qt::Vertical);
      QTRY_VERIFY(w->dock("candidates")->height() != height);
      QVERIFY(w->close());
    }
    const auto w = opened_again();
    QVERIFY(explored(*w));
    w->show_dock("code");
    QTest::qWait(0);
    code = w->dock("code")->size();
    candidates = w->dock("candidates")->size();
    for (int i = 0; i < 2; ++i) {
      action(*w, "view.maximise")->trigger();
      QTRY_VERIFY(w->docks()->maximised());
      action(*w, "view.maximise")->trigger();
      QTRY_VERIFY(!w->docks()->maximised());
      QTRY_VERIFY2(qAbs(w->dock("code")->width() - code.width()) <= 12 &&
                       qAbs(w->dock("code")->height() - code.height()) <= 12,
                   qPrintable(QString("%1 x %2").arg(w->dock("code")->width()).arg(w->dock("code")->height())));
      QVERIFY(qAbs(w->dock("candidates")->height() - candidates.height()) <= 12);
    }
  }

  void candidatesAreGoneBackTo() {
    const auto w = opened();
    QAction *back = action(*w, "go.back"), *forward = action(*w, "go.forward");
    QVERIFY(explore(*w) && ran(*w));
    for (const std::int64_t id : {2, 5, 3}) {
      w->candidates()->select(id);
      QTRY_COMPARE(w->selection()->current(), id);
    }
    w->selection()->choose_line(4);
    QVERIFY(back->isEnabled() && !forward->isEnabled());
    back->trigger();
    QCOMPARE(w->selection()->current(), std::int64_t{3});
    back->trigger();
    QTRY_COMPARE(w->selection()->current(), std::int64_t{5});
    back->trigger();
    QTRY_COMPARE(w->selection()->current(), std::int64_t{2});
    forward->trigger();
    QTRY_COMPARE(w->selection()->current(), std::int64_t{5});
    forward->trigger();
    forward->trigger();
    QTRY_COMPARE(w->selection()->current(), std::int64_t{3});
    QCOMPARE(w->selection()->line(), 4);
    QVERIFY(!forward->isEnabled());
    back->trigger();
    back->trigger();
    w->candidates()->select(6);  // what was forward is forgotten
    QTRY_VERIFY(!forward->isEnabled());
    back->trigger();
    QTRY_COMPARE(w->selection()->current(), std::int64_t{5});
  }

  void findSearchesWhatHasTheFocus() {
    const auto w = opened();
    QTRY_VERIFY(child<QPushButton>(w.get(), "explore")->isEnabled());
    press(*w, "explore");
    QTRY_VERIFY(!w->session()->running() && w->candidates()->model()->judged() > 1);
    w->candidates()->select(2);
    const auto searched = [&](QWidget* focused) -> QWidget* {
      focused->setFocus();
      action(*w, "code.find")->trigger();
      for (const SearchBar* bar : w->findChildren<SearchBar*>())
        if (const auto* words = bar->findChild<QLineEdit*>("search_words"); words->hasFocus()) {
          QTest::keyClick(QApplication::focusWidget(), Qt::Key_Escape);  // gives the focus back
          return QApplication::focusWidget();
        }
      return nullptr;
    };
    w->show_dock("diff");
    QTRY_VERIFY(w->diff()->shown() && w->diff()->view()->isVisible());
    QCOMPARE(searched(w->diff()->view()), w->diff()->view());
    QVERIFY(w->diff()->isVisible());
    w->show_dock("code");
    w->code()->set_pane(CodePanel::ptx_listing, true);
    QTRY_VERIFY(w->code()->ptx()->rows() > 0);
    QCOMPARE(searched(w->code()->ptx()), w->code()->ptx());
    QCOMPARE(searched(w->code()->source()), w->code()->source());
    CodeEditor* spec = w->describe()->spec_view()->editor();
    w->show_dock("describe");
    QCOMPARE(searched(spec), spec);
    QVERIFY(w->code()->source()->isVisible());
    QCOMPARE(searched(w->candidates()->table()), w->code()->source());
  }

  void theSearchBarIsWholeAt1280() {
    const auto w = opened();
    QVERIFY(explore(*w, 3));
    QTRY_VERIFY(!w->session()->running() && !w->code()->source()->text().isEmpty());
    for (const char* layout : {"explore", "profile", "review", "learn"}) {
      w->docks()->choose(layout);
      w->show_dock("code");
      QTest::qWait(50);
      w->code()->source()->setFocus();
      QTest::keyClick(w->code()->source(), Qt::Key_F, Qt::ControlModifier);
      auto* bar = w->code()->findChild<SearchBar*>();
      QTRY_VERIFY2(bar->isVisible(), layout);
      QTRY_COMPARE(bar->visibleRegion().boundingRect(), bar->rect());
      const QList<QWidget*> parts = bar->findChildren<QWidget*>(QString(), Qt::FindDirectChildrenOnly);
      for (const QWidget* part : parts)
        if (part->isVisible()) QVERIFY2(bar->rect().contains(part->geometry()), layout);
      QVERIFY2(bar->findChild<QLineEdit*>()->width() >= 100, layout);
      picture(*w, QString("find-") + layout);
      QTest::keyClick(bar->findChild<QLineEdit*>(), Qt::Key_Escape);
    }
  }

  void numbersNeedNoScrollingAtTheDocksWidth() {
    NumberTable table;
    table.set_rows({number("registers", 32, 40)});
    for (const int width : {420, 490, 640, 900}) {
      table.resize(width, 300);
      table.show();
      QTest::qWait(0);
      const QHeaderView* header = table.table()->horizontalHeader();
      if (width >= 490)
        QVERIFY2(header->length() <= table.table()->viewport()->width(),
                 qPrintable(QString("%1 in %2").arg(header->length()).arg(width)));
      QVERIFY(table.table()->columnWidth(NumberModel::Name) >= 120);
      for (const int column : {NumberModel::Left, NumberModel::Right, NumberModel::Change})
        QVERIFY(!table.table()->isColumnHidden(column));
      QCOMPARE(table.table()->isColumnHidden(NumberModel::Source), width < 700);
    }
  }

  void longNumbersAreNotCutOff() {
    NumberTable table;
    diff::NumberRow row = number("issue_slots", 21193482, 15733002);
    row.change = -5460480;
    row.percent = -25.8;
    table.set_rows({row});
    for (const int width : {420, 900}) {
      table.resize(width, 300);
      table.show();
      QTest::qWait(0);
      const QTableView& view = *table.table();
      for (const int column : {NumberModel::Left, NumberModel::Right, NumberModel::Change, NumberModel::Percent}) {
        const QString text = view.model()->index(0, column).data().toString();
        QVERIFY2(view.fontMetrics().horizontalAdvance(text) < view.columnWidth(column), qPrintable(text));
      }
    }
  }

  void dialogsOpenWhereAFileOfThatKindWasLast() {
    QDir(folder_->path()).mkpath("receipts");
    QDir(folder_->path()).mkpath("kernels");
    QFile file(folder_->filePath("kernels/relu.op"));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("op relu(x: f32[N]) -> y: f32[N]\n{ y[i] = max(x[i], 0) }\n");
    file.close();
    const QString documents = QStandardPaths::writableLocation(QStandardPaths::DocumentsLocation);
    const QString first = QFileInfo(documents).isDir() ? documents : QDir::homePath();
    {
      const auto w = opened();
      const auto open_file = [&] { action(*w, "file.open_file")->trigger(); };
      QCOMPARE(folder_of_next(open_file), QDir(first).absolutePath());
      QCOMPARE(folder_of_next(open_file, file.fileName()), QDir(first).absolutePath());
      QCOMPARE(folder_of_next(open_file), QFileInfo(file).absolutePath());
      // Another kind has its own.
      const auto receipt = [&] { FileDialogs::instance().save(w.get(), FileKind::receipt, "Export", "receipt.json"); };
      QCOMPARE(folder_of_next(receipt, folder_->filePath("receipts/r.json")), QDir(first).absolutePath());
      QCOMPARE(folder_of_next(receipt), QDir(folder_->filePath("receipts")).absolutePath());
      QVERIFY(w->close());
    }
    const auto again = opened();
    QCOMPARE(FileDialogs::instance().folder(FileKind::receipt), folder_->filePath("receipts"));
    QCOMPARE(FileDialogs::instance().folder(FileKind::chart), first);
    QVERIFY(QDir(folder_->filePath("receipts")).removeRecursively());
    QCOMPARE(FileDialogs::instance().folder(FileKind::receipt), first);  // it is gone
  }
};

WW_TEST_WITH_OWN_PATHS(RoomTest, QApplication)
#include "room_test.moc"
