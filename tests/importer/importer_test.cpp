// SPDX-License-Identifier: Apache-2.0
// Modules as specs, with a stand-in for PyTorch: what counts as equal, which files are run, folders of tasks.
// aten_test.py tries the translation itself, where some Python has PyTorch.
#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QTemporaryDir>
#include <QtTest>
#include "importer/task_folder.h"
#include "importer/torch_module.h"
#include "importer/trust.h"
#include "op/fixed_inputs.h"
#include "support/cli_call.h"

using namespace ww;
using namespace ww::testing;

namespace {
const char* const product = R"(op product(x: f32[N], w: f32[N]) -> y: f32[N]
  default N = 8
{ y[n] = x[n] * w[n] }
)";
}  // namespace

class ImporterTest : public QObject {
  Q_OBJECT
  QTemporaryDir dir_;
  int files_ = 0;

  QString task(double factor, bool exact, const char* text = product) {
    const QJsonObject j{{"text", text}, {"factor", factor}, {"exact", exact}};
    return write_file(dir_.filePath(QString("task%1.py").arg(++files_)), QJsonDocument(j).toJson());
  }
  Result<importer::Comparison> compared(const QString& file) {
    importer::ModuleRequest request;
    request.file = file.toStdString();
    auto torch = WW_TRY(importer::TorchModules::start());
    const importer::Module module = WW_TRY(torch->import(request));
    return torch->compare(module, 5, 1);
  }
  Outcome call(const QStringList& arguments) {
    return call_cli(CLI_PROGRAM, arguments, environment_with({{"WARPWRIGHT_CONFIG", dir_.filePath("asking")}}));
  }

 private slots:
  void initTestCase() {
    QVERIFY(dir_.isValid());
    qputenv("WARPWRIGHT_PYTHON", STANDIN_PYTHON);
    qputenv("WARPWRIGHT_CONFIG", dir_.filePath("config").toUtf8());
  }

  void names() {
    QVERIFY(!importer::module_named("softmax over the rows"));
    QVERIFY(!importer::module_named("task.op"));
    QCOMPARE(importer::module_named("a/task.py")->file.string(), "a/task.py");
    QCOMPARE(importer::module_named("task.py:Net")->name, "Net");
  }

  void equalModules() {
    const auto c = compared(task(1, true));
    QVERIFY2(c, c ? "" : c.error().text().c_str());
    QCOMPARE(c->sets, 5);
    QVERIFY(c->difference.empty() && c->exact);
    QCOMPARE(c->sizes.back().at("N"), std::int64_t{7});
  }

  // In double precision the smallest constant counts; in the module's own, its rounding errors are allowed.
  void differencesThatRoundingHides() {
    const double slightly = 1 + 3e-8;
    const auto exact = compared(task(slightly, true)), rounded = compared(task(slightly, false));
    QVERIFY(exact && rounded);
    QVERIFY2(exact->difference.find("y[0] is 2 by the spec and 2.00000006 by the module") != std::string::npos,
             exact->difference.c_str());
    QVERIFY2(rounded->difference.empty() && !rounded->exact, rounded->difference.c_str());
    const auto wrong = compared(task(1.01, false));
    QVERIFY(wrong && !wrong->difference.empty());
  }

  void whatCannotBeCompared() {
    const auto nan = compared(task(std::numeric_limits<double>::infinity(), true));
    QVERIFY(!nan || nan->sets == 0);
    const auto invalid = compared(task(1, true, "op f( {"));
    QVERIFY(!invalid && invalid.error().code == Code::internal);
    const QString file = dir_.filePath("refused.py");
    write_file(file, R"j({"refused": ["the operator is not in the table", "%y = aten.sort(%x)"]})j");
    const auto refused = compared(file);
    QVERIFY(!refused && refused.error().code == Code::unsupported);
    QCOMPARE(refused.error().cause, "%y = aten.sort(%x)");
  }

  void noPyTorch() {
    qputenv("TORCH_STANDIN_WHY_NOT", "too old");
    const auto torch = importer::TorchModules::start();
    qunsetenv("TORCH_STANDIN_WHY_NOT");
    QVERIFY(!torch && torch.error().code == Code::unavailable);
    QVERIFY2(torch.error().cause.find("too old") != std::string::npos, torch.error().text().c_str());
    QVERIFY(torch.error().message.find("pip install torch") != std::string::npos);
  }

  void filesAreRunWhenAllowed() {
    const std::string content = "print(1)", changed = "print(2)";
    QVERIFY(!importer::may_run("a.py", content));
    QVERIFY(importer::let_run("a.py", content));
    QVERIFY(importer::may_run("a.py", content) && !importer::may_run("a.py", changed));
    QVERIFY(importer::may_run("./b/../a.py", content));
    QVERIFY(importer::let_run("a.py", changed));
    QVERIFY(importer::may_run("a.py", content) && importer::may_run("a.py", changed));
    QVERIFY(!importer::may_run("b/a.py", content) && !importer::may_run({}, content));  // other files lie beside it
    QVERIFY(importer::let_run({}, content));
    QVERIFY(importer::may_run({}, content) && !importer::may_run({}, changed));
  }

  // What was allowed is the content that was read, not the name of the file.
  void aFileThatHasChangedIsNotRun() {
    importer::ModuleRequest request;
    const QString file = task(1, true);
    request.file = file.toStdString();
    const auto torch = importer::TorchModules::start();
    QVERIFY(torch);
    QVERIFY(importer::import_module(**torch, request).error().code == Code::denied);
    QVERIFY(importer::let_run(request.file, read_file(file).toStdString()));
    const auto imported = importer::import_module(**torch, request);
    QVERIFY2(imported, imported ? "" : imported.error().text().c_str());
    QCOMPARE(imported->comparison.sets, importer::compared_sets);
    write_file(file, read_file(file).replace("1", "2"));
    QVERIFY(importer::import_module(**torch, request).error().code == Code::denied);
  }

  void theCommand() {
    const QString file = task(1, true);
    const Outcome asked = call({"spec", file, "--json"});
    QVERIFY(asked.exit != 0);
    QVERIFY2(asked.json()["error"].toObject()["hint"].toString().contains("--yes") || asked.out.contains("--yes"),
             asked.out);
    const QString spec = dir_.filePath("made.op");
    const Outcome made = call({"spec", file, "--yes", "--json", "-o", spec});
    QVERIFY2(made.exit == 0, made.err + made.out);
    const QJsonObject module = made.json()["module"].toObject();
    QCOMPARE(module["equal"].toBool(), true);
    QCOMPARE(module["inputs"].toArray()[1].toObject()["state"].toString(), QString("layer.w"));
    QCOMPARE(made.json()["spec"].toObject()["name"].toString(), QString("product"));
    QVERIFY(read_file(spec).contains("op product("));
    QCOMPARE(call({"spec", spec, "--json"}).exit, 0);
    QCOMPARE(call({"spec", file, "--json"}).exit, 0);  // allowed by now
    QCOMPARE(call({"spec", task(2, true), "--yes", "--json"}).exit, 1);
    QCOMPARE(call({"spec", "softmax", "--eval"}).exit, 2);
  }

  void constantsAreInTheSpec() {
    const QString text = QString("//@ value: w %1\n").arg("AACAPwAAgD8=") + product;
    const QJsonObject answer{{"text", QString(text).replace("w: f32[N]", "w: f32[2]").replace("w[n]", "w[0]")},
                             {"inputs", QJsonArray{QJsonObject{{"name", "x"}, {"argument", 0}},
                                                   QJsonObject{{"name", "w"}, {"constant", true}}}}};
    importer::ModuleRequest request;
    request.file = write_file(dir_.filePath("constant.py"), QJsonDocument(answer).toJson()).toStdString();
    const auto torch = importer::TorchModules::start();
    QVERIFY(torch);
    const auto module = (*torch)->import(request);
    QVERIFY2(module, module ? "" : module.error().text().c_str());
    QVERIFY(!module->inputs[0].constant && module->inputs[1].constant && !module->inputs[1].state);
    const auto fixed = op::fixed_inputs(module->spec);
    QVERIFY2(fixed && fixed->contains("w"), fixed ? "" : fixed.error().message.c_str());
  }

  void foldersOfTasks() {
    const QString folder = dir_.filePath("bench"), out = dir_.filePath("out");
    QDir().mkpath(folder + "/KernelBench/level1");
    QDir().mkpath(folder + "/KernelBench/level3");
    for (const auto& [name, factor] :
         {std::pair{"level1/10_Second", 1.5}, {"level1/9_First", 1.0}, {"level3/1_Far", 1.0}})
      QFile::copy(task(factor, true), folder + "/KernelBench/" + name + ".py");
    write_file(folder + "/KernelBench/level1/notes.py", "");
    const auto tasks = importer::tasks_in(folder.toStdString(), {1}, {});
    QVERIFY(tasks);
    QCOMPARE(tasks->size(), std::size_t{2});
    QCOMPARE(tasks->front().name, "First");
    QVERIFY(!importer::tasks_in(folder.toStdString(), {2}, {}));

    QVERIFY(call({"kernelbench", folder, "-o", out, "--import-only"}).exit != 0);  // nobody has allowed it
    QVERIFY(!QFile::exists(out));
    const QStringList import{"kernelbench", folder, "-o", out, "--import-only", "--yes", "--json"};
    const Outcome first = call(import);
    QCOMPARE(first.exit, 1);
    const QJsonArray list = first.json()["tasks"].toArray();
    QCOMPARE(list[0].toObject()["spec"].toString(), QString("equal"));
    QCOMPARE(list[1].toObject()["spec"].toString(), QString("different"));
    QVERIFY(read_file(out + "/report.md").contains("| 1 | 2 | 1 | 1 | 0 | 0 |"));
    QVERIFY(read_file(out + "/level_1_problem_9.op").contains("op product("));
    // Another run takes what is there: it would find the changed file, but not run the other again.
    QFile::remove(out + "/level_1_problem_9.op");
    QVERIFY(QFile::remove(folder + "/KernelBench/level1/10_Second.py"));
    QFile::copy(task(1, true), folder + "/KernelBench/level1/10_Second.py");
    QCOMPARE(call(import).exit, 0);
    QVERIFY(!QFile::exists(out + "/level_1_problem_9.op") && QFile::exists(out + "/level_1_problem_10.op"));
  }

  void numbersOfTasks() {
    QCOMPARE(*importer::numbers_of("1,3,7-9"), (std::set<int>{1, 3, 7, 8, 9}));
    QVERIFY(importer::numbers_of("")->empty());
    for (const char* bad : {"a", "3-1", "1,,2", "-4"}) QVERIFY2(!importer::numbers_of(bad), bad);
  }
};

QTEST_GUILESS_MAIN(ImporterTest)
#include "importer_test.moc"
