// SPDX-License-Identifier: GPL-3.0-or-later
// Room in tables: columns after a resize and a zoom, and numbers that are shown whole.
#include <QComboBox>
#include <QDockWidget>
#include <QHeaderView>
#include <QMenu>
#include <QScrollBar>
#include <QSettings>
#include <QTableView>
#include <QtTest>
#include "panels/candidates/candidate_panel.h"
#include "panels/diff/number_table.h"
#include "panels/runs/runs_panel.h"
#include "shell/window/docks.h"
#include "widgets/own_paths.h"
#include "widgets/room_fixture.h"

using namespace ww;
using namespace ww::widgets;

class TableRoomTest : public QObject, test::RoomFixture {
  Q_OBJECT
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
};

WW_TEST_WITH_OWN_PATHS(TableRoomTest, QApplication)
#include "table_room_test.moc"
