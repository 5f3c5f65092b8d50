// SPDX-License-Identifier: Apache-2.0
// The command line's streams and signals: what is lost, closed, too large or interrupted.
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QTemporaryDir>
#include <QtTest>
#include <csignal>
#include <fcntl.h>
#include <semaphore>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include "interrupt.h"
#include "scripted_cli.h"

using namespace ww::testing;

// Calls the program with a terminal as its stderr; returns what it wrote there.
static QByteArray on_terminal(const QStringList& arguments, const QProcessEnvironment& environment) {
  const int master = posix_openpt(O_RDWR | O_NOCTTY);
  if (master < 0 || grantpt(master) != 0 || unlockpt(master) != 0) return {};
  const char* const name = ptsname(master);
  const int slave = open(name, O_RDWR | O_NOCTTY);  // until the program has it
  QProcess p;
  p.setProcessEnvironment(environment);
  p.setStandardErrorFile(name);
  p.start(CLI_PROGRAM, arguments);
  const bool started = p.waitForStarted();
  close(slave);
  QByteArray shown;
  char part[4096];
  for (ssize_t n; started && (n = read(master, part, sizeof part)) > 0;) shown.append(part, n);
  p.waitForFinished();
  close(master);
  return shown;
}

class StreamsTest : public QObject, ScriptedCli {
  Q_OBJECT

 private slots:
  void init() { next_workspace(); }

  void outputThatIsLostIsAnError() {
    for (const QStringList& arguments : {QStringList{"spec", "softmax"}, {"spec", "softmax", "--json"}, {"--help"}}) {
      QProcess p;
      p.setProcessEnvironment(environment());
      p.setStandardOutputFile("/dev/full");
      p.start(CLI_PROGRAM, arguments);
      QVERIFY(p.waitForFinished(60000));
      QCOMPARE(p.exitCode(), 3);
      QVERIFY(p.readAllStandardError().contains("the output could not be written"));
    }
  }

  // A file that the program opens must not take the place of a stream that it was started without.
  void closedStreamsStayClosed() {
    const QTemporaryDir dir;
    const auto with = [&](const char* redirection, const QString& words) {
      return call_cli("bash", {"-c", "\"$1\" " + words + " " + redirection, "bash", CLI_PROGRAM}, environment());
    };
    const Outcome in = with("<&-", "check -");
    QVERIFY2(in.exit != 0 && in.err.contains("stdin is closed"), in.err);
    const Outcome out = with(">&-", "spec softmax");
    QVERIFY2(out.exit == 3 && out.err.contains("could not be written: Bad file descriptor"), out.err);
  }

  // The system ends a program at its limit by a signal, unless it asks for an error.
  void filesBeyondTheLimitAreAnError() {
    const QTemporaryDir dir;
    QProcess p;
    p.setProcessEnvironment(environment());
    p.start("bash", {"-c", "ulimit -f 8; exec \"$0\" \"$@\"", CLI_PROGRAM, "explore", spec_file(), "--generator",
                     "scripted", "--budget", "1", "--workspace", dir.filePath("small")});
    QVERIFY(p.waitForFinished(120000));
    QCOMPARE(p.exitStatus(), QProcess::NormalExit);
    QCOMPARE(p.exitCode(), 3);
  }

  void aTerminalShowsTheTimeLeft() {
    const QStringList explore{"explore", spec_file(), "--generator", "scripted", "--workers", "1", "--budget"};
    const QByteArray shown = on_terminal(explore + QStringList{"5"}, environment());
    QVERIFY2(shown.contains("[3/5, less than a minute left] ") && shown.contains("[4/5, less than a minute left] "),
             shown);
    QVERIFY2(shown.contains("[2/5] ") && !shown.contains("[2/5, "), shown);  // too early to tell
    const QByteArray resumed = on_terminal({"explore", "--resume", "last", "--budget", "7"}, environment());
    QVERIFY2(resumed.contains("[5/7] ") && resumed.contains("[6/7] "), resumed);
    QVERIFY(!call(explore + QStringList{"5"}).err.contains("left"));
  }

  void readsFromStdin() {
    const QString op = spec_file();
    const auto given = [&](const QStringList& arguments, const QByteArray& input) {
      return call_cli(CLI_PROGRAM, arguments, environment(), input);
    };
    const QByteArray good = QByteArray::fromStdString(ww::script::candidate("good", "accepted 7"));
    const Outcome judged = given({"check", "-", "--op", op, "--json"}, good);
    QVERIFY2(judged.exit == 0, judged.err);
    QCOMPARE(judged.json()["verdict"].toObject()["accepted"].toBool(), true);
    QCOMPARE(given({"check", "-", "--op", op}, "").exit, 1);
    QCOMPARE(given({"check", "-"}, "int x;").exit, 2);
    for (const QByteArray& text : {"//@ candidate relu\n" + good, QByteArray(ww::script::spec)}) {
      const Outcome marked = given({"explore", "-"}, "\xEF\xBB\xBF" + text);
      QVERIFY2(marked.exit == 2 && marked.err.contains("byte order mark"), marked.out + marked.err);
    }
    const Outcome large = given({"check", "-", "--op", op}, QByteArray(5 << 20, ' '));
    QVERIFY2(large.exit == 2 && large.err.contains("larger than"), large.err);
    const Outcome spec = given({"spec", "-", "--json"}, ww::script::spec);
    QCOMPARE(spec.json()["spec"].toObject()["name"].toString(), QString("scale"));
    QCOMPARE(given({"spec", "-", "--json"}, "relu of a 10x100 matrix\n").json()["understood"].toBool(), true);
    const Outcome run = given({"explore", "-", "--generator", "scripted", "--budget", "9", "--json"}, ww::script::spec);
    QVERIFY2(run.exit == 0, run.err);
    QCOMPARE(run.json()["run"].toObject()["op"].toString(), QString("scale"));
  }

  void theSecondInterruptEndsAtOnce() {
    const pid_t child = ::fork();
    if (child == 0) {
      const ww::cli::Interrupt interrupt("stopping\n");
      std::binary_semaphore stopped(0);
      const std::stop_callback on_stop(interrupt.token(), [&] { stopped.release(); });
      ::raise(SIGINT);
      stopped.acquire();
      ::raise(SIGINT);
      ::_exit(0);
    }
    int status = 0;
    QCOMPARE(::waitpid(child, &status, 0), child);
    QVERIFY(WIFEXITED(status));
    QCOMPARE(WEXITSTATUS(status), 130);
  }

  void anInterruptStopsCleanly() {
    spec_file();
    const QString file =
        write("hang.cu", "//@ spec scale.op\n" + QByteArray::fromStdString(ww::script::candidate(
                                                     "hang", "hang-unless " + dir_.filePath("marker").toStdString())));
    QProcess p;
    p.setProcessEnvironment(environment());
    p.start(CLI_PROGRAM, {"explore", file, "--generator", "manual", "--json"});
    QVERIFY(QTest::qWaitFor([&] { return QFile::exists(dir_.filePath("marker")); }, 30000));
    ::kill(static_cast<pid_t>(p.processId()), SIGINT);
    QVERIFY(p.waitForFinished(30000));
    QCOMPARE(p.exitStatus(), QProcess::NormalExit);
    QCOMPARE(p.exitCode(), 130);  // as of a program that is interrupted
    const QJsonObject stopped = QJsonDocument::fromJson(p.readAllStandardOutput()).object();
    const QJsonObject run = stopped["run"].toObject();
    QCOMPARE(run["state"].toString(), QString("cancelled"));
    QCOMPARE(stopped["why"].toString(), QString("stopped after 0 of 24 candidates"));
    QCOMPARE(run["judged"].toInt(), 0);
    const Outcome resumed = call({"explore", "--resume", "last", "--json"});
    QVERIFY2(resumed.exit == 0, resumed.err);
    QCOMPARE(resumed.json()["run"].toObject()["accepted"].toInt(), 1);
  }
};

QTEST_GUILESS_MAIN(StreamsTest)
#include "streams_test.moc"
