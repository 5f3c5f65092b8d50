// SPDX-License-Identifier: Apache-2.0
// What no case of a judgement executed, of kernels that are compiled and run.
#include <QtTest>
#include "gate/gate.h"
#include "support/simt_judge.h"

using namespace ww;

namespace {

constexpr const char* twice = "op twice(x: f32[N]) -> y: f32[N]\n  default N = 1000\n{\n  y[i] = 2 * x[i]\n}\n";

// The line that a test is about is the eighth.
std::string kernel(const std::string& line, const std::string& next = "") {
  return "//@ candidate twice\n//@ launch k grid(ceildiv(N, 64)) block(64) args(x, y, N)\n"
         "extern \"C\" __global__ void k(const float* x, float* y, int n) {\n"
         "  int i = blockIdx.x * 64 + threadIdx.x;\n"
         "  if (i >= n) return;\n"
         "  float v = x[i];\n"
         "  y[i] = v + v;\n" +
         line + "\n" + next + "\n}\n";
}

constexpr const char* copy_ptx = R"(//@ candidate twice
//@ launch k grid(N) block(32) args(x, y)
.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 a, .param .u64 b)
{
.reg .b64 %rd<6>; .reg .f32 %f<4>; .reg .b32 %r<4>; .reg .pred %p<2>;
ld.param.u64 %rd1, [a];
ld.param.u64 %rd2, [b];
cvta.to.global.u64 %rd1, %rd1;
cvta.to.global.u64 %rd2, %rd2;
mov.u32 %r1, %ctaid.x;
mul.wide.u32 %rd3, %r1, 4;
add.s64 %rd4, %rd1, %rd3;
add.s64 %rd5, %rd2, %rd3;
ld.global.f32 %f1, [%rd4];
add.f32 %f2, %f1, %f1;
setp.eq.u32 %p1, %r1, 4000000000;
@!%p1 bra WRITE;
mov.f32 %f2, 0f00000000;
WRITE:
st.global.f32 [%rd5], %f2;
ret;
}
)";

}  // namespace

class ReachTest : public QObject, testing::WithSimtGate {
  Q_OBJECT

  evidence::Verdict judged(const std::string& candidate, candidate::Language language = candidate::Language::cuda) {
    return verdict_of(
        {.spec = twice, .candidate = candidate, .language = language, .seeds = 3, .secret = "5eed5eed5eed5eed"});
  }
  static QStringList missed(const evidence::Verdict& v) {
    if (!v.accepted) return {QString::fromStdString(v.summary())};
    if (!v.proof.reach) return {"unknown"};
    QStringList out;
    for (const ptx::Missed& m : v.proof.reach->missed)
      out << QString("%1 %2").arg(enum_name(m.kind).data()).arg(m.line);
    return out;
  }

 private slots:
  void whatIsExecutedIsNotListed() { QCOMPARE(missed(judged(kernel(""))), QStringList()); }

  // A number that the program compares with is tried, also after steps that lead back to one element; others are not
  // found.
  void aBranchThatNoInputTakes() {
    QCOMPARE(missed(judged(kernel("  if (v == 12345.f)", "    y[i] = 24690.f;"))), QStringList());
    const QStringList hidden = missed(judged(
        kernel("  if ((__float_as_uint(v) * 2654435761u ^ __float_as_uint(v)) == 987654321u)", "    y[i] = 0.f;")));
    QVERIFY2(hidden.contains("line 9") || hidden.contains("one way 8"), hidden.join(", ").toUtf8());
    const QStringList one_line = missed(
        judged(kernel("  if ((__float_as_uint(v) * 2654435761u ^ __float_as_uint(v)) == 987654321u) y[i] = 0.f;")));
    QVERIFY2(one_line == QStringList("one way 8") || one_line == QStringList("line 8"), one_line.join(", ").toUtf8());
  }

  // Compiled to a selection, without a branch.
  void aSelectionWithOneResult() {
    const QStringList found = missed(judged(
        kernel("  y[i] = (__float_as_uint(v) * 2654435761u ^ __float_as_uint(v)) == 987654321u ? 0.f : v + v;")));
    QCOMPARE(found, QStringList("one way 8"));
  }

  void ptxIsItsOwnSource() {
    QCOMPARE(missed(judged(copy_ptx, candidate::Language::ptx)), QStringList({"one way 20", "line 21"}));
  }

  void ofARejectedOneNothingIsSaid() {
    const evidence::Verdict v = judged(kernel("  y[i] = v;"));
    QVERIFY(!v.accepted && !v.proof.reach);
  }
};

QTEST_GUILESS_MAIN(ReachTest)
#include "reach_test.moc"
