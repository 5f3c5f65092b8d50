// SPDX-License-Identifier: Apache-2.0
// Several kernels of one op: a sweep that finds them, the table that chooses among them, and packages of them.
#include <QDir>
#include <algorithm>
#include "exporter/dispatch.h"
#include "exporter/exported_runs.h"

using namespace ww;
using namespace ww::testing;

namespace {

const char* const scale = "op scale(x: f32[N]; k = 2.0) -> y: f32[N]\n  default N = 8\n{\n  y[i] = k * x[i]\n}\n";

exporter::Explored explored_at(std::int64_t id, const std::string& hash, std::int64_t n, double k = 2,
                               const std::string& spec = scale) {
  exporter::Explored out;
  out.candidate.id = id;
  out.candidate.hash = hash;
  out.asked = {must(op::parse_spec(spec)), {{{"N", n}}, {{"k", k}}}};
  return out;
}

// A kernel of relu that claims whole blocks of `multiple` columns only.
QByteArray claiming(int multiple) {
  return QString(
             "//@ candidate relu\n//@ require C % %1 == 0\n//@ launch k grid(ceildiv(R * C, 128)) block(128) "
             "args(x, y, R * C)\nextern \"C\" __global__ void k(const float* x, float* y, int n) {\n"
             "  const int i = blockIdx.x * 128 + threadIdx.x;\n  if (i < n) y[i] = x[i] < 0 ? 0 : x[i];\n}\n")
      .arg(multiple)
      .toUtf8();
}

}  // namespace

class DispatchTest : public QObject, ExportedRuns {
  Q_OBJECT

  // The only accepted candidate of a run over a kernel that claims these columns.
  QString relu_for(int multiple, int columns) {
    const QString file = write_file(dir_.filePath(QString("relu%1.cu").arg(multiple)), claiming(multiple));
    const auto list =
        explored({file, "--set", "R=8", "--set", "C=" + QString::number(columns), "--budget", "1", "--json"});
    if (list.empty()) qFatal("no candidate was accepted");
    return QString::number(list[0].id);
  }
  QString chosen(const QString& folder, int columns) {
    const Outcome o = python({folder + "/dispatch.py", "R=8", "C=" + QString::number(columns)});
    return o.exit == 0 ? QString::fromUtf8(o.out).trimmed() : QString::fromUtf8(o.err);
  }

 private slots:
  void initTestCase() {
    QVERIFY(dir_.isValid());
    qputenv("WARPWRIGHT_CONFIG", dir_.filePath("config").toUtf8());
  }

  void entriesHaveTheirSizes() {
    const auto table =
        exporter::dispatch_table({explored_at(1, "aa", 64), explored_at(2, "bb", 512), explored_at(3, "aa", 4096)});
    QVERIFY(table);
    QCOMPARE(table->entries.size(), std::size_t(2));
    QCOMPARE(table->entries[0].folder, std::string("."));
    QCOMPARE(table->entries[0].sizes, (std::vector<exporter::Sizes>{{{"N", 64}}, {{"N", 4096}}}));
    QCOMPARE(table->entries[1].sizes, (std::vector<exporter::Sizes>{{{"N", 512}}}));
    QVERIFY(table->entries[1].folder != ".");
  }

  void whatIsNotOfOneOpIsRefused() {
    const auto refused = [](const exporter::Explored& other, const char* says) {
      const auto table = exporter::dispatch_table({explored_at(1, "aa", 64), other});
      return !table && table.error().code == Code::invalid_argument &&
             table.error().message.find(says) != std::string::npos;
    };
    QVERIFY(refused(explored_at(2, "bb", 64), "both for N = 64"));
    QVERIFY(refused(explored_at(2, "bb", 512, 3), "different constants"));
    std::string other = scale;
    other.replace(other.find("k * x"), 5, "k + x");
    QVERIFY(refused(explored_at(2, "bb", 512, 2, other), "different specs"));
    QVERIFY(refused(explored_at(2, "bb", 512, 2, std::string("//@ value: x AAAA\n") + scale), "different specs"));
    const std::string defaults = QString(scale).replace("N = 8", "N = 9").toStdString();
    QVERIFY(exporter::dispatch_table({explored_at(1, "aa", 64), explored_at(2, "bb", 512, 2, defaults)}));
  }

  // The nearest of those that claim a shape, by the quotients of the sizes.
  void shapesChooseTheirKernel() {
    const QString fours = relu_for(4, 64), eights = relu_for(8, 4096), folder = dir_.filePath("table");
    const Outcome made = call({"export", fours, eights, "-o", folder, "--unsigned", "--json"});
    QVERIFY2(made.exit == 0, made.err);
    QCOMPARE(made.json()["candidates"].toArray(), (QJsonArray{fours.toInt(), eights.toInt()}));
    const QString package = folder + "/ww_relu";
    const QJsonArray entries =
        QJsonDocument::fromJson(read_file(package + "/dispatch.json")).object()["entries"].toArray();
    QCOMPARE(entries.size(), 2);
    QCOMPARE(entries[1].toObject()["sizes"].toArray()[0].toObject()["C"].toInt(), 4096);
    const QString first = entries[0].toObject()["folder"].toString(),
                  second = entries[1].toObject()["folder"].toString();
    for (const QString& own : {first, second})
      for (const char* file : {"plan.json", "kernel.ptx", "kernel.cu"})
        QVERIFY2(QFile::exists(package + "/" + own + "/" + file), qPrintable(own + "/" + file));
    QCOMPARE(chosen(package, 64), first);
    QCOMPARE(chosen(package, 4096), second);
    QCOMPARE(chosen(package, 504), first);
    QCOMPARE(chosen(package, 520), second);
    QCOMPARE(chosen(package, 2052), first);      // which alone claims it
    QCOMPARE(chosen(package, 2050), QString());  // nobody does: the reference runs
    const QByteArray readme = read_file(folder + "/README.md");
    QVERIFY2(readme.contains("C = 4096") && readme.contains("dispatch.json"), readme);
    QCOMPARE(broken_file(folder, files_of(made)), QString());
    for (const char* as : {"kernels", "cupy"}) {
      const QString other = dir_.filePath(QString("table_") + as);
      QVERIFY(call({"export", fours, eights, "--as", as, "-o", other, "--unsigned"}).exit == 0);
    }
    QCOMPARE(chosen(dir_.filePath("table_kernels/build/torch-universal"), 4096), second);
    QCOMPARE(chosen(dir_.filePath("table_cupy/ww_relu"), 4096), second);
    for (const char* as : {"cpp", "ptx"}) {
      const Outcome o = call({"export", fours, eights, "--as", as, "-o", dir_.filePath("no"), "--unsigned"});
      QCOMPARE(o.exit, 2);
      QVERIFY2(o.err.contains("only the forms torch, kernels and cupy take several"), o.err);
    }
    const Outcome not_signed = call({"export", fours, eights, "-o", dir_.filePath("no")});
    QVERIFY2(not_signed.exit == 2 && not_signed.err.contains("is not signed"), not_signed.err);
    QVERIFY(!QDir(dir_.filePath("no")).exists());
  }

  void oneKernelNeedsNoTable() {
    const QString folder = dir_.filePath("single");
    const Outcome made = call({"export", relu_for(2, 64), "-o", folder, "--unsigned", "--json"});
    QVERIFY2(made.exit == 0, made.err);
    QVERIFY(made.json()["files"].toArray().contains("ww_relu/plan.json"));
    QVERIFY(!QFile::exists(folder + "/ww_relu/dispatch.json"));
    QCOMPARE(chosen(folder + "/ww_relu", 100), QString("."));
    QCOMPARE(chosen(folder + "/ww_relu", 101), QString());
  }

  // From a sweep to a package by the command that it prints.
  void aSweepFindsTheBestOfEachSize() {
    const Outcome o =
        call({"explore", "relu", "--set", "R=10", "--sweep", "C=40,100", "--budget", "2", "--workers", "1", "--json"});
    QVERIFY2(o.exit == 0, o.err);
    const QJsonArray sweep = o.json()["sweep"].toArray();
    QCOMPARE(sweep.size(), 2);
    QStringList expected{"export"};
    for (int i = 0; i < 2; ++i) {
      const QJsonObject entry = sweep[i].toObject();
      QCOMPARE(entry["sizes"].toObject(), (QJsonObject{{"R", 10}, {"C", i == 0 ? 40 : 100}}));
      QVERIFY(entry["run"].toObject()["id"].toInt() > 0);
      QCOMPARE(entry["best"].toObject()["rank"].toInt(), 1);
      expected += QString::number(entry["best"].toObject()["id"].toInt());
    }
    QVERIFY(sweep[0].toObject()["run"].toObject()["id"] != sweep[1].toObject()["run"].toObject()["id"]);
    QStringList words;
    for (const QJsonValue& v : o.json()["export"].toArray()) words += v.toString();
    QCOMPARE(words.mid(0, 3), expected);
    words[words.indexOf("-o") + 1] = dir_.filePath("swept");
    const Outcome made = call(words + QStringList{"--unsigned"});
    QVERIFY2(made.exit == 0, made.err);
    QVERIFY(QFile::exists(dir_.filePath("swept/ww_relu/dispatch.json")));
  }

  void aSweepIsATable() {
    const Outcome o =
        call({"explore", "relu", "--sweep", "R=8", "--sweep", "C=16,24", "--budget", "1", "--workers", "1"});
    QVERIFY2(o.exit == 0, o.err);
    QVERIFY2(o.out.contains("C = 16, R = 8") && o.out.contains("C = 24, R = 8"), o.out);
    QVERIFY2(o.out.contains("warpwright-cli export "), o.out);
  }

  void badSweepsAreRefused_data() {
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<QString>("says");
    QTest::newRow("no symbol") << QStringList{"relu", "--sweep", "Q=1,2"} << "is not a shape symbol";
    QTest::newRow("no size") << QStringList{"relu", "--sweep", "R"} << "has no sizes";
    QTest::newRow("not a size") << QStringList{"relu", "--sweep", "R=8,zero"} << "R=zero";
    QTest::newRow("a size twice") << QStringList{"relu", "--sweep", "R=8,8"} << "R=8 is given twice";
    QTest::newRow("a symbol twice") << QStringList{"relu", "--sweep", "R=8", "--sweep", "R=9"} << "R is given twice";
    QTest::newRow("set, too") << QStringList{"relu", "--set", "R=8", "--sweep", "R=9"} << "R is given twice";
    QTest::newRow("resumed") << QStringList{"--resume", "1", "--sweep", "R=9"} << "needs the subject";
    QTest::newRow("resumed without a run")
        << QStringList{"relu", "--resume", "last", "--sweep", "R=7"} << "no run is one of it";
    QTest::newRow("too many") << QStringList{"relu", "--sweep", "R=1,2,3,4,5,6,7,8,9", "--sweep", "C=1,2,3,4,5,6,7,8,9"}
                              << "more than 64 runs";
  }
  void badSweepsAreRefused() {
    QFETCH(QStringList, arguments);
    QFETCH(QString, says);
    const qsizetype before = qsizetype(must(workspace()->runs()).size());
    const Outcome o = call(QStringList{"explore"} + arguments);
    QCOMPARE(o.exit, 2);
    QVERIFY2(QString::fromUtf8(o.err).contains(says), o.err);
    QCOMPARE(qsizetype(must(workspace()->runs()).size()), before);
  }
};

QTEST_GUILESS_MAIN(DispatchTest)
#include "dispatch_test.moc"
