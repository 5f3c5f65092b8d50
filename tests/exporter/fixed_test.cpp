// SPDX-License-Identifier: Apache-2.0
// Packages of ops with inputs whose values the spec has: callers do not give them.
#include "exporter/exported_runs.h"

using namespace ww;
using namespace ww::testing;

namespace {

const char* const weighted =
    "//@ value: w AACAPwAAAEAAAEBA\n"  // 1, 2, 3
    "op weighted(x: f32[R, 3], w: f32[3]) -> y: f32[R, 3]\n  default R = 100\n{\n  y[r, i] = x[r, i] * w[i]\n}\n";

}  // namespace

class FixedTest : public QObject, ExportedRuns {
  Q_OBJECT
  QString id_;

  QJsonObject plan_of(const QString& file) { return QJsonDocument::fromJson(read_file(file)).object(); }
  Outcome exported(const QString& as, const QString& folder) {
    return call({"export", id_, "--as", as, "-o", dir_.filePath(folder), "--unsigned", "--json"});
  }

 private slots:
  void initTestCase() {
    QVERIFY(dir_.isValid());
    qputenv("WARPWRIGHT_CONFIG", dir_.filePath("config").toUtf8());
    const auto list = explored({write_file(dir_.filePath("weighted.op"), weighted), "--budget", "1"});
    QCOMPARE(list.size(), std::size_t(1));
    id_ = QString::number(list[0].id);
  }

  void plansHoldTheValues() {
    for (const auto& [as, file] : {std::pair{"torch", "ww_weighted/plan.json"},
                                   {"kernels", "torch-ext/ww_weighted/plan.json"},
                                   {"cupy", "ww_weighted/plan.json"},
                                   {"ptx", "plan.json"}}) {
      const Outcome made = exported(as, as);
      QVERIFY2(made.exit == 0, made.err);
      const QJsonObject plan = plan_of(dir_.filePath(as) + "/" + file);
      QCOMPARE(plan["inputs"].toArray().size(), 1);
      const QJsonObject fixed = plan["fixed"].toArray().at(0).toObject();
      QCOMPARE(fixed["name"].toString(), QString("w"));
      QCOMPARE(fixed["data"].toString(), QString("AACAPwAAAEAAAEBA"));
      QVERIFY(plan["reference"].toString().isEmpty());
    }
  }

  // Python finds sizes and bytes without the caller's help.
  void pythonReadsThem() {
    QVERIFY(exported("ptx", "read").exit == 0);
    const Outcome o = python({"-c",
                              "import struct, sys\nsys.path.insert(0, sys.argv[1])\nimport plan\np = "
                              "plan.Plan.load(sys.argv[1] + '/plan.json')\nprint(p.bind([(7, 3)])[0], p.free, "
                              "*struct.unpack('<3f', p.bytes_of(p.fixed[0])))\n",
                              dir_.filePath("read")});
    QVERIFY2(o.exit == 0, o.err);
    QCOMPARE(QString::fromUtf8(o.out).trimmed(), QString("7 [] 1.0 2.0 3.0"));
  }

  void theHeaderHasTheBytes() {
    const Outcome made = exported("cpp", "header");
    QVERIFY2(made.exit == 0, made.err);
    const QByteArray header = read_file(dir_.filePath("header/ww_weighted.h"));
    QVERIFY2(header.contains("value_of_w[] = {\n0,0,128,63,0,0,0,64,0,0,64,64,}"), header);
    const Outcome built = call_cli(CXX_COMPILER,
                                   {"-std=c++17", "-Wall", "-Wextra", "-Werror", "-I", CUDA_INCLUDE, "-fsyntax-only",
                                    dir_.filePath("header/example.cpp")},
                                   environment());
    QVERIFY2(built.exit == 0, built.err);
  }

  void aWrongValueIsNotExported() {
    const auto list =
        explored({write_file(dir_.filePath("wrong.op"), QByteArray(weighted).replace("AACAPwAAAEAAAEBA", "AACAPw==")),
                  "--budget", "1"});
    QCOMPARE(list.size(), std::size_t(1));
    const Outcome o =
        call({"export", QString::number(list[0].id), "-o", dir_.filePath("wrong"), "--unsigned", "--as", "ptx"});
    QCOMPARE(o.exit, 2);
    QVERIFY2(o.err.contains("//@ value of 'w'"), o.err);
    QVERIFY(!QFile::exists(dir_.filePath("wrong")));
  }
};

QTEST_GUILESS_MAIN(FixedTest)
#include "fixed_test.moc"
