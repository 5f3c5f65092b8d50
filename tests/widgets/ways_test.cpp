// SPDX-License-Identifier: GPL-3.0-or-later
// Ways through the window: quick open by words, Tab and the editor, detaching from the palette, what a restart keeps,
// where the focus goes when a run starts.
#include <QDialog>
#include <QDockWidget>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QProgressBar>
#include <QPushButton>
#include <QSettings>
#include <QSpinBox>
#include <QTabBar>
#include <QTableView>
#include <QToolBar>
#include <cmath>
#include "panels/candidates/candidate_panel.h"
#include "panels/code/code_panel.h"
#include "panels/describe/describe_panel.h"
#include "panels/describe/run_form.h"
#include "panels/runs/runs_panel.h"
#include "parts/editor/code_editor.h"
#include "shell/start/start_page.h"
#include "shell/window/docks.h"
#include "shell/window/notice_list.h"
#include "shell/window/notices.h"
#include "shell/window/status.h"
#include "store/default_workspace.h"
#include "widgets/window_fixture.h"

using namespace ww;
using namespace ww::widgets;
using namespace ww::test;

class WaysTest : public QObject, WindowFixture {
  Q_OBJECT

  // What stands first when this is typed into quick open or the palette; Return is pressed where `run` says so.
  QString first_of(MainWindow& w, const char* opener, const char* dialog, const QString& typed, bool run) {
    action(w, opener)->trigger();
    QPointer<QDialog> picker = child<QDialog>(&w, dialog);
    if (!picker) return "no dialog";
    QTest::keyClicks(picker->findChild<QLineEdit*>(), typed);
    const QListWidgetItem* item = picker->findChild<QListWidget*>()->item(0);
    const QString text = item ? item->text() : QString();
    QTest::keyClick(picker->findChild<QLineEdit*>(), run ? Qt::Key_Return : Qt::Key_Escape);
    delete picker;
    return text;
  }

 private slots:
  void init() { set_up(); }
  void cleanup() { engine_->release(); }

  void quickOpenFindsWordsInAnyOrder() {
    auto w = explored();
    const QString name = CandidateModel::name_of(w->candidates()->model()->rows()[3].data);
    const QStringList words = name.toLower().split(' ', Qt::SkipEmptyParts);
    QVERIFY2(words.size() >= 2, qPrintable(name));
    const QString backwards = words.back() + ' ' + words.front().left(3);
    QVERIFY2(!name.contains(backwards, Qt::CaseInsensitive), qPrintable(backwards));
    const QString found = first_of(*w, "go.quick_open", "quick_open", backwards, true);
    QVERIFY2(found.startsWith('#'), qPrintable(backwards + " found " + found));
    QVERIFY(!first_of(*w, "go.quick_open", "quick_open", words.front() + " qzx", false).startsWith('#'));
  }

  void tabBelongsToTheTextAndCtrlTabLeavesIt() {
    auto w = explored();
    w->show_dock("code");
    QTRY_VERIFY(action(*w, "code.edit")->isEnabled() && !w->code()->source()->text().isEmpty());
    action(*w, "code.edit")->trigger();
    CodeEditor* draft = w->code()->draft();
    QTRY_VERIFY(draft->isVisible());
    draft->setFocus();
    QTRY_VERIFY(draft->hasFocus());
    const QString before = draft->text();
    QTest::keyClick(draft, Qt::Key_Tab);
    QVERIFY(draft->hasFocus());
    QVERIFY(draft->text() != before);
    const QString after = draft->text();
    QTest::keyClick(draft, Qt::Key_Tab, Qt::ControlModifier);
    QVERIFY(!draft->hasFocus());
    QCOMPARE(draft->text(), after);
    draft->setFocus();
    QTest::keyClick(draft, Qt::Key_Backtab, Qt::ControlModifier | Qt::ShiftModifier);
    QVERIFY(!draft->hasFocus());
    QCOMPARE(draft->text(), after);
  }

  void thePaletteDetachesThePanelThatHadTheFocus() {
    auto w = explored();
    w->show_dock("candidates");
    w->candidates()->table()->setFocus();
    QTRY_VERIFY(w->candidates()->table()->hasFocus());
    QDockWidget* dock = w->dock("candidates");
    const QString text = first_of(*w, "help.palette", "command_palette", "detach", true);
    QVERIFY2(text.contains("Detach"), qPrintable(text));
    QTRY_VERIFY(dock->isFloating());
  }

  void theBaselineOutlivesARestart() {
    {
      auto w = explored();
      QVERIFY(w);
      w->candidates()->select(4);
      w->selection()->set_baseline(2);
      QVERIFY(w->close());
    }
    {
      auto w = active();
      QTRY_COMPARE(w->candidates()->selected(), std::int64_t{4});
      QTRY_COMPARE(w->selection()->baseline(), std::int64_t{2});
      QVERIFY(w->close());
    }
    QSettings(folder_->filePath("settings.ini"), QSettings::IniFormat).setValue("window/baseline", 999);  // it is gone
    auto w = active();
    QTRY_COMPARE(w->candidates()->selected(), std::int64_t{4});
    QTRY_COMPARE(w->selection()->baseline(), std::int64_t{0});
  }

  void aRunTakesTheFocusNowhere() {
    auto w = active({.input = "softmax of 512 rows"});
    QTRY_VERIFY(child<QPushButton>(w.get(), "explore")->isEnabled());
    auto* budget = child<QSpinBox>(w.get(), "budget");
    budget->setFocus();
    QTRY_VERIFY(budget->hasFocus());
    QTest::keyClick(budget, Qt::Key_Return, Qt::ControlModifier);
    QTRY_VERIFY(w->session()->shown_run() != 0);
    QVERIFY(ran(*w));
    QVERIFY(budget->hasFocus());
    QVERIFY(w->dock("tour")->isHidden());
  }

  // A click on a tab takes the focus to its panel, not to whatever follows the panel that it hides.
  void aClickOnATabGoesToItsPanel() {
    auto w = active({.input = "softmax of 512 rows"});
    w->show_dock("stepper");
    w->show_dock("describe");
    QTRY_VERIFY(w->describe()->isAncestorOf(QApplication::focusWidget()));
    for (QTabBar* bar : w->findChildren<QTabBar*>(QString(), Qt::FindDirectChildrenOnly))
      for (int i = 0; i < bar->count(); ++i)
        if (bar->tabText(i) == w->dock("runs")->windowTitle())
          QTest::mouseClick(bar, Qt::LeftButton, {}, bar->tabRect(i).center());
    QTRY_VERIFY(w->runs()->isVisible());
    QTRY_VERIFY2(w->runs()->isAncestorOf(QApplication::focusWidget()),
                 qPrintable(QApplication::focusWidget() ? QApplication::focusWidget()->objectName() : QString("none")));
  }

  // The key of this machine is gone, and with it the proof that the workspace is the person's own.
  void aWorkspaceOfAnotherKeyIsExplained() {
    const QByteArray config = qgetenv("WARPWRIGHT_CONFIG");
    const auto back = qScopeGuard([&] { qputenv("WARPWRIGHT_CONFIG", config); });
    qputenv("WARPWRIGHT_CONFIG", folder_->filePath("before").toUtf8());
    QVERIFY(explored()->close());
    const auto says = [](MainWindow& w) {
      return w.findChild<NoticeList*>()->texts().join('\n').contains("another signing key");
    };
    {
      auto w = active();
      QTRY_COMPARE(w->candidates()->model()->judged(), 6);
      QVERIFY(!says(*w) && child<QLabel>(w.get(), "run_counts")->toolTip().isEmpty());
    }
    qputenv("WARPWRIGHT_CONFIG", folder_->filePath("after").toUtf8());
    for (const bool first : {true, false}) {
      auto w = active();
      QTRY_COMPARE(w->candidates()->model()->imported(), 6);
      QCOMPARE(says(*w), first);
      const QString tip = child<QLabel>(w.get(), "run_counts")->toolTip();
      QVERIFY2(tip.contains("another signing key") && tip.contains("This machine's key was created on 20"),
               qPrintable(tip));
    }
  }

  void aWorkspaceWithRunsDoesNotSayThatThereAreNone() {
    QVERIFY(explored()->close());
    QVERIFY(QFile::remove(folder_->filePath("settings.ini")));
    auto w = active();
    QTRY_COMPARE(w->runs()->model()->rowCount(), 1);
    QTRY_VERIFY(w->session()->ready());
    const auto says = [&](const QString& words) {
      for (const QLabel* label : w->candidates()->findChildren<QLabel*>())
        if (label->text().contains(words)) return true;
      return false;
    };
    QTRY_VERIFY(w->session()->shown_run() != 0 || says("Choose one in Runs"));  // the latest may be shown meanwhile
    QVERIFY(!says("No candidates yet"));
  }

  // The box of a row that is not compared: something in its cell stands out from the row, 3 to 1 (WCAG 1.4.11).
  void compareBoxesAreSeenInEveryTheme() {
    auto w = explored();
    QTableView* table = w->candidates()->table();
    table->setColumnHidden(CandidateModel::Compared, false);
    table->clearSelection();
    for (const char* theme : {"light", "dark", "high-contrast"}) {
      QVERIFY(Theme::instance().apply(theme));
      const QModelIndex cell = table->model()->index(2, CandidateModel::Compared);
      table->scrollTo(cell);
      const QImage image = table->viewport()->grab(table->visualRect(cell).adjusted(2, 2, -2, -2)).toImage();
      QVERIFY(!image.isNull());
      const QColor row = image.pixelColor(0, 0);
      const auto apart = [&](const QColor& c) {
        const auto light = [](const QColor& l) {
          const auto part = [](double v) { return v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4); };
          return 0.2126 * part(l.redF()) + 0.7152 * part(l.greenF()) + 0.0722 * part(l.blueF()) + 0.05;
        };
        return std::max(light(c), light(row)) / std::min(light(c), light(row));
      };
      double most = 1;
      for (int y = 0; y < image.height(); ++y)
        for (int x = 0; x < image.width(); ++x) most = std::max(most, apart(image.pixelColor(x, y)));
      QVERIFY2(most >= 3, qPrintable(QString("%1: %2").arg(theme).arg(most)));
    }
    QVERIFY(Theme::instance().apply("light"));
  }

  void moreThanTheBudgetIsNoShareOfIt() {
    QWidget window;
    StatusPart status(&window);
    status.show_run(true, {.judged = 25, .budget = 24, .accepted = 24, .structures = 12});
    QVERIFY2(!status.text().contains("of 24"), qPrintable(status.text()));
    status.show_run(true, {.judged = 23, .budget = 24, .accepted = 20, .structures = 12});
    QVERIFY2(status.text().contains("23 of 24 judged"), qPrintable(status.text()));
  }

  void progressIsOfARunInProgress() {
    QWidget window;
    StatusPart status(&window);
    status.show_run(true, {.judged = 8, .budget = 8, .accepted = 6, .structures = 2});
    QVERIFY(!status.findChild<QProgressBar*>()->isHidden());
    status.show_run(false, {.judged = 8, .budget = 8, .accepted = 6, .structures = 2});
    QVERIFY(status.findChild<QProgressBar*>()->isHidden());
    QCOMPARE(status.text(), QString("6 of 8 candidates proved, 2 structures"));
    status.show_run(false, {.judged = 8, .budget = 8, .accepted = 6, .smaller = 4, .structures = 2});
    QCOMPARE(status.text(), QString("6 of 8 candidates proved, 2 structures (4 at smaller shapes only)"));
  }

  void aNoticeHasARowOfItsOwn() {
    auto w = active();
    w->notice()->ask("The last session ended unexpectedly. Your texts, the run and the candidate were restored.",
                     "Good", [] {});
    QTRY_VERIFY(w->notice()->open());
    const QToolBar *main = nullptr, *notice = nullptr;
    for (const QToolBar* bar : w->findChildren<QToolBar*>(QString(), Qt::FindDirectChildrenOnly)) {
      if (bar->windowTitle() == "Main toolbar") main = bar;
      if (bar->isAncestorOf(child<QPushButton>(w.get(), "notice_answer"))) notice = bar;
    }
    QVERIFY(main && notice);
    QTRY_VERIFY2(notice->y() > main->geometry().bottom(), qPrintable(QString::number(notice->y())));

    QTRY_COMPARE(notice->width(), w->width());
  }

  // The ring of the focus runs around a tab and leaves its words as they are.
  void theFocusRingLeavesTabTextsFree() {
    auto w = active();
    auto* tabs = new QTabBar(w.get());
    for (const char* name : {"Candidates", "Lineage", "Pareto"}) tabs->addTab(name);
    tabs->setGeometry(100, 200, 500, tabs->sizeHint().height());
    tabs->show();
    tabs->raise();
    tabs->setFocus(Qt::TabFocusReason);
    QTRY_VERIFY(tabs->hasFocus());
    QWidget* ring = nullptr;
    for (QWidget* child : tabs->findChildren<QWidget*>())
      if (child->property("overlay").toBool()) ring = child;
    QVERIFY(ring && ring->isVisible());
    const QRect tab = tabs->tabRect(0);
    const QSize words = tabs->fontMetrics().size(0, tabs->tabText(0));
    const QRect middle(tab.center() - QPoint(words.width() / 2, words.height() / 2), words);
    const QImage with = tabs->grab().toImage();
    ring->hide();
    const QImage without = tabs->grab().toImage();
    QVERIFY(with != without);  // it is seen
    const double scale = with.devicePixelRatio();
    const QRect pixels(middle.topLeft() * scale, middle.size() * scale);
    QCOMPARE(with.copy(pixels), without.copy(pixels));
  }

  // A title that does not fit loses its end, also where numbers are aligned to the right.
  void headersAreCutAtTheirEnd() {
    auto w = explored();
    QTableView* table = w->candidates()->table();
    QHeaderView* header = table->horizontalHeader();
    const int column = CandidateModel::Registers;
    QVERIFY(!header->isSectionHidden(column));
    header->setMinimumSectionSize(16);
    header->moveSection(header->visualIndex(column), 1);  // in sight at any width
    const QString title = table->model()->headerData(column, Qt::Horizontal).toString();
    QFont bold = header->font();
    bold.setWeight(QFont::DemiBold);
    // Where it is cut it begins with the same letter.
    const auto first_letter = [&](int width) {
      header->resizeSection(column, width);
      const QImage image = header->viewport()
                               ->grab(QRect(header->sectionViewportPosition(column), 0, width, header->height()))
                               .toImage();
      int from = 0;
      for (int x = 1; x < image.width() && from == 0; ++x)
        for (int y = 3; y < image.height() - 4; ++y)
          if (image.pixelColor(x, y).lightness() < 150) from = x;
      return image.copy(from, 3, QFontMetrics(bold).horizontalAdvance(title.left(1)) - 2, image.height() - 7);
    };
    const int room = QFontMetrics(bold).horizontalAdvance(title.left(3) + QChar(0x2026)) + 14;
    const QImage cut = first_letter(room), whole = first_letter(120);
    QCOMPARE(cut.size(), whole.size());
    double apart = 0;  // of the lightness, on average: letters lie between pixels in different ways
    for (int y = 0; y < cut.height(); ++y)
      for (int x = 0; x < cut.width(); ++x)
        apart += std::abs(cut.pixelColor(x, y).lightness() - whole.pixelColor(x, y).lightness());
    apart /= cut.width() * cut.height();
    QVERIFY2(apart < 30, qPrintable(QString::number(apart)));
  }

  // The command line takes the same folder: app/cli/output.cpp opens store::default_workspace(), too.
  void withoutAWorkspaceTheDefaultIsThatOfTheCommandLine() {
    qputenv("XDG_DATA_HOME", folder_->filePath("data").toUtf8());
    MainWindow w(FakeEngine::services(engine_), WindowOptions{.settings_file = folder_->filePath("settings.ini")});
    w.show();
    QTRY_VERIFY(w.session()->ready());
    QCOMPARE(w.session()->folder(), QString::fromStdString(store::default_workspace().string()));
    QVERIFY(w.session()->folder().startsWith(folder_->path()));
  }

  void aWorkspaceOfTheEnvironmentComesBeforeTheLastOne() {
    const QString settings = folder_->filePath("last.ini"), last = folder_->filePath("last");
    QSettings(settings, QSettings::IniFormat).setValue("window/workspace", last);
    const auto opened = [&] {
      MainWindow w(FakeEngine::services(engine_), WindowOptions{.settings_file = settings});
      w.show();
      return QTest::qWaitFor([&] { return w.session()->ready(); }) ? w.session()->folder() : QString();
    };
    QCOMPARE(opened(), last);
    qputenv("WARPWRIGHT_WORKSPACE", folder_->filePath("named").toUtf8());
    QCOMPARE(opened(), folder_->filePath("named"));
    qunsetenv("WARPWRIGHT_WORKSPACE");
  }
};

QTEST_MAIN(WaysTest)
#include "ways_test.moc"
