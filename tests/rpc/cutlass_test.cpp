// SPDX-License-Identifier: Apache-2.0
// Headers of CUTLASS's folder in candidates, through the real worker: a small folder that stands for it, then the real
// one, where it is found.
#include <QTemporaryDir>
#include <QtTest>
#include <algorithm>
#include <filesystem>
#include <fstream>
#include "base/files.h"
#include "compile/cutlass.h"
#include "compile/header_families.h"
#include "rpc/supervisor.h"

using namespace ww;
using namespace ww::rpc;
namespace fs = std::filesystem;

namespace {

const char* scale_spec = "op scale(x: f32[N]) -> y: f32[N]\n  default N = 512\n{\n  y[i] = 2.0 * x[i]\n}\n";
const char* canary = "CANARY_a81b94 leaked";

std::string scale(const std::string& before, const std::string& factor) {
  return "//@ candidate scale\n//@ launch scale grid(ceildiv(N, 128)) block(128) args(x, y, N)\n" + before +
         "\nextern \"C\" __global__ void scale(const float* x, float* y, int n) {\n"
         "  int i = blockIdx.x * 128 + threadIdx.x;\n  if (i < n) y[i] = " +
         factor + " * x[i];\n}\n";
}

void write(const fs::path& file, const std::string& text) {
  fs::create_directories(file.parent_path());
  std::ofstream(file) << text;
}

std::string why(const evidence::Verdict& v) {
  const evidence::StageResult* failed = v.last_stage();
  return v.summary() + (failed ? "\n" + failed->message + "\n" + failed->detail : "");
}

}  // namespace

class CutlassTest : public QObject {
  Q_OBJECT
  QTemporaryDir folder_;
  fs::path root_, include_;
  QByteArray real_;

  WorkerOptions options() const {
    WorkerOptions o;
    o.program = fs::path(WW_BINARY_DIR) / "bin/warpwright-worker";
    o.compile_cache = root_ / "cache";
    return o;
  }
  Result<evidence::Verdict> judge(const std::string& candidate, const std::string& spec = scale_spec) const {
    GateRequest r;
    r.spec = spec;
    r.candidate = candidate;
    return Supervisor(options()).gate(r);
  }
  static compile::HeaderFamily family() {
    const auto toolkit = compile::find_toolkit();
    const auto all = toolkit ? compile::header_families(*toolkit) : std::vector<compile::HeaderFamily>();
    return all && !all->empty() ? all->back() : compile::HeaderFamily();
  }

 private slots:
  void initTestCase() { real_ = qgetenv(compile::cutlass_variable); }
  void init() {
    QVERIFY(folder_.isValid());
    root_ = fs::canonical(folder_.path().toStdString());
    include_ = root_ / "checkout/include";
    fs::remove_all(root_ / "checkout");
    write(root_ / "canary.h", canary);
    write(include_ / "canary.h", canary);  // beside the two folders
    write(include_ / "cutlass/version.h",
          "#define CUTLASS_MAJOR 7\n#define CUTLASS_MINOR 8\n#define CUTLASS_PATCH 9\n");
    write(include_ / "cutlass/cutlass.h",
          "#pragma once\n#define CUDA_STD_HEADER(header) <cuda/std/header>\n#include CUDA_STD_HEADER(limits)\n");
    write(include_ / "cute/util/two.hpp", "#pragma once\n#include <cutlass/cutlass.h>\nconstexpr float two = 2.0f;\n");
    write(include_ / "cute/tensor.hpp",
          "#include \"util/two.hpp\"\n#ifdef OTHER\n#include \"../../../canary.h\"\n#endif\n"
          "static_assert(cuda::std::numeric_limits<int>::is_integer, \"\");\n");
    qputenv(compile::cutlass_variable, (root_ / "checkout").c_str());
  }
  void cleanup() { real_.isNull() ? qunsetenv(compile::cutlass_variable) : qputenv(compile::cutlass_variable, real_); }

  void itsFolderIsFound_data() {
    QTest::addColumn<QString>("below");
    for (const char* below : {"checkout", "checkout/include", "wheel"}) QTest::newRow(below) << below;
  }
  void itsFolderIsFound() {
    QFETCH(QString, below);
    if (below == "wheel") {
      fs::create_directories(root_ / "wheel/cutlass_library/source");
      fs::rename(include_, root_ / "wheel/cutlass_library/source/include");
    }
    qputenv(compile::cutlass_variable, (root_ / below.toStdString()).c_str());
    const compile::HeaderFamily f = family();
    QVERIFY(f.there && !f.of_toolkit);
    QCOMPARE(f.version, std::string("7.8.9"));
    QVERIFY(fs::exists(f.folder / "cute/tensor.hpp"));
    fs::remove_all(root_ / "wheel");
  }
  void otherFoldersAreNone() {
    for (const fs::path& folder : {root_, fs::path("/"), fs::path("/nowhere"), include_ / "cute"}) {
      qputenv(compile::cutlass_variable, folder.c_str());
      QVERIFY2(compile::find_cutlass().empty(), folder.c_str());
    }
    QVERIFY(!family().there);
    const auto v = judge(scale("#include <cute/tensor.hpp>", "two"));
    QVERIFY(v && !v->accepted);
    QVERIFY2(v->last_stage()->detail.find("doctor") != std::string::npos, v->last_stage()->detail.c_str());
    qputenv(compile::cutlass_variable, (root_ / "checkout").c_str());
    fs::remove_all(include_ / "cute");
    fs::create_directory_symlink("/usr", include_ / "cute");
    QVERIFY(compile::find_cutlass().empty());
  }
  void theSealedWorkerReadsIt() {
    const auto v = judge(scale("#include <cute/tensor.hpp>", "two"));
    QVERIFY2(v.has_value(), v ? "" : v.error().text().c_str());
    QVERIFY2(v->accepted, why(*v).c_str());
  }
  void aChangedHeaderIsCompiledAnew() {
    const std::string candidate = scale("#include <cute/tensor.hpp>", "two");
    const auto right = judge(candidate);
    QVERIFY(right && right->accepted);
    write(include_ / "cute/util/two.hpp", "#pragma once\n#include <cutlass/cutlass.h>\nconstexpr float two = 3.0f;\n");
    const auto wrong = judge(candidate);
    QVERIFY(wrong && !wrong->accepted);
  }

  void nothingElseIsRead_data() {
    QTest::addColumn<QString>("include");  // of the candidate
    QTest::addColumn<QString>("header");   // cute/more.hpp
    const QString outside = folder_.path() + "/canary.h", own = "#include <cute/more.hpp>";
    QTest::newRow("beside the folders") << "#include <canary.h>"
                                        << "";
    QTest::newRow("dots") << "#include <cute/../../../canary.h>"
                          << "";
    QTest::newRow("dots within") << "#include <cute/util/../../canary.h>"
                                 << "";
    QTest::newRow("absolute") << "#include <" + outside + ">"
                              << "";
    QTest::newRow("a link to a file") << "#include <cute/link.hpp>"
                                      << "";
    QTest::newRow("a link to a system's file") << "#include <cute/system.hpp>"
                                               << "";
    QTest::newRow("a link to a folder") << "#include <cute/linked/canary.h>"
                                        << "";
    QTest::newRow("a macro that leaves") << "#define OTHER 1\n#include <cute/tensor.hpp>"
                                         << "";
    QTest::newRow("a header's absolute include") << own << "#include \"" + outside + "\"\n";
    QTest::newRow("a header's dots") << own << "#include <cute/../../canary.h>\n";
    QTest::newRow("a header's link") << own << "#include \"link.hpp\"\n";
    QTest::newRow("a header's linked folder") << own << "#include \"linked/canary.h\"\n";
    QTest::newRow("a header's neighbour of the folders") << own << "#include \"../canary.h\"\n";
    QTest::newRow("the candidate's macro") << "#define FILE_NAME \"" + outside + "\"\n" + own << "#include FILE_NAME\n";
    QTest::newRow("CUTLASS's macro by the candidate")
        << "#define CUDA_STD_HEADER(header) \"" + outside + "\"\n" + own << "#include CUDA_STD_HEADER(nothing)\n";
    QTest::newRow("dots in CUTLASS's macro") << own << "#include CUDA_STD_HEADER(../../../../canary.h)\n";
    QTest::newRow("the next one") << own << "#include_next \"" + outside + "\"\n";
  }
  void nothingElseIsRead() {
    QFETCH(QString, include);
    QFETCH(QString, header);
    fs::create_symlink("../../../canary.h", include_ / "cute/link.hpp");
    fs::create_symlink("/usr/include/stdio.h", include_ / "cute/system.hpp");
    fs::create_directory_symlink(root_, include_ / "cute/linked");
    write(include_ / "cute/more.hpp", header.toStdString());
    const auto v = judge(scale(include.toStdString(), "2.0f"));
    QVERIFY2(v.has_value(), v ? "" : v.error().text().c_str());
    const evidence::StageResult* stage = v->last_stage();
    QVERIFY2(!v->accepted && stage, "it must be refused");
    for (const std::string& text : {stage->message, stage->detail})
      QVERIFY2(text.find("leaked") == std::string::npos && text.find("CANARY_") == std::string::npos, text.c_str());
  }
  void aHugeHeaderIsRefused() {
    write(include_ / "cute/huge.hpp", "\n");
    fs::resize_file(include_ / "cute/huge.hpp", std::uintmax_t{65} << 20);
    const auto v = judge(scale("#include <cute/huge.hpp>", "2.0f"));
    QVERIFY2(v.has_value(), v ? "" : v.error().text().c_str());
    QVERIFY(!v->accepted);
    QVERIFY2(v->last_stage()->message.find("64 MiB") != std::string::npos, v->last_stage()->message.c_str());
  }

  void kernelsWithCuteAreProved_data() {
    QTest::addColumn<QString>("file");
    for (const fs::directory_entry& e : fs::directory_iterator(fs::path(WW_SOURCE_DIR) / "tests/rpc/cutlass"))
      QTest::newRow(e.path().filename().c_str()) << QString::fromStdString(e.path().string());
  }
  void kernelsWithCuteAreProved() {
    QFETCH(QString, file);
    cleanup();  // the real one
    if (compile::find_cutlass().empty()) QSKIP("no CUTLASS");
    const auto text = read_file(file.toStdString());
    QVERIFY(text.has_value());
    const std::size_t at = text->find("// op: ") + 7;
    const auto spec = read_file(resources_dir() / "ops" / (text->substr(at, text->find('\n', at) - at) + ".op"));
    QVERIFY(spec.has_value());
    const auto v = judge(*text, *spec);
    QVERIFY2(v.has_value(), v ? "" : v.error().text().c_str());
    QVERIFY2(v->accepted, why(*v).c_str());
  }
};

QTEST_APPLESS_MAIN(CutlassTest)
#include "cutlass_test.moc"
