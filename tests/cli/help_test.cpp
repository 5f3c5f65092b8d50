// SPDX-License-Identifier: Apache-2.0
// What the command line says of itself: help, what is near a misspelt word, completions, the manual page, the schemas.
#include <QDir>
#include <QRegularExpression>
#include <QStandardPaths>
#include <QtTest>
#include "scripted_cli.h"

using namespace ww::testing;

class HelpTest : public QObject, ScriptedCli {
  Q_OBJECT

 private slots:
  void init() { next_workspace(); }

  void helpAndUsage() {
    const Outcome help = call({"--help"});
    QCOMPARE(help.exit, 0);
    for (const char* command :
         {"doctor",          "spec",       "explore",      "check",    "gate",     "list",   "show",      "diff",
          "report",          "time",       "profile",      "baseline", "compare",  "bundle", "formulate", "review",
          "models",          "transcript", "trajectories", "replay",   "campaign", "accept", "reject",    "note",
          "request-changes", "delete",     "withdraw",     "receipt",  "schema",   "keys",   "advise",    "mcp",
          "completions",     "man"})
      QVERIFY2(help.out.contains(command), command);
    QCOMPARE(call({"--version"}).exit, 0);
    const QByteArray explore = call({"explore", "--help"}).out;
    QVERIFY(explore.contains("Workspace: --workspace") && explore.contains("workspace's gate.json"));
    for (const char* alone : {"check", "gate", "schema"}) {  // which use none
      const QByteArray own = call({alone, "--help"}).out.toLower();
      QVERIFY2(own.contains("exit codes") && !own.contains("workspace:") && !own.contains("workspace's"), own);
    }
    for (const char* option : {"\n  --model ", "\n  --tokens ", "\n  --money ", "\n  --strategy "})
      QVERIFY2(explore.indexOf(option) > explore.indexOf("\nModels:"), option);
    QVERIFY(explore.indexOf("\n  --budget ") < explore.indexOf("\nModels:"));
    for (const QStringList& bad : {QStringList{},
                                   {"fly"},
                                   {"spec"},
                                   {"explore"},
                                   {"explore", "softmax", "--budget", "-1"},
                                   {"explore", "softmax", "--budget", "many"},
                                   {"explore", "softmax", "--minutes", "nan"},
                                   {"explore", "softmax", "--resume", "1"},
                                   {"check"},
                                   {"list", "cats"},
                                   {"profile", "1", "--set", "full"},
                                   {"show"},
                                   {"diff", "1"},
                                   {"report", "1"},
                                   {"spec", "x", "--flag"}}) {
      const Outcome o = call(bad);
      QVERIFY2(o.exit == 2, qPrintable(bad.join(' ') + ": " + QString::number(o.exit)));
      QVERIFY(!o.err.isEmpty());
      QVERIFY(o.out.isEmpty());
    }
  }

  void schemaPageIsCurrent() {
    const Outcome schema = call({"schema"});
    QCOMPARE(schema.exit, 0);
    QFile page(QStringLiteral(WW_SOURCE_DIR "/docs/json.md"));
    QVERIFY(page.open(QIODevice::ReadOnly));
    QVERIFY2(page.readAll() == schema.out,
             "docs/json.md differs from what the program says; 'warpwright-cli schema > docs/json.md' regenerates it");
    // A name in the type column is the heading of a table or of a paragraph.
    static const QRegularExpression type(
        QStringLiteral("^\\| `[^`]+`\\?? \\| (?:list of |object of )?([A-Z]{3,}(?: [A-Z]{3,})*)\\b"),
        QRegularExpression::MultilineOption);
    const QString text = QString::fromUtf8(schema.out);
    int named = 0;
    for (auto at = type.globalMatch(text); at.hasNext(); ++named) {
      const QString name = at.next().captured(1);
      QVERIFY2(text.contains("\n### " + name + '\n'), qPrintable(name));
    }
    QVERIFY(named > 0);
    QVERIFY(call({"schema", "--json"}).out.contains("\"markdown\""));
  }

  void whatIsNearIsSaid_data() {
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<QByteArray>("said");
    QTest::newRow("command") << QStringList{"explor", "softmax"}
                             << QByteArray("there is no command 'explor'; did you mean 'explore'?");
    QTest::newRow("option") << QStringList{"explore", "softmax", "--budjet", "3"}
                            << QByteArray("'explore' has no option '--budjet'; did you mean '--budget'?");
    QTest::newRow("option with a value") << QStringList{"spec", "softmax", "--jsno=1"}
                                         << QByteArray("'spec' has no option '--jsno'; did you mean '--json'?");
    QTest::newRow("command of a command")
        << QStringList{"models", "chek"} << QByteArray("'models' has no command 'chek'; did you mean 'check'?");
    QTest::newRow("nothing near") << QStringList{"fly"} << QByteArray("there is no command 'fly'\n");
    QTest::newRow("too much") << QStringList{"spec", "softmax", "softmax"}
                              << QByteArray("'spec' does not expect 'softmax'");
    QTest::newRow("a letter as a choice")
        << QStringList{"learn", "answer", "threads", "a"} << QByteArray("CHOICE takes a whole number, not 'a'");
    QTest::newRow("a word as a budget") << QStringList{"explore", "softmax", "--budget", "many"}
                                        << QByteArray("--budget takes a whole number, not 'many'");
    QTest::newRow("a word as minutes") << QStringList{"explore", "softmax", "--minutes", "ten"}
                                       << QByteArray("--minutes takes a number, not 'ten'");
    QTest::newRow("no folder") << QStringList{"list", "--workspace", ""} << QByteArray("--workspace: needs a folder");
    QTest::newRow("no architecture") << QStringList{"explore", "relu",        "--arch",
                                                    "foo",     "--workspace", dir_.filePath("untouched")}
                                     << QByteArray("--arch: 'foo' is not an architecture such as sm_80");
    QTest::newRow("no secret") << QStringList{"check", "k.cu", "--secret", ""}
                               << QByteArray("--secret: needs the 16 hexadecimal digits that a verdict shows");
    QTest::newRow("file in no folder") << QStringList{"explore",     "relu",
                                                      "--report",    dir_.filePath("none/r.html"),
                                                      "--workspace", dir_.filePath("untouched")}
                                       << QByteArray("--report: the folder '" + dir_.filePath("none").toUtf8() +
                                                     "' does not exist; create it, or name another file");
    QTest::newRow("folder as a file") << QStringList{"report", "1", "-o", dir_.path()}
                                      << QByteArray("'" + dir_.path().toUtf8() + "' is a folder; name a file");
  }
  void whatIsNearIsSaid() {
    QFETCH(QStringList, arguments);
    QFETCH(QByteArray, said);
    const Outcome o = call(arguments);
    QCOMPARE(o.exit, 2);
    QVERIFY2(o.err.contains(said), o.err);
    QVERIFY(o.out.isEmpty());
    const Outcome json = call(arguments + QStringList{"--json"});
    QCOMPARE(json.exit, 2);
    const QJsonObject answer = QJsonDocument::fromJson(json.out).object(), error = answer["error"].toObject();
    QVERIFY2(error["message"].toString().contains(QString::fromUtf8(said).trimmed()), json.out);
    QCOMPARE(error["code"].toString(), QString("invalid_argument"));
    QVERIFY(arguments.contains("--arch") || error["hint"] == QString("Run with --help for more information."));
    QVERIFY(answer["command"].isString());
    QVERIFY(!QDir(dir_.filePath("untouched")).exists() && !QDir(dir_.filePath("none")).exists());
  }

  void commandsStandInSections() {
    const QByteArray help = call({"--help"}).out;
    QVERIFY2(!help.contains("Subcommands:"), help);
    const auto stands_under = [&](const char* section, const char* command) {
      const qsizetype at = help.indexOf(QByteArray("\n") + section + ":\n");
      const qsizetype end = help.indexOf("\n\n", at), found = help.indexOf(QByteArray("\n  ") + command + " ", at);
      return at >= 0 && found > at && found < end;
    };
    for (const auto& [section, command] : {std::pair{"Begin", "learn"},
                                           {"Explore", "explore"},
                                           {"Judge and compare", "check"},
                                           {"Measure on a GPU", "time"},
                                           {"Review and sign", "accept"},
                                           {"Models and agents", "mcp"},
                                           {"Take elsewhere", "export"}})
      QVERIFY2(stands_under(section, command), command);
  }

  void nonsenseIsToldWhereTheOpsAre() {
    for (const QStringList& asked :
         {QStringList{"spec", "blorp the frobnicate"}, {"explore", "blorp the frobnicate"}}) {
      const Outcome o = call(asked);
      QVERIFY2((o.out + o.err).contains("'warpwright-cli list ops' lists all of them"), o.out + o.err);
    }
    const Outcome near = call({"explore", "softmaks"});
    QVERIFY2(near.err.contains("softmax") && !near.err.contains("list ops"), near.err);
  }

  void modelsHaveAGroupInTheHelp() {
    const QByteArray help = call({"explore", "--help"}).out;
    QVERIFY2(help.contains("\nModels:") && help.indexOf("--effort") > help.indexOf("\nModels:") &&
                 help.indexOf("--seeds") < help.indexOf("\nModels:"),
             help);
  }

  void completesInShells() {
    const QString file = write("complete.bash", call({"completions", "bash"}).out);
    QCOMPARE(call_cli("bash", {"-n", file}, environment()).exit, 0);
    const auto completed = [&](const QStringList& words) {  // the last is being written
      const QString script = "source " + file +
                             "; COMP_WORDS=(warpwright-cli \"$@\"); COMP_CWORD=$#; _warpwright_cli; " +
                             "printf '%s\\n' \"${COMPREPLY[@]}\"";
      return QString(call_cli("bash", QStringList{"-c", script, "bash"} + words, environment()).out)
          .split('\n', Qt::SkipEmptyParts);
    };
    QCOMPARE(completed({"expl"}), QStringList{"explore"});
    QVERIFY(completed({""}).contains("receipt"));
    QCOMPARE(completed({"explore", "--budg"}), QStringList{"--budget"});
    QCOMPARE(completed({"list", ""}), (QStringList{"runs", "candidates", "ops"}));
    QCOMPARE(completed({"receipt", "ver"}), QStringList{"verify"});
    QCOMPARE(completed({"receipt", "verify", "--workspa"}), QStringList{"--workspace"});
    QCOMPARE(completed({"list", "--format", "m"}), QStringList{"markdown"});
    QCOMPARE(completed({"check", dir_.filePath("complete.ba")}), QStringList{file});
    QVERIFY(completed({"fly", "--bu"}).isEmpty());
    for (const char* shell : {"zsh", "fish"}) {
      const Outcome o = call({"completions", shell});
      QVERIFY2(o.exit == 0 && o.out.contains("explore") && o.out.contains("budget"), shell);
      const QString script = write(QString("complete.") + shell, o.out);
      if (!QStandardPaths::findExecutable(shell).isEmpty())
        QCOMPARE(call_cli(shell, {"-n", script}, environment()).exit, 0);
    }
    QCOMPARE(call({"completions", "tcsh"}).exit, 2);
  }

  void hasAManualPage() {
    const Outcome page = call({"man"});
    QCOMPARE(page.exit, 0);
    for (const char* part :
         {".TH WARPWRIGHT\\-CLI 1", ".SS explore", ".SS receipt verify", "\\fB\\-\\-budget\\fR", ".SH \"EXIT STATUS\""})
      QVERIFY2(page.out.contains(part), part);
    const QString file = write("warpwright-cli.1", page.out);
    const Outcome shown = call_cli("groff", {"-man", "-Tutf8", "-ww", file}, environment());
    QVERIFY2(shown.exit == 0 && shown.err.isEmpty(), shown.err);
    QVERIFY(shown.out.contains("budget"));
  }
};

QTEST_GUILESS_MAIN(HelpTest)
#include "help_test.moc"
