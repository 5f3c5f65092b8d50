// SPDX-License-Identifier: GPL-3.0-or-later
// Review and receipt with the engine itself, on a small workspace: what a person reads, writes, decides and takes back.
#include <QApplication>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QScrollArea>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTreeWidget>
#include <QtTest>
#include "session/actions/registry.h"
#include "base/files.h"
#include "parts/theme/facts_view.h"
#include "panels/review/question_box.h"
#include "panels/review/receipt_panel.h"
#include "panels/review/review_panel.h"
#include "review/review_world.h"
#include "store/bundle.h"
#include "review/signing.h"
#include "session/reviewer.h"
#include "session/selection.h"
#include "session/session.h"
#include "parts/theme/theme.h"
#include "panels/verdict/verdict_panel.h"
#include "widgets/review_bench.h"

using namespace ww;
using namespace ww::widgets;
using namespace ww::test;

class ReviewPanelTest : public QObject, ReviewFolders {
  Q_OBJECT
 private slots:
  void initTestCase() { QVERIFY(begin()); }

  void withoutACandidateItSaysWhatToDo() {
    Bench b(fresh());
    QTRY_VERIFY(b.session.ready());
    bool said = false, said_receipt = false;
    const auto labels = b.review->findChildren<QLabel*>(), others = b.receipt->findChildren<QLabel*>();
    for (const QLabel* l : labels)
      said = said || (l->isVisible() && l->text().contains("Select a candidate to review it"));
    for (const QLabel* l : others)
      said_receipt = said_receipt || (l->isVisible() && l->text().contains("Select a candidate to see its receipt"));
    QVERIFY(said && said_receipt);
  }

  void nothingIsAnsweredUnread() {
    Bench b(fresh(), {760, 420});
    QVERIFY(b.ready(made_.run, made_.candidate));
    QCOMPARE(b.state(), QString("Not decided"));
    QVERIFY(!b.find<QPushButton>("accept")->isEnabled());
    QVERIFY2(b.review->missing().contains("Not yet answered: \"The op spec says what I want computed.\" and 5 more."),
             qPrintable(b.review->missing()));
    QuestionBox* spec = b.review->box("spec");
    QVERIFY(spec && !spec->tick()->isVisible());
    open_question(b, "spec");
    QVERIFY(spec->facts()->toPlainText().contains("y[i] = 2 * x[i]"));
    QVERIFY(spec->facts()->height() > b.find<QScrollArea>("review_scroll")->viewport()->height() / 2);
    QTest::qWait(300);
    if (spec->facts()->mapTo(b.find<QScrollArea>("review_scroll")->viewport(), QPoint(0, spec->facts()->height())).y() >
        b.find<QScrollArea>("review_scroll")->viewport()->height() + 2)
      QVERIFY(!spec->tick()->isEnabled());  // its end was not on the screen yet
    QVERIFY(answer_question(b, "spec"));
    QCOMPARE(b.find<QProgressBar>("review_progress")->text(), QString("1 of 6"));
    // The evidence: every stage is opened first.
    open_question(b, "evidence");
    QuestionBox* evidence = b.review->box("evidence");
    auto* bar = b.find<QScrollArea>("review_scroll")->verticalScrollBar();
    bar->setValue(bar->maximum());
    QTest::qWait(300);
    QVERIFY(!evidence->tick()->isEnabled());
    QVERIFY(click_link(evidence->facts(), "Open the evidence"));
    QVERIFY(!evidence->tick()->isEnabled());
    const auto hints = evidence->findChildren<QLabel*>();
    QVERIFY(
        std::any_of(hints.begin(), hints.end(), [](const QLabel* l) { return l->text().contains("1 of 3 opened"); }));
    for (int stage = 1; stage < 6; ++stage)
      b.review->reviewer()->open_stage(made_.candidate, stage);  // as the verdict panel says it
    bar->setValue(bar->maximum());
    QTRY_VERIFY(evidence->tick()->isEnabled());
    QVERIFY(evidence->facts()->toPlainText().contains("Look at this: case odd (N = 33) is not claimed"));
    // What was answered stays while another candidate is looked at.
    QVERIFY(answer_question(b, "evidence"));
    b.selection.set_current(made_.parent);
    QVERIFY(b.shows(made_.parent));
    QVERIFY2(b.review->missing().contains("did not pass the gate"), qPrintable(b.review->missing()));
    QVERIFY(!b.find<QPushButton>("accept")->isEnabled());
    b.selection.set_current(made_.candidate);
    QVERIFY(b.shows(made_.candidate));
    QCOMPARE(b.find<QProgressBar>("review_progress")->text(), QString("2 of 6"));
  }

  void linesLeadToTheCode() {
    Bench b(fresh());
    QVERIFY(b.ready(made_.run, made_.candidate));
    open_question(b, "lines");
    const QSignalSpy chosen(&b.selection, &Selection::line_chosen);
    QVERIFY(click_link(b.review->box("lines")->facts(), "Go to line 9"));
    QCOMPARE(chosen.size(), 1);
    QCOMPARE(b.selection.line(), 9);
    QCOMPARE(b.find<QSpinBox>("note_line")->value(), 9);  // a note would be of that line
  }

  void whatIsOpenedInTheVerdictIsRead() {
    Bench b(fresh());
    auto* verdict = new VerdictPanel(b.window.centralWidget());
    connect(&b.session, &Session::candidate_loaded, verdict, &VerdictPanel::show_candidate);
    connect(&b.selection, &Selection::current_changed, &b.session, &Session::load_candidate);
    verdict->resize(380, 700);
    verdict->show();
    b.review->hide();
    b.review->show();  // it finds the verdict beside it
    QVERIFY(b.ready(made_.run, made_.candidate));
    QTreeWidget* stages = verdict->stages();
    QTRY_COMPARE(stages->topLevelItemCount(), 9);  // six stages, coverage, counters, lines
    for (int i = 0; i < 6; ++i)
      QTest::mouseClick(stages->viewport(), Qt::LeftButton, {},
                        stages->visualItemRect(stages->topLevelItem(i)).center());
    QCOMPARE(b.review->reviewer()->draft().stages.size(), 6);
    // The checklist says so and stays short: all of a stage's evidence is two clicks away.
    open_question(b, "evidence");
    FactsView* facts = b.review->box("evidence")->facts();
    const auto says = [&](const char* part) { return facts->toPlainText().contains(part); };
    QVERIFY2(facts->toPlainText().count("Opened.") == 3 && !says("Warp instructions"),
             qPrintable(facts->toPlainText()));
    const qsizetype folded = facts->toPlainText().size();
    for (int stage = 0; stage < 6 && click_link(facts, "Show it here"); ++stage) QTest::qWait(0);
    QVERIFY(says("Show the counters") && !says("Warp instructions") && says("Close the evidence"));
    QVERIFY(click_link(facts, "Show the counters"));
    QTRY_VERIFY2(says("Warp instructions") && says("Hide the counters"), qPrintable(facts->toPlainText()));
    QVERIFY(click_link(facts, "Hide the counters"));
    for (int stage = 0; stage < 6 && click_link(facts, "Close the evidence"); ++stage) QTest::qWait(0);
    QTRY_COMPARE(facts->toPlainText().size(), folded);
    QTreeWidgetItem* lines = stages->topLevelItem(8);
    QCOMPARE(lines->text(1), QString("0 of 1 read"));
    stages->setCurrentItem(lines);
    QVERIFY(verdict->evidence()->toPlainText().contains("atomicAdd(y, 0)"));
    const QTextCursor mark = verdict->evidence()->document()->find("Mark as read");
    QVERIFY(!mark.isNull());
    QTextCursor at(verdict->evidence()->document());
    at.setPosition(mark.selectionStart() + 1);
    QTest::mouseClick(verdict->evidence()->viewport(), Qt::LeftButton, {},
                      verdict->evidence()->cursorRect(at).center() + QPoint(2, 0));
    QCOMPARE(stages->topLevelItem(8)->text(1), QString("1 of 1 read"));
    QVERIFY(answer_question(b, "evidence"));
  }

  void notesAreWrittenTakenBackAndUndone() {
    Bench b(fresh());
    QVERIFY(b.ready(made_.run, made_.candidate));
    QVERIFY(b.history().contains("No notes or decisions yet"));
    QVERIFY(!b.find<QPushButton>("add_note")->isEnabled());
    b.find<QSpinBox>("note_line")->setValue(99);
    QCOMPARE(b.find<QSpinBox>("note_line")->value(), 10);  // there are no more lines
    b.find<QSpinBox>("note_line")->setValue(8);
    b.type("note_text", "why one by one?");
    QTest::keyClick(b.find<QLineEdit>("note_text"), Qt::Key_Return);
    QVERIFY2(b.history_says("Somebody noted, line 8: why one by one?"), qPrintable(b.history()));
    QVERIFY(b.find<QLineEdit>("note_text")->text().isEmpty());
    QCOMPARE(b.undo.undoText(), QString("note on candidate %1").arg(made_.candidate));
    b.undo.undo();
    QVERIFY(b.history_says("(withdrawn)"));
    b.undo.redo();
    QVERIFY2(b.history_says("that it withdrew is valid again"), qPrintable(b.history()));
    QTRY_COMPARE(b.history().count("(withdrawn)"), 1);  // the withdrawal, not the note
    QVERIFY(click_link(b.find<FactsView>("review_history"), "Withdraw"));
    QTRY_COMPARE(b.review->reviewer()->view()->rows.size(), std::size_t{4});
    QVERIFY(b.review->reviewer()->view()->requested_changes.empty());
    // Several at once: none is lost, their order is kept.
    for (int i = 1; i <= 20; ++i) b.review->reviewer()->add_note(made_.candidate, 0, QString("note %1").arg(i));
    QTRY_VERIFY(b.history().contains("note 20"));
    QVERIFY(b.history().indexOf("note 9\n") < b.history().indexOf("note 10\n"));
  }

  void changesAreAskedForAndRejectionsHaveNameAndReason() {
    Bench b(fresh());
    QVERIFY(b.ready(made_.run, made_.candidate));
    auto *changes = b.find<QPushButton>("request_changes"), *reject = b.find<QPushButton>("reject");
    QVERIFY(!changes->isEnabled() && !reject->isEnabled());
    b.type("review_words", "   ");
    QVERIFY(!changes->isEnabled());
    b.type("review_words", "use float4");
    QVERIFY(changes->isEnabled() && !reject->isEnabled());
    QVERIFY(reject->toolTip().contains("name"));
    b.click("request_changes");
    QVERIFY(b.becomes("Changes requested"));
    QCOMPARE(b.review->reviewer()->view()->requested_changes, std::string("use float4\n"));
    QVERIFY(b.find<QPlainTextEdit>("review_words")->toPlainText().isEmpty());
    QVERIFY(!b.find<QPushButton>("ask_model_now")->isVisible());  // the run is one of the search
    const QSignalSpy named(b.review->reviewer(), &Reviewer::name_changed);
    b.type("reviewer", "Bob");
    QCOMPARE(b.review->reviewer()->name(), QString("Bob"));
    QVERIFY(!named.isEmpty());
    b.type("review_words", "too slow");
    QVERIFY(reject->isEnabled());
    b.click("reject");
    QVERIFY(b.becomes("Refused"));
    QVERIFY(b.history().contains("Bob refused it: too slow"));
    b.undo.undo();
    QVERIFY(b.becomes("Changes requested"));
    b.undo.undo();
    QVERIFY(b.becomes("Not decided"));
    b.undo.redo();
    QVERIFY(b.becomes("Changes requested"));
  }

  void aReasonThatWasNotSentSurvivesClosing() {
    const QString folder = fresh();
    const auto words = [](Bench& b) { return b.find<QPlainTextEdit>("review_words")->toPlainText(); };
    {
      Bench b(folder);
      QVERIFY(b.ready(made_.run, made_.candidate));
      b.type("review_words", "the tail is slow");
    }
    {
      Bench b(folder);
      QVERIFY(b.ready(made_.run, made_.candidate));
      QTRY_COMPARE(words(b), QString("the tail is slow"));
      b.click("request_changes");
      QVERIFY(b.becomes("Changes requested"));
      QTRY_VERIFY(words(b).isEmpty());
    }
    Bench b(folder);
    QVERIFY(b.ready(made_.run, made_.candidate));
    QTRY_COMPARE(b.state(), QString("Changes requested"));
    QVERIFY(words(b).isEmpty());
  }

  void aNoteStaysWithItsCandidate() {
    const QString folder = fresh();
    {
      Bench b(folder);
      QVERIFY(b.ready(made_.run, made_.candidate));
      auto* note = b.find<QLineEdit>("note_text");
      auto* line = b.find<QSpinBox>("note_line");
      b.type("note_text", "half a sen");
      line->setValue(8);
      b.selection.set_current(made_.parent);
      QVERIFY(b.shows(made_.parent));
      QTRY_COMPARE(note->text(), QString());
      QCOMPARE(line->value(), 0);
      QVERIFY(!b.find<QPushButton>("add_note")->isEnabled());
      b.type("note_text", "of the parent");
      b.selection.set_current(made_.candidate);
      QVERIFY(b.shows(made_.candidate));
      QTRY_COMPARE(note->text(), QString("half a sen"));
      QCOMPARE(line->value(), 8);
      b.click("add_note");
      QVERIFY(b.history_says("line 8: half a sen"));
      QTRY_VERIFY(note->text().isEmpty());
    }
    Bench b(folder);  // what was not added is there again
    QVERIFY(b.ready(made_.run, made_.parent));
    QTRY_COMPARE(b.find<QLineEdit>("note_text")->text(), QString("of the parent"));
    b.selection.set_current(made_.candidate);
    QVERIFY(b.shows(made_.candidate));
    QCOMPARE(b.find<QLineEdit>("note_text")->text(), QString());
  }

  void importedDecisionsAreMarked() {
    const QString from = fresh(), to = dir_.filePath("imported");
    const std::string file = dir_.filePath("signed.wwb").toStdString();
    {
      const auto w = review_world::opened(from.toStdString());
      QVERIFY(review_world::accept(*w, made_.candidate, "Ada", review_world::all_answers(), review_world::program,
                                   review::Signer::open().value()));
    }
    QVERIFY(store::export_bundle(from.toStdString(), file, 0, review_world::program));
    std::int64_t run = 0, candidate = 0;
    {
      const auto w = review_world::opened(to.toStdString());
      run = store::import_bundle(file, to.toStdString()).value().runs.at(0).second;
      const std::vector<store::ReviewRecord> reviews = w->reviews(0).value();
      candidate = reviews.at(0).candidate;
    }
    Bench b(to);
    QVERIFY(b.ready(run, candidate));
    QVERIFY(b.history_says("Ada signed it"));
    QVERIFY(b.history_says("imported, not decided here"));
    QCOMPARE(b.state(), QString("Not decided"));
    QVERIFY(b.find<QLabel>("review_imported")->isVisible());
    QCOMPARE(b.find<QLabel>("review_imported")->text(),
             QString("Imported, not judged here. Decided elsewhere: accepted; that does not count here."));
  }

  void decisionsSurviveClosingAtOnce() {
    const QString folder = fresh();
    {
      Bench b(folder);
      QVERIFY(b.ready(made_.run, made_.candidate));
      for (int i = 0; i < 30; ++i) b.review->reviewer()->add_note(made_.candidate, 0, QString("note %1").arg(i));
    }
    QCOMPARE(review_world::opened(folder.toStdString())->reviews(made_.candidate)->size(), std::size_t{30});
  }

  void aBrokenPolicyIsSaid() {
    const QString folder = fresh();
    QVERIFY(write_file_atomic((folder + "/review/policy.json").toStdString(), "{\n oops }"));
    Bench b(folder);
    QTRY_VERIFY(b.session.ready());
    b.session.show_run(made_.run);
    QTRY_COMPARE(b.session.shown_run(), made_.run);
    b.selection.set_current(made_.candidate);
    const auto said = [&] {
      const auto labels = b.review->findChildren<QLabel*>();
      return std::any_of(labels.begin(), labels.end(), [](const QLabel* l) {
        return l->isVisible() && l->text().contains("policy.json:2: it is not JSON");
      });
    };
    QTRY_VERIFY(said());
  }

  void everyThemeAndTheKeyboard() {
    Bench b(fresh(), {680, 800});
    QVERIFY(b.ready(made_.run, made_.candidate));
    QAction* next = b.registry.action("review.next_question");
    QVERIFY(next);
    next->trigger();
    QVERIFY(b.review->box("spec")->open());
    QCOMPARE(QApplication::focusWidget(), b.review->box("spec")->opener());
    QVERIFY(answer_question(b, "spec", "as I asked"));
    QTest::keyClick(b.review->box("spec")->words(), Qt::Key_Return);  // on to the next
    QVERIFY(!b.review->box("spec")->open() && b.review->box("evidence")->open());
    for (const char* theme : {"dark", "high-contrast", "light"}) {
      QVERIFY(Theme::instance().apply(theme));
      QVERIFY(b.review->box("evidence")->open() && b.review->box("spec")->answered());
      QDir().mkpath(WW_BINARY_DIR "/screenshots");
      QTest::qWait(50);
      QVERIFY(b.window.grab().save(QString(WW_BINARY_DIR "/screenshots/review-%1.png").arg(theme)));
    }
    const auto controls = b.window.findChildren<QWidget*>();
    for (const QWidget* w : controls)
      if ((w->focusPolicy() & Qt::TabFocus) && w->isVisible() && !w->inherits("QScrollArea") &&
          !w->inherits("QSplitterHandle") && w->objectName() != "qt_spinbox_lineedit")
        QVERIFY2(!w->accessibleName().isEmpty() || !w->property("text").toString().isEmpty(),
                 w->metaObject()->className());
  }
};

QTEST_MAIN(ReviewPanelTest)
#include "review_test.moc"
