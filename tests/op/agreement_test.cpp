// SPDX-License-Identifier: Apache-2.0
#include "op/agreement.h"
#include <QtTest>
#include "op/parse.h"
#include "op/transform.h"

using namespace ww;
using namespace ww::op;

class AgreementTest : public QObject {
  Q_OBJECT
  static Spec spec(const char* text) {
    auto out = parse_spec(text);
    if (!out) qFatal("%s", out.error().text().c_str());
    return std::move(*out);
  }

 private slots:
  void whatComputesTheSameAgrees() {
    const Spec swish = spec("op a(x: f32[R, C]) -> y: f32[R, C] { y[r, c] = x[r, c] / (1 + exp(-x[r, c])) }");
    const Spec vector = spec("op b(t: f32[N]) -> z: f32[N] { z[n] = t[n] * (1 / (1 + exp(-t[n]))) }");
    QCOMPARE(agreement(swish, vector), Agreement::same);
    QCOMPARE(agreement(vector, *with_dtype(swish, DType::f16)), Agreement::same);
    const Spec turned = spec("op c(b: f32[K, N], a: f32[M, K]) -> y: f32[M, N] { y[i, j] = sum(k) a[i, k] * b[k, j] }");
    const Spec product =
        spec("op d(a: f32[M, K], b: f32[K, N]) -> y: f32[M, N] { y[i, j] = sum(k) a[i, k] * b[k, j] }");
    QCOMPARE(agreement(turned, product), Agreement::same);
    const Spec square = spec("op e(a: f32[N, N], b: f32[N, N]) -> y: f32[N, N] { y[i, j] = sum(k) a[i, k] * b[k, j] }");
    QCOMPARE(agreement(product, square), Agreement::same);
  }

  void whatDiffersDoesNot() {
    const Spec sum = spec("op a(x: f32[N], y: f32[N]) -> z: f32[N] { z[n] = x[n] + y[n] }");
    const Spec difference = spec("op b(x: f32[N], y: f32[N]) -> z: f32[N] { z[n] = x[n] - y[n] }");
    QCOMPARE(agreement(sum, difference), Agreement::different);
    const Spec one = spec("op c(x: f32[N]) -> z: f32[N] { z[n] = 2 * x[n] }");
    QCOMPARE(agreement(sum, one), Agreement::unknown);
  }

  void lossesAreReducedInOtherWays() {
    const Spec mean = spec(
        "op l(x: f32[R, C], t: f32[R, C]) -> y: f32 { d[r, c] = x[r, c] - t[r, c]; y = sum(r, c) d[r, c]^2 / (R * C) "
        "}");
    const auto total = with_reduction(mean, LossReduction::sum), each = with_reduction(mean, LossReduction::none);
    QVERIFY(total && each);
    QCOMPARE(
        agreement(*total, spec("op s(x: f32[R, C], t: f32[R, C]) -> y: f32 { y = sum(r, c) (x[r, c] - t[r, c])^2 }")),
        Agreement::same);
    QCOMPARE(agreement(*each, spec("op n(x: f32[R, C], t: f32[R, C]) -> y: f32[R, C] "
                                   "{ y[r, c] = (x[r, c] - t[r, c])^2 }")),
             Agreement::same);
    const Spec root = spec("op r(x: f32[N]) -> y: f32 { y = sqrt((sum(n) x[n]^2) / N) }");
    QVERIFY(!with_reduction(root, LossReduction::sum));
    QVERIFY(!with_reduction(spec("op m(x: f32[N]) -> y: f32 { y = sum(n) x[n] }"), LossReduction::none));
  }
};

QTEST_GUILESS_MAIN(AgreementTest)
#include "agreement_test.moc"
