// SPDX-License-Identifier: Apache-2.0
#include <QtTest>
#include <random>
#include "compile/screen.h"

using namespace ww;
using namespace ww::compile;

namespace {
bool allowed(const std::string& name) { return name == "cuda_fp16.h" || name == "mma.h"; }
}  // namespace

class ScreenTest : public QObject {
  Q_OBJECT
 private slots:
  void namesIncludes() {
    const auto s = screen("#include <mma.h>\n  #  include \"cuda_fp16.h\" // half\n#include <mma.h>\n", allowed);
    QVERIFY2(s.has_value(), s ? "" : s.error().text().c_str());
    QCOMPARE(*s, (std::vector<std::string>{"cuda_fp16.h", "mma.h"}));
  }
  void ordinaryTextPasses_data() {
    QTest::addColumn<QString>("code");
    QTest::newRow("directives") << "#ifndef N\n#define N 4\n#elif N > 3 && defined(X)\n#else\n#undef "
                                   "N\n#endif\n#pragma unroll\n#pragma once\n#\n";
    QTest::newRow("function-like macro outside conditions")
        << "#define CEIL(a, b) (((a) + (b) - 1) / (b))\n#define CAT(a, b) a##b\nint CAT(x, y) = CEIL(3, 2);\n";
    QTest::newRow("stringizing over lines") << "#define S(x) \\\n  #x\n#define T(x) \\\n  foo(\\\n  #x)\n";
    QTest::newRow("hash in assembly") << "asm(\"# comment include\\n\");";
    QTest::newRow("include in a comment's words") << "// we #include nothing here\n// #include <stdlib.h>\n";
    QTest::newRow("condition with brackets")
        << "#if (N > 3) || !(defined (M)) && __CUDA_ARCH__ >= (800)\n#endif\n#define TILE (4 * 8)\n#if TILE > 16u && "
           "TILE < 0x40UL\n#endif\n";
    QTest::newRow("modulo then colon") << "int x = a %: 3;\nint y = b ? c % d : e;\n";
    QTest::newRow("uses of the compiler's names")
        << "#ifdef __CUDA_ARCH__\n#endif\n#define K __global__ void\nK k(float* __restrict__ x, int _) { __shared__ "
           "int s; (void)s; __T1 = __TIMER__; }\n";
    QTest::newRow("sinks in assembly") << "asm(\"mov.b64 {_, %0}, %1; mov.b64 {_, %2}, %3;\"); int D, T;\n";
    QTest::newRow("pragma operator") << "#define UNROLL _Pragma(\"unroll\")\nUNROLL for (;;) {}\n";
  }
  void ordinaryTextPasses() {
    QFETCH(QString, code);
    const auto s = screen(code.toStdString(), allowed);
    QVERIFY2(s.has_value(), s ? "" : s.error().text().c_str());
  }
  void refusalsShowThePlace() {
    const auto s = screen("int a;\n#include \"secret\"\n", allowed);
    QVERIFY(!s.has_value());
    QCOMPARE(s.error().code, Code::compile);
    QVERIFY2(s.error().message.starts_with("candidate.cu(2): column 2: "), s.error().message.c_str());
    QVERIFY(s.error().cause.find("^") != std::string::npos);
  }
  void theCompilersOwnNamesAreKept_data() {
    QTest::addColumn<QString>("code");
    QTest::addColumn<QString>("why");
    const auto row = [](const char* code, const char* why) { QTest::newRow(code) << code << why; };
    row("int a;\n#define __location__(x) 1\n", "(2): column 9: #define of a name");
    row("# /* x */ define /* y */ __CUDA_ARCH__ 900\n", "#define of a name");
    row("#def\\\nine __global__\n", "#define of a name");
    row("%:define __x\n", "#define of a name");
    row("#define _\\\n_x 1\n", "#define of a name");
    row("#undef __CUDACC__\n", "column 8: #undef of a name");
    row("const char* t = __TIME__;\n", "(1): column 17: __TIME__");
    row("const char* t = __DATE__;\n", "__DATE__");
    row("const char* t = __TIMESTAMP__;\n", "__TIMESTAMP__");
    row("const char* t = __TI\\\nME__;\n", "__TIME__");
    row("#define C(a, b) a##b\nconst char* t = C(__TI, ME__);\n", "__TI is");
    row("#define C(a, b) a##b\nconst char* t = C(__, DATE__);\n", "__ is");
    row("#define C(a, b) a##b\nconst char* t = C(_, _DATE__);\n", "_ beside");
    row("#define C(a, b, c) a##b##c\nconst char* t = C(_, _, DATE__);\n", "_ beside");
    row("#ifdef __CUDACC_RTC__\n#endif\n", "__CUDACC_RTC__");
    row("#if __CUDACC_VER_MAJOR__ > 12\n#endif\n", "__CUDACC_VER_MAJOR__");
    row("#define C(a, b) a##b\nint x = C(__CUDACC_, RTC__);\n", "__CUDACC_ is");
    row("#if __has_include(<x>)\n#endif\n", "__has_include");
  }
  void theCompilersOwnNamesAreKept() {
    QFETCH(QString, code);
    QFETCH(QString, why);
    const auto s = screen(code.toStdString(), allowed);
    QVERIFY(!s.has_value());
    QVERIFY2(QString::fromStdString(s.error().message).contains(why), s.error().message.c_str());
  }
  // Whatever is cut, doubled or spliced: no crash, and an include that passes is an approved one.
  void survivesMutations() {
    const std::string seed =
        "#include <mma.h>\n/* x */ #  include \"cuda_fp16.h\"\n#define A(x) #x \\\n  B\n#if A > 3 // "
        "c\n#endif\nR\"(a)\" _Pragma(\"unroll\")\n%:define C\n";
    std::mt19937 random(7);
    const auto pick = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
    for (int round = 0; round < 20000; ++round) {
      std::string t = seed;
      for (int k = 0; k < 4; ++k) {
        if (t.empty()) break;
        const std::size_t at = pick(t.size());
        switch (pick(5)) {
          case 0: t.erase(at, 1 + pick(8)); break;
          case 1: t.insert(at, t.substr(pick(t.size()), 1 + pick(12))); break;
          case 2: t.insert(at, "\\\n"); break;
          case 3: t[at] = static_cast<char>(random()); break;
          default: t.resize(at); break;
        }
      }
      const auto s = screen(t, allowed);
      if (s)
        for (const std::string& name : *s) QVERIFY(allowed(name));
    }
  }
};

QTEST_APPLESS_MAIN(ScreenTest)
#include "screen_test.moc"
