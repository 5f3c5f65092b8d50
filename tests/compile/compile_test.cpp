// SPDX-License-Identifier: Apache-2.0
// NVRTC really runs here (no GPU is needed); skipped with a reason where there is none.
#include <QtTest>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <regex>
#include <thread>
#include "base/files.h"
#include "compile/cutlass.h"
#include "compile/header_families.h"
#include "compile/sass.h"
#include "ptx/lines.h"

using namespace ww;
using namespace ww::compile;
namespace fs = std::filesystem;

namespace {
const std::string kernel = "extern \"C\" __global__ void k(float* o) { o[threadIdx.x] = 1.0f; }\n";
const std::string canary = "CANARY_a81b94 leaked";
}  // namespace

class CompileTest : public QObject {
  Q_OBJECT
  std::unique_ptr<Compiler> compiler_;
  QTemporaryDir folder_;

  Result<Output> cuda(const std::string& code, bool resources = false, const std::string& arch = "sm_80") {
    Request r;
    r.code = code;
    r.resources = resources;
    r.architecture = arch;
    return compiler_->compile(r);
  }

 private slots:
  void initTestCase() {
    auto c = Compiler::open();
    QVERIFY2(c.has_value(), c ? "" : c.error().text().c_str());
    compiler_ = std::move(*c);
    QVERIFY(folder_.isValid());
    fs::current_path(folder_.path().toStdString());
    std::ofstream("canary.h") << canary << "\n";
    fs::create_directory("sub");
    std::ofstream("sub/canary.h") << canary << "\n";
  }

  void knowsInfinityWithoutAHeader() {
    const auto o = cuda("extern \"C\" __global__ void k(float* o) { o[0] = -INFINITY; o[1] = NAN; }\n");
    QVERIFY2(o.has_value(), o ? "" : o.error().text().c_str());
    const auto own = cuda(
        "#undef INFINITY\n#define INFINITY 1e30f\nextern \"C\" __global__ void k(float* o) { o[0] = INFINITY; }\n");
    QVERIFY2(own.has_value(), own ? "" : own.error().text().c_str());
  }

  void showsMachineCode() {
    const auto o = cuda("extern \"C\" __global__ void twice(float* o) { o[threadIdx.x] *= 2.0f; }\n", true);
    QVERIFY2(o.has_value(), o ? "" : o.error().text().c_str());
    QCOMPARE(disassemble("").error().code, Code::invalid_argument);
    const auto sass = disassemble(o->cubin);
    QVERIFY2(sass.has_value(), sass ? "" : sass.error().text().c_str());
    QVERIFY(sass->find(".text.twice") != std::string::npos);
    QVERIFY(sass->find("LDG") != std::string::npos && sass->find("EXIT") != std::string::npos);
    QCOMPARE(disassemble("no cubin at all").error().code, Code::io);
  }

  void givesPtxCubinAndResources() {
    const auto o = cuda(
        "#define N 64\nextern \"C\" __global__ void k(float* o) {\n  __shared__ float s[N];\n  s[threadIdx.x] = "
        "o[threadIdx.x];\n"
        "  __syncthreads();\n  o[threadIdx.x] = s[N - 1 - threadIdx.x];\n}\n"
        "extern \"C\" __global__ void j(int* o) { *o = 1; }\n",
        true);
    QVERIFY2(o.has_value(), o ? "" : o.error().text().c_str());
    QVERIFY(o->ptx.find(".entry k") != std::string::npos);
    QVERIFY(o->ptx.find(".loc") != std::string::npos);
    QVERIFY2(std::regex_search(o->ptx, std::regex("\\.file[ \t]+1 \"candidate\\.cu\"")),
             "the file's name must not carry the working folder");
    QVERIFY(o->cubin.substr(1, 3) == "ELF");
    QCOMPARE(o->resources.size(), std::size_t{2});
    QCOMPARE(o->resources[0].kernel, std::string("j"));
    QCOMPARE(o->resources[1].kernel, std::string("k"));
    QCOMPARE(o->resources[1].static_shared, std::int64_t{256});
    QCOMPARE(o->resources[1].barriers, 1);
    QVERIFY(o->resources[1].registers > 0);
    QVERIFY(o->resources[1].constant > 0);
    QCOMPARE(o->resources[0].spill_stores, std::int64_t{0});
    QVERIFY2(o->log.empty(), o->log.c_str());
    QVERIFY(o->compiler.starts_with("NVRTC "));
    QVERIFY(!o->from_cache && o->seconds > 0);
  }
  void spillsAndStackAreSeen() {
    std::string code = "extern \"C\" __global__ void k(float* o, int n) { float a[64];\n";
    code +=
        "#pragma unroll\nfor (int i = 0; i < 64; ++i) a[i] = o[i * n];\n#pragma unroll\nfor (int j = 0; j < 4; ++j) "
        "{\n#pragma unroll\nfor (int i = 0; i < 64; ++i) a[i] = a[i] * a[(i * 7 + 1) % 64] + o[i + j];\n}\n"
        "#pragma unroll\nfor (int i = 0; i < 64; ++i) o[i * n + 1] = a[i];\n}\n";
    Request r;
    r.code = code;
    r.options = {"maxrregcount=32"};
    const auto o = compiler_->compile(r);
    QVERIFY2(o.has_value(), o ? "" : o.error().text().c_str());
    QCOMPARE(o->resources.size(), std::size_t{1});
    QVERIFY(o->resources[0].registers <= 32);
    QVERIFY(o->resources[0].spill_stores > 0 && o->resources[0].spill_loads > 0 && o->resources[0].stack > 0);
  }
  void definesAndOptions() {
    Request r;
    r.code =
        "#ifndef BLOCK\n#error none\n#endif\nextern \"C\" __global__ void k(float* o) { o[0] = __expf(o[0]) + "
        "sinf(o[1]) / BLOCK; }\n";
    r.resources = false;
    QVERIFY(!compiler_->compile(r).has_value());
    r.defines = {{"BLOCK", -7}};
    const auto precise = compiler_->compile(r);
    QVERIFY2(precise.has_value(), precise ? "" : precise.error().text().c_str());
    r.options = {"fast-math"};
    const auto fast = compiler_->compile(r);
    QVERIFY(fast.has_value());
    QVERIFY(fast->ptx.find("sin.approx") != std::string::npos && precise->ptx.find("sin.approx") == std::string::npos);
    r.options = {"--include-path=/"};
    QCOMPARE(compiler_->compile(r).error().code, Code::parse);
    r.options = {};
    r.architecture = "sm_80 -I/";
    QCOMPARE(compiler_->compile(r).error().code, Code::invalid_argument);
    r.architecture = "sm_30";
    QCOMPARE(compiler_->compile(r).error().code, Code::unsupported);
  }
  void errorsNameTheCandidatesLines() {
    const auto o = cuda(
        "//@ candidate x\n//@ launch k grid(1) block(1) args()\n#include <cuda_fp16.h>\nextern \"C\" __global__ void "
        "k(float* o) {\n  o[0] = nonsense;\n}\n");
    QVERIFY(!o.has_value());
    QCOMPARE(o.error().code, Code::compile);
    QVERIFY2(o.error().message.find("candidate.cu(5)") != std::string::npos, o.error().message.c_str());
    QVERIFY2(o.error().cause.find("nonsense") != std::string::npos, o.error().cause.c_str());
  }
  void assemblerErrorsAreTheCandidates() {
    const auto o =
        cuda("extern \"C\" __global__ void k(float* o) { asm volatile(\"not_an_instruction %0;\" :: \"f\"(o[0])); }\n",
             true);
    QVERIFY(!o.has_value());
    QCOMPARE(o.error().code, Code::compile);
    QVERIFY2(o.error().cause.find("not_an_instruction") != std::string::npos, o.error().cause.c_str());
  }
  void tooMuchSharedMemoryIsSaid() {
    const auto o = cuda(
        "extern \"C\" __global__ void k(float* o) { __shared__ float s[20000]; s[threadIdx.x] = o[threadIdx.x]; "
        "__syncthreads(); o[threadIdx.x] = s[5]; }\n",
        true);
    QVERIFY(!o.has_value());
    QVERIFY2(o.error().message.find("too much shared data") != std::string::npos, o.error().message.c_str());
  }

  void everyAllowedHeaderCompiles_data() {
    QTest::addColumn<QString>("header");
    for (const std::string& h : compiler_->headers())
      if (!h.starts_with("cuda/") && !h.starts_with("cooperative_groups") && !h.starts_with("cub/") &&
          !is_cutlass_name(h))
        QTest::newRow(h.c_str()) << QString::fromStdString(h);
    for (const char* h : {"cuda/barrier", "cuda/std/cstdint", "cuda/std/limits", "cooperative_groups/reduce.h",
                          "cub/block/block_reduce.cuh", "cub/warp/warp_scan.cuh", "cub/version.cuh"})
      QTest::newRow(h) << h;
  }
  void everyAllowedHeaderCompiles() {
    QFETCH(QString, header);
    const auto o = cuda("#include <" + header.toStdString() + ">\n" + kernel);
    QVERIFY2(o.has_value(), o ? "" : o.error().text().c_str());
  }
  void familiesOfHeaders() {
    const auto here = header_families(compiler_->toolkit());
    QVERIFY(here.has_value());
    for (const HeaderFamily& f : *here) {
      QVERIFY2(f.there || !f.of_toolkit, f.name.c_str());
      if (f.name != "CUB") continue;
      const auto o =
          cuda("#include <cub/version.cuh>\nextern \"C\" __global__ void k(int* o) { o[0] = CUB_VERSION; }\n");
      QVERIFY(o.has_value());
      int major = 0, minor = 0, patch = 0;
      QCOMPARE(std::sscanf(f.version.c_str(), "%d.%d.%d", &major, &minor, &patch), 3);
      QVERIFY2(o->ptx.find(std::to_string(100000 * major + 100 * minor + patch)) != std::string::npos, o->ptx.c_str());
    }
    const auto none = header_families({});
    QVERIFY(none.has_value() && none->size() == here->size());
    for (const HeaderFamily& f : *none) QVERIFY2(!f.there && f.version.empty(), f.name.c_str());
  }
  void standInsAgreeWithTheToolkit() {
    std::string all;
    for (const char* h : {"cstdint", "cstddef", "climits", "cfloat", "cmath", "cassert", "cstdio", "cuda_runtime.h",
                          "cuda_fp16.h", "cuda_bf16.h", "cuda_fp8.h", "mma.h", "cuda_pipeline.h", "math_constants.h"})
      all += std::string("#include <") + h + ">\n";
    const auto o =
        cuda(all +
             "extern \"C\" __global__ void k(float* o, uint64_t n) { static_assert(sizeof(int64_t) == 8 && "
             "sizeof(uintptr_t) == 8 && INT_MAX == 2147483647, \"\");\n"
             "assert(n > 0); o[n] = o[0] > FLT_MAX ? INFINITY : (float)M_PI; printf(\"%d\\n\", (int)n); }\n");
    QVERIFY2(o.has_value(), o ? "" : o.error().text().c_str());
    QVERIFY(o->ptx.find("vprintf") != std::string::npos && o->ptx.find("__assertfail") != std::string::npos);
  }
  void machineKernelsCompile_data() {
    QTest::addColumn<QString>("file");
    const fs::path kernels = fs::path(WW_SOURCE_DIR) / "tests/simt/kernels";
    std::error_code ec;
    for (fs::directory_iterator at(kernels, ec), end; !ec && at != end; at.increment(ec))
      if (at->path().extension() == ".cu")
        QTest::newRow(at->path().stem().c_str()) << QString::fromStdString(at->path().string());
    QVERIFY2(!ec, ec.message().c_str());
  }
  void machineKernelsCompile() {
    QFETCH(QString, file);
    const auto text = read_file(file.toStdString());
    QVERIFY(text.has_value());
    const auto o = cuda(*text, false, file.contains("sm90") ? "sm_90" : "sm_80");
    QVERIFY2(o.has_value(), o ? "" : o.error().text().c_str());
    QVERIFY(o->ptx.find(".entry") != std::string::npos);
  }

  void noFileLeaks_data() {
    QTest::addColumn<QString>("code");
    const QString path = folder_.path() + "/canary.h";
    const auto row = [&](const char* name, const QString& code) {
      QTest::newRow(name) << QString(code).replace("PATH", path) + "\n" + QString::fromStdString(kernel);
    };
    row("absolute", "#include \"PATH\"");
    row("absolute, angle", "#include <PATH>");
    row("beside", "#include \"canary.h\"");
    row("beside, angle", "#include <canary.h>");
    row("below", "#include \"sub/canary.h\"");
    row("dots", "#include \"sub/../canary.h\"");
    row("dots after a good name", "#include <cooperative_groups/../../../../PATH>");
    row("next", "#include_next \"PATH\"");
    row("import", "#import \"PATH\"");
    row("macro", "#define F \"PATH\"\n#include F");
    row("file macro", "#include __FILE__");
    row("spliced", "#inc\\\nlude \"PATH\"");
    row("spliced after hash", "#\\\ninclude \"PATH\"");
    row("spliced crlf", "#inc\\\r\nlude \"PATH\"");
    row("comment between", "# /* x */ include /* y */ \"PATH\"");
    row("comment over lines", "/* a\n*/ #include \"PATH\"");
    row("comment over lines inside", "#/* a\n*/include \"PATH\"");
    row("digraph", "%:include \"PATH\"");
    row("trigraph", "?\?=include \"PATH\"");
    row("universal name", "#incl\\u0075de \"PATH\"");
    row("line comment and blank splice", "// x \\ \n#include \"PATH\"");
    row("line comment and carriage return", "// x\r#include \"PATH\"");
    row("carriage return after the hash", "#\rinclude \"PATH\"");
    row("carriage return and splice", "#\rinclude_ne\\\nxt \"PATH\"");
    row("raw string", "const char* s = R\"(\n)\";\n#include \"PATH\"");
    row("quote in a comment", "// \"\n#include \"PATH\"");
    row("unbalanced quote", "// '\n#include \"PATH\" // '");
    row("form feed", "\f#include \"PATH\"");
    row("no-break space", QString::fromUtf8("\u00a0#include \"PATH\""));
    row("byte order mark", QString::fromUtf8("\ufeff#include \"PATH\""));
    row("embed", "const char x[] = {\n#embed \"PATH\"\n};");
    row("line", "#line 1 \"PATH\"\nint x = y;");
    row("line marker", "# 1 \"PATH\"\nint x = y;");
    row("module", "import \"PATH\";");
    row("module of a header", "import <PATH>;");
    row("dependency", "#pragma GCC dependency \"PATH\"");
    row("alias", "#pragma include_alias(\"cuda_fp16.h\", \"PATH\")\n#include \"cuda_fp16.h\"");
    row("pragma operator", "_Pragma(\"GCC dependency \\\"PATH\\\"\")");
    row("assembly include", "extern \"C\" __global__ void f() { asm volatile(\".include \\\"PATH\\\"\"); }");
    row("assembly file",
        "extern \"C\" __global__ void f() { asm volatile(\".file 7 \\\"PATH\\\"\\n.loc 7 1 0\\nx\"); }");
    row("incbin in a kernel", "extern \"C\" __global__ void f() { asm volatile(\".incbin \\\"PATH\\\"\"); }");
  }
  void noFileLeaks() {
    QFETCH(QString, code);
    const auto o = cuda(code.toStdString(), true);
    QVERIFY2(!o.has_value(), "it must be refused");
    for (const std::string& text : {o.error().message, o.error().cause})
      QVERIFY2(text.find("leaked") == std::string::npos && text.find("CANARY_") == std::string::npos, text.c_str());
  }
  void assemblyOutsideAFunctionBringsNothingIn() {
    const auto o =
        cuda("asm(\".incbin \\\"" + (folder_.path() + "/canary.h").toStdString() + "\\\"\");\n" + kernel, true);
    for (const std::string& text :
         o ? std::vector<std::string>{o->ptx, o->cubin, o->log} : std::vector<std::string>{o.error().text()})
      QVERIFY(text.find("CANARY_") == std::string::npos);
  }
  // Would a condition tell whether a file exists? The answer must be the same for one that does and one that does not.
  void existenceDoesNotLeak_data() {
    QTest::addColumn<QString>("code");
    QTest::newRow("plain") << "#if __has_include(\"PATH\")\n#error yes\n#endif";
    QTest::newRow("macro") << "#define H __has_include\n#if H(\"PATH\")\n#error yes\n#endif";
    QTest::newRow("pasted") << "#define C(a, b) a##b\n#if C(__has_, include)(\"PATH\")\n#error yes\n#endif";
    QTest::newRow("pasted in elif")
        << "#define C(a, b) a##b\n#if 0\n#elif C(__has_, include)(\"PATH\")\n#error yes\n#endif";
    QTest::newRow("pasted behind a macro")
        << "#define C(a, b) a##b\n#define X C(__has_, include)(\"PATH\")\n#if X\n#error yes\n#endif";
    QTest::newRow("pasted in two steps") << "#define C(a, b) a##b\n#define Q \"PATH\"\n#define Y C\n#define X Y "
                                            "(__has_, include)(Q)\n#if X\n#error yes\n#endif";
    QTest::newRow("the toolkit's macro")
        << "#include <cuda/std/version>\n#if _CCCL_HAS_INCLUDE(<PATH>)\n#error yes\n#endif";
    QTest::newRow("spliced") << "#if __has_\\\ninclude(\"PATH\")\n#error yes\n#endif";
  }
  void existenceDoesNotLeak() {
    QFETCH(QString, code);
    const QString there = QString(code).replace("PATH", folder_.path() + "/canary.h"),
                  absent = QString(code).replace("PATH", folder_.path() + "/canari.h");
    const auto a = cuda(there.toStdString() + "\n" + kernel), b = cuda(absent.toStdString() + "\n" + kernel);
    QCOMPARE(a.has_value(), b.has_value());
    QVERIFY(!a.has_value());
    QCOMPARE(a.error().message, b.error().message);
  }

  void ptxIsAssembled() {
    QVERIFY2(!compiler_->toolkit().nvjitlink.empty(), "nvJitLink was not found");
    const auto from = cuda(kernel);
    QVERIFY(from.has_value());
    Request r;
    r.language = candidate::Language::ptx;
    r.code = "//@ candidate x\n" + from->ptx;
    auto o = compiler_->compile(r);
    QVERIFY2(o.has_value(), o ? "" : o.error().text().c_str());
    QCOMPARE(o->ptx, ptx::without_line_information(r.code));
    QVERIFY(o->ptx.size() == r.code.size() && o->ptx.find(".loc") == std::string::npos &&
            o->ptx.find(".file") == std::string::npos);
    QCOMPARE(o->resources.size(), std::size_t{1});
    QCOMPARE(o->resources[0].kernel, std::string("k"));
    QVERIFY(o->resources[0].registers > 0);
    for (const std::string& bad : {std::string("garbage"), from->ptx + "\n.include \"" +
                                                               (folder_.path() + "/canary.h").toStdString() + "\"\n"}) {
      r.code = bad;
      o = compiler_->compile(r);
      QVERIFY(!o.has_value());
      QCOMPARE(o.error().code, Code::compile);
      QVERIFY(o.error().text().find("CANARY_") == std::string::npos);
    }
  }
  void manyThreadsCompile() {
    std::vector<std::thread> threads;
    std::atomic<int> good{0};
    for (int t = 0; t < 4; ++t)
      threads.emplace_back([&, t] {
        for (int i = 0; i < 3; ++i)
          if (auto o = cuda("#include <cuda_fp16.h>\nextern \"C\" __global__ void k" + std::to_string(t) +
                            "(__half* o) { o[0] = __float2half(" + std::to_string(i) + "); }\n");
              o && o->ptx.find(".entry k" + std::to_string(t)) != std::string::npos)
            ++good;
      });
    for (std::thread& t : threads) t.join();
    QCOMPARE(good.load(), 12);
  }
};

QTEST_APPLESS_MAIN(CompileTest)
#include "compile_test.moc"
