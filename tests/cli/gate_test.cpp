// SPDX-License-Identifier: Apache-2.0
// `gate`, and failures that `check` writes as files, with a scripted worker.
#include <QJsonArray>
#include <QJsonObject>
#include <QtTest>
#include "scripted_cli.h"

using namespace ww::testing;

class CliGateTest : public QObject, ScriptedCli {
  Q_OBJECT

 private slots:
  void init() { next_workspace(); }

  void aFailureIsWrittenAsASmallCase() {
    const QString op = spec_file();
    const QString bad = write("wrong.cu", QByteArray::fromStdString(ww::script::candidate("bad", "rejected")));
    const QString file = dir_.filePath("case.json");
    const Outcome written = call({"check", bad, "--op", op, "--repro", file, "--json"});
    QVERIFY2(written.exit == 1, written.err);
    const QJsonObject one = written.json()["repro"].toObject()["one"].toObject();
    QCOMPARE(one["binding"].toObject()["symbols"].toObject()["N"].toInt(), 3);
    QCOMPARE(one["distribution"].toString(), QString("ramp"));
    const Outcome again = call({"check", file});
    QCOMPARE(again.exit, 1);
    QVERIFY2(again.out.startsWith("Fails as before") && again.out.contains("y[0] is 7, expected 6"), again.out);
    QVERIFY(is_ours(call({"check", file, "--json"}).json(), "check"));
    QFile mended(file);
    QVERIFY(mended.open(QIODevice::ReadWrite));
    const QByteArray right = mended.readAll().replace("\"N\": 3", "\"N\": 2");
    const Outcome now = call({"check", write("right.json", right)});
    QVERIFY2(now.exit == 0 && now.out.startsWith("Passes now"), now.out + now.err);

    const QByteArray whole = "// right alone\n" + QByteArray::fromStdString(ww::script::candidate("whole", "rejected"));
    const Outcome judged = call({"check", write("whole.cu", whole), "--op", op, "--repro", file});
    QVERIFY2(judged.out.contains("no single case reproduces it"), judged.out);
    QCOMPARE(call({"check", file}).exit, 1);

    const QString good = write("right.cu", QByteArray::fromStdString(ww::script::candidate("good", "accepted 7")));
    const QString none = dir_.filePath("none.json");
    const Outcome nothing = call({"check", good, "--op", op, "--repro", none});
    QVERIFY2(nothing.exit == 0 && nothing.out.contains("Nothing to reproduce"), nothing.out);
    QVERIFY(!QFile::exists(none));
    QCOMPARE(call({"check", write("other.json", "{}")}).exit, 2);
    QCOMPARE(call({"check", file, "--set", "N=4"}).exit, 2);
  }

  void theGateIsExplainedAndTried() {
    const Outcome all = call({"gate", "--explain"});
    QVERIFY2(all.exit == 0, all.err);
    QVERIFY(all.out.indexOf("contract") < all.out.indexOf("determinism") && all.out.contains("stale or unwritten"));
    QVERIFY(is_ours(call({"gate", "--explain", "--json"}).json(), "gate"));
    QCOMPARE(call({"gate", "--explain", "races", "--json"}).json()["kinds"].toArray().size(), 1);
    const Outcome op = call({"gate", "--explain", spec_file(), "--json"});
    QVERIFY2(op.json()["cases"].toArray().size() > 5 && op.json()["inputs"].toArray().size() > 5, op.out + op.err);
    const QByteArray some = "//@ require N != 33\n";
    const QByteArray kernel = QByteArray::fromStdString(ww::script::candidate("c", "accepted 7"));
    QByteArray limited = kernel;
    limited.insert(limited.indexOf("//@ launch"), some);
    const Outcome claimed = call({"gate", "--explain", write("c.cu", "//@ spec scale.op\n" + limited)});
    QVERIFY2(claimed.out.contains("Holes in the claim\n  N == 33"), claimed.out + claimed.err);
    QCOMPARE(call({"gate", "--explain", "flurble"}).exit, 2);
    QCOMPARE(call({"gate"}).exit, 2);
    QCOMPARE(call({"gate", "--self-test", "--explain"}).exit, 2);
    QCOMPARE(call({"gate", "--self-test", "--kind", "flurble"}).exit, 2);
    QCOMPARE(call({"gate", "--self-test", "--secret", "xyz"}).exit, 2);
    // A kind without kernels says so.
    const QByteArray without = "--self-test has no kernels of this kind";
    QVERIFY(all.out.count(without) < all.out.count("Countered by: "));
    for (const QJsonValue& k : call({"gate", "--explain", "--json"}).json()["kinds"].toArray()) {
      const QString kind = k.toObject()["name"].toString();
      const bool tried = !call({"gate", "--self-test", "--kind", kind, "--limit", "1"}).err.contains("are kept");
      QCOMPARE(call({"gate", "--explain", kind}).out.contains(without), !tried);
    }
    // The scripted worker rejects all: right of wrong kernels, wrong of honest ones.
    const Outcome wrong = call({"gate", "--self-test", "--kind", "races", "--limit", "2", "--json"});
    QVERIFY2(wrong.exit == 0, wrong.out + wrong.err);
    QCOMPARE(wrong.json()["kernels"].toArray().size(), 2);
    const Outcome honest = call({"gate", "--self-test", "--kind", "moves", "--limit", "1"});
    QVERIFY2(honest.exit == 1 && honest.out.contains("Honest, not proved: "), honest.out + honest.err);
  }
};

QTEST_APPLESS_MAIN(CliGateTest)
#include "gate_test.moc"
