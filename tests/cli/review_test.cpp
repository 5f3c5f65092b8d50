// SPDX-License-Identifier: Apache-2.0
// Decisions and receipts on the command line, end to end.
#include "scripted_cli.h"

using namespace ww::testing;

class CliReviewTest : public QObject, ScriptedCli {
  Q_OBJECT

  struct Tried {  // of a run that was explored: the best candidate and one that the gate rejected
    QString id, bad, hash, receipt;
  };
  Tried explored() {
    const int exit = call({"explore", spec_file(), "--generator", "scripted", "--budget", "9", "--workers", "1"}).exit;
    if (exit != 0) qWarning("explore ended with %d", exit);
    Tried t;
    t.receipt = workspace_ + ".receipt.json";
    for (const QJsonValue& v : call({"list", "candidates", "--json"}).json()["candidates"].toArray()) {
      const QString id = QString::number(v["id"].toInt());
      if (v["rank"].toInt() == 1) t.id = id, t.hash = v["hash"].toString();
      if (v["state"].toString() == "rejected") t.bad = id;
    }
    return t;
  }
  Outcome accept(const QString& candidate, const QStringList& more = {}) {
    return call(QStringList{"accept", candidate, "--reviewer", "Ada", "--answer", "spec=yes", "--answer",
                            "evidence=opened", "--answer", "findings=none = none", "--answer", "lines=read", "--answer",
                            "diff=read", "--answer", "limits=known"} +
                more);
  }

 private slots:
  void init() { next_workspace(); }

  void reviewingChecksItsArguments() {
    const Tried t = explored();
    for (const QStringList& usage : {QStringList{"accept", t.id},
                                     {"accept", t.id, "--reviewer", "Ada", "--answer", "spec"},
                                     {"accept", t.id, "--reviewer", "Ada", "--answer", "weather=fine"},
                                     {"reject", t.id, "--reason", "slow"},
                                     {"note", t.id},
                                     {"note", t.id, "x", "--line", "0"},
                                     {"note", t.id, "x", "--line", "900"},
                                     {"request-changes", t.id, " "},
                                     {"accept", "999", "--reviewer", "Ada"},
                                     {"receipt"},
                                     {"receipt", "show", t.id},
                                     {"receipt", "verify", dir_.filePath("missing.json")}}) {
      const Outcome o = call(usage);
      QVERIFY2(o.exit == 2 && !o.err.isEmpty(), qPrintable(usage.join(' ') + ": " + QString::number(o.exit)));
    }
  }

  void acceptingNeedsAnswers() {
    const Tried t = explored();
    const Outcome looked =
        call({"accept", t.id, "--reviewer", "Ada"});  // without answers it shows what there is to look at
    QCOMPARE(looked.exit, 1);
    QVERIFY(looked.out.contains("--answer spec=TEXT") && looked.out.contains("y[i] = 2 * x[i]") &&
            looked.err.contains("no answer: spec"));
    const QJsonObject unanswered = call({"accept", t.id, "--reviewer", "Ada", "--answer", "spec=yes", "--json"}).json();
    QVERIFY(is_ours(unanswered, "accept") &&
            has_members(unanswered, {"accepted", "why", "candidate", "items", "receipt", "file"}));
    QVERIFY(!unanswered["accepted"].toBool(true) && unanswered["receipt"].isNull() &&
            unanswered["items"].toArray().size() == 6);
    QVERIFY(has_members(unanswered["items"].toArray()[0].toObject(),
                        {"id", "sentence", "why", "required", "facts", "answer"}));
    QVERIFY(has_members(unanswered["items"].toArray()[0].toObject()["facts"].toArray()[0].toObject(),
                        {"topic", "text", "line", "concern"}));
    QVERIFY(!QFile::exists(dir_.filePath("config/signing.key")));  // nothing was signed
    const Outcome proved = accept(t.bad);
    QVERIFY(proved.exit == 1 && proved.err.contains("did not pass the gate"));
  }

  void decisionsAreKept() {
    const Tried t = explored();
    QCOMPARE(call({"note", t.id, "why 32?", "--line", "4", "--reviewer", "Ada"}).exit, 0);
    const QJsonObject requested = call({"request-changes", t.id, "use float4", "--json"}).json();
    QVERIFY(is_ours(requested, "request-changes") && has_members(requested, {"candidate", "state", "decision"}));
    QCOMPARE(requested["state"].toString(), QString("changes requested"));
    QVERIFY(has_members(requested["decision"].toObject(),
                        {"id", "kind", "reviewer", "line", "text", "answers", "stands", "withdraws", "created"}));
    QCOMPARE(call({"reject", t.bad, "--reason", "it is wrong", "--reviewer", "Ada"}).exit, 0);
    const Outcome accepted = accept(t.id, {"-o", t.receipt, "--json"});
    QVERIFY2(accepted.exit == 0, accepted.out + accepted.err);
    QVERIFY(accepted.json()["accepted"].toBool() && accepted.json()["file"].toString() == t.receipt);
    QCOMPARE(accepted.json()["receipt"].toObject()["schema"].toString(), QString("warpwright/receipt/1"));
    const QJsonObject shown = call({"show", t.id, "--json"}).json()["review"].toObject();
    QCOMPARE(shown["state"].toString(), QString("accepted"));
    QCOMPARE(shown["decisions"].toArray().size(), 3);
    QCOMPARE(shown["decisions"].toArray()[2].toObject()["answers"].toObject()["findings"].toString(),
             QString("none = none"));
    const Outcome text = call({"show", t.id});
    QVERIFY(text.out.contains("Review     signed") && text.out.contains("note by Ada, line 4: why 32?"));
  }

  void onlyRunsWithoutReviewsAreDeleted() {
    const Tried t = explored();
    const QJsonObject asked = call({"delete", "1", "--json"}).json();
    QVERIFY(is_ours(asked, "delete"));
    QVERIFY(has_members(asked, {"deleted", "run", "op", "candidates", "exchanges", "measurements"}));
    QVERIFY(!asked["deleted"].toBool() && asked["candidates"].toInt() > 0);
    QVERIFY(call({"delete", "last"}).out.contains("Nothing was deleted"));
    QCOMPARE(call({"delete", "77", "--yes"}).exit, 2);
    QCOMPARE(call({"delete", "nonsense", "--yes"}).exit, 2);
    QCOMPARE(call({"delete"}).exit, 2);
    QCOMPARE(call({"note", t.id, "why?", "--reviewer", "Ada"}).exit, 0);
    const Outcome noted = call({"delete", "1", "--yes"});
    QCOMPARE(noted.exit, 2);
    QVERIFY2(noted.err.contains("a reviewer's notes"), noted.err.constData());
    QCOMPARE(accept(t.id).exit, 0);
    const Outcome kept = call({"delete", "1", "--yes"});
    QCOMPARE(kept.exit, 2);
    QVERIFY2(kept.err.contains("signed receipt"), kept.err.constData());
    QCOMPARE(call({"list", "--json"}).json()["runs"].toArray().size(), 1);
    next_workspace();
    explored();
    const Outcome done = call({"delete", "1", "--yes"});
    QCOMPARE(done.exit, 0);
    QVERIFY2(done.out.startsWith("Deleted run 1 "), done.out.constData());
    QVERIFY(call({"list", "--json"}).json()["runs"].toArray().isEmpty());
    QCOMPARE(call({"delete", "last", "--yes"}).exit, 2);
  }

  void receiptsAreVerifiedAndCountersigned() {
    const Tried t = explored();
    QCOMPARE(accept(t.id, {"-o", t.receipt}).exit, 0);
    const QJsonObject good = call({"receipt", "verify", t.receipt, "--workspace", workspace_, "--json"}).json();
    QVERIFY(is_ours(good, "receipt verify") &&
            has_members(good, {"file", "genuine", "holds", "problems", "candidate", "op", "signatures", "changes"}));
    QVERIFY(good["genuine"].toBool() && good["holds"].toBool() && good["changes"].toArray().isEmpty() &&
            good["candidate"].toString() == t.hash);
    QCOMPARE(call({"receipt", "countersign", t.receipt, "--reviewer", "Bob"}).exit, 2);  // the same key
    config_ = "config of Bob";
    const Outcome second = call({"receipt", "countersign", t.receipt, "--reviewer", "Bob", "--json"});
    const QString bob = dir_.filePath("bob.json");
    const QString bobs_key =
        call({"keys", "export", "-o", bob, "--json"}).json()["key"].toObject()["public_key"].toString();
    const Outcome nobody = call({"receipt", "verify", t.receipt});  // Bob does not know Ada's key
    QVERIFY2(nobody.exit == 4 && nobody.out.contains("you do not know everyone who signed it") &&
                 nobody.out.contains("words by phone") && nobody.out.contains("keys trust ") &&
                 nobody.out.contains(", yours"),
             nobody.out);
    QCOMPARE(call({"list", "--json"}).json()["runs"].toArray()[0].toObject()["imported"].toBool(), true);
    config_ = "config";  // Bob's commands only read Ada's workspace: it is still hers
    QCOMPARE(call({"list", "--json"}).json()["runs"].toArray()[0].toObject()["imported"].toBool(true), false);
    QVERIFY(second.exit == 0 && second.json()["signatures"].toArray().size() == 2);
    QVERIFY(has_members(second.json()["signatures"].toArray()[1].toObject(),
                        {"kind", "reviewer", "created", "public_key", "fingerprint", "valid", "standing", "warnings"}));
    QCOMPARE(call({"receipt", "countersign", t.receipt, "--reviewer", "Bob"}).exit, 2);
    const Outcome verified = call({"receipt", "verify", t.receipt});
    QVERIFY(verified.exit == 4 && !verified.out.contains("genuine") && verified.out.contains("countersigned by Bob") &&
            verified.out.contains("unknown"));
    QCOMPARE(call({"keys", "trust", bob, "--name", "Bob", "--vouched-by", "Grace"}).exit, 0);
    QCOMPARE(call({"keys", "trust", bobs_key, "--name", "Bert"}).exit, 2);
    const Outcome no_key = call({"keys", "trust", write("no.key", "{\"schema\": [3]}"), "--name", "Eve"});
    QVERIFY2(no_key.exit == 2 && no_key.err.contains("was not written by"), no_key.err);
    QCOMPARE(call({"receipt", "verify", t.receipt}).exit, 0);
    const Outcome listed = call({"keys", "list"});
    QVERIFY(listed.out.contains("Bob") && listed.out.contains("Grace") && listed.out.contains("+-----------------+"));
    const QJsonObject of_bob = call({"keys", "list", "--json"}).json()["keys"].toArray()[0].toObject();
    QVERIFY(listed.out.contains(of_bob["fingerprint"].toString().toUtf8() + '\n') &&
            listed.out.contains(of_bob["words"].toString().toUtf8() + '\n'));
    QVERIFY(is_ours(call({"keys", "list", "--json"}).json(), "keys list"));
    // The kernel's file is bound to it.
    const QByteArray kernel = call({"show", t.id, "--json"}).json()["text"].toString().toUtf8();
    QCOMPARE(call({"receipt", "verify", t.receipt, write("same.cu", kernel)}).exit, 0);
    const Outcome other = call({"receipt", "verify", t.receipt, write("other.cu", kernel + "// more\n"), "--json"});
    QVERIFY(other.exit == 1 && !other.json()["holds"].toBool(true) && other.json()["genuine"].toBool() &&
            other.json()["kernel_diff"].toString().contains("+// more"));
    const Outcome missing = call({"receipt", "verify", t.receipt, dir_.filePath("missing.cu")});
    QVERIFY2(missing.exit == 2 && missing.out.contains("the receipt is genuine") && missing.err.contains("missing.cu"),
             missing.out + missing.err);
    const QJsonObject both = call({"receipt", "verify", t.receipt, dir_.filePath("missing.cu"), "--json"}).json();
    QVERIFY(both["genuine"].toBool() && !both["holds"].toBool(true) && has_members(both, {"error", "kernel_diff"}));
    QVERIFY(call({"keys", "revoke", write("no.key", "{}")}).err.contains("was not written by"));
    QCOMPARE(call({"keys", "revoke", bob, "--why", "lost"}).exit, 0);  // the file that was trusted
    const Outcome revoked = call({"receipt", "verify", t.receipt});
    QVERIFY(revoked.exit == 5 && revoked.out.contains("lost"));
    const Outcome page = call({"receipt", "show", t.receipt}), kept = call({"receipt", "show", t.id});
    QVERIFY(page.exit == 0 && page.out.contains("# Receipt: scale") && page.out.contains("**Bob**"));
    QVERIFY(kept.exit == 0 && !kept.out.contains("**Bob**"));  // his settings folder does not make it his workspace
    QVERIFY(has_members(call({"receipt", "show", t.receipt, "--json"}).json(), {"receipt", "markdown"}));
  }

  void aKeyThatIsMadeIsSaidAndStaysOnesOwn() {
    config_ = "made";
    const Tried t = explored();
    const Outcome first = accept(t.id, {"-o", t.receipt});
    QVERIFY2(first.exit == 0 && first.err.contains("A new signing key was created") &&
                 first.err.contains("It has no passphrase") && first.err.contains("keys passphrase"),
             first.err);
    const QByteArray words = call({"keys", "list", "--json"}).json()["own"].toObject()["words"].toString().toUtf8();
    QVERIFY(!words.isEmpty() && first.err.contains(words));
    const Outcome again = accept(t.id, {"-o", t.receipt});
    QVERIFY2(!again.err.contains("signing key was created"), again.err);  // once
    QVERIFY(call({"receipt", "verify", t.receipt}).out.contains(", yours\n"));
    const Outcome renewed = call({"keys", "new"});
    QVERIFY(renewed.exit == 0 && renewed.out.contains("no passphrase"));
    const Outcome still = call({"receipt", "verify", t.receipt});
    QVERIFY2(still.exit == 0 && still.out.contains(", yours, until 2"), still.out);
    const Outcome listed = call({"keys", "list"});
    QVERIFY2(listed.out.contains("An earlier key of yours, until 2") && listed.out.contains(words), listed.out);
    QCOMPARE(call({"keys", "list", "--json"}).json()["earlier"].toArray().size(), 1);
    config_ = "config of a stranger";
    const Outcome stranger = call({"receipt", "verify", t.receipt});
    const QByteArray headline = stranger.out.left(stranger.out.indexOf('\n'));
    QVERIFY2(stranger.exit == 4 && headline.contains("you know none of its signers") && !headline.contains("genuine") &&
                 stranger.out.contains(words),
             stranger.out);
    config_ = "config";
  }

  // A passphrase that a file gives seals a new key, and the key's owner is told of a revoked one.
  void aNewKeyTakesThePassphraseOfTheFile() {
    config_ = "sealed";
    QVERIFY(accept(explored().id, {"-o", dir_.filePath("sealed.json")}).exit == 0);
    const QByteArray file = write("passphrase", "correct horse\n").toUtf8();
    qputenv("WARPWRIGHT_KEY_PASSPHRASE_FILE", file);
    const Outcome sealed = call({"keys", "passphrase"});
    const QJsonObject made = call({"keys", "new", "--json"}).json();
    const Outcome typed = call({"keys", "passphrase"});
    write("passphrase", "short\n");
    const Outcome weak = call({"keys", "new"});
    qunsetenv("WARPWRIGHT_KEY_PASSPHRASE_FILE");
    QVERIFY2(sealed.exit == 0 && sealed.out.contains("now has a passphrase"), sealed.err);
    QVERIFY(made["sealed"].toBool());
    QVERIFY2(typed.exit != 0 && typed.err.contains("passphrase"), typed.err);
    QVERIFY2(weak.exit != 0 && weak.err.contains("at least 8"), weak.err);
    const QJsonObject own = call({"keys", "list", "--json"}).json()["own"].toObject();
    QCOMPARE(own["public_key"], made["key"].toObject()["public_key"]);  // the weak one replaced nothing
    const Outcome signs = accept(explored().id, {"-o", dir_.filePath("unsealed.json")});
    QVERIFY2(signs.exit != 0 && signs.err.contains("passphrase"), signs.err);
    const QString digits = own["fingerprint"].toString();
    const Outcome gone = call({"keys", "revoke", digits});
    QVERIFY2(gone.exit == 0 && gone.out.contains("Your key " + digits.toUtf8() + " is revoked"), gone.out);
    QVERIFY(call({"keys", "list"}).out.contains(digits.toUtf8() + ", revoked"));
    const Outcome renewed = call({"keys", "new"});
    QVERIFY2(renewed.exit == 0 && renewed.out.contains("it stays revoked") && !renewed.out.contains("count as yours"),
             renewed.out);
    const QString stranger = write("stranger.pub", {});
    QCOMPARE(call({"keys", "export", "-o", stranger}).exit, 0);
    config_ = "another";
    const Outcome posing = call({"keys", "trust", stranger, "--name", "Your own key"});
    QVERIFY2(posing.exit != 0 && posing.err.contains("refers to your own keys"), posing.err);
    config_ = "config";
  }

  void aRevokedKeyOfOnesOwnSignsNothing() {
    config_ = "revoked";
    const Tried t = explored();
    const QString own = write("own.pub", {});
    QCOMPARE(call({"keys", "export", "-o", own}).exit, 0);
    QCOMPARE(call({"keys", "trust", own, "--name", "Ad"}).exit, 0);
    QVERIFY(call({"keys", "trust", own, "--name", "Ada"}).err.contains("--anyway"));
    QCOMPARE(call({"keys", "trust", own, "--name", "Ada", "--anyway"}).exit, 0);
    QCOMPARE(call({"keys", "revoke", "Ada", "--why", "copied"}).exit, 0);
    const Outcome refused = accept(t.id, {"-o", t.receipt});
    QVERIFY2(refused.exit != 0 && refused.err.contains("was revoked") && refused.err.contains("keys new"), refused.err);
    QVERIFY(!QFile::exists(t.receipt));
    const QJsonObject made = call({"keys", "new", "--json"}).json();
    QVERIFY(has_members(made, {"key", "kept"}) && QFile::exists(made["kept"].toString()));
    const Outcome signed_now = accept(t.id, {"-o", t.receipt});
    QVERIFY2(signed_now.exit == 0, signed_now.err);
    QCOMPARE(call({"receipt", "verify", t.receipt}).exit, 0);
    config_ = "config";
  }

  void otherFilesAreNoReceipts() {
    for (const char* text : {"int x;", "{}", ""}) {
      const Outcome o = call({"receipt", "verify", write("other.json", text)});
      QVERIFY2(o.exit == 1 && o.out.contains("not a receipt") && !o.out.contains("genuine"), o.out);
    }
  }

  void forgedReceiptsAreRefused() {
    const Tried t = explored();
    QCOMPARE(accept(t.id, {"-o", t.receipt}).exit, 0);
    QFile f(t.receipt);
    QVERIFY(f.open(QIODevice::ReadOnly));
    for (const auto& [name, text] : {std::pair{"receipt.json", QByteArray("%PDF-1.4\n%\xe2\xe3")},  // by content
                                     {"receipt.txt", QByteArray("# Receipt: scale\n")}}) {
      const Outcome o = call({"receipt", "verify", write(name, text)});
      QVERIFY2(o.exit == 1 && o.out.contains("printout of a receipt: verify the JSON file beside it"), o.out);
      QVERIFY2(!o.out.contains("not JSON"), o.out);
    }
    const QString tampered =
        write("tampered.json", f.readAll().replace("\"answer\": \"known\"", "\"answer\": \"naked\""));
    const Outcome forged = call({"receipt", "verify", tampered});
    QVERIFY(forged.exit == 1 && forged.out.contains("NOT genuine") && forged.out.contains("'checklist'"));
    QVERIFY(!call({"receipt", "verify", tampered, "--json"}).json()["genuine"].toBool(true));
    QCOMPARE(call({"receipt", "show", tampered}).exit, 1);
    QCOMPARE(call({"receipt", "countersign", tampered, "--reviewer", "Cy"}).exit, 1);
  }

  void anAcceptanceMayBeOverruledAndRestored() {
    const Tried t = explored();
    QCOMPARE(accept(t.id, {"-o", t.receipt}).exit, 0);
    QCOMPARE(call({"reject", t.id, "--reason", "a bug was found", "--reviewer", "Bob"}).exit, 0);
    const Outcome later = call({"receipt", "verify", t.receipt, "--workspace", workspace_});
    QVERIFY(later.exit == 1 && later.out.contains("Bob refused it since: a bug was found"));
    QCOMPARE(call({"receipt", "verify", t.receipt}).exit, 0);  // the file itself is what was signed
    QCOMPARE(call({"receipt", "show", t.id}).exit, 2);
    QCOMPARE(call({"withdraw", t.id}).exit, 2);  // a decision is taken back by somebody
    QCOMPARE(call({"withdraw", t.id, "--reviewer", "Bob", "--json"}).json()["state"].toString(), QString("accepted"));
    QVERIFY(call({"show", t.id}).out.contains("refused by Bob: a bug was found (withdrawn)"));
    QCOMPARE(call({"receipt", "show", t.id}).exit, 0);
    QCOMPARE(call({"withdraw", t.id, "--reviewer", "Bob", "--review", "999"}).exit, 2);
  }
};

QTEST_GUILESS_MAIN(CliReviewTest)
#include "review_test.moc"
