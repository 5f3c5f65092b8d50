// SPDX-License-Identifier: GPL-3.0-or-later
// The whole window on the recorded session, as a person sees it: every workspace and panel, every theme, two sizes. At
// scale 2 it runs a second time, with QT_SCALE_FACTOR.
#include <QApplication>
#include <QDialog>
#include <QDockWidget>
#include <QPointer>
#include <QTemporaryDir>
#include <QtTest>
#include "session/actions/registry.h"
#include "panels/candidates/candidate_panel.h"
#include "local/local_engine.h"
#include "session/event_watchdog.h"
#include "session/selection.h"
#include "store/bundle.h"
#include "parts/theme/theme.h"
#include "widgets/audit.h"
#include "shell/window/docks.h"
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
    QTRY_VERIFY_WITH_TIMEOUT(window_->settled(), 20000);
    for (int i = 0; i < 6; ++i) {
      QCoreApplication::sendPostedEvents();
      QCoreApplication::processEvents(QEventLoop::AllEvents, 20);
    }
  }
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
    window_ = std::make_unique<MainWindow>(make_local_engine(), options);
    window_->resize(1280, qEnvironmentVariableIsSet("QT_SCALE_FACTOR") ? 720 : 800);
    window_->show();
    QTRY_VERIFY_WITH_TIMEOUT(window_->session()->ready(), 20000);
    window_->session()->show_run(1);
    QTRY_COMPARE_WITH_TIMEOUT(window_->candidates()->model()->rowCount(), 7, 20000);
    QTRY_VERIFY_WITH_TIMEOUT(window_->selection()->current() != 0, 20000);
    settle();
  }
  void cleanupTestCase() { window_.reset(); }

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
    QTest::newRow("light") << "light";
    QTest::newRow("dark") << "dark";
  }
  void nothingIsClippedOrOverlaps() {
    QFETCH(QString, theme);
    QVERIFY(Theme::instance().apply(theme));
    QStringList found;
    each_panel([&](const QString& where, QDockWidget* dock) {
      for (const QString& what : test::clipped(dock) + test::overlapping(dock)) found += where + ": " + what;
      if (test::blank(Docks::panel_of(dock))) found += where + ": it is blank";
    });
    for (const QString& what : test::overlapping(window_.get())) found += "window: " + what;
    found.removeDuplicates();
    report(found);
  }
  void everyControlHasANameARoleAndAKey() {
    QStringList found;
    each_panel([&](const QString& where, QDockWidget* dock) {
      for (const QString& what : test::inaccessible(dock)) found += where + ": " + what;
    });
    found.removeDuplicates();
    report(found);
  }
  void dialogsAreWholeAndNamed() {
    QStringList found;
    for (const char* id :
         {"file.settings", "file.models", "help.shortcuts", "help.palette", "go.quick_open", "go.find", "help.about"}) {
      QAction* action = window_->actions_registry()->action(id);
      QVERIFY2(action, id);
      action->trigger();
      QPointer<QDialog> dialog;
      QTRY_VERIFY2(
          [&] {
            for (QWidget* w : QApplication::topLevelWidgets())
              if (auto* d = qobject_cast<QDialog*>(w); d && d->isVisible()) dialog = d;
            return !dialog.isNull();
          }(),
          id);
      settle();
      QVERIFY2(dialog, qPrintable(QString("%1 closed by itself").arg(id)));
      for (const QString& what : test::clipped(dialog) + test::overlapping(dialog) + test::inaccessible(dialog))
        found += QString("%1: %2").arg(id, what);
      if (test::blank(dialog)) found += QString("%1: it is blank").arg(id);
      QTest::keyClick(dialog, Qt::Key_Escape);
      QTRY_VERIFY2(!dialog || !dialog->isVisible(), id);
      settle();  // what is deleted on closing goes now
    }
    report(found);
  }
  void tabGoesThroughThePanelInReadingOrder() {
    // From one control to the next: never back by more than a screen's width upwards within one panel.
    QStringList found;
    each_panel([&](const QString& where, QDockWidget* dock) {
      QWidget* panel = Docks::panel_of(dock);
      QWidget* first = nullptr;
      for (QWidget* w : panel->findChildren<QWidget*>())
        if (w->isVisible() && w->isEnabled() && (w->focusPolicy() & Qt::TabFocus)) {
          first = w;
          break;
        }
      if (!first) return;
      // The chain of focus, as far as it stays in the panel.
      QList<QPoint> places;
      QSet<QWidget*> seen;
      for (QWidget* w = first; w && !seen.contains(w) && panel->isAncestorOf(w); w = w->nextInFocusChain()) {
        seen.insert(w);
        if (w->isVisible() && w->isEnabled() && (w->focusPolicy() & Qt::TabFocus))
          places += w->mapTo(panel, QPoint(0, 0));
      }
      int back = 0;
      for (int i = 1; i < places.size(); ++i) back += places[i].y() < places[i - 1].y() - panel->height() / 2;
      if (back > 2) found += QString("%1: the focus jumps back %2 times").arg(where).arg(back);
    });
    report(found);
  }
};

QTEST_MAIN(WholeWindowTest)
#include "whole_window_test.moc"
