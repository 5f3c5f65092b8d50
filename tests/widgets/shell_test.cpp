// SPDX-License-Identifier: GPL-3.0-or-later
// The window's shell: workspaces of docks, keys, palette, notices, and what a killed session leaves.
#include <QDockWidget>
#include <QKeySequenceEdit>
#include <QLabel>
#include <QLineEdit>
#include <QMenuBar>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSettings>
#include <QStatusBar>
#include <QTableView>
#include <QTemporaryDir>
#include <QToolBar>
#include <QToolButton>
#include <QTreeWidget>
#include <QUndoStack>
#include <QtTest>
#include <csignal>
#include <sys/wait.h>
#include <unistd.h>
#include "session/actions/palette.h"
#include "session/actions/registry.h"
#include "panels/candidates/candidate_panel.h"
#include "panels/describe/describe_panel.h"
#include "panels/describe/run_form.h"
#include "panels/describe/spec_view.h"
#include "parts/editor/code_editor.h"
#include "panels/log/log_panel.h"
#include "session/event_watchdog.h"
#include "parts/theme/theme.h"
#include "panels/tour/tour.h"
#include "panels/tour/tour_panel.h"
#include "widgets/window_fixture.h"
#include "widgets/own_paths.h"
#include "panels/profile/profile_page.h"
#include "shell/start/start_page.h"
#include "shell/window/crash_guard.h"
#include "shell/window/docks.h"
#include "shell/window/message_bar.h"
#include "session/reviewer.h"
#include "shell/window/notice_list.h"
#include "shell/window/main_window.h"
#include "shell/window/notices.h"
#include "shell/window/preferences.h"
#include "shell/window/status.h"
#include "shell/window/worker_facts.h"

using namespace ww;
using namespace ww::widgets;

class ShellTest : public QObject, test::WindowFixture {
  Q_OBJECT

  QString settings() const { return folder_->filePath("settings.ini"); }
  // With a run that waits, two candidates judged.
  std::unique_ptr<MainWindow> exploring() {
    auto w = active({.input = "softmax"});
    engine_->hold_before(2);
    [&] {
      QTRY_VERIFY(child<QPushButton>(w.get(), "explore")->isEnabled());
      press(*w, "explore");
      QTRY_COMPARE(w->candidates()->model()->judged(), 2);
    }();
    return w;
  }
  static pid_t ended_process() {
    const pid_t gone = fork();
    if (gone == 0) _exit(0);
    waitpid(gone, nullptr, 0);
    return gone;
  }
  // Processes that a window of these settings is or was open in.
  QStringList marks() const {
    QSettings s(settings(), QSettings::IniFormat);
    s.beginGroup("sessions");
    return s.childGroups();
  }
  void mark(pid_t process, int run) const {
    QSettings s(settings(), QSettings::IniFormat);
    const QString own = "sessions/" + QString::number(process);
    s.setValue(own + "/run", run);
    s.setValue(own + "/workspace", folder_->filePath("workspace"));
  }
  static bool in_front(MainWindow& w, const char* id) { return w.dock(id) && Docks::panel_of(w.dock(id))->isVisible(); }

 private slots:
  void init() { set_up(); }
  void cleanup() { engine_->release(); }

  void layoutsAreSound() {
    QCOMPARE(layouts().size(), std::size_t{4});
    for (const Layout& layout : layouts()) {
      const QStringList ids = docks_of(layout.root);
      QCOMPARE(QSet<QString>(ids.begin(), ids.end()).size(), ids.size());  // each dock once
      QVERIFY(!layout.title.isEmpty() && !layout.summary.isEmpty());
    }
    const LayoutNode left = pruned(layout_of("explore")->root, {"describe", "code"});
    QCOMPARE(left.kind, LayoutNode::row);
    QCOMPARE(docks_of(left), QStringList({"describe", "code"}));
    QVERIFY(pruned(layout_of("learn")->root, {}).empty());
  }

  void aNewWindowIsStyledOnce() {
    class Count : public QObject {
     public:
      QHash<const QObject*, int> styled;
      bool eventFilter(QObject* object, QEvent* event) override {
        if (event->type() == QEvent::StyleChange) ++styled[object];
        return false;
      }
    } count;
    qApp->installEventFilter(&count);
    const auto w = active();
    qApp->removeEventFilter(&count);
    QHash<int, int> widgets;  // by how often
    for (const QWidget* widget : w->findChildren<QWidget*>()) ++widgets[count.styled.value(widget)];
    int all = 0, often = 0;
    for (auto at = widgets.cbegin(); at != widgets.cend(); ++at) {
      all += at.value();
      if (at.key() > 1) often += at.value();
    }
    QVERIFY2(all > 500 && often < all / 20, qPrintable(QString("%1 of %2 more than once").arg(often).arg(all)));
  }

  void eachWorkspaceKeepsItsLayout() {
    {
      auto w = active();
      QTRY_VERIFY(in_front(*w, "describe") && in_front(*w, "candidates") && in_front(*w, "code"));
      QCOMPARE(w->size(), QSize(1280, 800));  // nothing needs more room
      QTest::keyClick(w.get(), Qt::Key_2, Qt::ControlModifier);
      QCOMPARE(w->docks()->current(), QString("profile"));
      QTRY_VERIFY(in_front(*w, "profile") && !in_front(*w, "describe"));
      QTRY_VERIFY(w->dock("profile")->geometry().right() < w->dock("candidates")->geometry().left());
      w->dock("advice")->close();
      QTest::keyClick(w.get(), Qt::Key_3, Qt::ControlModifier);
      QTRY_VERIFY(in_front(*w, "review"));
      QTest::keyClick(w.get(), Qt::Key_4, Qt::ControlModifier);
      QTRY_VERIFY(in_front(*w, "tour"));
      QTest::keyClick(w.get(), Qt::Key_2, Qt::ControlModifier);
      QVERIFY(w->dock("advice")->isHidden());  // as it was left
      for (const Layout& layout : layouts()) {
        w->docks()->choose(layout.id);
        QTest::qWait(30);
        QVERIFY2(w->width() <= 1280 && w->height() <= 800, qPrintable(layout.id));
      }
      w->docks()->choose("profile");
      QVERIFY(w->close());
    }
    auto w = active();
    QCOMPARE(w->docks()->current(), QString("profile"));
    QVERIFY(w->dock("advice")->isHidden());
    QVERIFY(action(*w, "layout.profile")->isChecked());
    action(*w, "view.reset")->trigger();
    QTRY_VERIFY(!w->dock("advice")->isHidden());
    w->docks()->choose("explore");
    QTRY_VERIFY(in_front(*w, "describe"));
  }

  void theFocusGoesWithTheWorkspace() {
    auto w = explored();
    w->show_dock("candidates");
    QTRY_VERIFY(w->dock("candidates")->isAncestorOf(QApplication::focusWidget()));
    w->show_dock("runs");
    QTRY_VERIFY(w->dock("runs")->isAncestorOf(QApplication::focusWidget()));
    const QWidget* before = QApplication::focusWidget();
    QTest::keyClick(w.get(), Qt::Key_2, Qt::ControlModifier);  // where there is no such panel
    QTRY_VERIFY(w->dock("profile")->isAncestorOf(QApplication::focusWidget()));
    QTest::keyClick(w.get(), Qt::Key_1, Qt::ControlModifier);
    QTRY_COMPARE(QApplication::focusWidget(), before);
  }

  void aMessageWithoutRoomEndsWithAnEllipsis() {
    auto w = active();
    auto* bar = w->findChild<MessageBar*>();
    bar->showMessage("short");
    QCOMPARE(bar->shown_message(), QString("short"));
    const QString all = QString("a message of many words ").repeated(30).trimmed();
    bar->showMessage(all);
    QVERIFY(bar->shown_message().endsWith(QChar(0x2026)) && all.startsWith(bar->shown_message().chopped(1)));
    QVERIFY(bar->fontMetrics().horizontalAdvance(bar->shown_message()) < w->width());
    QCOMPARE(bar->toolTip(), all);
    bar->clearMessage();
    QVERIFY(bar->shown_message().isEmpty() && bar->toolTip().isEmpty());
  }

  void aWideWindowHasAnotherDefault() {
    auto w = active();
    w->docks()->choose("profile");
    QTRY_VERIFY(in_front(*w, "profile") && in_front(*w, "code") && !in_front(*w, "verdict"));
    w->resize(2000, 1100);
    QTRY_VERIFY(in_front(*w, "advice") && in_front(*w, "code"));
    QTRY_VERIFY(w->dock("candidates")->geometry().right() < w->dock("profile")->geometry().left());
    w->resize(1280, 800);
    QTRY_VERIFY(w->dock("profile")->geometry().right() < w->dock("candidates")->geometry().left());
    QTRY_VERIFY(!in_front(*w, "advice"));
  }

  void theProfilesSectionsAreRemembered() {
    {
      auto w = active();
      QTest::keyClick(w.get(), Qt::Key_2, Qt::ControlModifier);
      QTRY_VERIFY(in_front(*w, "profile"));
      QTest::mouseClick(child<QToolButton>(w.get(), "toggle_memory"), Qt::LeftButton);
      QTest::mouseClick(child<QToolButton>(w.get(), "toggle_roofline"), Qt::LeftButton);
      QTest::mouseClick(child<QToolButton>(w.get(), "open_stalls"), Qt::LeftButton);
      QTRY_VERIFY(in_front(*w, "stalls") && in_front(*w, "profile"));
      QVERIFY(w->close());
    }
    auto w = active();
    QVERIFY(w->profile()->section(profile::Section::memory)->expanded());
    QVERIFY(!w->profile()->section(profile::Section::roofline)->expanded());
    action(*w, "profile.metric")->trigger();
    QTRY_VERIFY(w->profile()->search()->hasFocus());
  }

  void floatingDocksAreNeverLost() {
    auto w = active();
    QTRY_VERIFY(in_front(*w, "code"));
    QDockWidget* code = w->dock("code");
    code->setFloating(true);
    code->move(-9000, -9000);
    w->docks()->bring_back();
    QVERIFY(QGuiApplication::primaryScreen()->availableGeometry().contains(code->geometry().center()));
    code->close();
    QVERIFY(code->isHidden());
    action(*w, "view.panel.code")->trigger();
    QVERIFY(code->isVisible());
    code->move(20000, 20000);
    w->docks()->choose("profile");
    w->docks()->choose("explore");
    QVERIFY(QGuiApplication::primaryScreen()->availableGeometry().intersects(w->dock("code")->geometry()));
    w->docks()->reset();
    QVERIFY(!code->isFloating());
  }

  // Qt stops the painting of a window's children, and lets only those paint again that are not windows themselves.
  void aDetachedPanelPaintsAfterASwitch() {
    auto w = active();
    QTRY_VERIFY(in_front(*w, "code"));
    QDockWidget* code = w->dock("code");
    code->setFloating(true);
    w->docks()->choose("profile");
    w->docks()->choose("explore");
    QTRY_VERIFY(code->isFloating() && in_front(*w, "code"));
    QVERIFY(code->updatesEnabled() && Docks::panel_of(code)->updatesEnabled());
  }

  // Reopening changes no proportions, whatever was opened last.
  void reopeningKeepsTheProportions_data() {
    QTest::addColumn<QString>("dock");
    for (const char* dock : {"verdict", "stepper", "lens", "side_by_side", "review"}) QTest::newRow(dock) << dock;
  }
  void reopeningKeepsTheProportions() {
    QFETCH(QString, dock);
    const auto geometry = [](MainWindow& w) {
      return QSize(w.dock("describe")->width(), w.dock("candidates")->height());
    };
    QSize before;
    {
      auto w = active();
      w->resize(1280, 800);
      QTRY_VERIFY(in_front(*w, "candidates"));
      w->show_dock(dock);
      QTRY_VERIFY(in_front(*w, qPrintable(dock)));
      before = geometry(*w);
      QVERIFY(w->close());
    }
    for (int again = 0; again < 3; ++again) {
      auto w = active();
      QTRY_VERIFY(in_front(*w, qPrintable(dock)) && w->session()->ready());
      const auto moved = [&] { return geometry(*w) - before; };
      QTRY_VERIFY2(std::abs(moved().width()) <= 4 && std::abs(moved().height()) <= 4,  // rounding
                   qPrintable(QStringLiteral("%1, %2").arg(moved().width()).arg(moved().height())));
      QVERIFY(w->close());
    }
  }

  void panelsOutOfSightAreHidden() {
    auto w = active();
    QTRY_VERIFY(in_front(*w, "candidates"));
    QVERIFY(!in_front(*w, "lineage"));  // behind the table's tab
    w->show_dock("lineage");
    QTRY_VERIFY(in_front(*w, "lineage") && !in_front(*w, "candidates"));
  }

  void keysCanBeChanged() {
    {
      auto w = active();
      action(*w, "help.shortcuts")->trigger();
      auto* page = child<QWidget>(w.get(), "keys_page");
      QVERIFY(page);
      auto* words = child<QLineEdit>(page, "key_words");
      auto* tree = child<QTreeWidget>(page, "keys");
      QTest::keyClicks(words, "enlarge all");
      QTreeWidgetItem* row = nullptr;
      int shown = 0;
      for (int i = 0; i < tree->topLevelItemCount(); ++i)
        for (int j = 0; j < tree->topLevelItem(i)->childCount(); ++j)
          if (!tree->topLevelItem(i)->child(j)->isHidden()) {
            ++shown;
            row = tree->topLevelItem(i)->child(j);
          }
      QCOMPARE(shown, 1);
      tree->setCurrentItem(row);
      auto* key = child<QKeySequenceEdit>(page, "new_key");
      auto* assign = child<QPushButton>(page, "assign_key");
      auto* conflict = child<QLabel>(page, "key_conflict");
      key->setKeySequence(QKeySequence("Ctrl+K"));  // quick open's
      QVERIFY2(conflict->text().contains("Quick open"), qPrintable(conflict->text()));
      QVERIFY(!assign->isEnabled());
      key->setKeySequence(QKeySequence("A"));
      QVERIFY2(conflict->text().contains("typing"), qPrintable(conflict->text()));
      key->setKeySequence(QKeySequence("Ctrl+Alt+Z"));
      QVERIFY(conflict->text().isEmpty() && assign->isEnabled());
      assign->click();
      QCOMPARE(action(*w, "view.zoom_in")->shortcut(), QKeySequence("Ctrl+Alt+Z"));
      QVERIFY(action(*w, "view.zoom_in")->toolTip().contains("Ctrl+Alt+Z"));
      bool listed = false;
      for (const Pick& pick : picks_of_actions(*w->actions_registry(), "zoom in"))
        listed |= pick.detail == "Ctrl+Alt+Z";
      QVERIFY(listed);
      QVERIFY(w->close());
    }
    auto w = active();
    QCOMPARE(action(*w, "view.zoom_in")->shortcut(), QKeySequence("Ctrl+Alt+Z"));
    w->actions_registry()->reset_key("view.zoom_in");
    QCOMPARE(action(*w, "view.zoom_in")->shortcut(), QKeySequence("Ctrl+="));
    w->actions_registry()->set_key("view.zoom_in", {});
    w->actions_registry()->set_key("go.quick_open", QKeySequence("Ctrl+="));
    w->actions_registry()->reset_keys();
    QCOMPARE(action(*w, "view.zoom_in")->shortcut(), QKeySequence("Ctrl+="));
    QCOMPARE(action(*w, "go.quick_open")->shortcut(), QKeySequence("Ctrl+K"));
  }

  void theReviewOfACandidateWithoutParentShowsItsCode() {
    auto w = explored();
    const auto& rows = w->candidates()->model()->rows();
    const auto of = [&](bool with_parent) {
      for (const CandidateModel::Row& row : rows)
        if (row.data.parent.empty() != with_parent) return row.data.id;
      return std::int64_t{0};
    };
    QVERIFY(of(false) != 0 && of(true) != 0);
    w->selection()->set_baseline(0);
    w->selection()->set_current(of(false));
    action(*w, "layout.review")->trigger();
    QTRY_VERIFY(in_front(*w, "code"));
    w->selection()->set_current(of(true));
    QTRY_VERIFY(in_front(*w, "diff"));
  }

  void undoDoesNotStealFromTexts() {
    auto w = active();
    QTRY_VERIFY(w->session()->ready());
    int undone = 0;
    struct Step : QUndoCommand {
      int& undone;
      explicit Step(int& u) : QUndoCommand("pin"), undone(u) {}
      void undo() override { ++undone; }
      void redo() override {}
    };
    w->context().undo->push(new Step(undone));
    auto* sentence = child<QPlainTextEdit>(w.get(), "sentence");
    sentence->setFocus();
    QTest::keyClicks(sentence, "abc");
    QTest::keyClick(sentence, Qt::Key_Z, Qt::ControlModifier);
    QVERIFY(sentence->toPlainText() != "abc");
    QCOMPARE(undone, 0);
    CodeEditor* editor = w->describe()->spec_view()->editor();
    editor->setText("op");
    editor->setFocus();
    editor->append("\n// x");
    QTest::keyClick(editor, Qt::Key_Z, Qt::ControlModifier);
    QCOMPARE(undone, 0);
    // The menu's command does the same: it is of the text where that has something to undo.
    sentence->setFocus();
    QTest::keyClicks(sentence, "x");
    QMenu* menu = nullptr;
    for (QMenu* m : w->menuBar()->findChildren<QMenu*>())
      if (m->actions().contains(action(*w, "edit.undo"))) menu = m;
    QVERIFY(menu);
    emit menu->aboutToShow();
    QCOMPARE(action(*w, "edit.undo")->text().remove('&'), QString("Undo typing"));
    w->menuBar()->setFocus();  // as behind a menu that was closed
    emit menu->aboutToShow();
    QCOMPARE(action(*w, "edit.undo")->text().remove('&'), QString("Undo typing"));
    action(*w, "edit.undo")->trigger();
    QVERIFY(!sentence->toPlainText().endsWith("x"));
    QCOMPARE(undone, 0);
    QTest::keyClick(w->candidates()->table(), Qt::Key_Z, Qt::ControlModifier);
    QCOMPARE(undone, 1);
    w->candidates()->table()->setFocus();
    QVERIFY(!action(*w, "edit.undo")->isEnabled() && action(*w, "edit.redo")->isEnabled());
  }

  void anErrorLeavesWhatIsBeingTyped() {
    auto w = explored();
    w->resize(1280, 800);
    if (!w->tabifiedDockWidgets(w->dock("log")).contains(w->dock("code")))
      w->tabifyDockWidget(w->dock("code"), w->dock("log"));
    const auto typing = [&] {
      action(*w, "code.find")->trigger();  // opens once the code is loaded
      const auto* field = qobject_cast<QLineEdit*>(QApplication::focusWidget());
      return field && w->dock("code")->isAncestorOf(field);
    };
    QTRY_VERIFY(typing());
    const QWidget* find = QApplication::focusWidget();
    emit w->session()->problem("nothing can be stored");
    QTRY_VERIFY(w->statusBar()->currentMessage().contains("nothing can be stored"));
    QVERIFY(in_front(*w, "code") && find->hasFocus());
    QApplication::focusWidget()->clearFocus();
    emit w->session()->problem("nothing can be stored again");
    QTRY_VERIFY(in_front(*w, "log"));
  }

  void endedRunIsToldWhenNobodyLooks() {
    auto w = explored();
    w->notifier()->run_ended("Run 7 done");
    if (w->isActiveWindow()) QCOMPARE(w->notifier()->said(), 0);
    QWidget other;
    other.show();
    other.activateWindow();
    QTRY_VERIFY(!w->isActiveWindow());
    const int said = w->notifier()->said();
    w->notifier()->run_ended("Run 7 done");
    QCOMPARE(w->notifier()->said(), said + 1);
    QVERIFY(child<QFrame>(w.get(), "toast")->isVisible());
  }

  void noticesAreKeptUntilDismissed() {
    auto w = active();
    QTRY_VERIFY(w->session()->ready());
    NoticeList* notices = w->notices();
    notices->dismiss_all();
    QVERIFY(!notices->isVisible());
    emit Reviewer::of(w->context())->key_made("A new signing key was created. It has no passphrase.");
    emit w->session()->problem("The disk is full.");
    w->statusBar()->clearMessage();  // as after its seconds
    QVERIFY(notices->isVisible());
    QCOMPARE(notices->text(), QString("2 notices"));
    QTest::mouseClick(notices, Qt::LeftButton);
    auto* list = child<QWidget>(w.get(), "notice_list");
    QTRY_VERIFY(list->isVisible());
    const auto shown = [&] {
      QStringList texts;
      for (const QLabel* label : list->findChildren<QLabel*>("notice"))
        if (label->isVisible()) texts += label->text();
      return texts;
    };
    QCOMPARE(shown().size(), 2);
    QVERIFY(shown()[0].endsWith("The disk is full.") && shown()[1].endsWith("It has no passphrase."));
    picture(*list, "notices");
    for (auto* button : list->findChildren<QToolButton*>())
      if (button->accessibleName().endsWith("The disk is full.")) QTest::mouseClick(button, Qt::LeftButton);
    QTRY_COMPARE(shown().size(), 1);
    QCOMPARE(notices->text(), QString("1 notice"));
    QTest::keyClick(list, Qt::Key_Escape);
    QTRY_VERIFY(!list->isVisible());
    action(*w, "view.notices")->trigger();  // by the keyboard
    QTRY_VERIFY(list->isVisible());
    child<QPushButton>(list, "notices_dismiss_all")->click();
    QVERIFY(!list->isVisible() && !notices->isVisible() && notices->texts().isEmpty());
  }

  void noticesOutliveTheProgram() {
    {
      auto w = active();
      QTRY_VERIFY(w->session()->ready());
      w->notices()->dismiss_all();
      emit w->session()->problem("The disk is full: 3 files of 20 %.");
      QVERIFY(w->close());
    }
    {
      auto w = active();
      QCOMPARE(w->notices()->texts(), QStringList{"The disk is full: 3 files of 20 %."});
      QVERIFY(w->notices()->isVisible());
      w->notices()->dismiss_all();
      QVERIFY(w->close());
    }
    QVERIFY(active()->notices()->texts().isEmpty());
  }

  void statusSaysWhatTheWorkerSaid() {
    const std::string facts =
        "{\"worker\":{\"protections\":{\"seccomp\":{\"active\":true,\"detail\":\"d\"},\"landlock\":{\"active\":false,"
        "\"detail\":\"old kernel\"}}},"
        "\"devices\":[{\"name\":\"cuda:0\",\"description\":\"NVIDIA H200, 132 "
        "multiprocessors\",\"provenance\":\"measured\"}],\"counters\":{\"available\":false,\"error\":\"not "
        "permitted\"}}";
    const WorkerFacts read = read_facts(facts, "cuda:0");
    QCOMPARE(read.device, QString("cuda:0, NVIDIA H200"));
    QCOMPARE(read.worker, QString("worker: 1 of 2 protections"));
    QVERIFY(read.worker_tip.contains("old kernel"));
    QCOMPARE(read.counters, QString("GPU counters cannot be read"));
    QCOMPARE(read.counters_tip, QString("not permitted"));
    const WorkerFacts none = read_facts({}, "simt");
    QCOMPARE(none.device, QString("SIMT machine on the CPU"));
    QCOMPARE(none.counters, QString("counters simulated"));  // whatever the worker says of a GPU
    QCOMPARE(read_facts({}, "cuda:0").counters, QString("GPU counters: not known yet"));
    QVERIFY(read_facts("{broken", {}).device.contains("not known"));
  }

  void killedSessionIsToldAndOffered() {
    const pid_t gone = ended_process();
    {
      auto w = exploring();
      QTRY_COMPARE(QSettings(settings(), QSettings::IniFormat).value("window/run").toInt(),
                   1);  // saved soon, not at the end
      QVERIFY(QFile::copy(settings(), folder_->filePath("killed.ini")));
    }
    QVERIFY(marks().isEmpty());  // this one ended by itself
    QVERIFY(QFile::remove(settings()) && QFile::copy(folder_->filePath("killed.ini"), settings()));
    mark(gone, 1);
    const int runs = engine_->started_runs;
    auto w = active();
    QTRY_VERIFY(w->notice()->open());
    QVERIFY2(w->notice()->text().contains("ended unexpectedly"), qPrintable(w->notice()->text()));
    QTRY_COMPARE(w->session()->shown_run(), std::int64_t{1});
    QCOMPARE(w->describe()->sentence(), QString("softmax"));
    QCOMPARE(engine_->started_runs.load(), runs);  // nothing by itself
    QVERIFY(!w->session()->running());
    child<QPushButton>(w.get(), "notice_answer")->click();
    QVERIFY(!w->notice()->open());
  }

  void whatIsOpenedIsInSight() {
    auto w = active({.input = "softmax"});
    QTRY_VERIFY(w->session()->ready());
    w->show_dock("runs");
    QTRY_VERIFY(!in_front(*w, "describe"));
    const QString op = folder_->filePath("mine.op"), noise = folder_->filePath("noise.cu");
    const auto write = [](const QString& path, const QByteArray& bytes) {
      QFile file(path);
      return file.open(QIODevice::WriteOnly) && file.write(bytes) == bytes.size();
    };
    QVERIFY(write(op, QByteArray::fromStdString(test::FakeEngine::softmax())));
    w->describe()->open_file(op);
    QTRY_VERIFY(in_front(*w, "describe"));
    w->show_dock("runs");
    QTRY_VERIFY(!in_front(*w, "describe"));
    for (const QByteArray& bytes : {QByteArray("\x7f\x45\xff\xfe\x80"), QByteArray("text\0and more", 13)}) {
      QVERIFY(write(noise, bytes));
      w->describe()->open_file(noise);
      QTRY_VERIFY2(w->statusBar()->currentMessage().contains("noise.cu is not a text file"),
                   qPrintable(w->statusBar()->currentMessage()));
      w->statusBar()->clearMessage();
    }
    QVERIFY(w->describe()->options().given.empty());
  }

  // Another window is open, whose process lives; one more was killed.
  void besideAnotherWindowNothingEndedUnexpectedly() {
    const pid_t gone = fork();
    if (gone == 0) _exit(0);
    siginfo_t ended;  // and not waited for, as under a shell that has not looked yet
    QCOMPARE(waitid(P_PID, static_cast<id_t>(gone), &ended, WEXITED | WNOWAIT), 0);
    mark(getppid(), 0);
    mark(gone, 0);
    {
      auto w = active();
      QTRY_VERIFY(w->session()->ready());
      QTRY_VERIFY(!w->session()->opening());
      QVERIFY2(!w->notice()->open(), qPrintable(w->notice()->text()));
    }
    QCOMPARE(marks().size(), 2);
    QSettings(settings(), QSettings::IniFormat).remove("sessions/" + QString::number(getppid()));  // it closes
    auto w = active();
    QTRY_VERIFY(w->notice()->open());
    QVERIFY2(w->notice()->text().contains("ended unexpectedly"), qPrintable(w->notice()->text()));
    QCOMPARE(marks(), QStringList{QString::number(getpid())});
    waitpid(gone, nullptr, 0);
  }

  // A layout that was kept with a notice open does not show an empty one, nor does another hide one that is open.
  void aNoticeIsOfNoLayout() {
    auto w = active();
    auto* bar = child<QToolBar>(w.get(), "notice_bar");
    w->docks()->choose("explore");
    w->notice()->ask("Something happened.", "OK", {});
    QVERIFY(bar->isVisible());
    w->docks()->choose("review");
    QVERIFY(bar->isVisible());
    w->notice()->close();
    w->docks()->choose("explore");
    QVERIFY(!bar->isVisible());
  }

  // A run that some earlier session left unfinished was not in progress when this one was killed.
  void aKilledIdleSessionOffersNoRun() {
    const pid_t gone = ended_process();
    {
      auto w = exploring();
      QVERIFY(QFile::copy(settings(), folder_->filePath("killed.ini")));
    }
    QVERIFY(QFile::remove(settings()) && QFile::copy(folder_->filePath("killed.ini"), settings()));
    mark(gone, 0);
    auto w = active();
    QTRY_VERIFY(w->notice()->open());
    QVERIFY2(w->notice()->text().contains("ended unexpectedly") && !w->notice()->text().contains("was in progress"),
             qPrintable(w->notice()->text()));
  }

  // What fails while the start page is shown does not put the log over it.
  void anErrorLeavesTheStartPageWhole() {
    QFile file(folder_->filePath("file"));
    QVERIFY(file.open(QIODevice::WriteOnly));
    auto w = active();
    QTRY_VERIFY(w->session()->ready());
    action(*w, "go.start")->trigger();
    QTRY_VERIFY(w->start_page()->isVisible());
    w->session()->open_workspace(file.fileName());
    QTRY_VERIFY(!w->session()->opening());
    QTRY_VERIFY2(w->statusBar()->currentMessage().contains("file"), qPrintable(w->statusBar()->currentMessage()));
    QVERIFY(w->start_page()->isVisible() && w->dock("log")->visibleRegion().isEmpty());
    w->show_dock("candidates");
    QVERIFY(!w->start_page()->isVisible());
    w->session()->open_workspace(file.fileName());
    QTRY_VERIFY(!w->dock("log")->visibleRegion().isEmpty());
  }

  void tourNeedsItsFiles() {
    auto w = active();
    QTRY_VERIFY(w->session()->ready());
    auto* tour = w->findChild<TourPanel*>();
    QVERIFY(tour);
    w->docks()->choose("learn");
    tour->tour()->set_files(folder_->filePath("absent.json"), folder_->filePath("absent.wwb"));
    action(*w, "tour.start")->trigger();
    QTRY_VERIFY(!tour->tour()->opening());
    QVERIFY2(child<QLabel>(tour, "tour_offer")->text().contains("absent.json"),
             qPrintable(child<QLabel>(tour, "tour_offer")->text()));
    QVERIFY(!action(*w, "tour.next")->isEnabled());
    QVERIFY(!read_tour("{").has_value());
    QVERIFY(!read_tour("{\"steps\":[]}").has_value());
    QVERIFY(!read_tour("{\"steps\":[{\"title\":\"t\"}]}").has_value());
  }
};

WW_TEST_WITH_OWN_PATHS(ShellTest, WatchdogApplication)
#include "shell_test.moc"
