// SPDX-License-Identifier: Apache-2.0
// Two specs that were made of one text.
#include <QtTest>
#include "explore/cross_check.h"
#include "op/parse.h"
#include "rpc/worker_profile.h"

using namespace ww;
using namespace ww::explore;

class CrossCheckTest : public QObject {
  Q_OBJECT

  static SpecComparison compared(const char* a, const char* b) {
    return compare_specs(op::parse_spec(a).value(), op::parse_spec(b).value());
  }

  static void doubtful_specs() {
    QTest::addColumn<QByteArray>("inputs");
    QTest::addColumn<QByteArray>("value");
    QTest::addColumn<int>("narrowed");
    QTest::addColumn<int>("unseen");
    const auto row = [](const char* name, const char* inputs, const char* value, int narrowed, int unseen) {
      QTest::newRow(name) << QByteArray(inputs) << QByteArray(value) << narrowed << unseen;
    };
    row("the same", "x: f32[N]", "max(x[i], 0)", 0, 0);
    row("for all values, too", "x: f32[N] in -1..1", "max(x[i], 0)", 0, 0);
    row("positive", "x: f32[N] positive", "x[i]", 1, 0);
    row("a range", "x: f32[N] in 0..2", "x[i]", 1, 0);
    row("another branch for a size", "x: f32[N]", "if(N == 100003, 0, max(x[i], 0))", 0, 1);
    row("another branch for an index", "x: f32[N]", "if(i == 700001, 0, max(x[i], 0))", 0, 1);
    row("another branch for a value", "x: f32[N]", "if(x[i] == 0.123, 5, max(x[i], 0))", 0, 1);
    row("a term that is 0 so far", "x: f32[N]", "max(x[i], 0) + x[i] * (N / 1000003)", 0, 1);
    row("a size that does not matter so far", "x: f32[N]", "max(x[i], exp(N / 900 - 190))", 0, 1);
    row("an index that does not matter so far", "x: f32[N]", "max(x[i], 2.0^(i - 900000))", 0, 1);
    row("a switch without a branch", "x: f32[N]", "max(x[i], 0) * (1 - clamp(i - 700000, 0, 1))", 0, 1);
    row("a count that does not matter so far", "x: f32[N]", "max(x[i], exp((sum(j) (x[j] * 0 + 1)) / 900 - 190))", 0,
        1);
    row("a size that cancels", "x: f32[N]", "max(x[i] * N, 0) / N", 0, 0);
  }
  static op::Spec doubtful_spec() {
    QFETCH(QByteArray, inputs);
    QFETCH(QByteArray, value);
    return op::parse_spec("op relu(" + inputs.toStdString() +
                          ") -> y: f32[N]\n  default N = 64\n{ y[i] = " + value.toStdString() + " }")
        .value();
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

  // What a spec says beyond what was compared is no part of what its source confirms.
  void aSpecSaysMoreThanItsModule_data() { doubtful_specs(); }
  void aSpecSaysMoreThanItsModule() {
    const op::Spec relu =
        op::parse_spec("op relu(x: f32[N]) -> y: f32[N]\n  default N = 64\n{ y[i] = max(x[i], 0) }").value();
    const SpecComparison c = check_against(doubtful_spec(), relu);
    QCOMPARE(c.agreement, op::Agreement::same);
    QFETCH(int, narrowed);
    QFETCH(int, unseen);
    QCOMPARE(static_cast<int>(c.narrowed.size()), narrowed);
    QCOMPARE(!c.unseen.empty(), unseen > 0);
  }
  void aSpecSaysMoreThanItsKernel_data() { doubtful_specs(); }
  void aSpecSaysMoreThanItsKernel() {
    rpc::WorkerOptions options;
    options.profile = rpc::WorkerProfile::simt;
    rpc::Supervisor worker(options);
    const char* relu =
        "__global__ void relu(const float* x, float* y, int N) {\n"
        "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
        "  if (i < N) y[i] = fmaxf(x[i], 0.0f);\n}\n";
    const Result<CrossCheck> c = cross_check(doubtful_spec(), relu, worker, {});
    QVERIFY2(c.has_value(), c ? "" : c.error().text().c_str());
    QVERIFY2(c->verdict.ruling() == evidence::Ruling::accepted, c->verdict.summary().c_str());
    QFETCH(int, narrowed);
    QFETCH(int, unseen);
    QCOMPARE(static_cast<int>(c->narrowed.size()), narrowed);
    QCOMPARE(!c->unseen.empty(), unseen > 0);
    QVERIFY(!c->unexamined);
  }

  void partsThatAreNotListedAreNoneThatAreKnown() {
    rpc::WorkerOptions options;
    options.profile = rpc::WorkerProfile::simt;
    rpc::Supervisor worker(options);
    std::string zero = "0";
    for (int i = 1; i < 30; ++i) zero += " * " + std::to_string(i);
    const op::Spec relu =
        op::parse_spec("op relu(x: f32[N]) -> y: f32[N]\n  default N = 64\n{ y[i] = max(x[i], " + zero + ") }").value();
    const Result<CrossCheck> c = cross_check(relu,
                                             "__global__ void relu(const float* x, float* y, int N) {\n"
                                             "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                                             "  if (i < N) y[i] = fmaxf(x[i], 0.0f);\n}\n",
                                             worker, {});
    QVERIFY2(c.has_value(), c ? "" : c.error().text().c_str());
    QVERIFY2(c->verdict.ruling() == evidence::Ruling::accepted, c->verdict.summary().c_str());
    QVERIFY(c->unexamined);
  }

  void aKernelsOwnPlanIsUsed() {
    rpc::WorkerOptions options;
    options.profile = rpc::WorkerProfile::simt;
    rpc::Supervisor worker(options);
    const op::Spec twice =
        op::parse_spec("op twice(x: f32[N]) -> y: f32[N]\n  default N = 64\n{ y[i] = 2 * x[i] }").value();
    const Result<CrossCheck> c =
        cross_check(twice,
                    "//@ candidate twice\n//@ launch k grid(ceildiv(N, 64)) block(64) args(7, y, N, x)\n"
                    "extern \"C\" __global__ void k(int what, float* b, int n, const float* a) {\n"
                    "  const int i = blockIdx.x * 64 + threadIdx.x;\n"
                    "  if (i < n && what == 7) b[i] = a[i] + a[i];\n}\n",
                    worker, {});
    QVERIFY2(c.has_value(), c ? "" : c.error().text().c_str());
    QVERIFY(!c->guessed);
    QVERIFY2(c->verdict.ruling() == evidence::Ruling::accepted, c->verdict.summary().c_str());
  }
};

QTEST_GUILESS_MAIN(CrossCheckTest)
#include "cross_check_test.moc"
