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

  // Where a kernel changes at far sizes, a spec that says nothing of it is not confirmed.
  void aKernelIsComparedBeyondItsNumbers_data() {
    QTest::addColumn<QByteArray>("body");
    QTest::addColumn<bool>("accepted");
    QTest::addColumn<QByteArray>("untried");  // in line 4
    const auto row = [](const char* name, const char* body, bool accepted, const char* untried) {
      QTest::newRow(name) << QByteArray(body) << accepted << QByteArray(untried);
    };
    row("nowhere", "for (int c = 0; c < C; c++) s += p[c];", true, "");
    row("in two sizes at once", "for (int c = 0; c < C; c++) if (r < 700 || C < 700) s += p[c];", false, "");
    row("in a size too large to try", "for (int c = 0; c < C && c < (1 << 30); c++) s += p[c];", true, "(1 << 30)");
    row("in one that is near", "for (int c = 0; c < C && c < 40; c++) s += p[c];", false, "");
  }
  void aKernelIsComparedBeyondItsNumbers() {
    QFETCH(QByteArray, body);
    rpc::WorkerOptions options;
    options.profile = rpc::WorkerProfile::simt;
    rpc::Supervisor worker(options);
    const std::string kernel =
        "__global__ void rs(const float* x, float* y, int R, int C) {\n"
        "  const int r = blockIdx.x * blockDim.x + threadIdx.x; if (r >= R) return;\n"
        "  const float* p = x + (size_t)r * C; float s = 0;\n  " +
        body.toStdString() + "\n  y[r] = s;\n}\n";
    const op::Spec spec =
        op::parse_spec("op rs(x: f32[R, C]) -> y: f32[R]\n  default R = 64, C = 128\n{ y[r] = sum(c) x[r, c] }")
            .value();
    const Result<CrossCheck> c = cross_check(spec, kernel, worker, {});
    QVERIFY2(c.has_value(), c ? "" : c.error().text().c_str());
    QFETCH(bool, accepted);
    QFETCH(QByteArray, untried);
    QVERIFY2((c->verdict.ruling() == evidence::Ruling::accepted) == accepted, c->verdict.summary().c_str());
    QCOMPARE(c->untried.size(), std::size_t(untried.isEmpty() ? 0 : 1));
    if (untried.isEmpty()) return;
    QCOMPARE(c->untried[0].text, untried.toStdString());
    QCOMPARE(c->untried[0].line, 4);
    QCOMPARE(c->untried[0].value, std::int64_t{1} << 30);
  }

  // A kernel that does something of its own with other subscripts.
  void subscriptsThatASpecLeavesOut_data() {
    QTest::addColumn<QByteArray>("element");
    QTest::addColumn<QByteArray>("domain");
    QTest::addColumn<bool>("narrowed");
    const auto row = [](const char* name, const char* element, const char* domain, bool narrowed) {
      QTest::newRow(name) << QByteArray(element) << QByteArray(domain) << narrowed;
    };
    row("all that there are", "x[k]", "0..V", false);
    row("fewer, and nothing else", "x[k]", "1..V", false);
    row("a first row that counts as none", "k == 0 ? 0.0f : x[k]", "1..V", true);
    row("from the end", "k < 0 ? x[k + V] : x[k]", "0..V", true);
    row("others as zero", "k < 0 || k >= V ? 0.0f : x[k]", "0..V", true);
    row("a mark", "k == -100 ? 0.0f : x[k]", "0..V", true);
  }
  void subscriptsThatASpecLeavesOut() {
    QFETCH(QByteArray, element);
    QFETCH(QByteArray, domain);
    QFETCH(bool, narrowed);
    rpc::WorkerOptions options;
    options.profile = rpc::WorkerProfile::simt;
    rpc::Supervisor worker(options);
    const std::string kernel =
        "__global__ void take(const float* x, const int* t, float* y, int n, int V) {\n"
        "  const int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return;\n  const int k = t[i];\n"
        "  y[i] = " +
        element.toStdString() + ";\n}\n";
    const op::Spec spec = op::parse_spec("op take(x: f32[V], t: i32[n] in " + domain.toStdString() +
                                         ") -> y: f32[n]\n  default n = 64, V = 50\n{ y[i] = x[t[i]] }")
                              .value();
    const Result<CrossCheck> c = cross_check(spec, kernel, worker, {});
    QVERIFY2(c.has_value(), c ? "" : c.error().text().c_str());
    QVERIFY2(c->verdict.ruling() == evidence::Ruling::accepted, c->verdict.summary().c_str());
    QCOMPARE(c->narrowed, narrowed ? std::vector<std::string>{"t"} : std::vector<std::string>{});
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
