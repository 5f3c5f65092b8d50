// SPDX-License-Identifier: Apache-2.0
// Which ops cuBLAS is matched with and how it would be called, and the loader of baseline modules. No device is needed.
#include <QTemporaryDir>
#include <QtTest>
#include "base/files.h"
#include "baseline/baseline.h"
#include "match.h"
#include "op/evaluate.h"
#include "op/inputs.h"
#include "op/sentence/phrasebook.h"
#include "op/transform.h"
#include "support/library_ops.h"

using namespace ww;
using testing::read_spec;
namespace fs = std::filesystem;

namespace {

cublas::Match match_of(const op::Spec& spec, const op::Binding& binding = {}) {
  auto m = cublas::match(spec, binding);
  if (!m) qFatal("%s", m.error().text().c_str());
  return std::move(*m);
}

// The product by its definition in column-major terms, on the host: what cuBLAS would compute for `p`.
std::vector<double> multiplied(const cublas::Product& p, const std::vector<double>& left,
                               const std::vector<double>& right, std::size_t elements) {
  std::vector<double> out(elements, -1e30);
  const auto at = [](const std::vector<double>& v, std::int64_t i) { return v.at(static_cast<std::size_t>(i)); };
  for (std::int64_t b = 0; b < p.batch; ++b)
    for (std::int64_t r = 0; r < p.rows; ++r)
      for (std::int64_t c = 0; c < p.columns; ++c) {
        double sum = 0;
        for (std::int64_t k = 0; k < p.depth; ++k) {
          const double l = at(left, b * p.stride_left + (p.left_transposed ? k + r * p.ld_left : r + k * p.ld_left));
          const double m =
              p.vector ? at(right, k)
                       : at(right, b * p.stride_right + (p.right_transposed ? c + k * p.ld_right : k + c * p.ld_right));
          sum += l * m;
        }
        out.at(static_cast<std::size_t>(p.vector ? r : b * p.stride_result + r + c * p.ld_result)) = sum;
      }
  return out;
}

std::vector<double> values_of(const op::HostTensor& t) {
  std::vector<double> out;
  const std::size_t size = dtype_size(t.dtype);
  for (std::size_t i = 0; i * size < t.bytes.size(); ++i) out.push_back(load_f64(t.dtype, t.bytes.data() + i * size));
  return out;
}

// Does the matched product compute what the spec says? Both on the host, on small integers, exactly.
void check_product(const op::Spec& spec, const op::Binding& binding) {
  const cublas::Match m = match_of(spec, binding);
  QVERIFY2(m.yes, m.why_not.c_str());
  std::map<std::string, op::HostTensor> inputs;
  int ordinal = 0;
  for (const op::Param& param : spec.inputs) {
    op::HostTensor t{param.dtype, op::shape_of(spec, param, binding).value(), {}};
    const std::int64_t n = op::element_count(t.shape);
    t.bytes.resize(static_cast<std::size_t>(n) * dtype_size(t.dtype));
    op::fill_input(op::Distribution::ramp, 1, ordinal++, t.dtype, {}, n, t.bytes.data());
    // A ramp repeats after 17: two operands of unlike shape would still hide a wrong stride, so elements get their
    // number's own value.
    for (std::int64_t i = 0; i < n; ++i)
      store_f64(t.dtype, t.bytes.data() + static_cast<std::size_t>(i) * dtype_size(t.dtype),
                static_cast<double>((i * 7 + ordinal) % 61) - 30);
    inputs[param.name] = std::move(t);
  }
  const auto expected = op::evaluate(spec, binding, inputs);
  QVERIFY2(expected.has_value(), expected ? "" : expected.error().text().c_str());
  const std::vector<double>& want = expected->begin()->second.value;
  const std::vector<double> got =
      multiplied(m.product, values_of(inputs.at(m.product.left)), values_of(inputs.at(m.product.right)), want.size());
  for (std::size_t i = 0; i < want.size(); ++i)
    if (got[i] != want[i])
      QFAIL(qPrintable(QString("%1: element %2 is %3, not %4; %5")
                           .arg(spec.name.c_str())
                           .arg(i)
                           .arg(got[i])
                           .arg(want[i])
                           .arg(m.product.text().c_str())));
}

}  // namespace

class BaselineTest : public QObject {
  Q_OBJECT

 private slots:
  // Every op of the library that is a plain product is matched, computes the op, and no other op is matched.
  void theLibrarysProducts() {
    const auto library = op::Library::load(resources_dir() / "ops");
    QVERIFY2(library.has_value(), library ? "" : library.error().text().c_str());
    const std::map<std::string, op::Binding> products = {
        {"matmul", {{{"M", 7}, {"N", 5}, {"K", 9}}, {}}},
        {"matmul_at", {{{"M", 7}, {"N", 5}, {"K", 9}}, {}}},
        {"matmul_bt", {{{"M", 7}, {"N", 5}, {"K", 9}}, {}}},
        {"matmul_at_bt", {{{"M", 7}, {"N", 5}, {"K", 9}}, {}}},
        {"square_matmul", {{{"N", 6}}, {}}},
        {"matmul_tall_skinny", {{{"M", 19}, {"N", 5}, {"K", 2}}, {}}},
        {"batched_matmul", {{{"B", 3}, {"M", 4}, {"N", 5}, {"K", 6}}, {}}},
        {"batched_matmul_bt", {{{"B", 3}, {"M", 4}, {"N", 5}, {"K", 6}}, {}}},
        {"batched_matvec", {{{"B", 3}, {"M", 4}, {"K", 6}}, {}}},
        {"matmul_3d", {{{"B", 3}, {"M", 4}, {"N", 5}, {"K", 6}}, {}}},
        {"matmul_4d", {{{"B", 2}, {"D", 3}, {"M", 4}, {"N", 5}, {"K", 6}}, {}}},
        {"matvec", {{{"M", 7}, {"K", 9}}, {}}},
        {"vecmat", {{{"N", 7}, {"K", 9}}, {}}},
        {"gram", {{{"M", 7}, {"K", 9}}, {}}}};
    std::size_t matched = 0;
    for (const op::LibraryOp& op : library->ops()) {
      const cublas::Match m = match_of(op.spec);
      const auto product = products.find(op.spec.name);
      QVERIFY2(m.yes == (product != products.end()), (op.spec.name + ": " + m.why_not).c_str());
      if (!m.yes) {
        QVERIFY2(m.why_not.size() > 10, op.spec.name.c_str());
        continue;
      }
      ++matched;
      check_product(op.spec, product->second);
    }
    QCOMPARE(matched, products.size());
  }

  void extentsOfOne() {  // strides are free there; leading dimensions must still be legal
    const op::Spec spec =
        read_spec("op f(a: f32[M, K], b: f32[N, K]) -> y: f32[M, N] { y[i, j] = sum(k) a[i, k] * b[j, k] }");
    for (const auto& [m, n, k] :
         {std::array<std::int64_t, 3>{1, 5, 4}, {5, 1, 4}, {5, 4, 1}, {1, 1, 4}, {1, 1, 1}, {1, 4, 1}}) {
      const op::Binding binding{{{"M", m}, {"N", n}, {"K", k}}, {}};
      check_product(spec, binding);
      const cublas::Product p = match_of(spec, binding).product;
      QVERIFY(p.ld_left >= (p.left_transposed ? p.depth : p.rows) &&
              p.ld_right >= (p.right_transposed ? p.columns : p.depth) && p.ld_result >= p.rows);
    }
  }

  void layouts_data() {
    QTest::addColumn<QString>("text");
    QTest::newRow("heads") << "op f(q: f32[B, H, S, E], k: f32[B, H, T, E]) -> y: f32[B, H, S, T]\n default B = 2, H = "
                              "3, S = 4, T = 5, E = 6 { y[b, h, s, t] = sum(e) q[b, h, s, e] * k[b, h, t, e] }";
    QTest::newRow("result transposed") << "op f(a: f32[M, K], b: f32[K, N]) -> y: f32[N, M]\n default M = 4, N = 5, K "
                                          "= 6 { y[j, i] = sum(k) a[i, k] * b[k, j] }";
    QTest::newRow("operands exchanged") << "op f(a: f32[M, K], b: f32[K, N]) -> y: f32[M, N]\n default M = 4, N = 5, K "
                                           "= 6 { y[i, j] = sum(k) b[k, j] * a[i, k] }";
    QTest::newRow("two summed") << "op f(a: f32[M, K, L], b: f32[K, L, N]) -> y: f32[M, N]\n default M = 4, N = 5, K = "
                                   "2, L = 3 { y[i, j] = sum(l, k) a[i, k, l] * b[k, l, j] }";
    QTest::newRow("batch shared by one") << "op f(a: f32[B, M, K], b: f32[N, K]) -> y: f32[B, M, N]\n default B = 2, M "
                                            "= 4, N = 5, K = 6 { y[n, i, j] = sum(k) a[n, i, k] * b[j, k] }";
    QTest::newRow("batch in the middle") << "op f(a: f32[M, B, K], b: f32[N, B, K]) -> y: f32[B, M, N]\n default B = "
                                            "2, M = 4, N = 5, K = 6 { y[n, i, j] = sum(k) a[i, n, k] * b[j, n, k] }";
    QTest::newRow("f64 matrix vector")
        << "op f(a: f64[K, M], x: f64[K]) -> y: f64[M]\n default M = 4, K = 6 { y[i] = sum(k) x[k] * a[k, i] }";
    QTest::newRow("f16 to f32") << "op f(a: f16[M, K], b: f16[K, N]) -> y: f32[M, N]\n default M = 4, N = 5, K = 6 { "
                                   "y[i, j] = sum(k) f32(a[i, k]) * f32(b[k, j]) }";
    QTest::newRow("bf16 vector")
        << "op f(a: bf16[M, K], x: bf16[K]) -> y: bf16[M]\n default M = 4, K = 6 { y[i] = sum(k) a[i, k] * x[k] }";
  }
  void layouts() {
    QFETCH(QString, text);
    check_product(read_spec(text.toStdString()), {});
  }

  void whatIsNotMatched_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("why");
    QTest::newRow("bias") << "op f(a: f32[M, K], b: f32[K, N], c: f32[N]) -> y: f32[M, N]\n default M = 2, N = 2, K = "
                             "2 { y[i, j] = sum(k) a[i, k] * b[k, j] + c[j] }"
                          << "more than a matrix product";
    QTest::newRow("two equations") << "op f(a: f32[M, K], b: f32[K, N]) -> y: f32[M, N]\n default M = 2, N = 2, K = 2 "
                                      "{ t[i, j] = sum(k) a[i, k] * b[k, j]\n y[i, j] = max(t[i, j], 0) }"
                                   << "equations";
    QTest::newRow("three factors") << "op f(a: f32[M, K], b: f32[K, N], c: f32[K]) -> y: f32[M, N]\n default M = 2, N "
                                      "= 2, K = 2 { y[i, j] = sum(k) a[i, k] * b[k, j] * c[k] }"
                                   << "two tensors";
    QTest::newRow("convolution")
        << "op f(x: f32[L], w: f32[K]) -> y: f32[L - K + 1]\n default L = 9, K = 3 { y[i] = sum(k) x[i + k] * w[k] }"
        << "computed places";
    QTest::newRow("triangle") << "op f(a: f32[N, N], b: f32[N, N]) -> y: f32[N, N]\n default N = 4 { y[i, j] = sum(k "
                                 "in 0..i + 1) a[i, k] * b[k, j] }"
                              << "triangular";
    QTest::newRow("half of it") << "op f(a: f32[M, K], b: f32[K, N]) -> y: f32[M, N]\n default M = 2, N = 2, K = 4 { "
                                   "y[i, j] = sum(k in 0..2) a[i, k] * b[k, j] }"
                                << "whole";
    QTest::newRow("condition") << "op f(a: f32[M, K], b: f32[K, N]) -> y: f32[M, N]\n default M = 2, N = 2, K = 4 { "
                                  "y[i, j] = sum(k : k < i) a[i, k] * b[k, j] }"
                               << "condition";
    QTest::newRow("diagonal")
        << "op f(a: f32[K, K], b: f32[K, N]) -> y: f32[N]\n default N = 2, K = 4 { y[j] = sum(k) a[k, k] * b[k, j] }"
        << "diagonal";
    QTest::newRow("integers") << "op f(a: i8[M, K], b: i8[K, N]) -> y: i32[M, N]\n default M = 2, N = 2, K = 4 { y[i, "
                                 "j] = sum(k) a[i, k] * b[k, j] }"
                              << "element types";
    QTest::newRow("mixed") << "op f(a: f16[M, K], b: f32[K, N]) -> y: f32[M, N]\n default M = 2, N = 2, K = 4 { y[i, "
                              "j] = sum(k) a[i, k] * b[k, j] }"
                           << "different element types";
    QTest::newRow("batch innermost") << "op f(a: f32[M, K, B], b: f32[K, N, B]) -> y: f32[M, N, B]\n default B = 3, M "
                                        "= 2, N = 2, K = 4 { y[i, j, n] = sum(k) a[i, k, n] * b[k, j, n] }"
                                     << "contiguous";
    QTest::newRow("dot") << "op f(a: f32[K], b: f32[K]) -> y: f32\n default K = 4 { y = sum(k) a[k] * b[k] }"
                         << "dot product";
  }
  void whatIsNotMatched() {
    QFETCH(QString, text);
    QFETCH(QString, why);
    const cublas::Match m = match_of(read_spec(text.toStdString()));
    QVERIFY(!m.yes);
    QVERIFY2(QString::fromStdString(m.why_not).contains(why), m.why_not.c_str());
  }

  void theModuleAnswersThroughItsInterface() {
    const baseline::List list = baseline::load(fs::path(CUBLAS_MODULE).parent_path());
    QVERIFY2(list.refused.empty(), list.refused.empty() ? "" : list.refused[0].reason.c_str());
    const auto cublas = baseline::find(list, "cublas");
    QVERIFY(cublas.has_value());
    const std::string text =
        "op f(a: f32[M, K], b: f32[K, N]) -> y: f32[M, N]\n default M = 4, N = 5, K = 6 { y[i, j] = sum(k) a[i, k] * "
        "b[k, j] }";
    const auto yes = (*cublas)->applies(text, {{{"N", 64}}, {}});
    QVERIFY(yes && yes->yes);
    for (const char* part : {"cublasGemmEx", "m 64", "n 4", "k 6", "TF32 is not used"})
      QVERIFY2(yes->message.find(part) != std::string::npos, yes->message.c_str());
    const auto no = (*cublas)->applies("op f(x: f32[N]) -> y: f32[N]\n default N = 4 { y[i] = x[i] }", {});
    QVERIFY(no && !no->yes && no->message.find("no sum of products") != std::string::npos);
    const auto bad = (*cublas)->applies("op f(", {});
    QVERIFY(!bad && bad.error().code == Code::internal && !bad.error().cause.empty());
    const auto unknown = (*cublas)->applies(text, {{{"Q", 64}}, {}});
    QVERIFY(!unknown && unknown.error().cause.find('Q') != std::string::npos);
    // Wrong memory is refused before any library is looked for; what does not apply is unsupported.
    const auto refused = (*cublas)->prepare(
        text, {}, {{"a", DType::f32, 24, 4096}, {"b", DType::f32, 29, 4096}, {"y", DType::f32, 20, 4096}});
    QVERIFY(!refused && refused.error().cause.find("'b'") != std::string::npos);
    const auto unsupported = (*cublas)->prepare("op f(x: f32[N]) -> y: f32[N]\n default N = 4 { y[i] = x[i] }", {}, {});
    QVERIFY(!unsupported && unsupported.error().code == Code::unsupported);
  }

  void badModulesAreRefused() {
    const baseline::List list = baseline::load(STANDIN_MODULES);
    QCOMPARE(list.usable.size(), std::size_t{1});
    QCOMPARE(list.refused.size(), std::size_t{2});
    QVERIFY(list.refused[0].file.filename() == "empty.so" &&
            list.refused[0].reason.find("not a baseline") != std::string::npos);
    QVERIFY(list.refused[1].file.filename() == "old.so" && list.refused[1].reason.find("999") != std::string::npos);
    const auto missing = baseline::find(list, "cublas");
    QVERIFY(!missing && missing.error().code == Code::not_found &&
            missing.error().message.find("failing") != std::string::npos &&
            missing.error().cause.find("999") != std::string::npos);

    QTemporaryDir dir;
    QVERIFY(write_file_atomic(fs::path(dir.path().toStdString()) / "text.so", "no module").has_value());
    const baseline::List broken = baseline::load(dir.path().toStdString());
    QVERIFY(broken.usable.empty() && broken.refused.size() == 1 &&
            broken.refused[0].reason.find("cannot be loaded") != std::string::npos);
    QVERIFY(baseline::load(fs::path(dir.path().toStdString()) / "nowhere").usable.empty());
  }

  void casesAndFailuresCross() {
    const baseline::List list = baseline::load(STANDIN_MODULES);
    const auto b = *baseline::find(list, "failing");
    const auto applies = b->applies("spec", {{{"M", 3}, {"N", 4}}, {{"eps", 0.5}}});
    QVERIFY(applies && applies->yes);
    QCOMPARE(applies->message, std::string("symbols: M=3 N=4 eps=0.5"));
    QVERIFY(!b->applies("x", {}).has_value());
    QVERIFY(b->prepare("spec", {}, {}).error().cause == "no tensors");
    QVERIFY(b->prepare("no", {}, {{"t", DType::boolean, 6, 1}}).error().code == Code::unsupported);
    QCOMPARE(b->prepare("spec", {}, {{"t", DType::i32, 6, 1}}).error().cause, std::string("t i32 6"));
    auto p = b->prepare("spec", {}, {{"t", DType::boolean, 6, 1}});
    QVERIFY(p.has_value());
    QVERIFY((*p)->enqueue(nullptr).has_value());
    int stream = 0;
    QCOMPARE((*p)->enqueue(&stream).error().cause, std::string("the stream is not ours, 0 destroyed"));
    p->reset();
    p = b->prepare("spec", {}, {{"t", DType::boolean, 6, 1}});
    QCOMPARE((*p)->enqueue(&stream).error().cause, std::string("the stream is not ours, 1 destroyed"));
  }
};

QTEST_GUILESS_MAIN(BaselineTest)
#include "baseline_test.moc"
