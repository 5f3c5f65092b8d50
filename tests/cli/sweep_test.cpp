// SPDX-License-Identifier: Apache-2.0
// A sweep that is interrupted or killed, and taken up again.
#include <QFile>
#include <QProcess>
#include <QtTest>
#include <csignal>
#include "scripted_cli.h"

using namespace ww::testing;

class CliSweepTest : public QObject, ScriptedCli {
  Q_OBJECT
  QString begun_, candidate_;

  QStringList sweep(const QString& sizes, const QStringList& more = {}) const {
    return QStringList{"explore", candidate_, "--generator", "manual", "--sweep", "N=" + sizes} + more;
  }
  // Starts it, and sends the signal once its first open candidate hangs.
  Outcome stopped(const QStringList& arguments, int signal) {
    QProcess p;
    p.setProcessEnvironment(environment());
    p.start(CLI_PROGRAM, arguments);
    if (!QTest::qWaitFor([&] { return QFile::exists(begun_); }, 30000)) qFatal("nothing began");
    ::kill(static_cast<pid_t>(p.processId()), signal);
    if (!p.waitForFinished(30000)) qFatal("it goes on");
    return {p.exitCode(), p.readAllStandardOutput(), p.readAllStandardError()};
  }
  QJsonArray runs() { return call({"list", "--json"}).json()["runs"].toArray(); }  // newest first
  static QList<int> run_ids(const Outcome& o) {
    QList<int> ids;
    for (const QJsonValue& v : o.json()["sweep"].toArray()) ids += v.toObject()["run"].toObject()["id"].toInt();
    return ids;
  }

 private slots:
  void init() {
    next_workspace();
    begun_ = dir_.filePath("begun" + QString::number(folders_));
    spec_file();
    candidate_ = write("wait.cu", "//@ spec scale.op\n" + QByteArray::fromStdString(ww::script::candidate(
                                                              "wait", "hang-unless " + begun_.toStdString())));
  }

  void interruptedAndTakenUp() {
    const Outcome first = stopped(sweep("8,16,32"), SIGINT);
    QCOMPARE(first.exit, 130);
    QVERIFY2(first.out.contains("The same command with '--resume 1' takes up this sweep."), first.out);
    QCOMPARE(runs().size(), 1);
    const Outcome second = call(sweep("8,16,32", {"--resume", "1", "--json"}));
    QVERIFY2(second.exit == 0, second.err);
    QCOMPARE(run_ids(second), (QList<int>{1, 2, 3}));
    QCOMPARE(second.json()["export"].toArray().size(), 8);  // export, three candidates, the folder, the form
    QCOMPARE(runs().size(), 3);
  }
  void killedInALaterRun() {
    write("begun" + QString::number(folders_), "");
    QCOMPARE(call(sweep("8")).exit, 0);
    QVERIFY(QFile::remove(begun_));
    stopped(sweep("8,16,32", {"--resume", "last"}), SIGKILL);
    QCOMPARE(runs().size(), 2);
    QCOMPARE(runs()[0].toObject()["state"].toString(), QString("interrupted"));
    const QString judged = runs()[1].toObject()["ended"].toString();
    const Outcome o = call(sweep("8,16,32", {"--resume", "last", "--json"}));
    QVERIFY2(o.exit == 0, o.err);
    QCOMPARE(run_ids(o), (QList<int>{1, 2, 3}));
    QCOMPARE(runs().last().toObject()["ended"].toString(), judged);  // what was done is not done again
    QCOMPARE(run_ids(call(sweep("8,16,32", {"--resume", "1", "--json"}))), (QList<int>{1, 2, 3}));
  }
  void whatIsNotOfTheSweepIsLeftAlone() {
    write("begun" + QString::number(folders_), "");
    QCOMPARE(call(sweep("16")).exit, 0);  // run 1, before it
    QCOMPARE(call(sweep("8")).exit, 0);   // run 2
    QCOMPARE(call({"explore", spec_file(), "--set", "N=16", "--generator", "scripted", "--budget", "1"}).exit, 0);
    const Outcome o = call(sweep("8,16", {"--resume", "last", "--json"}));
    QVERIFY2(o.exit == 0, o.err);
    QCOMPARE(run_ids(o), (QList<int>{2, 4}));
  }
  void anotherRunIsRefused_data() {
    QTest::addColumn<QString>("resume");
    for (const char* resume : {"1", "9", "never"}) QTest::newRow(resume) << resume;
  }
  void anotherRunIsRefused() {
    QFETCH(QString, resume);
    write("begun" + QString::number(folders_), "");
    QCOMPARE(call(sweep("64")).exit, 0);
    const Outcome o = call(sweep("8,16", {"--resume", resume}));
    QVERIFY2(o.exit == 2, o.err);
    QVERIFY(resume != "1" || o.err.contains("run 1 is another; this sweep begins with N = 8"));
    QCOMPARE(runs().size(), 1);
  }
};

QTEST_GUILESS_MAIN(CliSweepTest)
#include "sweep_test.moc"
