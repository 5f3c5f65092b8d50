// SPDX-License-Identifier: Apache-2.0
// A candidate is judged on inputs that the op allows alone, on the SIMT machine.
#include <QtTest>
#include "evidence/describe.h"
#include "gate/gate.h"
#include "op/parse.h"
#include "support/simt_judge.h"

using namespace ww;

namespace {

constexpr const char* argmax = R"(
op last(x: f32[N, M]%1) -> y: i64[N]
  default N = 24, M = 17
{
  y[n] = argmax(m) x[n, m]
}
)";
// The last position of the largest value, not the first.
constexpr const char* last_of_the_largest = R"(
//@ candidate last
//@ launch kernel grid(ceildiv(N, 32)) block(32) args(x, y, N, M)
extern "C" __global__ void kernel(const float* x, long long* y, int N, int M) {
  int n = blockIdx.x * blockDim.x + threadIdx.x;
  if (n >= N) return;
  long long at = 0;
  for (int m = 1; m < M; ++m)
    if (x[n * M + m] >= x[n * M + at]) at = m;
  y[n] = at;
}
)";

constexpr const char* first_above = R"(
op last(x: f32[N, M]%1, t: f32[N]) -> y: i64[N]
  default N = 24, M = 17
{
  y[n] = sum(m) if(x[n, m] < t[n], 1, 0)
}
)";
// A binary search, right where the rows ascend.
constexpr const char* binary_search = R"(
//@ candidate last
//@ launch kernel grid(ceildiv(N, 32)) block(32) args(x, t, y, N, M)
extern "C" __global__ void kernel(const float* x, const float* t, long long* y, int N, int M) {
  int n = blockIdx.x * blockDim.x + threadIdx.x;
  if (n >= N) return;
  int lo = 0, hi = M;
  while (lo < hi) {
    int mid = (lo + hi) / 2;
    if (x[n * M + mid] < t[n]) lo = mid + 1; else hi = mid;
  }
  y[n] = lo;
}
)";

constexpr const char* scatter = R"(
op last(p: i32[N] in 0..N%1, x: f32[N]) -> y: f32[N]
  default N = 100
{
  y[k] = sum(n : p[n] == k) x[n]
}
)";
constexpr const char* plain_scatter = R"(
//@ candidate last
//@ launch kernel grid(ceildiv(N, 32)) block(32) args(p, x, y, N)
extern "C" __global__ void kernel(const int* p, const float* x, float* y, int N) {
  int n = blockIdx.x * blockDim.x + threadIdx.x;
  if (n < N) y[p[n]] = x[n];
}
)";

}  // namespace

class InputRulesTest : public QObject, testing::WithSimtGate {
  Q_OBJECT

  evidence::Verdict judged(const QString& spec, const char* candidate) {
    return verdict_of({.spec = spec.toStdString(), .candidate = candidate, .seeds = 3, .measure = false});
  }

 private slots:
  void acceptedWhereTheRuleHolds_data() {
    QTest::addColumn<QString>("spec");
    QTest::addColumn<QString>("rule");
    QTest::addColumn<QString>("candidate");
    QTest::newRow("distinct") << argmax << " distinct" << last_of_the_largest;
    QTest::newRow("sorted") << first_above << " sorted" << binary_search;
    QTest::newRow("permutation") << QString(scatter).replace(" in 0..N", "") << " permutation" << plain_scatter;
    QTest::newRow("distinct in a domain") << scatter << " distinct" << plain_scatter;
  }
  void acceptedWhereTheRuleHolds() {
    QFETCH(QString, spec);
    QFETCH(QString, rule);
    QFETCH(QString, candidate);
    const QByteArray text = candidate.toUtf8();
    const auto with = judged(spec.arg(rule), text.constData());
    QVERIFY2(with.accepted, (with.summary() + with.stages.back().detail).c_str());
    if (rule == " permutation") spec.replace("i32[N]%1", "i32[N] in 0..N%1");
    const auto without = judged(spec.arg(""), text.constData());
    QVERIFY2(!without.accepted && without.ruling() == evidence::Ruling::rejected, without.summary().c_str());
  }

  void whatWasDrawnIsSaid() {
    const auto spec = op::parse_spec(QString(first_above).arg(" sorted").toStdString());
    QVERIFY(spec.has_value());
    QVERIFY(evidence::tolerance_text(*spec).find("Only inputs that the op allows are drawn: x sorted.") !=
            std::string::npos);
    const auto plain = op::parse_spec(QString(first_above).arg("").toStdString());
    QVERIFY(evidence::tolerance_text(*plain).find("Only inputs") == std::string::npos);
  }
};

QTEST_GUILESS_MAIN(InputRulesTest)
#include "input_rules_test.moc"
