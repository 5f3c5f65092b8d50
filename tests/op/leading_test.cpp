// SPDX-License-Identifier: Apache-2.0
// Sizes that only count independent parts.
#include <QtTest>
#include "op/leading.h"
#include "op/parse.h"

using namespace ww;

namespace {

std::vector<std::string> leading(const std::string& text) {
  const Result<op::Spec> spec = op::parse_spec(text);
  if (!spec) qFatal("%s", spec.error().text().c_str());
  return op::leading_symbols(*spec);
}
using Names = std::vector<std::string>;

}  // namespace

class LeadingTest : public QObject {
  Q_OBJECT

 private slots:
  void rowsAreIndependent() {
    QCOMPARE(leading("op a(x: f32[R, C]) -> y: f32[R, C] { m[r] = max(c) x[r, c]\n y[r, c] = x[r, c] - m[r] }"),
             Names{"R"});
    QCOMPARE(leading("op a(x: f32[N]) -> y: f32[N] { y[i] = exp(x[i]) }"), Names{"N"});
    QCOMPARE(leading("op a(a: f32[M, K], b: f32[K, N]) -> c: f32[M, N] { c[i, j] = sum(k) a[i, k] * b[k, j] }"),
             Names{"M"});
  }
  void whatTiesRowsTogether() {
    QCOMPARE(leading("op a(x: f32[R, C]) -> y: f32[C] { y[c] = sum(r) x[r, c] }"), Names());
    QCOMPARE(leading("op a(x: f32[R, C]) -> y: f32[R, C] { y[r, c] = x[r, c] / R }"), Names());
    QCOMPARE(leading("op a(x: f32[R, C]) -> y: f32[R, C] { y[r, c] = x[r, c] + r }"), Names());
    QCOMPARE(leading("op a(x: f32[R, C]) -> y: f32[R, C] { y[r, c] = x[R - 1 - r, c] }"), Names());
    QCOMPARE(leading("op a(x: f32[R, C]) -> y: f32[C, R] { y[c, r] = x[r, c] }"), Names());
    QCOMPARE(leading("op a(x: f32[N, N]) -> y: f32[N, N] { y[i, j] = x[i, j] }"), Names());
    QCOMPARE(leading("op a(x: f32[N] sorted) -> y: f32[N] { y[i] = x[i] }"), Names());
    QCOMPARE(leading("op a(x: f32[N]) -> y: f32[N] { y[i] = if(i == 0, x[i], 2 * x[i]) }"), Names());
  }
};

QTEST_APPLESS_MAIN(LeadingTest)
#include "leading_test.moc"
