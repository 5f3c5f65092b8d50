// SPDX-License-Identifier: GPL-3.0-or-later
// Drafts in the code panel: edited, kept, judged. Pictures go to <build>/screenshots.
#include <QLabel>
#include "parts/theme/theme.h"
#include "widgets/code_fixture.h"

using namespace ww;
using namespace ww::widgets;
using namespace ww::test::code;

class CodeEditTest : public QObject {
  Q_OBJECT
  std::unique_ptr<QTemporaryDir> folder_;
  QString workspace() const { return folder_->filePath("workspace"); }

 private slots:
  void init() {
    folder_ = std::make_unique<QTemporaryDir>();
    QVERIFY(Theme::instance().apply("light"));
  }

  void anEditIsCheckedAndBecomesAChild() {
    const auto rig = with_run(workspace());
    CodePanel& panel = *rig->panel;
    rig->select(2);
    QTRY_VERIFY(panel.source()->text().contains("variant 1"));
    const std::string parent = rig->model.rows()[static_cast<std::size_t>(rig->model.row_of(2))].data.hash;
    const QString file = workspace() + "/drafts/2.cu";
    QTest::mouseClick(rig->child<QToolButton>("edit_copy"), Qt::LeftButton);
    QVERIFY(panel.editing() && panel.draft()->isVisible() && !panel.source()->isVisible());
    rig->registry.action("code.check")->trigger();  // nothing was changed
    QCOMPARE(rig->engine->checks.load(), 0);
    QVERIFY(rig->child<QLabel>("draft_text")->text().contains("No changes yet"));
    panel.draft()->setCursorPosition(0, 0);
    QTest::keyClicks(panel.draft(), "// mine ");
    QVERIFY(rig->child<QPushButton>("draft_check")->isEnabled());
    QTRY_VERIFY(QFile::exists(file));                              // kept as it is typed
    QVERIFY(!rig->session.running() && rig->engine->checks == 0);  // and never judged by itself
    rig->picture("code-draft");

    // To another candidate and back: the draft is as it was left.
    rig->select(1);
    QTRY_VERIFY(panel.source()->text().contains("variant 0"));
    QVERIFY(!panel.editing());
    QVERIFY(rig->child<QToolButton>("drafts")->isVisible());
    QCOMPARE(rig->child<QToolButton>("drafts")->text(), QString("Drafts (1)"));
    rig->select(2);
    QTRY_VERIFY(panel.editing());
    QVERIFY(panel.draft()->text().startsWith("// mine "));
    QTest::mouseClick(rig->child<QPushButton>("draft_leave"), Qt::LeftButton);
    QVERIFY(!panel.editing());
    QTest::mouseClick(rig->child<QPushButton>("draft_continue"), Qt::LeftButton);
    QVERIFY(panel.draft()->text().startsWith("// mine "));

    // No candidate file: refused, and shown where.
    rig->engine->refuse = "candidate:1:4: error: the first directive must be candidate\n";
    QTest::keyClick(panel.draft(), Qt::Key_F5);
    rig->registry.action("code.check")->trigger();
    QTRY_VERIFY(rig->child<QLabel>("draft_text")->text().contains("Not judged: the text is no candidate"));
    QVERIFY(squiggle(panel.draft(), "mine"));
    QVERIFY(panel.editing() && QFile::exists(file));
    rig->engine->refuse.clear();

    // Judged: a row like any other, with the parent, and the current one. The draft is gone.
    rig->registry.action("code.check")->trigger();
    QTRY_COMPARE(rig->selection.current(), std::int64_t{7});
    QCOMPARE(rig->engine->last_edit.parent, parent);
    QCOMPARE(rig->engine->last_edit.note, std::string("edited by hand"));
    QVERIFY(QString::fromStdString(rig->engine->last_edit.text).startsWith("// mine "));
    QTRY_VERIFY(panel.source()->text().startsWith("// mine "));
    QVERIFY(!panel.editing());
    QVERIFY(rig->model.row_of(7) >= 0);
    QTRY_VERIFY(!QFile::exists(file));
    QVERIFY(!panel.edits()->has(2));
    QTRY_VERIFY(rig->model.rows()[static_cast<std::size_t>(rig->model.row_of(7))].annotation.has_value());

    // Refused by the compiler: stored as well, and the person goes on where the error is.
    rig->registry.action("code.edit")->trigger();
    panel.draft()->insertAt("vectr v; ", 5, 0);
    rig->registry.action("code.check")->trigger();
    QTRY_COMPARE(rig->selection.current(), std::int64_t{8});
    QTRY_VERIFY(panel.editing());
    QVERIFY(squiggle(panel.draft(), "vectr v"));
  }

  void draftsOutliveTheWindow() {
    auto engine = std::make_shared<CodeEngine>();
    {
      const auto rig = with_run(workspace());
      engine = rig->engine;
      rig->select(3);
      QTRY_VERIFY(rig->panel->source()->text().contains("variant 2"));
      rig->panel->edit();
      rig->panel->draft()->insertAt("// kept\n", 0, 0);
    }  // at once: nothing was quiet for half a second
    Rig again(workspace(), engine);
    QTRY_VERIFY(again.panel->edits()->has(3));
    again.session.show_run(1);
    QTRY_COMPARE(again.model.rowCount(), 6);
    QTRY_VERIFY(again.child<QToolButton>("drafts")->isVisibleTo(&again.window) || !again.panel->source()->isVisible());
    again.select(3);
    QTRY_VERIFY(again.child<QPushButton>("draft_continue")->isVisible());
    QVERIFY(!again.panel->source()->text().startsWith("// kept"));
    QTest::mouseClick(again.child<QPushButton>("draft_continue"), Qt::LeftButton);
    QVERIFY(again.panel->draft()->text().startsWith("// kept\n"));
    QCOMPARE(engine->checks.load(), 0);
    // Discarded, it is gone, unless that is undone.
    QTest::mouseClick(again.child<QPushButton>("draft_discard"), Qt::LeftButton);
    QVERIFY(!again.panel->editing());
    QTRY_VERIFY(!QFile::exists(workspace() + "/drafts/3.cu"));
    again.undo.undo();
    QTRY_VERIFY(again.child<QPushButton>("draft_continue")->isVisible());
    QTRY_VERIFY(QFile::exists(workspace() + "/drafts/3.cu"));
    again.undo.redo();
    QTRY_VERIFY(!QFile::exists(workspace() + "/drafts/3.cu"));
  }

  void draftsOfTwoWindowsAreBothKept() {
    const auto first = with_run(workspace());
    first->select(3);
    QTRY_VERIFY(first->panel->source()->text().contains("variant 2"));
    {
      Rig second(workspace(), first->engine);
      QSignalSpy problems(second.panel->edits(), &Edits::kept_beside);
      QTRY_VERIFY(second.session.ready());
      second.session.show_run(1);
      QTRY_COMPARE(second.model.rowCount(), 6);
      second.select(3);
      QTRY_VERIFY(second.panel->source()->text().contains("variant 2"));
      first->panel->edit();
      QTRY_VERIFY(first->panel->draft()->complete());
      first->panel->draft()->insertAt("// one\n", 0, 0);
      const auto all = [&] {
        QStringList starts;
        QDir folder(workspace() + "/drafts");
        for (const QString& name : folder.entryList(QDir::Files)) {
          QFile file(folder.filePath(name));
          if (file.open(QIODevice::ReadOnly)) starts += QString::fromUtf8(file.readLine()).trimmed();
        }
        starts.sort();
        return starts.join(" ");
      };
      QTRY_COMPARE(all(), QString("// one"));
      second.panel->edit();
      QTRY_VERIFY(second.panel->draft()->complete());
      second.panel->draft()->insertAt("// two\n", 0, 0);
      QTRY_COMPARE(all(), QString("// one // two"));
      QTRY_COMPARE(problems.size(), 1);
      first->panel->draft()->insertAt("// more\n", 0, 0);
      QTRY_COMPARE(all(), QString("// more // two"));
      QCOMPARE(problems.size(), 1);
    }
  }

  void nothingIsCheckedBesideARun() {
    auto rig = std::make_unique<Rig>(workspace());
    QTRY_VERIFY(rig->session.ready());
    rig->engine->hold_before(3);
    rig->explore();
    QTRY_COMPARE(rig->model.judged(), 3);
    rig->select(1);
    rig->panel->edit();
    rig->panel->draft()->insertAt("// x\n", 0, 0);
    QVERIFY(!rig->child<QPushButton>("draft_check")->isEnabled());
    QVERIFY(rig->child<QLabel>("draft_text")->text().contains("A run is in progress"));
    rig->registry.action("code.check")->trigger();
    QVERIFY(rig->child<QLabel>("draft_text")->text().contains("Not judged"));
    QCOMPARE(rig->engine->checks.load(), 0);
    rig->engine->release();
    QTRY_VERIFY(!rig->session.running());
    QTRY_VERIFY(rig->child<QPushButton>("draft_check")->isEnabled());
  }

  // The answer comes when its candidate is no longer shown.
  void aRefusalElsewhereIsSaidByName() {
    const auto rig = with_run(workspace());
    rig->engine->refuse = "candidate:1:4: error: the first directive must be candidate\n";
    QString problem;
    connect(&rig->session, &Session::problem, this, [&](const QString& text) { problem = text; });
    QVERIFY(rig->check_edit());
    rig->select(1);
    QTRY_VERIFY(rig->panel->source()->text().contains("variant 0"));
    rig->panel->edit();
    QVERIFY(!rig->panel->draft()->isReadOnly());
    rig->engine->held.release();
    QTRY_COMPARE(problem, QString("The draft of #2 was not judged: the text is no candidate"));
    auto* said = rig->child<QLabel>("draft_text");
    QVERIFY2(said->text().startsWith("A copy of #1"), qPrintable(said->text()));
    QVERIFY(!squiggle(rig->panel->draft(), "candidate"));
    rig->select(2);
    QTRY_VERIFY2(said->text().startsWith("Not judged: the text is no candidate"), qPrintable(said->text()));
    QVERIFY(rig->panel->editing());
    QVERIFY(rig->panel->draft()->text().startsWith("// mine\n"));
  }

  // Whoever edits another candidate when the verdict comes goes on with it.
  void aVerdictTakesNobodyFromAnotherDraft() {
    const auto rig = with_run(workspace());
    QVERIFY(rig->check_edit());
    rig->select(1);
    QTRY_VERIFY(rig->panel->source()->text().contains("variant 0"));
    rig->panel->edit();
    rig->panel->draft()->insertAt("// other\n", 0, 0);
    rig->engine->held.release();
    QTRY_COMPARE(rig->model.judged(), 7);
    QTRY_VERIFY(!rig->panel->edits()->checking());
    QVERIFY(rig->panel->editing() && rig->panel->draft()->text().startsWith("// other\n"));
    QCOMPARE(rig->selection.current(), std::int64_t{1});
  }

  // A run would disturb the edit's times.
  void noRunStartsWhileAnEditIsJudged() {
    const auto rig = with_run(workspace());
    QVERIFY(rig->check_edit());
    const bool started = rig->session.explore(Rig::options(6)) || rig->session.resume(1, {});
    rig->engine->held.release();
    QVERIFY(!started);
    QTRY_COMPARE(rig->model.judged(), 7);
    QVERIFY(rig->session.explore(Rig::options(6)));
    QTRY_VERIFY(!rig->session.running());
    rig->session.set_busy("Measuring candidates…");  // their times must not be disturbed either
    rig->registry.action("code.check")->trigger();
    QCOMPARE(rig->engine->checks.load(), 1);
    rig->session.set_busy({});
  }

  void theDraftOfASecondWindowIsListed() {
    const QString other = folder_->filePath("other");
    { const auto rig = with_run(other); }
    const auto rig = with_run(workspace());
    QVERIFY(QDir(workspace()).mkpath("drafts"));
    QFile second(workspace() + "/drafts/2-2.cu");
    QVERIFY(second.open(QFile::WriteOnly) && second.write("// of the second window\n") > 0);
    second.close();
    rig->session.open_workspace(other);
    QTRY_VERIFY(rig->session.ready() && rig->session.workspace()->folder() == other.toStdString());
    rig->session.open_workspace(workspace());
    rig->session.show_run(1);
    auto* drafts = rig->child<QToolButton>("drafts");
    QTRY_COMPARE(drafts->text(), QString("Drafts (1)"));
    QAction* entry = drafts->menu()->actions()[0];
    QVERIFY2(entry->text().startsWith("#2") && entry->text().contains("from another window"),
             qPrintable(entry->text()));
    entry->trigger();
    auto* left = rig->panel->findChild<QDialog*>("left_draft");
    QVERIFY(left->findChild<CodeEditor*>("left_draft_text")->text().startsWith("// of the second"));
    QVERIFY(left->findChild<QLabel*>("left_draft_about")->text().contains("Two windows had a draft of #2"));
    left->close();
  }

  // The verdict belongs to the workspace where the edit was made: none of its rows reach the one that is shown now,
  // though a run of the same number is shown there.
  void anEditThatIsJudgedAfterItsWorkspaceWasClosed() {
    const QString other = folder_->filePath("other");
    { const auto rig = with_run(other); }
    const auto rig = with_run(workspace());
    QVERIFY(rig->check_edit());
    rig->session.open_workspace(other);
    QTRY_VERIFY(rig->session.ready() && rig->session.workspace()->folder() == other.toStdString());
    rig->session.show_run(1);
    QTRY_COMPARE(rig->model.judged(), 6);
    int events = 0;
    connect(&rig->session, &Session::events, this, [&] { ++events; });
    rig->engine->held.release();
    QTRY_VERIFY(!rig->session.judging());
    QCOMPARE(rig->model.rowCount(), 6);
    QCOMPARE(events, 0);
    const auto kept = store::Workspace::open(workspace().toStdString()).value();
    QCOMPARE(kept->candidates(1).value().size(), std::size_t{7});
  }
};

QTEST_MAIN(CodeEditTest)
#include "code_edit_test.moc"
