// SPDX-License-Identifier: Apache-2.0
#include <QtTest>
#include "compile/compile.h"
#include "compile/log.h"

using namespace ww;
using namespace ww::compile;

namespace {

std::string words(const std::string& text, const LogMessage& m) {
  return text.substr(m.where.span.begin, m.where.span.end - m.where.span.begin);
}

}  // namespace

class CompileLogTest : public QObject {
  Q_OBJECT
 private slots:
  void messagesArePlacedInTheText() {
    const std::string text = "one\n  two();\nthree x;";
    const auto found = read_log(text,
                                "candidate.cu(2): error: identifier \"two\" is undefined\n"
                                "candidate.cu(99): error: elsewhere\n"
                                "candidate:3:2: error: oops\nnoise\n"
                                "candidate.cu(3): warning #177-D: variable \"x\" was declared but never referenced\n"
                                "    three x;\n          ^\n\n"
                                "ptxas application ptx input, line 1; error   : Unknown symbol 'one'\n"
                                "ptxas fatal   : Ptx assembly aborted due to errors\n"
                                "candidate.cu:2:3: error: 'asm' is not accepted in a candidate\n"
                                "1 error detected in the compilation of \"candidate.cu\".\n");
    QCOMPARE(found.size(), std::size_t{5});
    QCOMPARE(words(text, found[0]), std::string("two();"));  // no column is known
    QCOMPARE(found[1].where.span.begin, std::size_t{14});
    QCOMPARE(words(text, found[1]), std::string("hree"));
    QCOMPARE(found[2].severity, Severity::warning);
    QCOMPARE(words(text, found[2]), std::string("x"));
    QCOMPARE(found[2].where.place.column, 7);
    QCOMPARE(found[2].where.message, std::string("variable \"x\" was declared but never referenced"));
    QCOMPARE(words(text, found[3]), std::string("one"));
    QCOMPARE(found[3].where.message, std::string("Unknown symbol 'one'"));
    QCOMPARE(words(text, found[4]), std::string("two"));
  }

  void oddLogsAreReadWithoutHarm() {
    const std::string odd[] = {"",
                               "candidate.cu(",
                               "candidate.cu(0): error: none",
                               "candidate.cu(-1): error: none",
                               "candidate.cu(99999999999999999999): error: none",
                               "candidate.cu(1): error:",
                               "candidate.cu(1): errors: many",
                               "candidate:1: error: no column",
                               "ptxas x, line ",
                               "ptxas x, line 3; warning : behind the text",
                               "candidate.cu(1"};
    for (const std::string& log : odd) QVERIFY2(read_log("text", log).empty(), log.c_str());
    const std::string directive = "//@ launch k args(x)  \nk";
    QCOMPARE(words(directive, read_log(directive, "candidate:1:1: error: no launch takes 'y'\n")[0]),
             std::string("//@ launch k args(x)"));
    // Columns behind the line's end, and empty texts.
    for (const std::string& text : {std::string(), std::string("\n"), std::string("  \n")}) {
      const auto found = read_log(text, "candidate:1:500: error: far\ncandidate.cu(1): error: here\n");
      QCOMPARE(found.size(), std::size_t{2});
      for (const LogMessage& m : found)
        QVERIFY(m.where.span.begin <= m.where.span.end && m.where.span.end <= text.size());
    }
  }

  // The forms are those of the compiler that is here.
  void theCompilersOwnLogIsRead() {
    const auto compiler = Compiler::open();
    QVERIFY2(compiler, "there is no NVRTC");
    Request request;
    request.code = "extern \"C\" __global__ void k(float* y) {\n  int unused;\n\ty[0] = 1.0f + vectr;\n}\n";
    const auto refused = (*compiler)->compile(request);
    QVERIFY(!refused && refused.error().code == Code::compile);
    const auto found = read_log(request.code, refused.error().cause);
    QVERIFY(!found.empty());
    bool error = false;
    for (const LogMessage& m : found)
      if (m.severity == Severity::error) error = words(request.code, m) == "vectr" && m.where.place.line == 3;
    QVERIFY2(error, refused.error().cause.c_str());
  }

  void theAssemblersOwnLogIsRead() {
    const auto compiler = Compiler::open();
    QVERIFY2(compiler, "there is no NVRTC");
    QVERIFY2(!(*compiler)->toolkit().nvjitlink.empty(), "there is no assembler");
    Request request;
    request.language = candidate::Language::ptx;
    request.code =
        ".version 7.0\n.target sm_80\n.address_size 64\n.visible .entry k()\n{\n  nosuch.b32 %r1;\n  ret;\n}\n";
    const auto refused = (*compiler)->compile(request);
    QVERIFY(!refused && refused.error().code == Code::compile);
    const auto found = read_log(request.code, refused.error().cause);
    QVERIFY2(!found.empty() && found[0].where.place.line == 6, refused.error().cause.c_str());
  }
};

QTEST_GUILESS_MAIN(CompileLogTest)
#include "log_test.moc"
