// SPDX-License-Identifier: Apache-2.0
// The exported C++ header, compiled with a driver that only records: what it launches is the engine's plan, to the
// byte.
#include <QDir>
#include <map>
#include <set>
#include "exporter/cpp_header.h"
#include "exporter/exported_runs.h"

using namespace ww;
using namespace ww::testing;

class CppExportTest : public QObject, ExportedRuns {
  Q_OBJECT

  // A program that calls the header's function for the sizes of its arguments and prints what was launched.
  static QString program_for(const exporter::PlanText& plan, const std::vector<device::Entry>& entries) {
    const QString package = QString::fromStdString("ww_" + plan.op);
    QString sizes, tensors, call, parameters;
    int place = 1;
    const auto tensor = [&](const exporter::TensorText& t) {
      call += QString("at<%1>(%2), ").arg(t.dtype == "f32" ? "float" : "std::int64_t").arg(place);
      tensors += QString("{%1, \"%2\"}, ").arg(place++).arg(QString::fromStdString(t.name));
    };
    for (const exporter::InputText& i : plan.inputs) tensor(i.tensor);
    for (const exporter::TensorText& o : plan.outputs) tensor(o);
    for (const std::string& s : plan.symbols)
      sizes += QString("  sizes.%1 = next(i);\n").arg(QString::fromStdString(s));
    for (const device::Entry& e : entries) {
      parameters += QString("{\"%1\", {").arg(QString::fromStdString(e.name));
      for (const device::Parameter& p : e.parameters) parameters += QString::number(p.size) + ", ";
      parameters += "}}, ";
    }
    return QString(
               "#include \"%1.h\"\n#define PARAMETERS {%2}\n#define TENSORS {%3}\n#include \"recording_driver.h\"\n"
               "int main(int, char** i) {\n  %1::Sizes sizes;\n%4"
               "  begin(%1::claims(sizes));\n"
               "  if (%1::claims(sizes)) %1::%5(%6sizes, at<void>(64), nullptr);\n  end();\n}\n")
        .arg(package, parameters, tensors, sizes, QString::fromStdString(exporter::cpp_name(plan.op)), call);
  }

 private slots:
  void initTestCase() {
    QVERIFY(dir_.isValid());
    qputenv("WARPWRIGHT_CONFIG", dir_.filePath("config").toUtf8());
  }

  void launchesAsTheEngineDoes_data() {
    QTest::addColumn<QStringList>("what");
    QTest::newRow("rows") << QStringList{"softmax", "--set", "R=48", "--set", "C=96", "--budget", "6"};
    QTest::newRow("constants") << QStringList{"layernorm", "--set", "R=16", "--set", "C=64", "--budget", "2"};
    QTest::newRow("several launches and zeroed memory")
        << QStringList{"sum_all", "--set", "R=50", "--set", "C=100", "--budget", "4"};
    QTest::newRow("temporaries") << QStringList{"attention", "--set", "B=1",   "--set", "H=2",      "--set", "S=16",
                                                "--set",     "T=16",  "--set", "E=8",   "--budget", "1"};
    QTest::newRow("whole constants") << QStringList{"max_pool2d", "--budget", "1"};
  }
  void launchesAsTheEngineDoes() {
    QFETCH(QStringList, what);
    const std::vector<store::CandidateRecord> list = explored(what);
    QVERIFY(!list.empty());
    const store::CandidateRecord& c = list.back();
    const QString folder = dir_.filePath("cpp_" + QString::number(c.id));
    const Outcome made = call({"export", QString::number(c.id), "--as", "cpp", "-o", folder, "--unsigned"});
    QVERIFY2(made.exit == 0, made.err);
    const auto stored =
        json::read_text<exporter::PlanText>(read_file(folder + "/plan.json").toStdString(), "plan.json");
    QVERIFY2(stored, stored ? "" : stored.error().text().c_str());
    const op::Spec spec = must(op::parse_spec(stored->spec));
    const QString source = folder + "/recorded.cpp", program = folder + "/recorded";
    QFile file(source);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(program_for(*stored, must(device::read_entries(c.verdict->ptx))).toUtf8());
    file.close();
    const QStringList common = {"-std=c++17", "-Wall", "-Wextra", "-Werror", "-I", CUDA_INCLUDE};
    const Outcome example =
        call_cli(CXX_COMPILER, common + QStringList{"-fsyntax-only", folder + "/example.cpp"}, environment());
    QVERIFY2(example.exit == 0, example.err);
    const Outcome built =
        call_cli(CXX_COMPILER, common + QStringList{"-I", WW_SOURCE_DIR "/tests/exporter", source, "-o", program},
                 environment());
    QVERIFY2(built.exit == 0, built.err);
    for (const int by : {0, 1, 13, -5, 1000}) {
      const op::Binding binding = changed(spec, by);
      if (!op::resolve(spec, binding)) continue;
      QStringList sizes;
      for (const std::string& s : spec.symbols) sizes += QString::number(binding.symbols.at(s));
      const Outcome o = call_cli(program, sizes, environment());
      QVERIFY2(o.exit == 0, o.err);
      if (!o.json()["claimed"].toBool()) {
        QVERIFY(o.json()["launches"].toArray().isEmpty());
        continue;
      }
      std::map<std::string, std::string> rooms;  // of temporaries
      compare_plan(o.json(), c, spec, binding, [&](const std::string& got, const std::string& wanted) {
        const std::string expected = got.starts_with("room") ? rooms.try_emplace(wanted, got).first->second : wanted;
        QCOMPARE(got, expected);
      });
      if (QTest::currentTestFailed()) return;
      std::set<std::string> places;
      for (const auto& [name, place] : rooms) places.insert(place);
      QCOMPARE(places.size(), rooms.size());  // none shares its memory
    }
  }

  // The example compares a small case with the values of the evaluator.
  void theExampleChecksItself() {
    const std::vector<store::CandidateRecord> list =
        explored({"relu", "--set", "R=10", "--set", "C=100", "--budget", "1"});
    QCOMPARE(list.size(), std::size_t(1));
    const QString folder = dir_.filePath("checked");
    const Outcome made = call({"export", QString::number(list[0].id), "--as", "cpp", "-o", folder, "--unsigned"});
    QVERIFY2(made.exit == 0, made.err);
    const QJsonArray arguments = QJsonDocument::fromJson(read_file(folder + "/plan.json"))
                                     .object()["launches"]
                                     .toArray()[0]
                                     .toObject()["arguments"]
                                     .toArray();
    int x = -1, y = -1;
    for (int i = 0; i < arguments.size(); ++i) {
      if (arguments[i].toObject()["tensor"].toString() == "x") x = i;
      if (arguments[i].toObject()["tensor"].toString() == "y") y = i;
    }
    QVERIFY(x >= 0 && y >= 0);
    const auto run = [&](const char* name, const char* function) {
      const QString program = folder + "/" + name;
      const QString source =
          write_file(program + ".cpp", QString("#include <cuda.h>\n#define X %1\n#define Y %2\n#define F(v) (%3)\n"
                                               "#include \"computing_driver.h\"\n#include \"example.cpp\"\n")
                                           .arg(x)
                                           .arg(y)
                                           .arg(function)
                                           .toUtf8());
      const Outcome built = call_cli(CXX_COMPILER,
                                     {"-std=c++17", "-Wall", "-Wextra", "-Werror", "-I", CUDA_INCLUDE, "-I",
                                      WW_SOURCE_DIR "/tests/exporter", source, "-o", program},
                                     environment());
      if (built.exit != 0) qWarning("%s", built.err.constData());
      return call_cli(program, {"--check"}, environment());
    };
    const Outcome right = run("right", "v < 0 ? 0 : v");
    QVERIFY2(right.exit == 0, right.out + right.err);
    QVERIFY2(right.out.contains(" elements are right"), right.out);
    const Outcome wrong = run("wrong", "v");
    QVERIFY2(wrong.exit == 1, wrong.out + wrong.err);
    QVERIFY2(wrong.out.contains(" instead of 0"), wrong.out);
    const Outcome near = run("near", "v < 0 ? 0 : v * 1.001f");
    QCOMPARE(near.exit, 1);
  }

  void tensorsMayBeNamedAsTheExampleNamesItsFunctions() {
    const QString spec = write_file(dir_.filePath("names.op"),
                                    "op run(zeros: f32[N], check: f32[N], expected: f32[N]) -> agrees: f32[N]\n"
                                    "  default N = 100\n{\n  agrees[i] = zeros[i] + check[i] * expected[i]\n}\n");
    const std::vector<store::CandidateRecord> list = explored({spec, "--budget", "1"});
    QCOMPARE(list.size(), std::size_t(1));
    const QString folder = dir_.filePath("names");
    const Outcome made = call({"export", QString::number(list[0].id), "--as", "cpp", "-o", folder, "--unsigned"});
    QVERIFY2(made.exit == 0, made.err);
    const Outcome built = call_cli(
        CXX_COMPILER,
        {"-std=c++17", "-Wall", "-Wextra", "-Werror", "-I", CUDA_INCLUDE, "-fsyntax-only", folder + "/example.cpp"},
        environment());
    QVERIFY2(built.exit == 0, built.err);
  }

  void wordsOfTheLanguageAreNoNames() {
    QCOMPARE(exporter::cpp_name("x"), std::string("x"));
    QCOMPARE(exporter::cpp_name("xor"), std::string("xor_"));
  }
};

QTEST_GUILESS_MAIN(CppExportTest)
#include "cpp_test.moc"
