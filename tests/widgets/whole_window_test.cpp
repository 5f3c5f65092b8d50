// SPDX-License-Identifier: GPL-3.0-or-later
// The whole window on the recorded session, as a person sees it: every workspace and panel, every theme, four sizes.
// At scale 2 it runs a second time, with QT_SCALE_FACTOR.
#include <QApplication>
#include <QDialog>
#include <QDockWidget>
#include <QLabel>
#include <QPointer>
#include <QToolButton>
#include <QProgressBar>
#include <QTreeWidget>
#include <QTemporaryDir>
#include <QtTest>
#include "session/actions/registry.h"
#include "panels/candidates/candidate_panel.h"
#include "session/services.h"
#include "session/event_watchdog.h"
#include "session/selection.h"
#include "store/bundle.h"
#include "parts/theme/theme.h"
#include "widgets/audit.h"
#include "widgets/pictures.h"
#include "shell/window/dialogs.h"
#include "shell/window/docks.h"
#include "shell/window/layouts.h"
#include "shell/window/main_window.h"

using namespace ww;
using namespace ww::widgets;

class WholeWindowTest : public QObject {
  Q_OBJECT
  QTemporaryDir folder_;
  std::unique_ptr<MainWindow> window_;

  // All panels of all workspaces, one in front after the other; `look` gets the dock.
  void each_panel(const std::function<void(const QString& where, QDockWidget* dock)>& look) {
    for (const Layout& layout : layouts()) {
      window_->docks()->choose(layout.id);
      window_->docks()->reset();
      for (const QString& id : docks_of(pruned(layout.root, window_->docks()->ids()))) {
        window_->docks()->show(id);
        QDockWidget* dock = window_->dock(id);
        QTRY_VERIFY2(dock->isVisible(), qPrintable(id));
        QCoreApplication::processEvents();
        settle();
        look(layout.id + "/" + id, dock);
      }
    }
  }
  void settle() {
    QTRY_VERIFY(window_->settled());
    for (int i = 0; i < 6; ++i) {
      QCoreApplication::sendPostedEvents();
      QCoreApplication::processEvents(QEventLoop::AllEvents, 20);
    }
  }
  static QSize usual_size() { return {1280, qEnvironmentVariableIsSet("QT_SCALE_FACTOR") ? 720 : 800}; }
  static void report(const QStringList& found) { QVERIFY2(found.isEmpty(), qPrintable("\n" + found.join("\n"))); }

 private slots:
  void initTestCase() {
    QVERIFY(Theme::instance().apply("light"));
    qputenv("WARPWRIGHT_CONFIG", folder_.filePath("config").toUtf8());
    const std::string workspace = folder_.filePath("session").toStdString();
    QVERIFY(store::import_bundle(WW_SOURCE_DIR "/resources/tour/session.wwb", workspace));
    WindowOptions options;
    options.settings_file = folder_.filePath("settings.ini");
    options.workspace = folder_.filePath("session");
    window_ = std::make_unique<MainWindow>(Services(), options);
    window_->resize(usual_size());
    window_->show();
    QTRY_VERIFY(window_->session()->ready());
    QTRY_VERIFY(window_->session()->shown_run() != 0);  // the latest
    window_->session()->show_run(1);
    QTRY_COMPARE(window_->candidates()->model()->rowCount(), 7);
    QTRY_VERIFY(window_->selection()->current() != 0);
    settle();
  }
  void cleanupTestCase() { window_.reset(); }

  void stagesAndTheirResultsAreWhole() {
    window_->docks()->choose("explore");
    window_->show_dock("verdict");
    settle();
    auto* stages = window_->findChild<QTreeWidget*>("stages");
    QTRY_VERIFY(stages->topLevelItemCount() >= 8);
    settle();
    for (int i = 0; i < stages->topLevelItemCount(); ++i)
      for (const int column : {0, 1}) {
        const QTreeWidgetItem* item = stages->topLevelItem(i);
        const QRect room = stages->visualRect(stages->indexFromItem(item, column));
        const int icon = column == 0 ? stages->iconSize().width() : 0;
        QVERIFY2(stages->fontMetrics().horizontalAdvance(item->text(column)) + icon + 8 <= room.width() &&
                     stages->viewport()->rect().contains(room.adjusted(1, 1, -1, -1)),
                 qPrintable(QString("%1: %2 px").arg(item->text(column)).arg(room.width())));
      }
    test::save_picture(*window_, "stages-whole");
  }

  void barsOfTheCodeAndThePlotAreOneRow() {
    const auto level = [&](const char* one, const char* other) {
      const auto* a = window_->findChild<QWidget*>(one);
      const auto* b = window_->findChild<QWidget*>(other);
      return std::abs(a->mapTo(window_.get(), a->rect().center()).y() -
                      b->mapTo(window_.get(), b->rect().center()).y()) <= 2;
    };
    for (const Layout& layout : layouts()) {
      window_->docks()->choose(layout.id);
      window_->show_dock("code");
      settle();
      QVERIFY2(level("line_counter", "hints"), qPrintable(layout.id));
    }
    window_->docks()->choose("explore");
    window_->show_dock("pareto");
    settle();
    QVERIFY(level("pareto_x", "pareto_y") && level("pareto_x", "pareto_table"));
    window_->resize(1000, 700);
    settle();
    QVERIFY(level("pareto_x", "pareto_y") && level("pareto_x", "pareto_table"));
    window_->show_dock("progress");
    settle();
    QCOMPARE(window_->findChild<QProgressBar*>("budget_money")->y(),
             window_->findChild<QProgressBar*>("budget_candidates")->y());
    for (const char* layout : {"explore", "profile", "review", "learn"}) {  // no panel scrolls sideways for its bar
      window_->docks()->choose(layout);
      window_->show_dock("diff");
      settle();
      const QWidget* panel = Docks::panel_of(window_->dock("diff"));
      QVERIFY2(panel->width() <= panel->parentWidget()->width(),
               qPrintable(QString("%1: %2 of %3").arg(layout).arg(panel->width()).arg(panel->parentWidget()->width())));
    }
    window_->resize(usual_size());
  }

  void contrastOfEveryTheme() {
    QStringList found;
    for (const char* theme : {"light", "dark", "high-contrast"}) {
      QVERIFY(Theme::instance().apply(theme));
      found += test::low_contrast();
    }
    QVERIFY(Theme::instance().apply("light"));
    report(found);
  }
  void nothingIsClippedOrOverlaps_data() {
    QTest::addColumn<QString>("theme");
    QTest::addColumn<QSize>("size");
    QTest::newRow("light") << "light" << usual_size();
    QTest::newRow("dark") << "dark" << usual_size();
    QTest::newRow("high contrast") << "high-contrast" << usual_size();
    QTest::newRow("small") << "light" << QSize(1000, 700);
    QTest::newRow("wide") << "light" << QSize(1600, 1000);
    QTest::newRow("widest") << "light" << QSize(2560, 1440);
  }
  void nothingIsClippedOrOverlaps() {
    QFETCH(QString, theme);
    QFETCH(QSize, size);
    QVERIFY(Theme::instance().apply(theme));
    window_->resize(size);
    QStringList found;
    each_panel([&](const QString& where, QDockWidget* dock) {
      for (const QString& what :
           test::clipped(dock) + test::overlapping(dock) + test::elided(dock) + test::nested_scrolling(dock))
        found += where + ": " + what;
      if (test::blank(Docks::panel_of(dock))) found += where + ": it is blank";
    });
    for (const QString& what : test::overlapping(window_.get())) found += "window: " + what;
    window_->resize(usual_size());
    found.removeDuplicates();
    report(found);
  }
  // The gate proves, a person signs: no text outside the review calls a verdict accepted.
  void verdictsAreProvedAndPeopleSign() {
    QStringList found;
    each_panel([&](const QString& where, QDockWidget* dock) {
      if (where.endsWith("/review") || where.endsWith("/receipt")) return;
      for (const QString& text : test::texts(dock))
        if (text.contains("accepted", Qt::CaseInsensitive)) found += where + ": " + text.left(120);
    });
    for (const ActionInfo& one : window_->actions_registry()->all())
      for (const QString& text : {one.action->text(), one.action->toolTip()})
        if (text.contains("accepted", Qt::CaseInsensitive)) found += "action: " + text;
    found.removeDuplicates();
    report(found);
    const CandidateModel* table = window_->candidates()->model();
    QStringList headers;
    for (int c = 0; c < table->columnCount(); ++c)
      headers += table->headerData(c, Qt::Horizontal, Qt::DisplayRole).toString();
    QVERIFY2(headers.contains("Proved") && headers.contains("Signed"), qPrintable(headers.join(", ")));
  }
  void everyControlHasANameARoleAndAKey() {
    QStringList found;
    each_panel([&](const QString& where, QDockWidget* dock) {
      for (const QString& what : test::inaccessible(dock)) found += where + ": " + what;
    });
    found.removeDuplicates();
    report(found);
  }
  void dialogsAreWholeAndNamed_data() { boxesAndFocusShowInEveryTheme_data(); }
  void dialogsAreWholeAndNamed() {
    QFETCH(QString, theme);
    QVERIFY(Theme::instance().apply(theme));
    QStringList found;
    const std::vector<NamedDialog> dialogs = dialogs_of(*window_);
    QVERIFY2(dialogs.size() >= 22, qPrintable(QString::number(dialogs.size())));
    for (const auto& [name, open] : dialogs) {
      open();
      QPointer<QDialog> dialog;
      QTRY_VERIFY2(
          [&] {
            for (QWidget* w : QApplication::topLevelWidgets())
              if (auto* d = qobject_cast<QDialog*>(w); d && d->isVisible()) dialog = d;
            return !dialog.isNull();
          }(),
          qPrintable(name));
      settle();
      QVERIFY2(dialog, qPrintable(QString("%1 closed by itself").arg(name)));
      for (const QString& what : test::clipped(dialog) + test::overlapping(dialog) + test::inaccessible(dialog) +
                                     test::elided(dialog) + test::nested_scrolling(dialog) +
                                     test::invisible_indicators(dialog) + test::faint_placeholders(dialog))
        found += QString("%1: %2").arg(name, what);
      if (test::blank(dialog)) found += QString("%1: it is blank").arg(name);
      test::save_picture(*dialog, "dialog-" + name + "-" + theme);
      QTest::keyClick(dialog, Qt::Key_Escape);
      QTRY_VERIFY2(!dialog || !dialog->isVisible(), qPrintable(name));
      settle();  // what is deleted on closing goes now
    }
    QVERIFY(Theme::instance().apply("light"));
    report(found);
  }
  // With the recorded runs as recent work: the foot is in sight, and the shown run is not spoken of.
  void theStartPageIsWholeAtEverySize_data() {
    QTest::addColumn<QSize>("size");
    QTest::newRow("small") << QSize(1000, 700);
    QTest::newRow("usual") << usual_size();
    QTest::newRow("wide") << QSize(1600, 1000);
    QTest::newRow("widest") << QSize(2560, 1440);
  }
  void theStartPageIsWholeAtEverySize() {
    QFETCH(QSize, size);
    window_->resize(size);
    window_->actions_registry()->trigger("go.start");
    settle();
    auto* page = window_->findChild<QWidget*>("start_page");
    QTRY_VERIFY(page->isVisible());
    report(test::clipped(page) + test::overlapping(page) + test::elided(page) + test::nested_scrolling(page) +
           test::inaccessible(page) + test::invisible_indicators(page));
    const auto in_sight = [&](const char* id) {
      const auto* w = page->findChild<QWidget*>(id);
      return w->isVisible() && page->rect().contains(QRect(w->mapTo(page, QPoint()), w->size()));
    };
    QTRY_VERIFY(in_sight("start_tour") && in_sight("start_leave") && in_sight("start_recent"));
    for (const char* id : {"status_device", "status_counters", "run_counts"})
      QVERIFY2(!window_->findChild<QLabel*>(id)->isVisible(), id);
    test::save_picture(*window_, "start-" + QString::number(size.width()));
    window_->actions_registry()->trigger("go.candidates");
    window_->resize(usual_size());
    settle();
    QVERIFY(window_->findChild<QLabel*>("run_counts")->isVisible());
  }
  // What is in sight when another theme is chosen.
  void nothingKeepsTheColoursOfAnotherTheme() {
    QStringList found;
    QSet<QString> seen;
    each_panel([&](const QString& where, QDockWidget* dock) {
      if (std::exchange(seen, seen + QSet<QString>{dock->objectName()}).contains(dock->objectName())) return;
      const auto questions = dock->findChildren<QToolButton*>(QRegularExpression("^open_"));
      if (!questions.isEmpty()) questions.first()->click();
      for (const char* theme : {"dark", "light"}) {
        const QString before = Theme::instance().current();
        QVERIFY(Theme::instance().apply(theme));
        settle();
        QStringList left;  // a plot is drawn anew a moment later
        (void)QTest::qWaitFor([&] { return (left = test::foreign_colours(dock, before)).isEmpty(); }, 3000);
        for (const QString& what : left) found += where + ": " + what;
      }
    });
    window_->actions_registry()->trigger("go.start");
    settle();
    QVERIFY(Theme::instance().apply("high-contrast"));
    settle();
    for (const QString& what : test::foreign_colours(window_.get(), "light")) found += "start: " + what;
    window_->actions_registry()->trigger("go.candidates");
    settle();
    QVERIFY(Theme::instance().apply("light"));
    report(found);
  }
  void tabGoesThroughThePanelInReadingOrder() {
    // From one control to the next: down or to the right, never up within one column.
    QStringList found;
    int steps = 0;
    each_panel([&](const QString& where, QDockWidget* dock) {
      QWidget* panel = Docks::panel_of(dock);
      const auto takes_focus = [](const QWidget* w) {
        return w->isVisible() && w->isEnabled() && (w->focusPolicy() & Qt::TabFocus);
      };
      const auto place = [&](QWidget* w) { return QRect(w->mapTo(panel, QPoint(0, 0)), w->size()); };
      const QList<QWidget*> all = panel->findChildren<QWidget*>();
      const auto first = std::find_if(all.begin(), all.end(), takes_focus);
      if (first == all.end()) return;
      // The chain of focus, as far as it stays in the panel.
      QSet<QWidget*> seen;
      QWidget* before = nullptr;
      for (QWidget* w = *first; w && !seen.contains(w) && panel->isAncestorOf(w); w = w->nextInFocusChain()) {
        seen.insert(w);
        if (!takes_focus(w) || w->visibleRegion().isEmpty()) continue;  // also what is scrolled out of sight
        if (before) {
          ++steps;
          const QRect from = place(before), to = place(w);
          if (to.bottom() < from.top() && to.left() <= from.right())
            found += QString("%1: the focus jumps up from %2 to %3")
                         .arg(where, before->objectName() + '/' + before->accessibleName(),
                              w->objectName() + '/' + w->accessibleName());
        }
        before = w;
      }
    });
    QVERIFY2(steps > 40, qPrintable(QString::number(steps)));
    report(found);
  }
  void boxesAndFocusShowInEveryTheme_data() {
    QTest::addColumn<QString>("theme");
    for (const char* theme : {"light", "dark", "high-contrast"}) QTest::newRow(theme) << theme;
  }
  void boxesAndFocusShowInEveryTheme() {
    QFETCH(QString, theme);
    QVERIFY(Theme::instance().apply(theme));
    window_->activateWindow();
    QStringList found;
    each_panel([&](const QString& where, QDockWidget* dock) {
      for (const QString& what :
           test::invisible_indicators(Docks::panel_of(dock)) + test::faint_placeholders(Docks::panel_of(dock)))
        found += where + ": " + what;
    });
    QVERIFY(Theme::instance().apply("light"));
    found.removeDuplicates();
    report(found);
  }
};

QTEST_MAIN(WholeWindowTest)
#include "whole_window_test.moc"
