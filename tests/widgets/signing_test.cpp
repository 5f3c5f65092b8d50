// SPDX-License-Identifier: GPL-3.0-or-later
// Signing with the engine itself, on a small workspace: judged anew, exported, verified, countersigned, begun anew.
#include <QApplication>
#include <QCheckBox>
#include <QDialog>
#include <QLabel>
#include <QLineEdit>
#include <QMessageBox>
#include <QPushButton>
#include <QProcess>
#include <QSignalSpy>
#include <QStandardPaths>
#include <QTextBrowser>
#include <QTimer>
#include <QToolButton>
#include <QTreeWidget>
#include <QtTest>
#include <future>
#include "base/files.h"
#include "session/models/candidate_model.h"
#include "parts/theme/facts_view.h"
#include "panels/review/key_picture_view.h"
#include "panels/review/question_box.h"
#include "panels/review/receipt_panel.h"
#include "panels/review/review_panel.h"
#include "review/review_world.h"
#include "review/signing.h"
#include "session/reviewer.h"
#include "session/selection.h"
#include "session/session.h"
#include "parts/theme/text.h"
#include "parts/theme/theme.h"
#include "panels/verdict/verdict_panel.h"
#include "shell/window/work_status.h"
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

// A panel beside, with the verdict of the current candidate.
VerdictPanel* verdict_of(Bench& b) {
  auto* verdict = new VerdictPanel(b.window.centralWidget());
  QObject::connect(&b.session, &Session::candidate_loaded, verdict, &VerdictPanel::show_candidate);
  QObject::connect(&b.selection, &Selection::current_changed, &b.session, &Session::load_candidate);
  return verdict;
}

class SigningTest : public QObject, ReviewFolders {
  Q_OBJECT

 private slots:
  void initTestCase() { QVERIFY(begin()); }

  void signingJudgesAnewAndShowsThatVerdict() {
    Bench b(fresh());
    auto* verdict = verdict_of(b);
    QVERIFY(b.ready(made_.run, made_.candidate));
    const auto stages = [verdict] { return verdict->stages(); };
    QTRY_VERIFY(stages()->topLevelItemCount() > 0 && stages()->topLevelItem(0)->text(1) != "passed, 99 s");
    QVERIFY(answer_all(b));
    b.type("reviewer", "Ada");
    // Said before it is pressed.
    QVERIFY2(b.find<QLabel>("review_missing")->text().contains("judges it again"),
             qPrintable(b.find<QLabel>("review_missing")->text()));
    QVERIFY(b.find<QLabel>("review_missing")->text().contains("the receipt holds the numbers of that judgement"));
    QVERIFY(b.find<QPushButton>("accept")->toolTip().contains("again with new secret inputs"));
    WorkStatus status(b.window.centralWidget());
    status.follow(b.review->reviewer());
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
    QVERIFY(!status.isHidden() && status.text().startsWith("Judging again before signing"));
    emit b.review->reviewer()->signing_progressed(0.4);
    QVERIFY2(status.text().contains("left"), qPrintable(status.text()));
    go.set_value();
    QVERIFY(b.becomes("Signed"));
    QVERIFY(status.isHidden());
    QTRY_COMPARE(stages()->topLevelItem(0)->text(1), QString("passed, 99 s"));
  }

  // The new judgement proves less than the one whose evidence was ticked.
  void weakerEvidenceIsShownBeforeItIsSigned() {
    const QString folder = fresh();
    {
      auto w = review_world::opened(folder.toStdString());
      const auto c = w->candidate(made_.candidate).value();
      evidence::Verdict more = *c.verdict;
      more.coverage.push_back({"wide", {{{"N", 128}}, {}}, true, 5});
      QVERIFY(w->set_verdict(c.id, more, 812.0, Provenance::simulated, "simulated issue slots"));
    }
    Bench b(folder);
    QVERIFY(b.ready(made_.run, made_.candidate));
    b.review->reviewer()->set_judge([](const review::Dossier& d) -> Result<evidence::Verdict> {
      evidence::Verdict anew = *d.candidate.verdict;
      anew.coverage.back().seeds = 0;
      return anew;
    });
    b.type("reviewer", "Ada");
    QString asked, offered = "Read it again first";
    QTimer answer;
    connect(&answer, &QTimer::timeout, &answer, [&] {
      auto* box = qobject_cast<QMessageBox*>(QApplication::activeModalWidget());
      if (!box || box->objectName() != "weaker_dialog") return;
      asked = box->informativeText();
      for (QAbstractButton* button : box->buttons())
        if (button->text() == offered) button->click();
    });
    answer.start(5);
    QVERIFY(answer_all(b));
    b.click("accept");
    QTRY_VERIFY(!b.review->reviewer()->busy() && b.find<QLabel>("review_problem")->isVisible());
    QVERIFY2(asked.contains("proved cases: 1 of 3, before 2 of 3"), qPrintable(asked));
    QCOMPARE(b.state(), QString("Not decided"));
    QVERIFY(!b.receipt->shown());
    QVERIFY(b.find<QLabel>("review_problem")->text().contains("proves less than the reviewer read"));
    // The new evidence is what is read now, and its like is signed without a question.
    QTRY_VERIFY(!b.review->box("evidence")->answered());
    asked.clear();
    QVERIFY(answer_all(b));
    b.click("accept");
    QVERIFY(b.becomes("Signed"));
    QVERIFY(asked.isEmpty());
    QVERIFY(b.find<QLabel>("review_changed")->text().contains("the evidence is the same"));
    b.click("review_anew");
    QVERIFY(b.becomes("Not decided"));
    QVERIFY(!b.find<QLabel>("review_changed")->isVisible());
    // Agreed to: the receipt holds it, and what differs stays in sight.
    b.review->reviewer()->set_judge([](const review::Dossier& d) -> Result<evidence::Verdict> {
      evidence::Verdict anew = *d.candidate.verdict;
      anew.proof.checks.races = evidence::CheckCoverage::no;
      anew.proof.checks.bounds = evidence::CheckCoverage::partly;
      return anew;
    });
    offered = "Sign it";
    QVERIFY(answer_all(b));
    b.click("accept");
    QVERIFY(b.becomes("Signed"));
    QVERIFY2(asked.contains("Less: looked for: misaligned accesses, before accesses out of bounds, misaligned"),
             qPrintable(asked));
    QTRY_VERIFY(b.find<QLabel>("review_changed")->text().contains("looked for: misaligned accesses, before"));
    QTRY_VERIFY(b.receipt->shown());
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
    QVERIFY(b.becomes("Signed"));
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
    verdict_of(b);
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
    QTRY_VERIFY(!b.find<QPushButton>("accept")->isEnabled());  // once the review is read anew
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
    QVERIFY(b.becomes("Signed"));
    QVERIFY(!b.find<QPushButton>("accept")->isEnabled());
    QTRY_COMPARE(made.size(), 1);
    QVERIFY(made.at(0).at(0).toString().contains("keys passphrase"));
    QTRY_VERIFY(b.receipt->shown());
    // The success is plain: who, when, with which key, that it is a new one, and what comes next.
    QTRY_VERIFY(b.find<QFrame>("signed_notice")->isVisible());
    const QString words = b.find<QLabel>("signed_words")->text();
    QVERIFY2(words.startsWith("Signed by Ada on 20") &&
                 words.contains(qs(b.receipt->shown()->signatures.at(0).fingerprint)),
             qPrintable(words));
    QVERIFY(b.find<QLabel>("signed_made_key")->isVisible());
    QVERIFY(b.find<QLabel>("signed_made_key")->wordWrap());
    QCOMPARE(b.find<QLabel>("signed_made_key")->text(), made.at(0).at(0).toString());
    QTRY_VERIFY(b.find<QPushButton>("signed_kernel")->hasFocus());
    QVERIFY(b.find<QPushButton>("signed_export")->isVisible());
    QVERIFY(b.find<QPushButton>("signed_pdf")->isVisible() && b.find<QPushButton>("signed_receipt")->isVisible());
    QVERIFY(!b.find<QLabel>("review_missing")->isVisible());
    test::save_picture(b.window, "signed");
    QCOMPARE(b.find<QLabel>("receipt_verdict")->text(), QString("The receipt is genuine and current."));
    QVERIFY(b.receipt->shown()->text.find("fast-math is wanted") != std::string::npos);
    QVERIFY(b.find<QTextBrowser>("receipt_page")->toPlainText().contains("What it computes"));
    const QString fingerprint = qs(b.receipt->shown()->signatures.at(0).fingerprint);
    QVERIFY(b.find<FactsView>("receipt_facts")->toPlainText().contains(fingerprint));
    // Files.
    const QString json = dir_.filePath("r.json"), md = dir_.filePath("r.md"), pdf = dir_.filePath("r.pdf");
    for (const QString& file : {json, md, pdf}) b.receipt->export_to(file);
    QTRY_VERIFY(QFileInfo::exists(pdf));
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
    b.receipt->open_file(pdf);  // by its content, not by its name
    QTRY_COMPARE(b.find<QLabel>("receipt_verdict")->text(),
                 QString("This file is a printout of a receipt, which cannot be verified."));
    QVERIFY(b.find<QTextBrowser>("receipt_page")->toPlainText().contains("JSON file beside it"));
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
    QVERIFY(b.becomes("Signed and countersigned"));
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
    QVERIFY(b.becomes("Signed"));
    b.undo.undo();
    QVERIFY(b.becomes("Not decided"));
    QTRY_VERIFY(!b.receipt->shown());
    b.receipt->open_file(json);
    QTRY_VERIFY(b.find<QLabel>("receipt_verdict")->text().contains("no longer matches"));
    QVERIFY(b.find<FactsView>("receipt_facts")->toPlainText().contains("Ada withdrew the signature"));
    b.undo.redo();
    QVERIFY(b.becomes("Signed"));
    // The workspace says the same to others.
    const auto w = review_world::opened(folder.toStdString());
    QCOMPARE(review::state_of(w->reviews(made_.candidate).value(), w->candidate(made_.candidate).value().hash),
             review::ReviewState::accepted);
    QCOMPARE(review::receipt_of(w->reviews(made_.candidate).value(), w->candidate(made_.candidate).value().hash),
             read_file(json.toStdString()).value());
  }

  // In a low panel, as below the diff at 1280 x 800, and on paper.
  void aReceiptHasRoomAndMarksWhatItWraps() {
    const QString folder = fresh();
    std::int64_t id = 0;
    {
      auto w = review_world::opened(folder.toStdString());
      const auto record = review_world::record_of(
          made_.run, review_world::kernel("// A comment that is longer than a line of the page on paper, so that its "
                                          "tail x = 1; might be read as code.\n"));
      id = w->add_candidate(record).value();
      QVERIFY(w->set_verdict(id, review_world::verdict_of(record.hash), 1.0, Provenance::simulated, "u"));
      QVERIFY(review::note(*w, id, 0, "`a_b` *c* <d> [e](f) # g & h ~i~ | j", "Ada"));
    }
    Bench b(folder);
    QVERIFY(b.ready(made_.run, id));
    b.type("reviewer", "Ada");
    QVERIFY(answer_all(b));
    b.click("accept");
    QVERIFY(b.becomes("Signed"));
    QTRY_VERIFY(b.receipt->shown());
    const QString page = b.find<QTextBrowser>("receipt_page")->toPlainText();
    QVERIFY2(!page.contains('\\'), qPrintable(page));  // of Markdown
    QVERIFY(page.contains("`a_b` *c* <d> [e](f) # g & h ~i~ | j"));
    const QString pdf = dir_.filePath("wrapped.pdf");
    b.receipt->export_to(pdf);
    QTRY_VERIFY(QFileInfo::exists(pdf));
    QTRY_VERIFY(b.find<QLabel>("receipt_message")->isVisible());
    b.receipt->setMaximumHeight(280);
    auto* scroll = b.find<QScrollArea>("receipt_scroll");
    QTRY_COMPARE(b.receipt->height(), 280);
    QTRY_VERIFY2(scroll->viewport()->height() >= 160, qPrintable(QString::number(scroll->viewport()->height())));
    QVERIFY(b.find<QTextBrowser>("receipt_page")->height() > 400);
    test::save_picture(b.window, "receipt-low");
    const QString reader = QStandardPaths::findExecutable("pdftotext");
    if (reader.isEmpty()) return;
    QProcess process;
    process.start(reader, {"-layout", pdf, "-"});
    QVERIFY(process.waitForFinished());
    const QString text = QString::fromUtf8(process.readAllStandardOutput());
    const qsizetype tail = text.indexOf("as code.");
    QVERIFY(tail > 0);
    const QString line = text.mid(text.lastIndexOf('\n', tail) + 1).section('\n', 0, 0);
    QVERIFY2(line.trimmed().startsWith(QChar(0x21aa)), qPrintable(line));
    // The last page has a section of its own, rather than a row.
    const QStringList pages = text.split('\f', Qt::SkipEmptyParts);
    // No line is on two pages; the last one of a page is its foot.
    for (qsizetype i = 0; i + 1 < pages.size(); ++i) {
      const QStringList above = pages[i].split('\n', Qt::SkipEmptyParts),
                        below = pages[i + 1].split('\n', Qt::SkipEmptyParts);
      QVERIFY(above.size() > 2 && below.size() > 2);
      QVERIFY2(above[above.size() - 2].trimmed() != below[0].trimmed(), qPrintable(below[0]));
      QVERIFY2(!above.contains(below[0]), qPrintable(below[0]));
    }
    QVERIFY2(pages.last().contains("Hashes") || pages.last().count('\n') > 12, qPrintable(pages.last()));
  }

  void whatWasSignedStaysUntilItIsBegunAnew() {
    const QString folder = fresh();
    {
      Bench b(folder);
      QVERIFY(b.ready(made_.run, made_.candidate));
      b.type("reviewer", "Ada");
      QVERIFY(answer_all(b));
      b.click("accept");
      QVERIFY(b.becomes("Signed"));
    }
    Bench b(folder);  // another day, and somebody else
    QVERIFY(b.ready(made_.run, made_.candidate));
    QCOMPARE(b.state(), QString("Signed"));
    QVERIFY2(b.find<QLabel>("signed_words")->text().startsWith("Signed by Ada on 20"),
             qPrintable(b.find<QLabel>("signed_words")->text()));
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
    QVERIFY(b.becomes("Not decided"));
    QVERIFY(b.history_says("Grace withdrew"));
    QVERIFY(!b.review->box("findings")->answered());
    QVERIFY(!anew->isVisible() && b.find<QPushButton>("accept")->isVisible());
    QVERIFY(answer_question(b, "spec"));
    b.undo.undo();
    QVERIFY(b.becomes("Signed"));
    QCOMPARE(b.review->box("findings")->words()->text(), QString("fast-math is wanted"));
  }
};

QTEST_MAIN(SigningTest)
#include "signing_test.moc"
