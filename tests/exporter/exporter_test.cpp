// SPDX-License-Identifier: Apache-2.0
// Exported projects, without a GPU: the plan that Python works out is the engine's, to the byte, at many sizes; the
// files are whole; what may not be exported is not.
#include <QDir>
#include "exporter/exported_runs.h"
#include "exporter/host_text.h"
#include "exporter/solution.h"
#include "store/sqlite.h"

using namespace ww;
using namespace ww::testing;

class ExporterTest : public QObject, ExportedRuns {
  Q_OBJECT

 private slots:
  void initTestCase() {
    QVERIFY(dir_.isValid());
    qputenv("WARPWRIGHT_CONFIG", dir_.filePath("config").toUtf8());  // the same person's
  }

  // Every expression of integers that a plan may hold means the same in both languages, negative operands included.
  void expressionsMeanTheSame() {
    const char* texts[] = {"R / C",
                           "R % C",
                           "(0 - R) / C",
                           "(0 - R) % C",
                           "ceildiv(R, C)",
                           "min(R, C) + max(R, 3)",
                           "if(R > C && C > 2, R, C ^ 2)",
                           "pow2ceil(R - 1)",
                           "clamp(R, 2, C)",
                           "abs(C - R)",
                           "sign(C - R)",
                           "!(R == C) + (R <= C || R != 7)"};
    QString program =
        "import json, sys\nsys.path.insert(0, '" + QString(WW_SOURCE_DIR) +
        "/resources/export/common')\nimport plan\nout = []\nfor R in (1, 7, 64, 1000):\n  for C in (1, 3, "
        "64):\n    known = dict(plan._KNOWN, v_R=R, v_C=C)\n";
    for (const char* text : texts)
      program +=
          QString("    out.append(int(eval('''%1''', known)))\n")
              .arg(QString::fromStdString(
                  exporter::host_text(*op::parse_integer_expr(text).value(), exporter::HostLanguage::python).value()));
    const Outcome o = python({"-c", program + "print(json.dumps(out))"});
    QVERIFY2(o.exit == 0, o.err);
    const QJsonArray values = QJsonDocument::fromJson(o.out).array();
    int at = 0;
    for (const std::int64_t r : {1, 7, 64, 1000})
      for (const std::int64_t c : {1, 3, 64})
        for (const char* text : texts) {
          const auto wanted = op::eval_integer(*op::parse_integer_expr(text).value(),
                                               [&](const std::string& n) { return std::optional(n == "R" ? r : c); });
          QVERIFY2(wanted && values.at(at++).toInteger(-1) == *wanted, text);
        }
  }

  // Python works the symbols out of the tensors' dimensions; "free": those that the caller gives.
  void dimensionsTellTheSizes_data() {
    QTest::addColumn<QString>("shapes");  // of the inputs in the plan
    QTest::addColumn<QString>("given");   // the tensors'
    QTest::addColumn<QString>("says");    // N and M, or what is wrong
    QTest::newRow("plain") << "[['v_N', 'v_M']]"
                           << "[[3, 4]]"
                           << "3 4";
    QTest::newRow("contradiction") << "[['v_N', 'v_M'], ['v_N']]"
                                   << "[[3, 4], [5]]"
                                   << "dimension 0 of x1 must be 3, not 5";
    QTest::newRow("a multiple") << "[['v_N', '(8 * v_M)']]"
                                << "[[3, 40]]"
                                << "3 5";
    QTest::newRow("no multiple") << "[['v_N', '(8 * v_M)']]"
                                 << "[[3, 41]]"
                                 << "dimension 1 of x0 cannot be 41";
    QTest::newRow("a window") << "[['((v_N - v_M) + 1)', 'v_M']]"
                              << "[[10, 3]]"
                              << "12 3";
    QTest::newRow("a product with another tensor's") << "[['(v_N * v_M)'], ['v_M']]"
                                                     << "[[12], [4]]"
                                                     << "3 4";
    QTest::newRow("a product with nothing") << "[['(v_N * v_M)'], ['v_M']]"
                                            << "[[12], [0]]"
                                            << "dimension 0 of x0 cannot be 12";
    QTest::newRow("two unknown") << "[['(v_N * v_M)']]"
                                 << "[[6]]"
                                 << "free N M";
    QTest::newRow("half") << "[['(v_N // 2)', 'v_M']]"
                          << "[[6, 1]]"
                          << "free N";
    QTest::newRow("at most") << "[['f_min(v_N, 100)', 'v_M']]"
                             << "[[6, 1]]"
                             << "free N";
    QTest::newRow("a square") << "[['(v_N * v_N)', 'v_M']]"
                              << "[[9, 1]]"
                              << "free N";
  }
  void dimensionsTellTheSizes() {
    QFETCH(QString, shapes);
    QFETCH(QString, given);
    QFETCH(QString, says);
    const QString program =
        "import sys\nsys.path.insert(0, '" + QString(WW_SOURCE_DIR) +
        "/resources/export/common')\nimport plan\ninputs = [dict(name=f'x{i}', shape=s) for i, s in enumerate(" +
        shapes +
        ")]\np = plan.Plan(dict(op='o', inputs=inputs, outputs=[], temporaries=[], symbols=['N', 'M'], constants=[], "
        "tuning={}))\ntry:\n  print(' '.join(['free', *p.free]) if p.free else '%d %d' % tuple(p.bind(" +
        given + ")))\nexcept plan.PlanError as e:\n  print(e)\n";
    const Outcome o = python({"-c", program});
    QVERIFY2(o.exit == 0, o.err);
    QVERIFY2(QString::fromUtf8(o.out).trimmed().endsWith(says), o.out);
  }

  void pythonPlansAsTheEngineDoes_data() {
    QTest::addColumn<QStringList>("what");
    QTest::newRow("rows") << QStringList{"softmax", "--set", "R=48", "--set", "C=96", "--budget", "6"};
    QTest::newRow("product") << QStringList{"matmul", "--set", "M=32",     "--set", "N=40",
                                            "--set",  "K=24",  "--budget", "4"};
    QTest::newRow("constants") << QStringList{"layernorm", "--set", "R=16", "--set", "C=64", "--budget", "3"};
    QTest::newRow("several launches and zeroed memory")
        << QStringList{"sum_all", "--set", "R=50", "--set", "C=100", "--budget", "4"};
    QTest::newRow("windows") << QStringList{"max_pool2d", "--budget", "2"};
  }
  void pythonPlansAsTheEngineDoes() {
    QFETCH(QStringList, what);
    const std::vector<store::CandidateRecord> list = explored(what);
    QVERIFY(!list.empty());
    for (const store::CandidateRecord& c : list) {
      const QString folder = dir_.filePath("plan_" + QString::number(c.id));
      const Outcome made = call({"export", QString::number(c.id), "--as", "ptx", "-o", folder, "--unsigned"});
      QVERIFY2(made.exit == 0, made.err);
      const auto stored = json::read_text<exporter::PlanText>(
          [&] {
            QFile f(folder + "/plan.json");
            return f.open(QIODevice::ReadOnly) ? f.readAll().toStdString() : std::string();
          }(),
          "plan.json");
      QVERIFY2(stored, stored ? "" : stored.error().text().c_str());
      const op::Spec spec = must(op::parse_spec(stored->spec));
      for (const int by : {0, 1, 13, -5, 1000}) {
        const op::Binding binding = changed(spec, by);
        if (!op::resolve(spec, binding)) continue;
        QStringList arguments{folder + "/plan.py"};
        for (const auto& [name, value] : binding.symbols)
          arguments += QString("%1=%2").arg(QString::fromStdString(name)).arg(value);
        const Outcome o = python(arguments);
        QVERIFY2(o.exit == 0, o.err);
        compare_plan(o.json(), c, spec, binding,
                     [](const std::string& got, const std::string& wanted) { QCOMPARE(got, wanted); });
        if (QTest::currentTestFailed()) return;
      }
    }
  }

  void aPackageIsWhole() {
    const std::vector<store::CandidateRecord> list =
        explored({"relu", "--set", "R=10", "--set", "C=100", "--budget", "1"});
    QCOMPARE(list.size(), std::size_t(1));
    const QString id = QString::number(list[0].id), folder = dir_.filePath("relu");
    const Outcome refused = call({"export", id, "-o", folder});
    QCOMPARE(refused.exit, 2);
    QVERIFY2(refused.err.contains("candidate " + id.toUtf8() + " is not signed"), refused.err);
    QVERIFY(!QDir(folder).exists());
    const Outcome made = call({"export", id, "-o", folder, "--unsigned", "--json"});
    QVERIFY2(made.exit == 0, made.err);
    QVERIFY(has_members(made.json(), {"candidate", "folder", "package", "function", "signed", "files"}));
    QVERIFY(!made.json()["signed"].toBool(true));
    QCOMPARE(broken_file(folder, files_of(made)), QString());
    QFile readme(folder + "/README.md");
    QVERIFY(readme.open(QIODevice::ReadOnly) && readme.readAll().contains("has not been reviewed and signed"));
    QFile ptx(folder + "/ww_relu/kernel.ptx");
    QVERIFY(ptx.open(QIODevice::ReadOnly) && ptx.readAll().toStdString() == list[0].verdict->ptx);

    const Outcome again = call({"export", id, "-o", folder, "--unsigned"});
    QCOMPARE(again.exit, 2);
    QVERIFY2(again.err.contains("is not an empty folder"), again.err);
    const Outcome kind = call({"export", id, "--as", "cobol", "-o", dir_.filePath("x"), "--unsigned"});
    QCOMPARE(kind.exit, 2);
    QVERIFY2(kind.err.contains("is not one of torch, kernels, cupy, cpp, ptx"), kind.err);
    QCOMPARE(call({"export", "4711", "-o", dir_.filePath("x"), "--unsigned"}).exit, 2);
  }

  void anUnconfirmedSpecIsMarkedInTheReadme() {
    const QString file = write_file(dir_.filePath("twice.op"),
                                    "//@ unconfirmed: a model wrote this spec\n"
                                    "op twice(x: f32[N]) -> y: f32[N]\n  default N = 100\n{\n  y[i] = 2 * x[i]\n}\n");
    const std::vector<store::CandidateRecord> list = explored({file, "--budget", "1"});
    QCOMPARE(list.size(), std::size_t(1));
    const QString folder = dir_.filePath("unconfirmed");
    const Outcome made = call({"export", QString::number(list[0].id), "--as", "ptx", "-o", folder, "--unsigned"});
    QVERIFY2(made.exit == 0, made.err);
    const QByteArray readme = read_file(folder + "/README.md");
    QVERIFY2(readme.contains("**A model wrote the spec of this op, and it is unconfirmed"), readme);
  }

  // The other projects of Python: all files there and readable, modules and plan together.
  void otherPackagesAreWhole() {
    const std::vector<store::CandidateRecord> list =
        explored({"relu", "--set", "R=10", "--set", "C=100", "--budget", "1"});
    QCOMPARE(list.size(), std::size_t(1));
    const QString id = QString::number(list[0].id);
    for (const auto& [kind, inside] :
         {std::pair{"kernels", QStringList{"build/torch-universal", "torch-ext/ww_relu"}}, {"cupy", {"ww_relu"}}}) {
      const QString folder = dir_.filePath(QString("other_") + kind);
      const Outcome made = call({"export", id, "--as", kind, "-o", folder, "--unsigned", "--json"});
      QVERIFY2(made.exit == 0, made.err);
      QCOMPARE(broken_file(folder, files_of(made)), QString());
      for (const QString& part : inside) {
        for (const char* file : {"__init__.py", "plan.py", "plan.json", "kernel.ptx", "kernel.cu", "inputs.py"})
          QVERIFY2(QFile::exists(folder + "/" + part + "/" + file), qPrintable(part + "/" + file));
        QVERIFY(read_file(folder + "/" + part + "/kernel.ptx").toStdString() == list[0].verdict->ptx);
      }
      QVERIFY(read_file(folder + "/README.md").contains("has not been reviewed and signed"));
    }
    const auto metadata =
        QJsonDocument::fromJson(read_file(dir_.filePath("other_kernels/build/torch-universal/metadata.json"))).object();
    QCOMPARE(metadata["name"].toString(), QString("ww-relu"));
    QVERIFY(!QFile::exists(dir_.filePath("other_kernels/metadata.json")));
  }

  // A drop-in for a module is one program, with the module's own source and what the launch needs.
  void aSolutionIsOneProgram() {
    const std::vector<store::CandidateRecord> list =
        explored({"relu", "--set", "R=10", "--set", "C=100", "--budget", "1"});
    QCOMPARE(list.size(), std::size_t(1));
    const op::Library library = must(op::Library::load(WW_SOURCE_DIR "/resources/ops"));
    const std::string text = must(exporter::solution_text(*workspace(), library, list[0],
                                                          {{"x", 0, {}}, {"w", {}, "layer.w"}, {"c", {}, {}, true}},
                                                          "class Model:\n    pass  # {{plan}}\n", "Model"));
    const QString file = write_file(dir_.filePath("solution.py"), QByteArray::fromStdString(text));
    const Outcome o =
        python({"-c",
                "import ast, json, sys\ntree = ast.parse(open(sys.argv[1]).read())\nvalues = {n.targets[0].id: n.value "
                "for n in "
                "tree.body if isinstance(n, ast.Assign) and isinstance(n.targets[0], "
                "ast.Name)}\nprint(json.dumps({'classes': [n.name for n in tree.body if "
                "isinstance(n, ast.ClassDef)], 'inputs': ast.literal_eval(values['_WARPWRIGHT_INPUTS']), 'ptx': "
                "ast.literal_eval(values['PTX']), 'source': ast.literal_eval(values['SOURCE'])}))",
                file});
    QVERIFY2(o.exit == 0, o.err);
    QCOMPARE(o.json()["inputs"].toArray(), (QJsonArray{0, "layer.w"}));
    QCOMPARE(o.json()["ptx"].toString().toStdString(), list[0].verdict->ptx);
    QCOMPARE(o.json()["source"].toString().toStdString(), list[0].text);
    for (const char* name : {"Model", "Plan", "Launcher", "ModelNew"})
      QVERIFY2(o.json()["classes"].toArray().contains(name), name);
    QVERIFY(text.find("pass  # {{plan}}") != std::string::npos && text.find("from .plan") == std::string::npos);
  }

  void whatWasSignedIsWhatIsExported() {
    const std::vector<store::CandidateRecord> list =
        explored({"relu", "--set", "R=10", "--set", "C=100", "--budget", "2"});
    QVERIFY(list.size() == 2);
    for (const store::CandidateRecord& c : list) {
      const Outcome signing = call({"accept", QString::number(c.id), "--reviewer", "Ada", "--answer", "spec=yes",
                                    "--answer", "evidence=opened", "--answer", "findings=none = none", "--answer",
                                    "lines=read", "--answer", "diff=read", "--answer", "limits=known"});
      QVERIFY2(signing.exit == 0, signing.err);
    }
    const auto made = [&](const store::CandidateRecord& c, const char* name) {
      return call({"export", QString::number(c.id), "--as", "ptx", "-o", dir_.filePath(name)});
    };
    QVERIFY2(made(list[0], "signed").exit == 0, made(list[0], "signed again").err);
    QVERIFY(QFile::exists(dir_.filePath("signed/receipt.json")));
    const auto standing = [&](const char* name) {
      QFile readme(dir_.filePath(name) + "/README.md");
      return readme.open(QIODevice::ReadOnly) ? readme.readAll() : QByteArray();
    };
    QVERIFY(standing("signed").contains("A person reviewed and signed it"));
    const QString exported_key = dir_.filePath("ada.key");
    QCOMPARE(call({"keys", "export", "-o", exported_key}).exit, 0);
    QVERIFY(QFile::rename(dir_.filePath("config/signing.key"), dir_.filePath("signing.key")));
    QCOMPARE(made(list[0], "unknown").exit, 0);
    QVERIFY2(standing("unknown").contains("could not vouch for who signed it (key: unknown)"), standing("unknown"));
    QCOMPARE(call({"keys", "trust", exported_key, "--name", "Ada"}).exit, 0);
    QCOMPARE(call({"keys", "revoke", "Ada", "--why", "lost"}).exit, 0);
    const Outcome revoked = made(list[0], "revoked");
    QVERIFY2(revoked.exit == 2 && revoked.err.contains("has been revoked"), revoked.err);
    QCOMPARE(call({"export", QString::number(list[0].id), "-o", dir_.filePath("revoked"), "--unsigned"}).exit, 0);
    QVERIFY2(standing("revoked").contains("The key that signed `receipt.json` has been revoked"), standing("revoked"));
    QVERIFY(QFile::remove(dir_.filePath("config/known_keys.json")));
    auto db = must(store::Database::open(dir_.filePath("workspace/workspace.sqlite").toStdString(),
                                         store::Database::Access::write));
    const std::string blob = workspace()->put_blob(list[0].verdict->ptx + "// more").value();
    QVERIFY(db->exec("UPDATE verdict SET ptx = '" + blob + "' WHERE candidate = " + std::to_string(list[0].id)));
    const Outcome other_ptx = made(list[0], "other ptx");
    QVERIFY2(other_ptx.exit != 0 && other_ptx.err.contains("the compiled PTX has changed"), other_ptx.err);
    QVERIFY(db->exec("UPDATE source SET text = text || '// more' WHERE hash = '" + list[1].hash + "'"));
    const Outcome other_text = made(list[1], "other text");
    QVERIFY2(other_text.exit != 0 && other_text.err.contains("does not match its hash"), other_text.err);
    QVERIFY(!QDir(dir_.filePath("other ptx")).exists() && !QDir(dir_.filePath("other text")).exists());
  }

  // The library's expression stands in where the kernel claims nothing: only for the constants that it means.
  void theFallbackHasTheConstantsOfTheKernel() {
    for (const bool other : {false, true}) {
      QStringList what = {"selu", "--set", "R=8", "--set", "C=16", "--budget", "1"};
      if (other) what += QStringList{"--set", "alpha=2"};
      const std::vector<store::CandidateRecord> list = explored(what);
      QCOMPARE(list.size(), std::size_t{1});
      const QString folder = dir_.filePath(other ? "other selu" : "selu");
      const Outcome o = call({"export", QString::number(list[0].id), "--as", "ptx", "-o", folder, "--unsigned"});
      QVERIFY2(o.exit == 0, o.err);
      QFile plan(folder + "/plan.json");
      QVERIFY(plan.open(QIODevice::ReadOnly));
      const QString reference = QJsonDocument::fromJson(plan.readAll()).object()["reference"].toString();
      QCOMPARE(reference.isEmpty(), other);
    }
  }

  void whatIsNotAcceptedIsNotExported() {
    const QString file = write_file(dir_.filePath("wrong.cu"), R"(//@ candidate relu
//@ launch k grid(ceildiv(R * C, 128)) block(128) args(x, y, R * C)
extern "C" __global__ void k(const float* x, float* y, int n) {
  const int i = blockIdx.x * 128 + threadIdx.x;
  if (i < n) y[i] = x[i];
}
)");
    QVERIFY(call({"explore", file, "--set", "R=10", "--set", "C=100", "--budget", "1"}).exit != 0);
    const auto w = workspace();
    const auto list = w->candidates(must(w->runs()).front().id).value();
    QVERIFY(!list.empty() && list[0].state == store::CandidateState::rejected);
    const Outcome o = call({"export", QString::number(list[0].id), "-o", dir_.filePath("wrong"), "--unsigned"});
    QCOMPARE(o.exit, 2);
    QVERIFY2(o.err.contains("has not proved candidate"), o.err);
    QVERIFY(!QDir(dir_.filePath("wrong")).exists());
  }
};

QTEST_GUILESS_MAIN(ExporterTest)
#include "exporter_test.moc"
