// SPDX-License-Identifier: GPL-3.0-or-later
// Ways to places: quick open, find everywhere, recent workspaces, and what the start page offers.
#include <QDialog>
#include <QDir>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QMenu>
#include <QMessageBox>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSettings>
#include <QSpinBox>
#include <QTreeWidget>
#include "panels/log/log_panel.h"
#include "panels/candidates/candidate_panel.h"
#include "panels/code/code_panel.h"
#include "panels/describe/describe_panel.h"
#include "panels/runs/runs_panel.h"
#include "parts/editor/code_editor.h"
#include "session/actions/find_dialog.h"
#include "session/actions/palette.h"
#include "shell/start/start_page.h"
#include "shell/window/docks.h"
#include "widgets/window_fixture.h"

using namespace ww;
using namespace ww::widgets;

class PlacesTest : public QObject, test::WindowFixture {
  Q_OBJECT

  QString settings() const { return folder_->filePath("settings.ini"); }
  // With a finished run of six.
  static bool in_front(MainWindow& w, const char* id) { return w.dock(id) && Docks::panel_of(w.dock(id))->isVisible(); }

 private slots:
  void init() { set_up(); }
  void cleanup() { engine_->release(); }

  void quickOpenGoesToThings() {
    auto w = explored();
    QTRY_COMPARE(w->runs()->model()->rowCount(), 1);
    const auto best = [&](const QString& typed) {
      action(*w, "go.quick_open")->trigger();
      auto* picker = child<QDialog>(w.get(), "quick_open");
      auto* input = picker->findChild<QLineEdit*>();
      QTest::keyClicks(input, typed);
      const QString text =
          picker->findChild<QListWidget*>()->item(0) ? picker->findChild<QListWidget*>()->item(0)->text() : QString();
      QTest::keyClick(input, Qt::Key_Return);
      delete picker;
      QTest::qWait(1);
      return text;
    };
    QVERIFY(best("#4").startsWith("#4 "));
    QTRY_COMPARE(w->candidates()->selected(), std::int64_t{4});
    const QString hash = QString::fromStdString(w->candidates()->model()->rows()[1].data.hash);
    if (hash.size() >= 8) {
      QVERIFY(best(hash.left(8)).startsWith("#2 "));
      QTRY_COMPARE(w->candidates()->selected(), std::int64_t{2});
    }
    QVERIFY(best("run 1").startsWith("Run 1"));
    QVERIFY(best("roofline").startsWith("Roofline"));
    QTRY_VERIFY(in_front(*w, "roofline"));
    best("settings");
    QTRY_VERIFY(child<QDialog>(w.get(), "settings"));
  }

  void quickOpenPrefersWhatBeginsWithIt() {
    Places places;
    for (const char* name : {"log_softmax", "soft_cap", "softmax_backward", "softmax"})
      places.ops.push_back({.name = name});
    places.runs.push_back({.id = 1, .op_name = "softmax"});
    QStringList found;
    for (const Pick& pick : picks_of_places(places, "soft")) found += pick.text;
    QCOMPARE(found, (QStringList{"softmax", "soft_cap", "softmax_backward", "Run 1: softmax", "log_softmax"}));
  }

  void wordsAreFoundEverywhere() {
    auto w = explored();
    action(*w, "go.find")->trigger();
    auto* dialog = child<QDialog>(w.get(), "find_everywhere");
    auto* list = child<QTreeWidget>(dialog, "find_results");
    auto* sentence = child<QLabel>(dialog, "find_sentence");
    QTest::keyClicks(child<QLineEdit>(dialog, "find_words"), "variant 4");
    QTRY_VERIFY2(list->topLevelItemCount() > 0, qPrintable(sentence->text()));
    QVERIFY(list->topLevelItem(0)->text(2).contains("variant 4"));
    QTest::keyClick(child<QLineEdit>(dialog, "find_words"), Qt::Key_Return);
    QTRY_COMPARE(w->candidates()->selected(), std::int64_t{5});
    QTRY_VERIFY(w->code()->source()->text().contains("variant 4"));
    child<QLineEdit>(dialog, "find_words")->setText("no such words anywhere");
    QTRY_COMPARE(sentence->text(), QString("No matches."));
    QCOMPARE(list->topLevelItemCount(), 0);
    child<QLineEdit>(dialog, "find_words")->setText("x");
    QTRY_VERIFY(sentence->text().contains("at least two"));
    QCOMPARE(excerpt_of("  int   a = b;  ", {"a"}), QString("int a = b;"));
  }

  void recentWorkspacesForgetWhatIsGone() {
    {
      auto w = open();
      QTRY_VERIFY(w->session()->ready());
      QVERIFY(w->close());
    }
    {
      QSettings stored(settings(), QSettings::IniFormat);
      QDir().mkpath(folder_->filePath("other"));
      stored.setValue("window/recent", QStringList({folder_->filePath("gone"), folder_->filePath("other")}));
    }
    auto w = open();
    QTRY_VERIFY(w->session()->ready());
    for (QMenu* menu : w->findChildren<QMenu*>()) {
      if (!menu->title().contains("Recent")) continue;
      emit menu->aboutToShow();
      QStringList texts;
      for (QAction* a : menu->actions()) texts += a->text();
      QVERIFY(texts.join(' ').contains("other") && !texts.join(' ').contains("gone"));
      return;
    }
    QFAIL("there is no menu of recent workspaces");
  }

  // A workspace is made among other files only on request.
  void aFolderOfOtherFilesIsAskedAbout() {
    auto w = open();
    QTRY_VERIFY(w->session()->ready());
    const QString papers = folder_->filePath("papers"), fresh = folder_->filePath("fresh");
    QVERIFY(QDir().mkpath(papers) && QDir().mkpath(fresh));
    QFile note(papers + "/note.txt");
    QVERIFY(note.open(QIODevice::WriteOnly) && note.write("mine") == 4);
    note.close();
    const auto answer = [&](const char* button) {
      w->open_folder(papers);
      auto* box = w->findChild<QMessageBox*>("create_workspace");
      if (!box || !box->text().contains("other files")) return false;
      QAbstractButton* chosen = button ? box->findChild<QAbstractButton*>(button) : box->button(QMessageBox::Cancel);
      if (!chosen) return false;
      chosen->click();
      return QTest::qWaitFor([&] { return !w->findChild<QMessageBox*>("create_workspace"); });
    };
    QVERIFY(answer(nullptr));
    QVERIFY(!w->session()->opening());
    QCOMPARE(QDir(papers).entryList(QDir::Files), QStringList("note.txt"));
    QVERIFY(answer("create_workspace_yes"));
    QTRY_COMPARE(w->session()->folder(), papers);
    w->open_folder(fresh);  // empty: nothing to ask
    QTRY_COMPARE(w->session()->folder(), fresh);
    w->open_folder(papers);  // a workspace now
    QTRY_COMPARE(w->session()->folder(), papers);
  }

  // A workspace that is being opened, or was, is no place to go to.
  void theComingWorkspaceIsNotOffered() {
    {
      auto w = open();
      QTRY_VERIFY(w->session()->ready());
      QVERIFY(w->close());
    }
    auto w = open();
    QTRY_VERIFY(w->session()->ready());
    action(*w, "go.start")->trigger();
    auto* page = child<StartPage>(w.get(), "start_page");
    QVERIFY(page);
    const auto offered = [&] {
      for (const auto* button : page->findChildren<QPushButton*>())
        if (button->isVisible() && button->text() == "Workspace workspace") return true;
      return false;
    };
    w->session()->open_workspace(folder_->filePath("other"));
    QTRY_VERIFY(!w->session()->opening());
    QTRY_VERIFY(offered());
    w->session()->open_workspace(folder_->filePath("workspace"));
    QVERIFY(w->session()->opening());
    QVERIFY(!offered());
    QTRY_VERIFY(!w->session()->opening());
    QVERIFY(!offered());
  }

  void theLogNamesTheNextWorkspace() {
    auto w = explored();
    QVERIFY(!w->log()->as_text().contains("Opened the workspace"));
    w->session()->open_workspace(folder_->filePath("other"));
    QTRY_VERIFY(w->log()->as_text().contains("Opened the workspace " + folder_->filePath("other")));
  }

  void thePageHidesTheCommandsOfTheRunBehindIt() {
    auto w = explored();  // six of a larger budget
    QTRY_VERIFY(action(*w, "run.resume")->isEnabled());
    action(*w, "go.start")->trigger();
    QVERIFY(!action(*w, "run.resume")->isEnabled());
    QTest::keyClick(child<QPlainTextEdit>(w.get(), "start_prompt"), Qt::Key_Return,
                    Qt::ControlModifier | Qt::ShiftModifier);
    QVERIFY(!w->session()->running());
    QTest::keyClick(w.get(), Qt::Key_Escape);
  }
};

QTEST_MAIN(PlacesTest)
#include "places_test.moc"
