// SPDX-License-Identifier: Apache-2.0
// Solutions judged by KernelBench's own evaluation, with stand-ins for PyTorch and for KernelBench: verdicts, scores,
// what is run, and what remains when a judgement crashes or is cut off.
#include <QDir>
#include <QDirIterator>
#include <QFile>
#include <QJsonArray>
#include <QProcess>
#include <QTemporaryDir>
#include <QtTest>
#include <csignal>
#include "base/hash.h"
#include "importer/task_comparison.h"
#include "importer/task_report.h"
#include "support/cli_call.h"

using namespace ww;
using namespace ww::testing;
using importer::Judged;
using importer::Judgement;
using importer::TaskRecord;

namespace {

TaskRecord judged_record(int number, Judged outcome, std::optional<double> kernel, std::optional<double> eager,
                         std::optional<double> compile) {
  TaskRecord r;
  r.level = 1, r.number = number, r.name = "T" + std::to_string(number), r.hash = "h" + std::to_string(number);
  r.spec = importer::SpecOutcome::equal;
  r.outcome = importer::TaskOutcome::correct;
  r.judged = Judgement();
  r.judged->outcome = outcome;
  r.judged->by_kernel = true;
  r.judged->kernel_ms = kernel, r.judged->eager_ms = eager, r.judged->compile_ms = compile;
  r.judged->gpu = "A";
  return r;
}

}  // namespace

class JudgingTest : public QObject {
  Q_OBJECT
  QTemporaryDir dir_;
  int number_ = 0;
  QString bench_, out_;

  QString answer(const QString& name, QJsonObject judged) const {
    judged["name"] = name;
    return QJsonDocument(QJsonObject{{"judged", judged}}).toJson(QJsonDocument::Compact);
  }
  // A task with a solution, as an exploration leaves them.
  void add(int number, const QJsonObject& judged, bool by_kernel = true) {
    const QString name = QString("Task%1").arg(number);
    const QByteArray text = "# " + answer(name, judged).toUtf8() +
                            "\nclass Model:\n    def to(self, device):\n        return self\n\n"
                            "    def __call__(self, *inputs):\n        return inputs\n\n\n"
                            "def get_inputs():\n    return [1]\n\n\ndef get_init_inputs():\n    return []\n";
    write_file(bench_ + QString("/KernelBench/level1/%1_%2.py").arg(number).arg(name), text);
    TaskRecord r;
    r.level = 1, r.number = number, r.name = name.toStdString(), r.hash = hash_hex(text.toStdString());
    r.spec = importer::SpecOutcome::equal;
    r.outcome = importer::TaskOutcome::correct;
    r.solution = "solution_" + std::to_string(number) + ".py";
    write_file(out_ + "/" + QString::fromStdString(r.solution),
               text +
                   "\n\nclass ModelNew(Model):\n    pass\n\n\nclass _WARPWRIGHT:\n    @staticmethod\n    def known():\n"
                   "        return " +
                   (by_kernel ? "{1: 2}" : "{}") + "\n");
    put(r);
  }
  void put(const TaskRecord& record) {
    auto records = importer::TaskRecords::open(out_.toStdString());
    QVERIFY(records && records->put(record));
  }
  QStringList arguments(const QStringList& more = {}) const {
    return QStringList{"kernelbench", bench_, "-o", out_, "--judge-only", "--device", "cuda:0", "--json"} + more;
  }
  QProcessEnvironment environment() const {
    return environment_with(
        {{"WARPWRIGHT_CONFIG", dir_.filePath("config")}, {"WARPWRIGHT_CACHE", dir_.filePath("cache")}});
  }
  Outcome call(const QStringList& arguments) { return call_cli(CLI_PROGRAM, arguments, environment()); }
  QStringList evaluated() const {
    return QString(read_file(bench_ + "/evaluated.txt")).split('\n', Qt::SkipEmptyParts);
  }
  static QJsonObject judged(const Outcome& o, int task) {
    return o.json()["tasks"].toArray()[task].toObject()["judged"].toObject();
  }

 private slots:
  void initTestCase() {
    QVERIFY(dir_.isValid());
    qputenv("WARPWRIGHT_PYTHON", STANDIN_PYTHON);
  }
  void init() {
    ++number_;
    bench_ = dir_.filePath(QString("bench%1").arg(number_));
    out_ = dir_.filePath(QString("out%1").arg(number_));
    QDir().mkpath(out_);
    QDir().mkpath(bench_ + "/KernelBench/level1");
    QDir().mkpath(bench_ + "/src/kernelbench");
    const QString standin = KERNELBENCH_STANDIN "/src/kernelbench/";
    for (const QString& file : QDir(standin).entryList({"*.py"}))
      QVERIFY(QFile::copy(standin + file, bench_ + "/src/kernelbench/" + file));
  }

  void verdictsAndScores() {
    add(1, {{"correct", true}, {"kernel", 2.0}, {"eager", 4.2}, {"compile", 2.2}});
    add(2, {{"correct", false}, {"eager", 1.0}, {"metadata", QJsonObject{{"max_difference", "0.5"}}}});
    add(3, {{"raise", "it has integers"}});
    add(4, {{"correct", true}, {"kernel", 8.0}, {"eager", 4.0}}, false);
    TaskRecord none;
    none.level = 1, none.number = 5, none.name = "None", none.spec = importer::SpecOutcome::equal;
    none.outcome = importer::TaskOutcome::none_accepted;
    none.why_not = "the time is used up";
    put(none);
    const Outcome o = call(arguments({"--yes", "--correct-trials", "3", "--perf-trials", "7"}));
    QVERIFY2(o.exit == 1, o.err + o.out);
    QCOMPARE(evaluated(),
             QStringList({"Task1 3 7 cuda:0", "Task2 3 7 cuda:0", "Task3 3 7 cuda:0", "Task4 3 7 cuda:0"}));
    QCOMPARE(judged(o, 0)["outcome"].toString(), QString("correct"));
    QCOMPARE(judged(o, 0)["compile_ms"].toDouble(), 2.2);
    QCOMPARE(judged(o, 0)["gpu"].toString(), QString("Stand-in cuda:0"));
    QCOMPARE(judged(o, 1)["outcome"].toString(), QString("incorrect"));
    QVERIFY(judged(o, 1)["why"].toString().contains("max_difference: 0.5") && judged(o, 1)["kernel_ms"].isNull());
    QCOMPARE(judged(o, 2)["outcome"].toString(), QString("not evaluated"));
    QVERIFY(judged(o, 2)["why"].toString().contains("it has integers"));
    QCOMPARE(judged(o, 3)["by_kernel"], QJsonValue(false));
    QVERIFY(judged(o, 3)["compile_ms"].isNull());
    const QJsonObject level = o.json()["levels"].toArray()[0].toObject();
    QCOMPARE(level["judged"].toInt(), 3);
    QCOMPARE(level["correct"].toInt(), 2);
    QCOMPARE(level["by_kernel"].toInt(), 1);
    const QByteArray report = read_file(out_ + "/report.md");
    QVERIFY2(report.contains("| 1 | 3 | 2 | 1 | eager | 3 | 2 | 1 | 1 | 1 | 1.025 |"), report);
    QVERIFY2(report.contains("| 1 | 3 | 2 | 1 | compile | 2 | 1 | 1 | 0 | 0 | 1.100 |"), report);
    QVERIFY(report.contains("| 1 | 3 | Task3 | KernelBench cannot evaluate it: RuntimeError: it has integers |"));
    QVERIFY(report.contains("| 1 | 5 | None | no solution: the time is used up |"));
    QVERIFY(report.contains("correct, by the module itself"));
  }

  // A crash is tried again, everything else is kept; a solution that has changed is judged anew.
  void whatIsJudgedIsKept() {
    const QString flag = dir_.filePath("crashed");
    add(1, {{"correct", true}, {"kernel", 1.0}, {"eager", 1.0}});
    add(2, {{"crash_once", flag}, {"correct", true}, {"kernel", 1.0}, {"eager", 1.0}});
    add(3, {{"raise", "no"}});
    const Outcome first = call(arguments({"--yes"}));
    QCOMPARE(first.exit, 1);
    QCOMPARE(judged(first, 1)["outcome"].toString(), QString("failed"));
    QCOMPARE(judged(first, 2)["outcome"].toString(), QString("not evaluated"));
    const Outcome second = call(arguments());
    QVERIFY2(second.exit == 0, second.err + second.out);
    QCOMPARE(judged(second, 1)["outcome"].toString(), QString("correct"));
    QCOMPARE(evaluated().size(), 4);
    write_file(out_ + "/solution_1.py", read_file(out_ + "/solution_1.py") + "# changed\n");
    QVERIFY(call(arguments()).json()["error"].toObject()["code"].toString() == "denied");
    QCOMPARE(call(arguments({"--yes"})).exit, 0);
    QCOMPARE(evaluated().size(), 5);
  }

  void cutOff() {
    const QString flag = dir_.filePath("held");
    add(1, {{"correct", true}, {"kernel", 1.0}, {"eager", 1.0}});
    add(2, {{"hold", flag}});
    QProcess p;
    p.setProcessEnvironment(environment());
    p.start(CLI_PROGRAM, arguments({"--yes"}));
    QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(flag), 60000);
    QCOMPARE(::kill(static_cast<pid_t>(p.processId()), SIGINT), 0);
    QVERIFY(p.waitForFinished(60000));
    QCOMPARE(p.exitCode(), 130);
    const auto records = importer::TaskRecords::open(out_.toStdString());
    QVERIFY(records);
    QCOMPARE(records->all()[0].judged->outcome, Judged::correct);
    QVERIFY(!records->all()[1].judged && records->all()[1].solution == "solution_2.py");
  }

  // Nothing of the repository, of the tasks or of the solutions is run unasked; each may have changed since.
  void filesAreAskedFor() {
    add(1, {{"correct", true}, {"kernel", 1.0}, {"eager", 1.0}});
    QCOMPARE(call(arguments()).json()["error"].toObject()["code"].toString(), QString("denied"));
    QVERIFY(evaluated().isEmpty());
    QCOMPARE(call(arguments({"--yes"})).exit, 0);
    const QString file = bench_ + "/src/kernelbench/timing.py";
    write_file(file, read_file(file) + "\n");
    QCOMPARE(call(arguments()).json()["error"].toObject()["code"].toString(), QString("denied"));
  }

  void whatCannotJudge() {
    add(1, {{"correct", true}});
    QCOMPARE(call({"kernelbench", bench_, "-o", out_, "--judge-only", "--yes"}).exit, 2);  // on the SIMT machine
    QCOMPARE(call(arguments({"--yes", "--import-only"})).exit, 2);
    write_file(bench_ + "/src/kernelbench/timing.py", "import a_package_that_is_missing\n");
    const Outcome o = call(arguments({"--yes"}));
    QVERIFY(o.exit != 0);
    QVERIFY2(o.json()["error"].toObject()["cause"].toString().contains("a_package_that_is_missing"), o.out);
    QVERIFY(QFile::remove(bench_ + "/src/kernelbench/timing.py"));
    QCOMPARE(call(arguments({"--yes"})).exit, 2);
    QCOMPARE(call({"kernelbench", "--yes"}).exit, 2);
    QVERIFY(evaluated().isEmpty());
  }

  // Incorrect solutions count against the scores; times that are not known count for nothing.
  void scores() {
    const auto counts = importer::counts_of(
        {judged_record(1, Judged::correct, 1, 4, 1.2), judged_record(2, Judged::correct, 4, 1, {}),
         judged_record(3, Judged::correct, 0, 1, 1), judged_record(4, Judged::incorrect, {}, {}, {}),
         judged_record(5, Judged::not_evaluated, {}, 1, 1), judged_record(6, Judged::unknown, {}, {}, {})});
    QCOMPARE(counts.size(), std::size_t{1});
    QCOMPARE(counts[0].judged, 4);
    QCOMPARE(counts[0].correct, 3);
    const importer::Scores &eager = counts[0].eager, &compile = counts[0].compile;
    QCOMPARE((std::vector{eager.of, eager.fast_0, eager.fast_1, eager.fast_1_5, eager.fast_2}),
             (std::vector{3, 2, 1, 1, 1}));
    QCOMPARE(*eager.geometric_mean, 1.0);
    QCOMPARE((std::vector{compile.of, compile.fast_0, compile.fast_1, compile.fast_1_5}), (std::vector{2, 1, 1, 0}));
    QVERIFY(!importer::counts_of({judged_record(1, Judged::incorrect, {}, {}, {})})[0].eager.geometric_mean);
  }

  void strategies() {
    const QString other = dir_.filePath("other");
    QDir().mkpath(other);
    const auto fill = [](const QString& folder, const char* strategy, std::vector<TaskRecord> list) {
      auto records = importer::TaskRecords::open(folder.toStdString());
      for (TaskRecord& r : list) {
        r.exploration = importer::Exploration{"model", {strategy}, "a:b", "cuda:0", 24, 0};
        QVERIFY(records->put(r));
      }
    };
    fill(out_, "beam", {judged_record(1, Judged::correct, 1, 4, 2), judged_record(2, Judged::correct, 2, 2, 2)});
    fill(other, "evolve", {judged_record(1, Judged::correct, 2, 4, 2), judged_record(3, Judged::incorrect, {}, 2, 2)});
    const Outcome o = call({"kernelbench", "--compare", out_, other, "--json"});
    QVERIFY2(o.exit == 0, o.err + o.out);
    const QJsonArray results = o.json()["results"].toArray(), tasks = o.json()["tasks"].toArray();
    QCOMPARE(results[0].toObject()["strategy"].toString(), QString("beam, a:b"));
    QCOMPARE(results[1].toObject()["shared"].toObject()["tasks"].toInt(), 1);
    QCOMPARE(results[1].toObject()["shared"].toObject()["eager"].toObject()["geometric_mean"].toDouble(), 2.0);
    QCOMPARE(tasks.size(), 3);
    QCOMPARE(tasks[0].toObject()["fastest"].toInt(-1), 0);
    QVERIFY(tasks[1].toObject()["fastest"].isNull());
    const QByteArray page = call({"kernelbench", "--compare", out_, other, "--format", "markdown"}).out;
    QVERIFY2(page.contains("| 1 | 1 | T1 | 1 | 2 | 1 |") &&
                 page.contains("| 1 | 3 | T3 | unexplored | incorrect | - |"),
             page);
    QVERIFY(call({"kernelbench", "--compare", out_, other}).out.contains("On the 1 task judged in every folder"));

    TaskRecord elsewhere = judged_record(1, Judged::correct, 0.1, 4, 2);
    elsewhere.judged->gpu = "B";
    fill(other, "evolve", {elsewhere});
    const Outcome unlike = call({"kernelbench", "--compare", out_, other, "--json"});
    QVERIFY(unlike.json()["tasks"].toArray()[0].toObject()["fastest"].isNull());
    QVERIFY(call({"kernelbench", "--compare", out_, other}).out.contains("Judged on several GPUs (A; B)"));
    QCOMPARE(call({"kernelbench", "--compare", out_}).exit, 2);
    QCOMPARE(call({"kernelbench", "--compare", out_, dir_.path()}).exit, 2);
  }
};

QTEST_GUILESS_MAIN(JudgingTest)
#include "judging_test.moc"
