// SPDX-License-Identifier: Apache-2.0
// The measuring commands and bundles end to end, as their own process, with a stand-in for a worker that has a GPU and
// one for PyTorch.
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QTemporaryDir>
#include <QtTest>
#include <cmath>
#include "support/cli_call.h"

namespace {

constexpr const char* spec = "op scale(x: f32[N]) -> y: f32[N]\n  default N = 100000\n{\n  y[i] = 2 * x[i]\n}\n";

QByteArray kernel(const QByteArray& words) {
  return "//@ candidate scale\n//@ tune BLOCK = 128 | 256\n//@ launch k grid(ceildiv(N, BLOCK)) block(BLOCK) args(x, "
         "y, N)\n// " +
         words + "\nextern \"C\" __global__ void k(const float* x, float* y, int n) {}\n";
}

}  // namespace

using namespace ww::testing;

class CliMeasureTest : public QObject {
  Q_OBJECT
  QTemporaryDir dir_;
  int folders_ = 0;
  QString workspace_, python_, torch_, log_, worker_;

  Outcome call(const QStringList& arguments) {
    return call_cli(CLI_PROGRAM, arguments,
                    environment_with({{"WARPWRIGHT_WORKER", worker_},
                                      {"WARPWRIGHT_PLUGINS", CLI_PLUGINS},
                                      {"WARPWRIGHT_WORKSPACE", workspace_},
                                      {"WARPWRIGHT_CACHE", dir_.filePath("cache")},
                                      {"WARPWRIGHT_PYTHON", python_},
                                      {"WARPWRIGHT_STANDIN_TORCH", torch_},
                                      {"WARPWRIGHT_STANDIN_TORCH_LOG", log_}}));
  }
  QString write(const QString& name, const QByteArray& content) { return write_file(dir_.filePath(name), content); }
  static QJsonObject named(const QJsonArray& list, const QString& name) {
    for (const QJsonValue& v : list)
      if (v.toObject()["name"].toString() == name) return v.toObject();
    return {};
  }

 private slots:
  void init() {
    workspace_ = dir_.filePath("w" + QString::number(++folders_));
    worker_ = STANDIN_WORKER;
    python_ = STANDIN_WORKER;
    torch_ = "good";
    log_ = dir_.filePath("prepared.json");
  }

  void usage() {
    for (const QStringList& bad : {QStringList{"time"},
                                   {"profile"},
                                   {"baseline"},
                                   {"compare", "a.cu"},
                                   {"bundle"},
                                   {"bundle", "fly"},
                                   {"bundle", "import"},
                                   {"time", "a.cu", "--rounds", "0"},
                                   {"time", "a.cu", "--samples", "many"},
                                   {"time", "missing.cu"},
                                   {"time", "12"},
                                   {"baseline", "flurble the wug"},
                                   {"bundle", "import", "/nowhere.wwb"}}) {
      const Outcome o = call(bad);
      QVERIFY2(o.exit == 2, qPrintable(bad.join(' ') + ": " + QString::number(o.exit) + o.err));
      QVERIFY(!o.err.isEmpty() && o.out.isEmpty());
    }
    const QString op = write("scale.op", spec), file = write("a.cu", kernel("us=10"));
    QCOMPARE(call({"time", file, "--op", op, "--set", "Q=3"}).exit, 2);
    QCOMPARE(call({"time", file, "--op", "flurble"}).exit, 2);
    QCOMPARE(call({"time", op, "--op", op}).exit, 2);
    QVERIFY(!QFile::exists(workspace_));
  }

  void noGpuIsSaidBeforeAnythingIsMade() {
    const QString op = write("scale.op", spec), file = write("a.cu", kernel("us=10"));
    worker_ = REAL_WORKER;
    for (const QStringList& command : {QStringList{"time", file, "--op", op},
                                       {"profile", file, "--op", op},
                                       {"compare", file, file, "--op", op},
                                       {"baseline", op},
                                       {"baseline", op, file}}) {
      const Outcome o = call(QStringList(command) << "--device"
                                                  << "cuda:77");  // not there on any machine of ours
      QVERIFY2(o.exit == 3, qPrintable(command.join(' ') + o.err));
      QVERIFY2(o.err.contains("CUDA") || o.err.contains("cuda"), o.err);
      const QJsonObject j = call(QStringList(command) << "--device"
                                                      << "cuda:77"
                                                      << "--json")
                                .json();
      QVERIFY(is_ours(j, command[0]) && has_members(j["error"].toObject(), {"code", "message", "cause"}));
      const Outcome simt = call(QStringList(command) << "--device"
                                                     << "simt");
      QVERIFY(simt.exit == 3 && simt.err.contains("SIMT"));
    }
    QVERIFY(!QFile::exists(workspace_));
  }

  void times() {
    const QString op = write("scale.op", spec), file = write("a.cu", kernel("us=10"));
    const Outcome o = call({"time", file, "--op", op, "--set", "N=1000000", "--json"});
    QVERIFY2(o.exit == 0, o.err);
    const QJsonObject j = o.json();
    QVERIFY(is_ours(j, "time"));
    QVERIFY(has_members(j, {"case", "candidate", "failure", "verified", "note", "timings", "roofline", "device",
                            "ceilings", "raw", "stored"}));
    QCOMPARE(j["case"].toObject()["symbols"].toObject()["N"].toInt(), 1000000);
    QCOMPARE(j["candidate"].toObject()["tuning"].toString(), QString("BLOCK = 128"));
    QVERIFY(j["verified"].toBool());
    const QJsonObject cold = j["timings"].toArray()[0].toObject(), warm = j["timings"].toArray()[1].toObject();
    QVERIFY(has_members(cold, {"subject", "cache", "provenance", "samples", "median_us", "q1_us", "q3_us", "least_us",
                               "most_us", "floor_us", "fraction", "bandwidth", "rate", "impossible", "sm_mhz",
                               "throttle", "note"}));
    QCOMPARE(cold["samples"].toInt(), 50);
    QVERIFY(std::fabs(cold["median_us"].toDouble() - 15.03) < 0.02 &&
            std::fabs(warm["median_us"].toDouble() - 10.02) < 0.02);
    QVERIFY(std::fabs(cold["floor_us"].toDouble() - 8) < 0.01);  // 8 MB at 1 TB/s
    QVERIFY(std::fabs(cold["fraction"].toDouble() - 8 / 15.03) < 0.01);
    QVERIFY(cold["impossible"].isNull());
    QCOMPARE(j["raw"].toArray()[0].toObject()["samples"].toArray().size(), 50);
    QCOMPARE(j["roofline"].toObject()["provenance"].toString(), QString("modelled"));

    const Outcome text = call({"time", file, "--op", op, "--set", "N=1000000"});
    for (const char* part : {"Stand-in GPU (cuda:0, driver 123.45)", "cold", "warm", "15.03", "were verified",
                             "nothing", "Floor", "datasheet"})
      QVERIFY2(text.out.contains(part), text.out);
    const Outcome fast = call({"time", write("fast.cu", kernel("us=0.5")), "--op", op, "--set", "N=10000000"});
    QVERIFY2(fast.out.contains("impossible"), fast.out);

    const Outcome fails = call({"time", write("fails.cu", kernel("fails")), "--op", op, "--json"});
    QCOMPARE(fails.exit, 1);
    QVERIFY(fails.json()["failure"].toString().contains("out of bounds") && fails.json()["stored"].toArray().isEmpty());
    QCOMPARE(call({"time", write("crash.cu", kernel("crash")), "--op", op}).exit, 3);
    QCOMPARE(call({"time", write("broken.cu", "no candidate"), "--op", op}).exit, 2);
  }

  // What is measured is kept under its candidate; one that the workspace does not hold gets a run of its own, once.
  void measurementsAreKept() {
    const QString op = write("scale.op", spec), file = write("a.cu", kernel("us=10"));
    const QJsonObject first = call({"time", file, "--op", op, "--json"}).json()["stored"].toArray()[0].toObject();
    QCOMPARE(first["run"].toInt(), 1);
    const QString candidate = QString::number(first["candidate"].toInt());
    const QJsonObject again = call({"profile", file, "--op", op, "--json"}).json()["stored"].toArray()[0].toObject();
    QVERIFY(again["candidate"] == first["candidate"] && again["measurement"].toInt() == 2);
    const QJsonObject run = call({"list", "--json"}).json()["runs"].toArray()[0].toObject();
    QVERIFY(run["generator"].toString() == "manual" && run["state"].toString() == "done" &&
            run["device"].toString() == "cuda:0" && run["judged"].toInt() == 0);
    const QJsonObject shown = call({"show", candidate, "--json"}).json();
    QCOMPARE(shown["measurements"].toArray().size(), 2);
    const QJsonObject measured = shown["measurements"].toArray()[1].toObject();
    QVERIFY(has_members(measured, {"id", "kind", "device", "gpu", "driver", "created", "content"}));
    QVERIFY(measured["kind"].toString() == "time" && measured["driver"].toString() == "123.45" &&
            measured["content"].toObject()["subjects"].toArray()[0].toObject()["timings"].toArray().size() == 2);
    const QByteArray text = call({"show", candidate}).out;
    QVERIFY2(text.contains("Measured") && text.contains("Stand-in GPU"), text);
    // By number and by hash, with the case of its run.
    const QJsonObject by_number = call({"time", candidate, "--json"}).json();
    QCOMPARE(by_number["stored"].toArray()[0].toObject()["candidate"].toInt(), candidate.toInt());
    QCOMPARE(by_number["case"].toObject()["symbols"].toObject()["N"].toInt(), 100000);
    QCOMPARE(call({"time", shown["candidate"].toObject()["hash"].toString().left(9), "--json"}).exit, 0);
    QCOMPARE(call({"time", "999"}).exit, 2);
    QCOMPARE(call({"show", candidate, "--json"}).json()["measurements"].toArray().size(), 4);
  }

  void compares() {
    const QString op = write("scale.op", spec), slow = write("slow.cu", kernel("us=20")),
                  fast = write("fast.cu", kernel("us=10"));
    const QJsonObject j = call({"compare", fast, slow, "--op", op, "--json"}).json();
    QVERIFY(is_ours(j, "compare"));
    QVERIFY(has_members(j, {"case", "first", "second", "failures", "ratios", "verified", "timings", "roofline",
                            "device", "ceilings", "raw", "stored"}));
    QCOMPARE(j["ratios"].toArray().size(), 2);
    const QJsonObject r = j["ratios"].toArray()[0].toObject();
    QVERIFY(has_members(r, {"cache", "ratio", "low", "high", "call", "why", "rounds"}));
    QVERIFY(std::fabs(r["ratio"].toDouble() - 0.5) < 0.01 && r["call"].toString() == "faster");
    QCOMPARE(j["stored"].toArray().size(), 2);
    QVERIFY(call({"compare", slow, fast, "--op", op}).out.contains("slower"));
    const Outcome same = call({"compare", fast, fast, "--op", op});
    QVERIFY(same.exit == 0 && same.out.contains("within noise") && same.out.contains("(second)"));
    const Outcome fails = call({"compare", fast, write("fails.cu", kernel("fails")), "--op", op});
    QVERIFY(fails.exit == 1 && fails.out.contains("fails.cu was not timed: it writes out of bounds"));
  }

  void profiles() {
    const QString op = write("scale.op", spec), file = write("a.cu", kernel("us=10"));
    const Outcome o = call({"profile", file, "--op", op, "--counters", "full", "--set", "N=4096", "--json"});
    QVERIFY2(o.exit == 0, o.err);
    const QJsonObject j = o.json();
    QVERIFY(is_ours(j, "profile"));
    QVERIFY(has_members(j, {"case", "candidate", "provenance", "counters", "profile", "timings", "occupancy",
                            "roofline", "device", "ceilings", "failure", "raw", "stored"}));
    QCOMPARE(j["counters"].toObject()["set"].toString(), QString("full"));
    QCOMPARE(j["case"].toObject()["symbols"].toObject()["N"].toInt(), 4096);
    QCOMPARE(j["provenance"].toString(), QString("measured"));
    const QJsonObject meaning = j["profile"].toObject();
    QVERIFY(has_members(meaning, {"case", "counters_case", "timings_case", "speed_of_light", "points", "launch_times",
                                  "instruction_mix", "memory", "stalls", "hot_lines"}));
    QVERIFY(meaning["case"].toString().contains("4096") && meaning["counters_case"].isNull());
    const QJsonObject hot = meaning["hot_lines"].toObject()["lines"].toArray()[0].toObject();
    QVERIFY(hot["line"].toInt() == 3 && hot["amount"].toInt() == 19 && hot["mostly"].toString() == "long_scoreboard");
    QCOMPARE(meaning["stalls"].toObject()["source"].toString(), QString("samples"));
    QVERIFY(meaning["instruction_mix"].toObject()["total"].isNull());  // not counted, which is not none
    const Outcome renamed = call({"profile", file, "--op", op, "--set", "full"});
    QVERIFY2(renamed.exit == 2 && renamed.err.contains("--counters full"), renamed.err);
    const QByteArray csv = call({"profile", file, "--op", op, "--format", "csv"}).out;
    QVERIFY2(csv.startsWith("launch,kernel,counter,value,unit\n") && csv.contains("dram__bytes.sum,"), csv);
    const QByteArray text = call({"profile", file, "--op", op}).out;
    for (const char* part : {"set small", "dram__bytes.sum", "4096", "51.25", "not measured", "Launch 1: k",
                             "Global memory", "Hot lines: Samples (measured)", "Not measured: Compute"})
      QVERIFY2(text.contains(part), text);

    const QString recorded = write("recorded.cu", kernel("recorded"));
    const QByteArray meant = call({"profile", recorded, "--op", op}).out;
    for (const char* part :
         {"Speed of light", "Device memory", "Instruction mix: Executed, by unit (measured)", "loads and stores (LSU)",
          "Memory (measured)", "Stall reasons (measured)", "Global memory"})
      QVERIFY2(meant.contains(part), meant);
    QVERIFY2(!meant.contains("Hot lines"), meant);  // no samples

    const QString denied = write("denied.cu", kernel("denied us=10"));
    const Outcome fallback = call({"profile", denied, "--op", op});
    QCOMPARE(fallback.exit, 0);
    for (const char* part :
         {"NVreg_RestrictProfilingToAdminUsers", "Median us", "Occupancy at most (modelled)", "Floor"})
      QVERIFY2(fallback.out.contains(part), fallback.out);
    const QJsonObject d = call({"profile", denied, "--op", op, "--json"}).json();
    QVERIFY(!d["counters"].toObject()["why_not"].toString().isEmpty() && d["timings"].toArray().size() == 2);
    QCOMPARE(d["occupancy"].toArray()[0].toObject()["provenance"].toString(), QString("modelled"));
  }

  void baselines() {
    const QString file = write("mm.cu",
                               "//@ candidate matmul\n//@ launch k grid(1) block(32) args(a, b, y, M, N, K)\n// "
                               "us=10\nextern \"C\" __global__ void k() {}\n");
    const Outcome o = call({"baseline", "matmul", file, "--rounds", "6", "--set", "M=64", "--json"});
    QVERIFY2(o.exit == 0, o.err);
    const QJsonObject j = o.json();
    QVERIFY(is_ours(j, "baseline"));
    QVERIFY(has_members(
        j, {"case", "candidate", "against", "subjects", "torch", "roofline", "device", "ceilings", "raw", "stored"}));
    QCOMPARE(j["against"].toString(), QString("candidate"));
    const QJsonArray subjects = j["subjects"].toArray();
    QCOMPARE(subjects[0].toObject()["name"].toString(), QString("candidate"));
    for (const char* name : {"naive", "cublas", "torch eager"}) {
      const QJsonObject s = named(subjects, name);
      QVERIFY2(s["why_not"].toString().isEmpty(), name);
      QVERIFY(has_members(s, {"name", "why_not", "verified", "note", "timings"}));
      const QJsonObject t = s["timings"].toArray()[0].toObject();
      QCOMPARE(t["samples"].toInt(), 30);  // the same numbers in all rounds, whoever timed
      QCOMPARE(t["ratio"].toObject()["call"].toString(), QString("faster"));
      QCOMPARE(t["ratio"].toObject()["rounds"].toInt(), 6);
    }
    QVERIFY(named(subjects, "naive")["verified"].toBool());
    QVERIFY(!named(subjects, "torch eager")["verified"].toBool());
    QCOMPARE(named(subjects, "torch.compile")["why_not"].toString(), QString("no compiler for it"));
    QVERIFY(
        std::fabs(
            named(subjects, "torch eager")["timings"].toArray()[1].toObject()["ratio"].toObject()["ratio"].toDouble() -
            1.0 / 3) < 0.01);
    // What PyTorch was asked for is the library's expression at this case.
    QFile asked(log_);
    QVERIFY(asked.open(QIODevice::ReadOnly));
    const QJsonObject prepared = QJsonDocument::fromJson(asked.readAll()).object();
    QCOMPARE(prepared["expression"].toString(), QString("torch.matmul(a, b)"));
    QCOMPARE(prepared["symbols"].toObject()["M"].toInt(), 64);
    QCOMPARE(prepared["inputs"].toArray()[0].toObject()["shape"].toArray()[0].toInt(), 64);

    const Outcome text = call({"baseline", "softmax", "--rounds", "5"});
    QCOMPARE(text.exit, 0);
    for (const char* part :
         {"naive to it", "Not measured:", "cuBLAS computes a matrix product alone", "no compiler for it", "slower"})
      QVERIFY2(text.out.contains(part), part + text.out);
    QCOMPARE(call({"baseline", "matmul",
                   write("fails.cu",
                         "//@ candidate matmul\n//@ launch k grid(1) block(32) args(a, b, y)\n// fails\nextern \"C\" "
                         "__global__ void k() {}\n")})
                 .exit,
             1);
  }

  void torchThatIsNotThere() {
    const auto why = [&](const QStringList& more = {}) {
      const Outcome o = call(QStringList{"baseline", "relu", "--rounds", "5", "--json"} << more);
      if (o.exit != 0) return QString("exit %1: %2").arg(o.exit).arg(QString(o.err));
      const QJsonArray subjects = o.json()["subjects"].toArray();
      if (!named(subjects, "naive")["why_not"].toString().isEmpty()) return QString("naive was lost");
      return subjects.size() < 3 ? QString("left out") : named(subjects, "torch eager")["why_not"].toString();
    };
    torch_ = "cpu";
    QVERIFY2(why().contains("no CUDA device"), qPrintable(why()));
    torch_ = "dies";
    QVERIFY2(why().contains("status 5"), qPrintable(why()));
    torch_ = "dies later";
    QVERIFY2(why().contains("status 6"), qPrintable(why()));
    torch_ = "good";
    QCOMPARE(why({"--no-torch"}), QString("left out"));
    python_ = dir_.filePath("no-python");
    QVERIFY2(why().contains("WARPWRIGHT_PYTHON"), qPrintable(why()));
  }

  // Only the library's own expressions are ever run: a spec from elsewhere may carry anything.
  void foreignExpressionsAreNotRun() {
    python_ = STANDIN_WORKER;
    const QString mine = write("relu.op",
                               "//@ torch: __import__('os').system('true')\nop relu(x: f32[N]) -> y: f32[N]\n  default "
                               "N = 64\n{\n  y[i] = max(x[i], 1)\n}\n");
    const QJsonArray subjects = call({"baseline", mine, "--rounds", "5", "--json"}).json()["subjects"].toArray();
    QVERIFY(named(subjects, "torch eager")["why_not"].toString().contains("no PyTorch expression"));
    QVERIFY(!QFile::exists(log_) || QFile::remove(log_));
    QVERIFY(call({"baseline", mine, "--rounds", "5", "--json"}).exit == 0 && !QFile::exists(log_));
  }

  void bundlesTravel() {
    const QString op = write("scale.op", spec), file = write("a.cu", kernel("us=10"));
    QCOMPARE(call({"time", file, "--op", op}).exit, 0);
    const QString bundle = dir_.filePath("travel.wwb");
    const QJsonObject out = call({"bundle", "export", bundle, "--json"}).json();
    QVERIFY(is_ours(out, "bundle export"));
    QVERIFY(has_members(out, {"file", "bundle"}));
    QVERIFY(has_members(out["bundle"].toObject(),
                        {"digest", "created", "program", "runs", "candidates", "measurements", "blobs"}));
    QCOMPARE(out["bundle"].toObject()["measurements"].toInt(), 1);
    const QByteArray shown = call({"show", "1", "--json"}).out;

    workspace_ = dir_.filePath("elsewhere");
    const QJsonObject in = call({"bundle", "import", bundle, "--json"}).json();
    QVERIFY(is_ours(in, "bundle import"));
    QVERIFY(has_members(in, {"file", "workspace", "bundle", "runs"}));
    QCOMPARE(in["runs"].toArray()[0].toObject()["is"].toInt(), 1);
    QByteArray imported = call({"show", "1", "--json"}).out;
    QVERIFY(imported.contains("\"imported\": true") && !shown.contains("\"imported\": true"));
    QCOMPARE(imported.replace("\"imported\": true", "\"imported\": false"), shown);  // every number and provenance
    QVERIFY(call({"show", "1"}).out.contains("imported, not measured here"));
    QVERIFY(call({"list"}).out.contains(", imported"));
    const Outcome again = call({"bundle", "import", bundle});
    QVERIFY(again.exit == 2 && again.err.contains("before"));
    QVERIFY(call({"bundle", "export", dir_.filePath("one.wwb"), "--run", "last"}).out.contains("1 run,"));
    QCOMPARE(call({"bundle", "export", dir_.filePath("none.wwb"), "--run", "77"}).exit, 2);
    const Outcome there = call({"bundle", "export", bundle});
    QVERIFY(there.exit == 2 && there.err.contains("--force"));
    QCOMPARE(call({"bundle", "export", dir_.filePath("one.wwb"), "--force"}).exit, 0);
    QFile f(bundle);
    QVERIFY(f.open(QIODevice::ReadWrite) && f.resize(f.size() / 2));
    f.close();
    workspace_ = dir_.filePath("third");
    const Outcome damaged = call({"bundle", "import", bundle, "--json"});
    QVERIFY(damaged.exit == 3 && damaged.json()["error"].toObject()["code"].toString() == "corrupt");
    QVERIFY(!QFile::exists(workspace_));
    QCOMPARE(call({"bundle", "export"}).exit, 3);  // no workspace there
  }
};

QTEST_GUILESS_MAIN(CliMeasureTest)
#include "measure_test.moc"
