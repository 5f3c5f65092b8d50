// SPDX-License-Identifier: Apache-2.0
// Two specs that were made of one text.
#include <QtTest>
#include "explore/cross_check.h"
#include "op/parse.h"

using namespace ww;
using namespace ww::explore;

class CrossCheckTest : public QObject {
  Q_OBJECT

  static SpecComparison compared(const char* a, const char* b) {
    return compare_specs(op::parse_spec(a).value(), op::parse_spec(b).value());
  }

 private slots:
  void specsAreEvaluatedOnTheSameInputs_data() {
    QTest::addColumn<QByteArray>("other");
    QTest::addColumn<int>("agreement");
    const auto row = [](const char* name, const char* other, op::Agreement agreement) {
      QTest::newRow(name) << QByteArray(other) << static_cast<int>(agreement);
    };
    using enum op::Agreement;
    row("the same in other words",
        "op gap(a: f32[N], b: f32[N]) -> y: f32[N]\n  default N = 64\n{ y[i] = -(b[i] - a[i]) }", same);
    row("in another order of inputs",
        "op gap(b: f32[N], a: f32[N]) -> y: f32[N]\n  default N = 64\n{ y[i] = a[i] - b[i] }", same);
    row("with other names", "op gap(u: f32[M], v: f32[M]) -> r: f32[M]\n  default M = 64\n{ r[i] = u[i] - v[i] }",
        same);
    row("of another type", "op gap(a: f16[N], b: f16[N]) -> y: f16[N]\n  default N = 64\n{ y[i] = a[i] - b[i] }", same);
    row("the other way round", "op gap(a: f32[N], b: f32[N]) -> y: f32[N]\n  default N = 64\n{ y[i] = b[i] - a[i] }",
        different);
    row("equal for positive numbers alone",
        "op gap(a: f32[N], b: f32[N]) -> y: f32[N]\n  default N = 64\n{ y[i] = max(a[i], 0) - b[i] }", different);
    row("different for large numbers alone",
        "op gap(a: f32[N], b: f32[N]) -> y: f32[N]\n  default N = 64\n{ y[i] = min(a[i], 50) - b[i] }", different);
    row("with fewer inputs", "op gap(a: f32[N]) -> y: f32[N]\n  default N = 64\n{ y[i] = a[i] }", unknown);
  }
  void specsAreEvaluatedOnTheSameInputs() {
    QFETCH(QByteArray, other);
    QFETCH(int, agreement);
    const SpecComparison c =
        compared("op gap(a: f32[N], b: f32[N]) -> y: f32[N]\n  default N = 64\n{ y[i] = a[i] - b[i] }", other);
    QCOMPARE(static_cast<int>(c.agreement), agreement);
    if (c.agreement == op::Agreement::same) QVERIFY(c.sets >= 5);
    QCOMPARE(c.agreement == op::Agreement::different, c.difference.starts_with("on "));
  }
};

QTEST_GUILESS_MAIN(CrossCheckTest)
#include "cross_check_test.moc"
