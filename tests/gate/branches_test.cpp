// SPDX-License-Identifier: Apache-2.0
// Conditions of a program on sizes and constants: cases are found for them, and the verdict names those without.
#include <QtTest>
#include "gate/gate.h"
#include "support/simt_judge.h"

using namespace ww;

namespace {

constexpr const char* twice =
    "op twice(x: f32[R, C]; a = 2.0) -> y: f32[R, C]\n  default R = 20, C = 30\n{\n  y[r, c] = a * x[r, c]\n}\n";

// Line 7 is the test's own.
std::string kernel(const std::string& line, const std::string& require = "") {
  return "//@ candidate twice\n//@ launch k grid(ceildiv(R*C, 64)) block(64) args(x, y, R, C, a)" +
         (require.empty() ? "" : "\n//@ require " + require) +
         "\nextern \"C\" __global__ void k(const float* x, float* y, int R, int C, float a) {\n"
         "  int i = blockIdx.x * 64 + threadIdx.x;\n"
         "  if (i >= R * C) return;\n"
         "  float v = a * x[i];\n" +
         line + "\n  y[i] = v;\n}\n";
}

}  // namespace

class BranchesTest : public QObject, testing::WithSimtGate {
  Q_OBJECT

  evidence::Verdict judged(const std::string& candidate, const std::string& secret = "5eed5eed5eed5eed") {
    return verdict_of({.spec = twice, .candidate = candidate, .seeds = 3, .secret = secret});
  }

 private slots:
  void conditionsOfSizesAreSolved_data() {
    QTest::addColumn<QString>("condition");
    for (const char* condition : {"R * C > 300000",
                                  "R * C >= 77777 && R * C < 77800",
                                  "R == 409 && C % 7 == 3",
                                  "R * C == 20971",
                                  "R + C > 500 && R - C == 17",
                                  "(long long)R * C == 65537",
                                  "C == 3 * R + 1",
                                  "(R ^ C) == 1000",
                                  "R * C / 1000 == 131",
                                  "a == 0.75f",
                                  "a > 100.0f",
                                  "a * 16.0f == 3.0f",
                                  "min(R, 700) == 700 && C == 5",
                                  "a < 0.0f",
                                  "(R & C) == 438",
                                  "(__brev(R) >> 20) == 0x6d",
                                  "__ffs(R) == 7 && __ffs(C) == 6",
                                  "(R + C) % 97 == 5 && (R - C) % 89 == 7",
                                  "sqrtf(R + C) == 61.0f",
                                  "fminf(a, 40.0f) != a",
                                  "fmaxf(0.0f, 1.0f - fabsf(a - 2.0f)) > 0.5f"})
      QTest::newRow(condition) << condition;
  }
  void conditionsOfSizesAreSolved() {
    QFETCH(QString, condition);
    const std::string c = condition.toStdString();
    for (const char* secret : {"5eed5eed5eed5eed", "0123456789abcdef"}) {
      for (const std::string& line : {"  if (" + c + ") v = 0;", "  v = " + c + " ? v + 1 : v;"}) {
        const evidence::Verdict v = judged(kernel(line), secret);
        QVERIFY2(!v.accepted, (line + ": " + v.summary()).c_str());
      }
      const evidence::Verdict right = judged(kernel("  if (" + c + ") v = x[i] * a;"), secret);
      QVERIFY2(right.accepted, right.summary().c_str());
    }
  }

  // Without a comparison: what a minimum or a magnitude of sizes and constants hides.
  void extremesOfSizesAreSolved() {
    for (const char* line :
         {"  v = v * (1.0f + fmaxf(0.0f, 1.0f - fabsf((float)C - 777.0f)));", "  v = x[i] * fminf(a, 40.0f);",
          "  v = x[i] * fabsf(a);", "  v = v * (1.0f + fmaxf(0.0f, 1.0f - fabsf(a - 2.0f) * 1e6f));"}) {
      const evidence::Verdict v = judged(kernel(line));
      QVERIFY2(!v.accepted, (line + (": " + v.summary())).c_str());
    }
    QVERIFY(judged(kernel("  v = x[i] * fmaxf(a, fminf(a, 40.0f));")).accepted);
  }

  void nestedConditionsToo() {
    const evidence::Verdict v = judged(kernel("  if (R > 300) { if (C % 5 == 2) { if (R * C > 9000) v = 0; } }"));
    QVERIFY2(!v.accepted, v.summary().c_str());
  }

  void ofTablesOfBitsToo() {  // each bit the majority of three
    const evidence::Verdict v = judged(
        kernel("  int m;\n  asm(\"lop3.b32 %0, %1, %2, %3, 0xe8;\" : \"=r\"(m) : \"r\"(R), \"r\"(C), \"r\"(0x155));\n"
               "  if (m == 0x1b6) v = 0;"));
    QVERIFY2(!v.accepted, v.summary().c_str());
  }

  void whatNoCaseReachesIsNamed() {
    for (const char* condition :
         {"(long long)R * C > (1LL << 40)", "R * 7919 % 100003 == 99999 && C * 7919 % 100003 == 5"}) {
      const evidence::Verdict v = judged(kernel(std::string("  if (") + condition + ") v = 0;"));
      QVERIFY2(v.accepted && v.proof.branches, v.summary().c_str());
      QCOMPARE(v.proof.branches->untried, std::vector<int>{7});
    }
  }

  void whatCannotBeOtherwiseIsNot() {
    for (const char* condition : {"R < 1 || C < 1", "R * C < 1", "blockDim.x != 64", "R + C < 2", "isinf(a)",
                                  "isnan(a)", "!(fabsf(a) <= 3.40282347e+38f)"}) {
      const evidence::Verdict v = judged(kernel(std::string("  if (") + condition + ") v = 0;"));
      QVERIFY2(v.accepted && v.proof.branches, v.summary().c_str());
      QVERIFY2(v.proof.branches->untried.empty(), condition);
    }
  }

  void ofARejectedOneNothingIsSaid() { QVERIFY(!judged(kernel("  v = 0;")).proof.branches); }
};

QTEST_GUILESS_MAIN(BranchesTest)
#include "branches_test.moc"
