// SPDX-License-Identifier: GPL-3.0-or-later
// Review and receipt with the engine itself, on a small workspace: what a person reads, writes, decides, signs and
// takes back.
#include <QApplication>
#include <QCheckBox>
#include <QDialog>
#include <QLabel>
#include <QLineEdit>
#include <QMainWindow>
#include <QPlainTextEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QProcess>
#include <QSignalSpy>
#include <QStandardPaths>
#include <QSpinBox>
#include <QSplitter>
#include <QTemporaryDir>
#include <QTextBrowser>
#include <QTimer>
#include <QToolButton>
#include <QTreeWidget>
#include <QUndoStack>
#include <QtTest>
#include <future>
#include "session/actions/registry.h"
#include "base/files.h"
#include "session/services.h"
#include "session/models/candidate_model.h"
#include "parts/theme/facts_view.h"
#include "panels/review/key_picture_view.h"
#include "panels/review/question_box.h"
#include "panels/review/receipt_panel.h"
#include "panels/review/review_panel.h"
#include "review/review_world.h"
#include "store/bundle.h"
#include "review/signing.h"
#include "session/reviewer.h"
#include "session/selection.h"
#include "session/session.h"
#include "parts/theme/text.h"
#include "parts/theme/theme.h"
#include "panels/verdict/verdict_panel.h"
#include "widgets/review_bench.h"
#include "widgets/pictures.h"

using namespace ww;
using namespace ww::widgets;
using namespace ww::test;

// Presses Countersign and answers the question for the passphrase; empty: cancels it. `says`: a part of the message
// that follows; empty: none does.
static bool countersigns_with(Bench& b, const QString& passphrase, const QString& says) {
  bool asked = false;
  QTimer answer;
  QObject::connect(&answer, &QTimer::timeout, &answer, [&] {
    auto* dialog = qobject_cast<QDialog*>(QApplication::activeModalWidget());
    if (!dialog || dialog->objectName() != "passphrase_dialog") return;
    asked = true;
    dialog->findChild<QLineEdit*>("passphrase")->setText(passphrase);
    passphrase.isEmpty() ? dialog->reject() : dialog->accept();
  });
  answer.start(5);
  b.click("countersign");
  const bool done = QTest::qWaitFor(
      [&] {
        auto* message = b.find<QLabel>("receipt_message");
        return asked && !QApplication::activeModalWidget() && !b.review->reviewer()->busy() &&
               (says.isEmpty() || (message->isVisible() && message->text().contains(says)));
      },
      30000);
  return done;
}

class ReviewPanelTest : public QObject {
  Q_OBJECT
  QTemporaryDir dir_;
  int folders_ = 0;
  review_world::Made made_;
  QString fresh() {  // a workspace with a run
    const QString folder = dir_.filePath("w" + QString::number(++folders_));
    auto w = review_world::opened(folder.toStdString());
    made_ = review_world::fill(*w);
    return folder;
  }

 private slots:
  void initTestCase() {
    qputenv("WARPWRIGHT_CONFIG", dir_.filePath("config").toUtf8());  // the signing key, too
    QVERIFY(Theme::instance().apply("light"));
  }

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
    QCOMPARE(b.state(), QString("Open"));
    QVERIFY(!b.find<QPushButton>("accept")->isEnabled());
    QVERIFY2(b.review->missing().contains("have no answer: spec, evidence"), qPrintable(b.review->missing()));
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
        std::any_of(hints.begin(), hints.end(), [](const QLabel* l) { return l->text().contains("1 of 6 opened"); }));
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
    QVERIFY2(b.history_says("what it withdrew is valid again"), qPrintable(b.history()));
    QTRY_COMPARE(b.history().count("(withdrawn)"), 1);  // the withdrawal, not the note
    QVERIFY(click_link(b.find<FactsView>("review_history"), "Withdraw"));
    QTRY_COMPARE(b.review->reviewer()->view()->rows.size(), std::size_t{4});
    QVERIFY(b.review->reviewer()->view()->requested_changes.empty());
    // Several at once: none is lost, their order is kept.
    for (int i = 1; i <= 20; ++i) b.review->reviewer()->add_note(made_.candidate, 0, QString("note %1").arg(i));
    QTRY_VERIFY_WITH_TIMEOUT(b.history().contains("note 20"), 10000);
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
    QVERIFY(b.becomes("Rejected"));
    QVERIFY(b.history().contains("Bob rejected it: too slow"));
    b.undo.undo();
    QVERIFY(b.becomes("Changes requested"));
    b.undo.undo();
    QVERIFY(b.becomes("Open"));
    b.undo.redo();
    QVERIFY(b.becomes("Changes requested"));
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
    QVERIFY(b.history_says("Ada accepted it"));
    QVERIFY(b.history_says("imported, not decided here"));
    QCOMPARE(b.state(), QString("Open"));
    QVERIFY(b.find<QLabel>("review_imported")->isVisible());
    QCOMPARE(b.find<QLabel>("review_imported")->text(),
             QString("Imported, not judged here. Decided elsewhere: accepted; that does not count here."));
  }

  void signingJudgesAnewAndShowsThatVerdict() {
    Bench b(fresh());
    auto* verdict = new VerdictPanel(b.window.centralWidget());
    connect(&b.session, &Session::candidate_loaded, verdict, &VerdictPanel::show_candidate);
    connect(&b.selection, &Selection::current_changed, &b.session, &Session::load_candidate);
    QVERIFY(b.ready(made_.run, made_.candidate));
    const auto stages = [verdict] { return verdict->stages(); };
    QTRY_VERIFY(stages()->topLevelItemCount() > 0 && stages()->topLevelItem(0)->text(1) != "passed, 99 s");
    QVERIFY(answer_all(b));
    b.type("reviewer", "Ada");
    // Said before it is pressed.
    QVERIFY2(b.find<QLabel>("review_missing")->text().contains("judges it again"),
             qPrintable(b.find<QLabel>("review_missing")->text()));
    QVERIFY(b.find<QPushButton>("accept")->toolTip().contains("again with new secret inputs"));
    std::promise<void> go;
    b.review->reviewer()->set_judge([&](const review::Dossier& d) -> Result<evidence::Verdict> {
      go.get_future().wait();
      evidence::Verdict anew = *d.candidate.verdict;
      anew.stages[0].seconds = 99;
      return anew;
    });
    b.click("accept");
    QVERIFY(!b.find<QPushButton>("accept")->isEnabled());
    QVERIFY(b.find<QLabel>("review_missing")->text().contains("is being judged again"));
    go.set_value();
    QVERIFY(b.becomes("Accepted"));
    QTRY_COMPARE(stages()->topLevelItem(0)->text(1), QString("passed, 99 s"));
  }

  void holesInAClaimAreAgreedTo() {
    const QString folder = fresh();
    std::int64_t id = 0;
    {
      auto w = review_world::opened(folder.toStdString());
      const std::string text =
          QString::fromStdString(review_world::kernel()).replace("N % 4 == 0", "N % 4 == 0 && N != 4096").toStdString();
      const auto record = review_world::record_of(made_.run, text);
      id = w->add_candidate(record).value();
      QVERIFY(w->set_verdict(id, review_world::verdict_of(record.hash), 1.0, Provenance::simulated, "u"));
    }
    Bench b(folder);
    auto* agree = b.find<QCheckBox>("agree_to_holes");
    QVERIFY(b.ready(made_.run, made_.candidate));
    QVERIFY(!agree->isVisible());  // its claim has none
    QVERIFY(b.ready(made_.run, id));
    QVERIFY(agree->isVisible() && agree->text().contains("N == 4096"));
    b.type("reviewer", "Ada");
    QVERIFY(answer_all(b));
    QVERIFY2(b.review->missing().contains("not claimed: N == 4096"), qPrintable(b.review->missing()));
    QVERIFY(!b.find<QPushButton>("accept")->isEnabled());
    agree->click();
    QVERIFY2(b.find<QPushButton>("accept")->isEnabled(), qPrintable(b.review->missing()));
    b.click("accept");
    QVERIFY(b.becomes("Accepted"));
    QVERIFY(!agree->isVisible());
    QTRY_VERIFY(b.review->reviewer()->receipt());
  }

  void keptVariablesAreAgreedTo() {
    const QString folder = fresh();
    std::int64_t id = 0;
    {
      auto w = review_world::opened(folder.toStdString());
      const auto record = review_world::record_of(made_.run, review_world::kernel() + "// another text\n");
      id = w->add_candidate(record).value();
      evidence::Verdict v = review_world::verdict_of(record.hash);
      v.ptx =
          ".version 8.0\n.target sm_80\n.address_size 64\n.visible .global .u32 calls;\n.visible .entry k()\n{\n"
          ".reg .b32 %r<2>;\natom.global.add.u32 %r1, [calls], 1;\nret;\n}\n";
      QVERIFY(w->set_verdict(id, v, 1.0, Provenance::simulated, "u"));
    }
    Bench b(folder);
    auto* agree = b.find<QCheckBox>("agree_to_kept");
    QVERIFY(b.ready(made_.run, made_.candidate));
    QVERIFY(!agree->isVisible());
    QVERIFY(b.ready(made_.run, id));
    QVERIFY(agree->isVisible() && agree->text().contains("calls"));
    b.type("reviewer", "Ada");
    QVERIFY(answer_all(b));
    QVERIFY2(b.review->missing().contains("keeps variables"), qPrintable(b.review->missing()));
    agree->click();
    QVERIFY2(b.find<QPushButton>("accept")->isEnabled(), qPrintable(b.review->missing()));
  }

  void aRejectionWhileSigningIsShown() {
    Bench b(fresh());
    auto* verdict = new VerdictPanel(b.window.centralWidget());
    connect(&b.session, &Session::candidate_loaded, verdict, &VerdictPanel::show_candidate);
    connect(&b.selection, &Selection::current_changed, &b.session, &Session::load_candidate);
    QVERIFY(b.ready(made_.run, made_.candidate));
    b.candidates.reset(explore::rows_of(*b.session.workspace(), made_.run).value());
    QVERIFY(answer_all(b));
    b.type("reviewer", "Ada");
    b.review->reviewer()->set_judge([this, &b](const review::Dossier&) -> Result<evidence::Verdict> {
      return *b.session.workspace()->candidate(made_.parent).value().verdict;  // that of a rejected one
    });
    b.click("accept");
    QTRY_VERIFY(b.find<QLabel>("review_problem")->text().contains("judged again, it failed"));
    QTRY_VERIFY2(b.find<QLabel>("verdict_summary")->text().startsWith("Rejected"),
                 qPrintable(b.find<QLabel>("verdict_summary")->text()));
    const CandidateModel::Row& row =
        b.candidates.rows()[static_cast<std::size_t>(b.candidates.row_of(made_.candidate))];
    QVERIFY(row.data.state == store::CandidateState::rejected && !row.data.rank);
    QVERIFY(!b.find<QPushButton>("accept")->isEnabled());
    QVERIFY(b.undo.count() == 0);
  }

  void acceptedSignedVerifiedCountersigned() {
    const QString folder = fresh();
    Bench b(folder);
    QVERIFY(b.ready(made_.run, made_.candidate));
    QVERIFY(answer_all(b));
    QVERIFY2(b.review->missing().contains("your name"), qPrintable(b.review->missing()));
    QVERIFY(!b.find<QPushButton>("accept")->isEnabled());
    b.type("reviewer", "Ada");
    QVERIFY2(b.review->missing().isEmpty(), qPrintable(b.review->missing()));
    QFile::remove(dir_.filePath("config/signing.key"));
    QSignalSpy made(b.review->reviewer(), &Reviewer::key_made);
    b.click("accept");
    QVERIFY(b.becomes("Accepted"));
    QVERIFY(!b.find<QPushButton>("accept")->isEnabled());
    QTRY_COMPARE(made.size(), 1);
    QVERIFY(made.at(0).at(0).toString().contains("keys passphrase"));
    QTRY_VERIFY(b.receipt->shown());
    QCOMPARE(b.find<QLabel>("receipt_verdict")->text(), QString("The receipt is genuine and current."));
    QVERIFY(b.receipt->shown()->text.find("fast-math is wanted") != std::string::npos);
    QVERIFY(b.find<QTextBrowser>("receipt_page")->toPlainText().contains("What it computes"));
    const QString fingerprint = qs(b.receipt->shown()->signatures.at(0).fingerprint);
    QVERIFY(b.find<FactsView>("receipt_facts")->toPlainText().contains(fingerprint));
    // Files.
    const QString json = dir_.filePath("r.json"), md = dir_.filePath("r.md"), pdf = dir_.filePath("r.pdf");
    for (const QString& file : {json, md, pdf}) b.receipt->export_to(file);
    QTRY_VERIFY_WITH_TIMEOUT(QFileInfo::exists(pdf), 20000);
    QCOMPARE(read_file(json.toStdString()).value(), b.receipt->shown()->text);
    QVERIFY(read_file(md.toStdString())->starts_with("# Receipt: scale"));
    QVERIFY(read_file(pdf.toStdString())->starts_with("%PDF"));
    if (const QString reader = QStandardPaths::findExecutable("pdftotext"); !reader.isEmpty()) {
      QProcess process;
      process.start(reader, {"-layout", pdf, "-"});
      QVERIFY(process.waitForFinished());
      const QString copied = QString::fromUtf8(process.readAllStandardOutput());
      const QString page = b.find<QTextBrowser>("receipt_page")->toPlainText();
      for (const QChar sign : QStringLiteral("()[]{}<>=:;,.-+*/_\"'|&%#?!"))
        QVERIFY2(copied.count(sign) >= page.count(sign),
                 qPrintable(QString("%1 %2 of %3").arg(sign).arg(copied.count(sign)).arg(page.count(sign))));
    }
    QTRY_VERIFY(b.find<QLabel>("receipt_message")->text().contains("r.pdf"));
    // A file that was changed by one letter: what was changed is named, the page is not shown.
    std::string text = read_file(json.toStdString()).value();
    text.replace(text.find("fast-math is wanted"), 4, "slow");
    QVERIFY(write_file_atomic(dir_.filePath("bad.json").toStdString(), text));
    b.receipt->open_file(dir_.filePath("bad.json"));
    QTRY_VERIFY(b.find<QLabel>("receipt_verdict")->text().contains("not genuine"));
    QVERIFY(b.find<FactsView>("receipt_facts")->toPlainText().contains("the part 'checklist' or its hash was changed"));
    QVERIFY(b.find<FactsView>("receipt_facts")->toPlainText().contains("The signature is void"));
    QVERIFY(!b.find<QToolButton>("export_receipt")->isEnabled());
    QVERIFY(!b.find<QTextBrowser>("receipt_page")->toPlainText().contains("What it computes"));
    QVERIFY(write_file_atomic(dir_.filePath("none.json").toStdString(), "{}"));
    b.receipt->open_file(dir_.filePath("none.json"));
    QTRY_VERIFY(b.find<FactsView>("receipt_facts")->toPlainText().contains("its schema is not"));
    QCOMPARE(b.find<QLabel>("receipt_verdict")->text(), QString("This file is not a receipt."));
    b.receipt->open_file(dir_.filePath("absent.json"));
    QTRY_VERIFY(b.find<QLabel>("receipt_message")->text().contains("was not read"));
    QTest::mouseClick(b.find<QToolButton>("show_stored"), Qt::LeftButton);
    QCOMPARE(b.find<QLabel>("receipt_verdict")->text(), QString("The receipt is genuine and current."));
    // A second reviewer; not the same one.
    QVERIFY(!b.find<QPushButton>("countersign")->isEnabled());
    b.type("second_reviewer", "Ada");
    b.click("countersign");
    QTRY_VERIFY(b.find<QLabel>("receipt_message")->text().contains("has signed this receipt already"));
    b.find<QLineEdit>("second_reviewer")->clear();
    b.type("second_reviewer", "Grace");
    b.click("countersign");
    QTRY_VERIFY(b.find<QLabel>("receipt_message")->text().contains("needs another person's key"));
    qputenv("WARPWRIGHT_CONFIG", dir_.filePath("config of Grace").toUtf8());
    const auto grace = review::Signer::open();
    QVERIFY(grace && grace->seal(Secret("open sesame")));
    QVERIFY(countersigns_with(b, "", "no passphrase was given"));
    QVERIFY(countersigns_with(b, "close sesame", "passphrase"));
    QVERIFY(countersigns_with(b, "open sesame", ""));
    QVERIFY(b.becomes("Accepted and countersigned"));
    QTRY_COMPARE(b.receipt->findChildren<KeyPictureView*>().size(), 2);
    QVERIFY(b.receipt->findChildren<KeyPictureView*>().last()->accessibleName().contains("Grace"));
    QTRY_COMPARE(b.receipt->shown()->signatures.size(), std::size_t{2});
    QCOMPARE(b.receipt->shown()->keys, review::KeyStanding::unknown);  // Grace does not know Ada's key
    QVERIFY(b.find<QLabel>("receipt_verdict")->text().contains("you do not know everyone who signed it"));
    QVERIFY(b.find<FactsView>("receipt_facts")->toPlainText().contains("unknown"));
    // She compares it with Ada, and knows it from then on.
    QVERIFY(b.find<FactsView>("receipt_facts")->toPlainText().contains("Trust this key"));
    QTimer::singleShot(0, this, [&] {
      QWidget* dialog = QApplication::activeModalWidget();
      QVERIFY(dialog && dialog->objectName() == "trust_dialog");
      const SignatureView ada = b.receipt->shown()->signatures[0];
      const QString shown = dialog->findChild<QLabel*>("trust_key")->text();
      QVERIFY(shown.contains(qs(ada.fingerprint)) && shown.contains(qs(ada.words)) &&
              shown.contains(qs(ada.signature.public_key)));
      auto* confirm = dialog->findChild<QPushButton*>("trust_confirm");
      QVERIFY(!confirm->isEnabled());
      dialog->findChild<QCheckBox*>("trust_compared")->setChecked(true);
      QVERIFY(confirm->isEnabled());
      dialog->findChild<QLineEdit*>("trust_name")->clear();
      QVERIFY(!confirm->isEnabled());
      dialog->findChild<QLineEdit*>("trust_name")->setText("Ada");
      QVERIFY(dialog->grab().save(WW_BINARY_DIR "/screenshots/trust.png"));
      confirm->click();
    });
    QDir().mkpath(WW_BINARY_DIR "/screenshots");
    emit b.find<FactsView>("receipt_facts")->link("trust", "0");
    QTRY_COMPARE(b.receipt->shown()->keys, review::KeyStanding::known);
    QVERIFY(!b.find<FactsView>("receipt_facts")->toPlainText().contains("Trust this key"));
    QVERIFY(b.find<QLabel>("receipt_message")->text().contains("now known as Ada's"));
    const auto keys = review::KnownKeys::load();
    QVERIFY(keys && keys->keys().size() == 1 && keys->keys()[0].name == "Ada" &&
            keys->keys()[0].public_key == b.receipt->shown()->signatures[0].signature.public_key);
    qputenv("WARPWRIGHT_CONFIG", dir_.filePath("config").toUtf8());
    test::save_picture(b.window, "receipt");
    // Taken back, one after the other: the file stays genuine, and says that it no longer holds.
    b.undo.undo();
    QVERIFY(b.becomes("Accepted"));
    b.undo.undo();
    QVERIFY(b.becomes("Open"));
    QTRY_VERIFY(!b.receipt->shown());
    b.receipt->open_file(json);
    QTRY_VERIFY(b.find<QLabel>("receipt_verdict")->text().contains("no longer matches"));
    QVERIFY(b.find<FactsView>("receipt_facts")->toPlainText().contains("Ada withdrew the acceptance"));
    b.undo.redo();
    QVERIFY(b.becomes("Accepted"));
    // The workspace says the same to others.
    const auto w = review_world::opened(folder.toStdString());
    QCOMPARE(review::state_of(w->reviews(made_.candidate).value(), w->candidate(made_.candidate).value().hash),
             review::ReviewState::accepted);
    QCOMPARE(review::receipt_of(w->reviews(made_.candidate).value(), w->candidate(made_.candidate).value().hash),
             read_file(json.toStdString()).value());
  }

  void whatWasSignedStaysUntilItIsBegunAnew() {
    const QString folder = fresh();
    {
      Bench b(folder);
      QVERIFY(b.ready(made_.run, made_.candidate));
      b.type("reviewer", "Ada");
      QVERIFY(answer_all(b));
      b.click("accept");
      QVERIFY(b.becomes("Accepted"));
    }
    Bench b(folder);  // another day, and somebody else
    QVERIFY(b.ready(made_.run, made_.candidate));
    QCOMPARE(b.state(), QString("Accepted"));
    QVERIFY2(b.find<QLabel>("review_missing")->text().startsWith("Signed by Ada on 20"),
             qPrintable(b.find<QLabel>("review_missing")->text()));
    for (const char* item : {"spec", "evidence", "findings", "lines", "diff", "limits"}) {
      open_question(b, item);
      QVERIFY2(b.review->box(item)->answered(), item);
      QVERIFY(!b.review->box(item)->tick()->isEnabled());
    }
    QuestionBox* findings = b.review->box("findings");
    open_question(b, "findings");
    QCOMPARE(findings->words()->text(), QString("fast-math is wanted"));
    QTest::keyClicks(findings->words(), " no");
    QCOMPARE(findings->words()->text(), QString("fast-math is wanted"));
    QVERIFY(!b.find<QPushButton>("accept")->isVisible());
    auto* anew = b.find<QPushButton>("review_anew");
    QVERIFY(anew->isVisible() && !anew->isEnabled());  // it needs a name
    b.type("reviewer", "Grace");
    b.click("review_anew");
    QVERIFY(b.becomes("Open"));
    QVERIFY(b.history_says("Grace withdrew"));
    QVERIFY(!b.review->box("findings")->answered());
    QVERIFY(!anew->isVisible() && b.find<QPushButton>("accept")->isVisible());
    QVERIFY(answer_question(b, "spec"));
    b.undo.undo();
    QVERIFY(b.becomes("Accepted"));
    QCOMPARE(b.review->box("findings")->words()->text(), QString("fast-math is wanted"));
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
