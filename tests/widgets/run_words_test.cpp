// SPDX-License-Identifier: GPL-3.0-or-later
// What the window says of a run: why it failed, and above its table which run, op and shape it is. And the start page's
// ways to other work: Ctrl+Enter, links to workspaces.
#include <QDir>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSpinBox>
#include <QTableView>
#include "panels/candidates/candidate_panel.h"
#include "panels/describe/describe_panel.h"
#include "panels/log/log_panel.h"
#include "panels/plots/run_strip.h"
#include "panels/runs/runs_panel.h"
#include "parts/theme/elide_label.h"
#include "shell/start/start_page.h"
#include "shell/window/docks.h"
#include "widgets/start_fixture.h"

using namespace ww;
using namespace ww::widgets;
using namespace ww::test;

class RunWordsTest : public QObject, StartFixture {
  Q_OBJECT

  static bool logged(MainWindow& w, const QString& text) {
    const LogModel* log = w.log()->model();
    for (int row = 0; row < log->rowCount(); ++row)
      for (int column = 0; column < log->columnCount(); ++column)
        if (log->index(row, column).data().toString() == text) return true;
    return false;
  }
  static int times_logged(MainWindow& w, const QString& words) {
    const LogModel* log = w.log()->model();
    int times = 0;
    for (int row = 0; row < log->rowCount(); ++row)
      for (int column = 0; column < log->columnCount(); ++column)
        times += log->index(row, column).data().toString().contains(words);
    return times;
  }
  // In the table's place, and with all its lines.
  static bool said_in_the_centre(MainWindow& w, const QString& text) {
    for (const QLabel* label : w.candidates()->findChildren<QLabel*>())
      if (label->isVisible() && label->text() == text)
        return label->visibleRegion().boundingRect() == label->rect() && label->wordWrap() &&
               label->heightForWidth(label->width()) <= label->height();
    return false;
  }
  static QString table_title(MainWindow& w) {
    for (const ElideLabel* label : w.candidates()->findChildren<ElideLabel*>())
      if (label->property("role") == "heading") return label->full_text();
    return {};
  }
  std::unique_ptr<MainWindow> open_on_the_bench(WindowOptions options) {  // not on the start page
    auto w = open(std::move(options));
    w->docks()->choose("explore");
    return w;
  }
  static bool run_once(MainWindow& w, std::int64_t run) {
    if (!QTest::qWaitFor([&] { return child<QPushButton>(&w, "explore")->isEnabled(); }, 20000)) return false;
    press(w, "explore");
    return QTest::qWaitFor([&] { return w.session()->shown_run() == run && !w.session()->running(); }, 20000);
  }
  QPushButton* link(MainWindow& w, const QString& text) {
    for (QPushButton* button : w.start_page()->findChildren<QPushButton*>())
      if (button->isVisible() && button->text() == text) return button;
    return nullptr;
  }

 private slots:
  void init() { set_up(); }
  void cleanup() { engine_->release(); }

  void aFailedRunSaysItsWholeReason() {
    const QString why =
        "'openai' (api.openai.com) does not accept the key (401): give a valid one: it says: Incorrect API key "
        "provided: sk-proj-****************************************************. You can find your API key at "
        "https://platform.openai.com/account/api-keys";
    const QString sentence = "This run has no candidates: " + why + ".";
    engine_->candidates = 0;
    engine_->failure = why.toStdString();
    auto w = open_on_the_bench({.input = "softmax of 512 rows"});
    QVERIFY(run_once(*w, 1));
    QTRY_VERIFY(said_in_the_centre(*w, sentence));
    picture(*w, "failed-run");
    const auto state = [&](int run) {
      return w->runs()->model()->index(w->runs()->model()->row_of(run), RunModel::State);
    };
    QTRY_COMPARE(state(1).data().toString(), QString("Failed"));
    QVERIFY2(state(1).data(Qt::ToolTipRole).toString().contains(why),
             qPrintable(state(1).data(Qt::ToolTipRole).toString()));
    QVERIFY(logged(*w, "Run 1 failed: " + why + " (0 proposed, 0 proved, 0 structures)"));
    QTRY_VERIFY(!w->session()->running());
    QCOMPARE(times_logged(*w, why), 1);
    w->show_dock("progress");
    QTRY_COMPARE(w->findChild<RunStrip*>()->state(), "Failed: " + why);
    // In a small window, too, and when the run is opened again.
    w->resize(1000, 700);
    w->show_dock("candidates");
    QTRY_VERIFY(said_in_the_centre(*w, sentence));
    engine_->failure.clear();
    engine_->candidates = 2;
    QVERIFY(run_once(*w, 2));
    QTRY_COMPARE(w->candidates()->model()->judged(), 2);
    QVERIFY(!said_in_the_centre(*w, sentence));
    w->session()->show_run(1);
    QTRY_VERIFY(said_in_the_centre(*w, sentence));
    // What was judged before a failure stays, and the reason is said beside it.
    engine_->failure = "the worker ended: signal 11";
    QVERIFY(run_once(*w, 3));
    QTRY_COMPARE(w->candidates()->model()->judged(), 2);
    QTRY_COMPARE(state(3).data().toString(), QString("Failed"));
    QVERIFY(logged(*w, "Run 3 failed: the worker ended: signal 11 (2 proposed, 2 proved, 2 structures)"));
    w->show_dock("progress");
    QTRY_COMPARE(w->findChild<RunStrip*>()->state(), QString("Failed: the worker ended: signal 11"));
  }

  void theTableIsTitledByRunOpAndShape() {
    engine_->candidates = 2;
    auto w = open_on_the_bench({.input = "softmax over the rows of a 96x128 matrix"});
    QCOMPARE(table_title(*w), QString("Candidates"));
    QVERIFY(run_once(*w, 1));
    QTRY_COMPARE(table_title(*w), QString("Run 1: softmax, R = 96, C = 128"));
    child<QSpinBox>(w.get(), "symbol_C")->setValue(77);  // the run's case, not the spec's
    QVERIFY(run_once(*w, 2));
    QTRY_COMPARE(table_title(*w), QString("Run 2: softmax, R = 96, C = 77"));
    w->describe()->set_sentence("relu of 12x34");
    QTRY_VERIFY(w->describe()->can_explore());
    QCOMPARE(table_title(*w), QString("Run 2: softmax, R = 96, C = 77"));  // what is shown, not what is typed
    QVERIFY(run_once(*w, 3));
    QTRY_VERIFY2(table_title(*w).startsWith("Run 3: relu, ") && table_title(*w).contains("12") &&
                     table_title(*w).contains("34"),
                 qPrintable(table_title(*w)));
    w->session()->show_run(1);
    QTRY_COMPARE(table_title(*w), QString("Run 1: softmax, R = 96, C = 128"));
    w->session()->show_run(2);
    QTRY_COMPARE(table_title(*w), QString("Run 2: softmax, R = 96, C = 77"));
    w->session()->open_workspace(folder_->filePath("empty"));
    QTRY_COMPARE(table_title(*w), QString("Candidates"));
  }

  void ctrlEnterRunsFromTheStartPage() {
    auto w = open_bare();
    QVERIFY(QTest::qWaitForWindowExposed(w.get()));
    QTRY_VERIFY(w->session()->ready());
    auto* prompt = child<QPlainTextEdit>(w.get(), "start_prompt");
    QTRY_VERIFY(prompt->hasFocus());
    QTest::keyClick(prompt, Qt::Key_Return, Qt::ControlModifier);  // nothing is written
    QVERIFY(w->start_page()->isVisible());
    // Once it is read, and before that.
    for (int run = 1; run <= 2; ++run) {
      prompt->selectAll();
      type(prompt, QString("softmax over the rows of a 96x%1 matrix").arg(128 * run));
      if (run == 1) QTRY_VERIFY(w->describe()->can_explore());
      QTest::keyClick(prompt, Qt::Key_Return, Qt::ControlModifier);
      QTRY_VERIFY2(!w->start_page()->isVisible(), qPrintable(QString::number(run)));
      QCOMPARE(w->docks()->current(), QString("explore"));
      QTRY_VERIFY(w->session()->shown_run() == run && !w->session()->running());
      QTRY_VERIFY(w->candidates()->model()->rowCount() > 0);
      QVERIFY(w->candidates()->table()->isVisible());
      action(*w, "go.start")->trigger();
      QTRY_VERIFY(prompt->hasFocus());
    }
    QCOMPARE(engine_->started_runs.load(), 2);
    QVERIFY(!prompt->toPlainText().contains('\n'));
    // What is not understood leads to the questions, and does not run.
    prompt->selectAll();
    type(prompt, "frobnicate the whatsit");
    QTRY_VERIFY(!w->describe()->pending() && !w->describe()->unclear().isEmpty());
    QTest::keyClick(prompt, Qt::Key_Return, Qt::ControlModifier);
    QTRY_VERIFY(!w->start_page()->isVisible());
    QVERIFY(w->describe()->isVisible());
    QCoreApplication::processEvents();
    QCOMPARE(engine_->started_runs.load(), 2);
  }

  void workspacesAreOfferedOnTheStartPage() {
    const auto opened = [&](const QString& name) {
      auto w = open_on_the_bench({.workspace = folder_->filePath(name), .input = "softmax of 512 rows"});
      (void)QTest::qWaitFor([&] { return w->session()->ready(); }, 20000);
      return w;
    };
    engine_->candidates = 2;
    {
      auto w = opened("first");
      QVERIFY(run_once(*w, 1));
      QVERIFY(w->close());
    }
    for (const char* name : {"oldest", "gone", "second", "third", "last"}) QVERIFY(opened(name)->close());
    QVERIFY(QDir(folder_->filePath("gone")).removeRecursively());
    QVERIFY(opened("first")->close());
    QVERIFY(opened("last")->close());
    auto w = open_bare();  // comes back to the last one
    QVERIFY(QTest::qWaitForWindowExposed(w.get()));
    QTRY_VERIFY(w->session()->ready());
    QCOMPARE(w->session()->folder(), folder_->filePath("last"));
    const auto offered = [&] {
      QStringList list;
      for (const QPushButton* button : w->start_page()->findChildren<QPushButton*>())
        if (button->isVisible() && button->text().startsWith("Workspace ")) list += button->text();
      return list;
    };
    // The newest three that are still there, without the one that is open.
    QTRY_COMPARE(offered(), (QStringList{"Workspace first", "Workspace third", "Workspace second"}));
    QPushButton* first = link(*w, "Workspace first");
    QCOMPARE(first->toolTip(), folder_->filePath("first"));
    QTest::mouseClick(first, Qt::LeftButton);
    QTRY_VERIFY(!w->start_page()->isVisible());
    QTRY_COMPARE(w->session()->folder(), folder_->filePath("first"));
    QTRY_COMPARE(w->session()->shown_run(), std::int64_t{1});  // its latest
    QTRY_COMPARE(w->candidates()->model()->rowCount(), 2);
    QVERIFY(!w->start_page()->isVisible());
    action(*w, "go.start")->trigger();
    QTRY_VERIFY(link(*w, "Workspace last"));
    QVERIFY(!link(*w, "Workspace first"));
    // By the keyboard.
    link(*w, "Workspace last")->setFocus();
    QTest::keyClick(link(*w, "Workspace last"), Qt::Key_Space);
    QTRY_COMPARE(w->session()->folder(), folder_->filePath("last"));
    QTRY_VERIFY(!w->start_page()->isVisible());
  }
};

QTEST_MAIN(RunWordsTest)
#include "run_words_test.moc"
