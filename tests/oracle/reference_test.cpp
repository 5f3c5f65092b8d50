// SPDX-License-Identifier: Apache-2.0
// The lowered reference on the SIMT machine, held against op::evaluate: values and bounds.
#include <QtTest>
#include <cmath>
#include <cstring>
#include "compile/compile.h"
#include "device/device.h"
#include "op/random_spec.h"
#include "op/recurrence.h"
#include "oracle/oracle.h"
#include "oracle/ops.h"
#include "support/simt_machine.h"

using namespace ww;

namespace {

struct Got {
  std::vector<double> value, bound;
  std::vector<std::int64_t> integer;
};

template <class T>
std::vector<T> read_all(const device::Execution& e, const std::string& name, std::int64_t count) {
  std::vector<T> out(static_cast<std::size_t>(count));
  const auto s = e.read(name, std::as_writable_bytes(std::span(out)));
  if (!s) qFatal("%s", s.error().text().c_str());
  return out;
}

double distance(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)) ? 0 : std::fabs(a - b); }

}  // namespace

class ReferenceTest : public QObject, testing::WithSimt {
  Q_OBJECT
 private slots:
  void initTestCase() { open_simt(); }

  void library_data() { testing::add_library_rows(); }
  void library() {
    QFETCH(QString, path);
    const op::Spec spec = testing::read_spec(*read_file(path.toStdString()));
    if (!op::recurrences_of(spec).empty()) {  // the host computes these
      const auto program = oracle::lower_reference(spec, {});
      QVERIFY(!program && program.error().code == Code::unsupported);
      return;
    }
    agrees(spec, testing::small_binding(spec, 5e3));
  }

  void unusual_data() { testing::add_unusual_rows("oracle"); }
  void unusual() {
    QFETCH(QString, text);
    const std::string name = QTest::currentDataTag();
    agrees(testing::read_spec(text.toStdString()), {}, name.starts_with("uncertain"), name.starts_with("a branch"),
           name.starts_with("large product"));
  }

  // Long enough for products of matrices, for sums in stretches, and for what their joining may lose.
  void larger_data() {
    QTest::addColumn<QString>("op");
    QTest::addColumn<double>("work");
    for (const char* op :
         {"matmul_at_bt", "linear_gelu", "conv2d_grouped", "conv_transpose2d", "causal_attention", "batched_matmul"})
      QTest::newRow(op) << op << 4e5;
    for (const char* op : {"sum_all", "dot", "mse_loss", "max_all", "histogram"}) QTest::newRow(op) << op << 2e5;
  }
  void larger() {
    QFETCH(QString, op);
    QFETCH(double, work);
    const op::Spec spec = testing::library_op(op.toStdString());
    agrees(spec, testing::small_binding(spec, work), false, false, work > 3e5);
  }

  void long_running_data() {
    QTest::addColumn<QString>("text");
    QTest::newRow("sum") << "op f(x: f32[N]) -> y: f32[N] default N = 270000 { y[i] = sum(j in 0..i + 1) x[j] }";
    QTest::newRow("exclusive, from the end")
        << "op f(x: f32[N]) -> y: f32[N] default N = 270000 { y[i] = sum(j in i + 1..N) x[j] * 0.1 }";
    QTest::newRow("maximum of rows")
        << "op f(x: f32[R, N]) -> y: f32[R, N] default R = 2, N = 270000 { y[r, i] = max(j in 0..i + 1) x[r, j] }";
  }
  void long_running() {
    QFETCH(QString, text);
    const op::Spec spec = testing::read_spec(text.toStdString());
    QVERIFY(oracle::lower_reference(spec, {})->launches.size() > 1);
    agrees(spec, {}, false, false, false, true);
  }

  // Sums that matrix units may compute have more room, as a product, as a plain sum and in stretches alike.
  void truncating_sums_data() {
    QTest::addColumn<QString>("text");
    const QString product =
        "op f(a: %1[M, K], b: %1[N, K]) -> y: f32[M, N] default M = %2, N = 8, K = 2048 "
        "{ y[m, n] = sum(k) a[m, k] * b[n, k] }";
    for (const char* type : {"f16", "bf16"}) {
      QTest::addRow("%s product", type) << product.arg(type).arg(8);
      QTest::addRow("%s plain", type) << product.arg(type).arg(2);
    }
    QTest::newRow("f16 in stretches")
        << "op f(a: f16[N], b: f16[N]) -> y: f32 default N = 270000 { y = sum(i) a[i] * b[i] }";
  }
  void truncating_sums() {
    QFETCH(QString, text);
    agrees(testing::read_spec(text.toStdString()), {}, false, false, false, true);
  }

  // Of each reduction, joined from stretches. What a sum's stretches lose is an estimate of what a sequential sum
  // would, so that bounds differ.
  void stretches_data() {
    QTest::addColumn<QString>("value");
    for (const char* v : {"sum(i) x[i]", "sum(i : x[i] > 0.5) x[i] * x[i]", "max(i) x[i]", "min(i) exp(x[i])",
                          "prod(i) (1 + 0.00001 * x[i])", "1.0 * argmax(i) x[i]", "1.0 * argmin(i) sin(x[i])",
                          "if(any(i) (x[i] > 40.0), 1.0, 2.0)", "if(all(i) (x[i] > -40.0), 1.0, 2.0)",
                          "1.0 * sum(i) i32(8 * x[i])", "1.0 * max(i) i32(1000 * x[i])", "sqrt(sum(i) x[i]) / N"})
      QTest::newRow(v) << QString(v);
  }
  void stretches() {
    QFETCH(QString, value);
    const op::Spec spec =
        testing::read_spec("op f(x: f32[N]) -> y: f32 default N = 270000 { y = " + value.toStdString() + " }");
    QVERIFY(oracle::lower_reference(spec, {})->launches.size() > 1);
    agrees(spec, {}, false, false, false, true);
  }

  // Terms that round all in one direction: the bound must hold what a sequential sum in f32 loses, however the
  // stretches are cut.
  void roundings_of_one_sign() {
    const op::Spec spec =
        testing::read_spec("op total(x: f32[N]) -> y: f32 default N = 300000 { y = sum(i) (x[i] * 0 + 0.1) }");
    const auto inputs = testing::drawn(spec, {}, op::Distribution::constant, 1);
    const auto expected = op::evaluate(spec, {}, inputs);
    QVERIFY(expected.has_value());
    std::map<std::string, Got> got;
    std::string why;
    QVERIFY2(run(spec, {}, inputs, &got, &why), why.c_str());
    float sequential = 0;
    for (int i = 0; i < 300000; ++i) sequential += 0.1f;
    const double lost = std::fabs(sequential - got["y"].value[0]);
    QVERIFY(lost > 1);
    QVERIFY(got["y"].bound[0] >= lost && got["y"].bound[0] <= 3 * lost);
    QVERIFY(distance(got["y"].bound[0], expected->at("y").bound[0]) <= 0.1 * expected->at("y").bound[0]);
  }

  void random_data() {
    QTest::addColumn<unsigned>("seed");
    for (unsigned seed = 1; seed <= 12; ++seed) QTest::addRow("%u", seed) << seed;
  }
  void random() {
    QFETCH(unsigned, seed);
    agrees(testing::read_spec(test::RandomSpec(seed).text()), {}, true, true);
  }

  // Compiled once, launched at any size.
  void one_text_for_all_bindings() {
    for (const char* name : {"softmax", "matmul", "sum_all", "cumsum", "conv2d", "causal_attention"}) {
      const op::Spec spec = testing::library_op(name);
      const auto large = oracle::lower_reference(spec, {}),
                 small = oracle::lower_reference(spec, testing::small_binding(spec, 3e3));
      QVERIFY(large.has_value() && small.has_value());
      QVERIFY2(large->code == small->code, name);
    }
    const auto product = oracle::lower_reference(testing::library_op("matmul"), {});
    QVERIFY(product.has_value());
    QCOMPARE(product->launches[0].kernel, std::string("step0_product"));
    const auto plain = oracle::lower_reference(testing::library_op("matmul"), {{{"M", 2}}, {}});
    QCOMPARE(plain->launches[0].kernel, std::string("step0"));
  }

  void nothing_to_do() {
    const op::Spec spec = testing::library_op("softmax");
    const auto none = oracle::lower_reference(spec, {{{"R", 0}}, {}});
    QVERIFY(none.has_value());
    QVERIFY(none->launches.empty());
    const auto wrong = oracle::lower_reference(spec, {{{"Q", 3}}, {}});
    QVERIFY(!wrong && wrong.error().code == Code::not_found);
    const auto below = oracle::lower_reference(spec, {{{"R", -3}}, {}});
    QVERIFY(!below && below.error().text().find("below 0") != std::string::npos);
  }

  // A gather outside its table, which the evaluator refuses, must not fault: the element cannot be checked.
  void outside() {
    const op::Spec spec = testing::read_spec(
        "op pick(x: f32[N], k: i32[M] in 0..9) -> y: f32[M], n: i32[M] default N = 4, M = 40 { y[i] = x[k[i]]  n[i] = "
        "k[k[i] * 1000] }");
    const auto inputs = testing::drawn(spec, {}, op::Distribution::normal, 1);
    QVERIFY(!op::evaluate(spec, {}, inputs));
    std::map<std::string, Got> got;
    std::string why;
    QVERIFY2(run(spec, {}, inputs, &got, &why), why.c_str());
    int unchecked = 0;
    for (std::size_t i = 0; i < 40; ++i) {
      std::int32_t k = 0;
      std::memcpy(&k, inputs.at("k").bytes.data() + 4 * i, 4);
      QCOMPARE(std::isinf(got["y"].bound[i]), k > 3);
      QCOMPARE(std::isinf(got["n"].bound[i]), k > 0);
      unchecked += k > 3;
    }
    QVERIFY(unchecked > 5);
  }

 private:
  // Runs the reference; qFatal-free: failures are reported by QVERIFY in the callers through `why`.
  bool run(const op::Spec& spec, const op::Binding& binding, const std::map<std::string, op::HostTensor>& inputs,
           std::map<std::string, Got>* out, std::string* why) {
    const auto no = [&](const std::string& what) {
      *why = spec.name + ": " + what;
      return false;
    };
    const auto program = oracle::lower_reference(spec, binding);
    if (!program) return no(program.error().text());
    compile::Request request;
    request.code = program->code;
    request.resources = false;
    const auto compiled = compiler_->compile(request);
    if (!compiled) return no(compiled.error().text() + "\n" + program->code);
    const auto module = simt_->load(*compiled);
    if (!module) return no(module.error().text());
    const auto execution = (*module)->execution();
    if (!execution) return no(execution.error().text());
    device::Execution& e = **execution;
    for (const auto& [name, t] : inputs) {
      const auto count = static_cast<std::int64_t>(t.bytes.size() / dtype_size(t.dtype));
      if (auto s = e.allocate(name, t.dtype, count, device::Access::read_only); !s) return no(s.error().text());
      if (auto s = e.write(name, t.bytes); !s) return no(s.error().text());
    }
    std::map<std::string, std::int64_t> counts;
    for (const auto& b : program->buffers) {
      counts[b.name] = b.count;
      if (auto s = e.allocate(b.name, b.dtype, b.count, device::Access::read_write); !s) return no(s.error().text());
    }
    for (const auto& l : program->launches) {
      const auto done = e.launch(l, {device::Checks::full});
      if (!done) return no(done.error().text());
      if (done->fault) return no(l.kernel + ": " + enum_string(done->fault->kind) + ": " + done->fault->message);
    }
    const auto guards = e.check_guards();
    if (!guards || *guards) return no("a guard zone was changed");
    for (const auto& o : program->outputs) {
      Got& g = (*out)[o.tensor];
      if (is_real(op::find_param(spec, o.tensor)->dtype))
        g.value = read_all<double>(e, o.value, counts[o.value]);
      else
        g.integer = read_all<std::int64_t>(e, o.value, counts[o.value]);
      if (!o.bound.empty()) g.bound = read_all<double>(e, o.bound, counts[o.bound]);
    }
    return true;
  }

  // `steps`: results may jump where an f64 function differs in its last bit. `products`: the evaluator's products of
  // matrices.
  void agrees(const op::Spec& spec, const op::Binding& binding, bool steps = false, bool guarded = false,
              bool products = false, bool once = false) {
    for (const op::Distribution d : {op::Distribution::normal, op::Distribution::large, op::Distribution::ramp}) {
      if (once && d != op::Distribution::normal) break;
      const auto inputs = testing::drawn(spec, binding, d, 7);
      const auto expected = op::evaluate(spec, binding, inputs);
      QVERIFY2(expected.has_value(), expected ? "" : expected.error().text().c_str());
      std::map<std::string, Got> got;
      std::string why;
      QVERIFY2(run(spec, binding, inputs, &got, &why), why.c_str());
      for (const auto& [name, want] : *expected) {
        const Got& g = got.at(name);
        const auto where = [&](std::size_t i, double a, double b) {
          return spec.name + " (" + std::string(op::distribution_name(d)) + "): " + name + " element " +
                 std::to_string(i) + ": expected " + QString::number(a, 'g', 17).toStdString() + ", got " +
                 QString::number(b, 'g', 17).toStdString();
        };
        if (!is_real(want.dtype)) {
          QCOMPARE(g.integer.size(), want.integer.size());
          for (std::size_t i = 0; i < g.integer.size(); ++i) {
            const double w = want.bound.empty() ? 0 : want.bound[i];
            const auto a = static_cast<double>(want.integer[i]), b = static_cast<double>(g.integer[i]);
            // A decision that hangs on the last bit of an f64 function may fall either way, within the bound.
            QVERIFY2(std::fabs(a - b) <= w, where(i, a, b).c_str());
            if (g.bound.empty()) continue;
            QVERIFY2(distance(w, g.bound[i]) <= 1e-6 * std::fabs(w), ("bound of " + where(i, w, g.bound[i])).c_str());
          }
          QVERIFY2(!g.bound.empty() || want.bound.empty(), where(0, 0, 0).c_str());
          continue;
        }
        QCOMPARE(g.value.size(), want.value.size());
        QCOMPARE(g.bound.size(), want.bound.size());
        for (std::size_t i = 0; i < g.value.size(); ++i) {
          const double w = want.value[i];
          const double a = want.bound[i], b = g.bound[i], off = distance(w, g.value[i]);
          if (steps && off > 1e-9 * a) {
            QVERIFY2(off <= std::min(a, b), where(i, w, g.value[i]).c_str());
            continue;
          }
          QVERIFY2(off == 0 || off <= 1e-12 * std::fabs(w) + 1e-9 * (std::isfinite(a) ? a : 0),
                   where(i, w, g.value[i]).c_str());
          // Branches that may fail: the evaluator does not look at the other one.
          if (std::isinf(a) && guarded) continue;
          // Few distinct values: see product.cpp. The evaluator also looks at a product's partial sums. An infinite
          // factor makes it add up terms with it, at every element.
          const double least = products && spec.name == "inv"            ? 0
                               : products && d == op::Distribution::ramp ? 0.3
                               : once                                    ? 0.7
                               : products                                ? 0.85
                                                                         : 0.95;
          QVERIFY2(a == b || (b >= least * a && b <= (once ? 1.4 : 1.05) * a), ("bound of " + where(i, a, b)).c_str());
        }
      }
    }
  }
};

QTEST_GUILESS_MAIN(ReferenceTest)
#include "reference_test.moc"
