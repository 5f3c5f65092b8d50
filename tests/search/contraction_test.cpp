// SPDX-License-Identifier: Apache-2.0
// Products of whole matrices: which structures they get, and what those compute, through the compiler and the gate on
// the SIMT machine. Tiles are larger than most matrices here, so that edges are everywhere.
#include <QtTest>
#include "device/device.h"
#include "gate/gate.h"
#include "search/space.h"
#include "support/library_ops.h"
#include "support/simt_judge.h"

using namespace ww;

namespace {

std::vector<search::Structure> structures(const op::Spec& spec) {
  std::vector<std::string> problems;
  const auto list = search::structures_of(spec, {}, &problems);
  if (!list || !problems.empty()) qFatal("%s", list ? problems[0].c_str() : list.error().text().c_str());
  return *list;
}

const search::Structure* find(const std::vector<search::Structure>& all, const std::string& name) {
  const auto it = std::find_if(all.begin(), all.end(), [&](const search::Structure& s) { return s.name == name; });
  return it == all.end() ? nullptr : &*it;
}

bool offers(const char* text, const std::string& structure) {
  return find(structures(testing::read_spec(text)), structure) != nullptr;
}

}  // namespace

class ContractionTest : public QObject, testing::WithSimtGate {
  Q_OBJECT
 private slots:
  void accepted_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("structure");
    QTest::addColumn<QStringList>("has");  // in the candidate
    const QString mma = "contraction-mma", wide = "contraction-wide", vector = "full-vector";
    const QStringList plain = {"warp_load(left", "warp_load(right"}, left = {"warp_load_transposed(left"},
                      right = {"warp_load_transposed(right"};
    QTest::newRow("f16") << "op f(a: f16[M, K], b: f16[K, N]) -> y: f16[M, N] default M = 70, N = 72, K = 40\n"
                            "{ y[i, j] = sum(k) a[i, k] * b[k, j] }"
                         << mma << right;
    QTest::newRow("bf16 to f32, both along the sum")
        << "op f(a: bf16[M, K], b: bf16[N, K]) -> y: f32[M, N] default M = 70, N = 68, K = 72\n"
           "{ y[i, j] = sum(k) a[i, k] * b[j, k] }"
        << mma << plain + QStringList{"f32.bf16.bf16.f32"};
    QTest::newRow("neither along the sum")
        << "op f(a: f16[K, M], b: f16[K, N]) -> y: f16[M, N] default M = 72, N = 72, K = 37\n"
           "{ y[i, j] = sum(k) a[k, i] * b[k, j] }"
        << mma << left + right;
    QTest::newRow("left across, right along")
        << "op f(a: f16[K, M], b: f16[N, K]) -> y: f16[M, N] default M = 72, N = 36, K = 40\n"
           "{ y[i, j] = sum(k) a[k, i] * b[j, k] }"
        << mma << left;
    QTest::newRow("batches between the sides") << "op f(q: f16[B, S, H, E], k: f16[B, T, H, E]) -> y: f16[B, H, S, T]\n"
                                                  "  default B = 2, S = 18, H = 2, T = 20, E = 24\n"
                                                  "{ y[b, h, s, t] = (sum(e) q[b, s, h, e] * k[b, t, h, e]) / 8 }"
                                               << mma << plain;
    QTest::newRow("rows of a batch as rows") << "op f(a: f16[B, M, K], b: f16[K, N]) -> y: f16[B, M, N]\n"
                                                "  default B = 3, M = 30, N = 24, K = 40\n"
                                                "{ y[n, i, j] = sum(k) a[n, i, k] * b[k, j] }"
                                             << mma << right;
    QTest::newRow("bias, activation, residual")
        << "op f(x: f16[M, K], w: f16[N, K], c: f16[N], r: f16[M, N]) -> y: f16[M, N] default M = 33, N = 40, K = 24\n"
           "{ t[i, j] = sum(k) x[i, k] * w[j, k] + c[j]\n"
           "  y[i, j] = r[i, j] + max(t[i, j], 0) }"
        << mma << QStringList{"c_pack", "r_pack", "y_pack"};
    QTest::newRow("results in another order") << "op f(a: f16[M, K], b: f16[K, N]) -> y: f16[N, M]\n"
                                                 "  default M = 40, N = 48, K = 32\n"
                                                 "{ y[j, i] = sum(k) a[i, k] * b[k, j] }"
                                              << mma << QStringList{};
    QTest::newRow("f32") << "op f(a: f32[M, K], b: f32[K, N]) -> y: f32[M, N] default M = 70, N = 68, K = 36\n"
                            "{ y[i, j] = sum(k) a[i, k] * b[k, j] }"
                         << wide << QStringList{"block_write_turned", "cp.async"};
    QTest::newRow("f32, both along the sum, a bias")
        << "op f(a: f32[M, K], b: f32[N, K], c: f32[N]) -> y: f32[M, N] default M = 33, N = 36, K = 44\n"
           "{ y[i, j] = (sum(k) a[i, k] * b[j, k]) + c[j] }"
        << wide << QStringList{"block_write_turned"};
    QTest::newRow("f32, batches, neither along the sum")
        << "op f(a: f32[B, K, M], b: f32[B, K, N]) -> y: f32[B, M, N] default B = 2, M = 36, N = 68, K = 19\n"
           "{ y[n, i, j] = sum(k) a[n, k, i] * b[n, k, j] }"
        << wide << QStringList{"block_copy_lines"};
    QTest::newRow("sum of everything")
        << "op f(x: f32[R, C]) -> y: f32 default R = 33, C = 65 { y = sum(r, c) x[r, c] }" << vector
        << QStringList{"Pack_f32"};
    QTest::newRow("sum of what two inputs make")
        << "op f(x: f16[N], z: f32[N]) -> y: f32 default N = 4099 { y = sum(i) exp(x[i]) * (z[i] + i) }" << vector
        << QStringList{"x_pack", "z_pack"};
  }
  void accepted() {
    QFETCH(QString, text);
    QFETCH(QString, structure);
    QFETCH(QStringList, has);
    const auto all = structures(testing::read_spec(text.toStdString()));
    const search::Structure* s = find(all, structure.toStdString());
    QVERIFY2(s, qPrintable(structure));
    for (const QString& part : has)
      QVERIFY2(s->open.text.find(part.toStdString()) != std::string::npos, qPrintable(part));
    const auto pinned = candidate::pin(s->open, candidate::first_tuning(s->open));
    QVERIFY(pinned.has_value());
    const evidence::Verdict verdict =
        verdict_of({.spec = text.toStdString(), .candidate = pinned->text, .seeds = 1, .measure = false});
    QVERIFY2(verdict.accepted, told(verdict, pinned->text).c_str());
  }

  // Only what is a product of two whole matrices of these types.
  void not_offered() {
    const std::string mma = "contraction-mma", wide = "contraction-wide";
    QVERIFY(
        !offers("op f(a: f32[M, K], b: f32[K, N]) -> y: f32[M, N] default M = 64, N = 64, K = 64\n"
                "{ y[i, j] = sum(k) a[i, k] * b[k, j] }",
                mma));
    QVERIFY(
        !offers("op f(a: f16[M, K], b: f16[K, N]) -> y: f16[M, N] default M = 64, N = 64, K = 64\n"
                "{ y[i, j] = sum(k) max(a[i, k], 0) * b[k, j] }",
                mma));
    QVERIFY(
        !offers("op f(a: f16[M, K], b: f16[K, N]) -> y: f16[M, N] default M = 64, N = 64, K = 64\n"
                "{ y[i, j] = sum(k in 0..i + 1) a[i, k] * b[k, j] }",
                mma));
    QVERIFY(
        !offers("op f(a: f16[M, K], b: f16[K, N]) -> y: f16[M, N] default M = 64, N = 64, K = 64\n"
                "{ y[i, j] = max(k) a[i, k] * b[k, j] }",
                mma));
    QVERIFY(
        !offers("op f(a: f64[M, K], b: f64[K, N]) -> y: f64[M, N] default M = 64, N = 64, K = 64\n"
                "{ y[i, j] = sum(k) a[i, k] * b[k, j] }",
                wide));
  }

  // Lines of 16 bytes are the structure's condition, not the candidate's end.
  void other_sizes_are_left_to_others() {
    const op::Spec spec = testing::read_spec(
        "op f(a: f16[M, K], b: f16[K, N]) -> y: f16[M, N] default M = 64, N = 64, K = 64\n"
        "{ y[i, j] = sum(k) a[i, k] * b[k, j] }");
    const auto all = structures(spec);
    const search::Structure* s = find(all, "contraction-mma");
    QVERIFY(s);
    const auto claims = [&](std::int64_t m, std::int64_t n, std::int64_t k) {
      op::Binding b;
      b.symbols = {{"M", m}, {"N", n}, {"K", k}};
      return *candidate::claims(s->open, spec, b, candidate::first_tuning(s->open));
    };
    QVERIFY(claims(1, 8, 8));
    QVERIFY(claims(4097, 1032, 24));
    QVERIFY(!claims(64, 64, 12));
    QVERIFY(!claims(64, 60, 64));
  }

 private:
};

QTEST_GUILESS_MAIN(ContractionTest)
#include "contraction_test.moc"
