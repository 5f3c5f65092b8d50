// SPDX-License-Identifier: Apache-2.0
// JSON of a hundred thousand levels wherever a command reads some: each command ends by itself, with a sentence.
#include <QTemporaryDir>
#include <QtTest>
#include "../explore/script.h"
#include "../support/cli_call.h"
#include "base/files.h"
#include "store/sqlite.h"

using namespace ww;
using namespace ww::testing;

class DeepJsonTest : public QObject {
  Q_OBJECT
  QTemporaryDir dir_;
  static QByteArray deep(const char* open, const char* close) {
    return QByteArray(open).repeated(100'000) + "1" + QByteArray(close).repeated(100'000);
  }
  QProcessEnvironment environment() const {
    return environment_with({{"WARPWRIGHT_WORKER", SCRIPTED_WORKER},
                             {"WARPWRIGHT_PLUGINS", SCRIPTED_PLUGINS},
                             {"WARPWRIGHT_WORKSPACE", dir_.filePath("workspace")},
                             {"WARPWRIGHT_CACHE", dir_.filePath("cache")},
                             {"WARPWRIGHT_CONFIG", dir_.filePath("config")}});
  }
  Outcome call(const QStringList& arguments) { return call_cli(CLI_PROGRAM, arguments, environment()); }
  bool ends(const QStringList& arguments) {
    const Outcome o = call(arguments);
    if (o.exit < 0) qWarning("%s: %s", qPrintable(arguments.join(' ')), o.err.left(400).constData());
    return o.exit >= 0;
  }

 private slots:
  void initTestCase() {
    const QString spec = write_file(dir_.filePath("scale.op"), script::spec);
    QCOMPARE(call({"explore", spec, "--generator", "scripted", "--budget", "4", "--workers", "1"}).exit, 0);
  }
  void everyReaderEndsByItself_data() {
    QTest::addColumn<QString>("sql");
    const auto row = [](const char* name, const char* sql) { QTest::newRow(name) << sql; };
    row("environment", "INSERT INTO message(run, level, text, created) VALUES(1, 'environment', ?, '2026')");
    row("message", "INSERT INTO message(run, level, text, created) VALUES(1, 'info', ?, '2026')");
    row("verdict", "UPDATE verdict SET json = ?");
    row("options", "UPDATE run SET options = ?");
    row("resources", "UPDATE candidate SET resources = ?");
    row("measurement",
        "INSERT INTO measurement(op, candidate, kind, device, gpu, driver, json, created) SELECT 1, id, 'time', "
        "'cuda:0', "
        "'g', 'd', ?, '2026' FROM candidate");
    row("receipt",
        "INSERT INTO review(candidate, kind, reviewer, line, text, answers, receipt, created) SELECT id, 'accepted', "
        "'Eve', "
        "0, '', '{}', ?, '2026' FROM candidate");
    row("answers",
        "INSERT INTO review(candidate, kind, reviewer, line, text, answers, receipt, created) SELECT id, 'accepted', "
        "'Eve', "
        "0, '', ?, '', '2026' FROM candidate");
    row("exchange",
        "INSERT INTO exchange(run, role, label, model, provider, host, request, request_hash, prompt, state, reply, "
        "created) SELECT 1, 'writer', 'l', 'm', 'p', 'h', x, '', '', 'replied', x, '2026' FROM (SELECT ? AS x)");
  }
  void everyReaderEndsByItself() {
    QFETCH(QString, sql);
    const QString before = dir_.filePath("workspace/workspace.sqlite"), kept = dir_.filePath("kept.sqlite");
    QFile::remove(kept);
    {
      auto db = store::Database::open(before.toStdString(), store::Database::Access::write).value();
      QVERIFY(db->exec("VACUUM INTO '" + kept.toStdString() + "'"));
      for (const auto& [open, close] : {std::pair("[", "]"), std::pair("{\"a\":", "}")}) {
        store::Statement s = db->prepare(sql.toStdString());
        const Status done = s.bind(deep(open, close).toStdString()).run();
        QVERIFY2(done, done ? "" : done.error().text().c_str());
      }
    }
    for (const QStringList& arguments : {QStringList{"list", "candidates"},
                                         {"list", "candidates", "--json"},
                                         {"show", "1"},
                                         {"show", "1", "--json"},
                                         {"report", "last", "-o", dir_.filePath("report.html")},
                                         {"transcript", "last"},
                                         {"transcript", "last", "1"},
                                         {"transcript", "last", "1", "--json"},
                                         {"receipt", "show", "1"},
                                         {"receipt", "show", "1", "--json"},
                                         {"bundle", "export", dir_.filePath("deep.wwb")},
                                         {"explore", "--resume", "1"},
                                         {"accept", "1", "--reviewer", "Ada", "--json"}})
      QVERIFY(ends(arguments));
    for (const char* tail : {"", "-wal", "-shm"}) QFile::remove(before + tail);
    QVERIFY(QFile::copy(kept, before));
  }
  void files() {
    for (const auto& [open, close] : {std::pair("[", "]"), std::pair("{\"a\":", "}")}) {
      const QString file = write_file(dir_.filePath("deep.json"), deep(open, close));
      QCOMPARE(call({"receipt", "verify", file}).exit, 1);
      QCOMPARE(call({"receipt", "show", file}).exit, 1);
      QCOMPARE(call({"receipt", "countersign", file, "--reviewer", "Bob"}).exit, 1);
      QDir(dir_.path()).mkpath("config");
      write_file(dir_.filePath("config/models.json"), deep(open, close));
      QVERIFY(ends({"models"}));
      QFile::remove(dir_.filePath("config/models.json"));
      QCOMPARE(call({"note", "1", "whose workspace this is"}).exit, 0);  // a checklist that comes later is its own
      QDir(dir_.path()).mkpath("workspace/review");
      write_file(dir_.filePath("workspace/review/policy.json"), deep(open, close));
      const Outcome o = call({"accept", "1", "--reviewer", "Ada"});
      QVERIFY2(o.exit > 0 && o.err.contains("nested too deeply"), o.err.constData());
      QFile::remove(dir_.filePath("workspace/review/policy.json"));
    }
  }
};

QTEST_GUILESS_MAIN(DeepJsonTest)
#include "deep_json_test.moc"
