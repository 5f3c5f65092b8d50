// SPDX-License-Identifier: Apache-2.0
// Other forms of a spec: the same values, and bounds that hold honest kernels of those forms.
#include <QtTest>
#include <cmath>
#include <numeric>
#include "op/evaluate.h"
#include "op/forms.h"
#include "op/naive.h"
#include "support/library_ops.h"

using namespace ww;
using namespace ww::op;
using testing::read_spec;
using test::floats;

namespace {

struct Case {
  std::map<std::string, HostTensor> inputs;
  ReferenceTensor written, form;
};

ReferenceTensor reference(const Spec& spec, const std::map<std::string, HostTensor>& inputs) {
  const auto r = evaluate(spec, {}, inputs);
  if (!r) qFatal("%s", r.error().text().c_str());
  return r->begin()->second;
}

Case make_case(const std::string& text, Form form, const std::map<std::string, HostTensor>& inputs) {
  const Spec spec = read_spec(text);
  const auto other = in_form(spec, form);
  if (!other) qFatal("%s has no other form", spec.name.c_str());
  return {inputs, reference(spec, inputs), reference(*other, inputs)};
}

std::map<std::string, HostTensor> drawn(const std::string& text, Distribution d, std::uint64_t seed) {
  return test::drawn(read_spec(text), {}, d, seed);
}

std::size_t outside(const ReferenceTensor& y, const std::vector<float>& got) {
  std::size_t n = 0;
  for (std::size_t i = 0; i < got.size(); ++i) n += !(std::fabs(double{got[i]} - y.value[i]) <= y.bound[i]);
  return n;
}

const std::string onto_bias =
    "op f(a: f32[M, K], b: f32[K, N], bias: f32[N]) -> y: f32[M, N]\n default M = 16, N = 16, K = 16\n"
    "{ y[i, j] = (sum(k) a[i, k] * b[k, j]) + bias[j] }";
const std::string onto_bias_in_two =
    "op f(a: f32[M, K], b: f32[K, N], bias: f32[N]) -> y: f32[M, N]\n default M = 16, N = 16, K = 16\n"
    "{ t[i, k] = sum(j) a[i, j] * b[j, k]; y[i, j] = t[i, j] + bias[j] }";
const std::string of_three =
    "op f(a: f32[N], b: f32[N], c: f32[N]) -> y: f32[N]\n default N = 65536 { y[i] = a[i] + b[i] - c[i] }";
const std::string variance =
    "op f(x: f32[R, C]) -> y: f32[R]\n default R = 24, C = 700\n"
    "{ m[r] = sum(c) x[r, c] / C y[r] = sum(c) (x[r, c] - m[r])^2 / C }";
const std::string scaled =
    "op f(x: f32[R, C], m: f32[C], s: f32[C], b: f32[C]) -> y: f32[R, C]\n default R = 24, C = 50\n"
    "{ y[r, c] = (x[r, c] - m[c]) * s[c] + b[c] }";
const std::string exponential =
    "op f(x: f32[R, C]) -> y: f32[R, C]\n default R = 24, C = 50\n"
    "{ m[r] = max(c) x[r, c] y[r, c] = exp(x[r, c] - m[r]) }";

}  // namespace

class FormsTest : public QObject {
  Q_OBJECT
 private slots:
  void theValuesAreTheSame_data() { testing::add_library_rows(); }
  void theValuesAreTheSame() {
    QFETCH(QString, path);
    const Spec spec = read_spec(*read_file(path.toStdString()));
    Binding binding;
    for (const auto& [name, value] : spec.defaults) binding.symbols[name] = std::min<std::int64_t>(value, 6);
    QVERIFY(shape_of(spec, spec.outputs[0], binding));
    const auto inputs = test::drawn(spec, binding);
    const auto written = evaluate(spec, binding, inputs);
    QVERIFY2(written.has_value(), written ? "" : written.error().text().c_str());
    for (const Form form : {Form::summed, Form::expanded}) {
      const auto other = in_form(spec, form);
      if (!other) continue;
      const auto formed = evaluate(*other, binding, inputs);
      QVERIFY2(formed.has_value(), formed ? "" : formed.error().text().c_str());
      for (const auto& [name, t] : *written) {
        const ReferenceTensor& f = formed->at(name);
        QCOMPARE(f.shape, t.shape);
        for (std::size_t i = 0; i < t.value.size(); ++i)
          QVERIFY2(std::fabs(f.value[i] - t.value[i]) <= 1e-3 * t.bound[i] + 1e-3 * f.bound[i] ||
                       (std::isnan(f.value[i]) && std::isnan(t.value[i])) || f.value[i] == t.value[i],
                   print(*find_equation(*other, name)->value).c_str());
      }
    }
  }

  void sumsThatBeginWithABias_data() {
    QTest::addColumn<QString>("text");
    QTest::newRow("in one equation") << QString::fromStdString(onto_bias);
    QTest::newRow("in two") << QString::fromStdString(onto_bias_in_two);
  }
  void sumsThatBeginWithABias() {
    QFETCH(QString, text);
    const std::string spec = text.toStdString();
    // The bias outweighs the products: the spec as it is written rounds at its size once, such a kernel 16 times.
    std::size_t beyond = 0;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      auto inputs = drawn(spec, Distribution::normal, seed);
      auto a = floats(inputs.at("a")), b = floats(inputs.at("b")), bias = floats(inputs.at("bias"));
      std::vector<double> small(b.begin(), b.end()), large(bias.begin(), bias.end());
      for (double& v : small) v = static_cast<float>(v / 64);
      for (double& v : large) v = std::copysign(1 + std::fabs(v), v);
      inputs["b"] = test::tensor(DType::f32, {16, 16}, small);
      inputs["bias"] = test::tensor(DType::f32, {16}, large);
      b = floats(inputs.at("b")), bias = floats(inputs.at("bias"));
      const Case c = make_case(spec, Form::summed, inputs);
      std::vector<float> y(256), half(256);
      for (std::size_t i = 0; i < 256; ++i) {
        y[i] = bias[i % 16];
        double h = bias[i % 16];
        for (std::size_t k = 0; k < 16; ++k) {
          y[i] = std::fma(a[i / 16 * 16 + k], b[k * 16 + i % 16], y[i]);
          h = round_to(DType::f16, h + double{a[i / 16 * 16 + k]} * b[k * 16 + i % 16]);
        }
        half[i] = static_cast<float>(h);
      }
      beyond += outside(c.written, y);
      QCOMPARE(outside(c.form, y), std::size_t{0});
      QVERIFY(outside(c.form, half) > 128);
    }
    QVERIFY(beyond > 0);
  }

  void sumsOfElementsInAnyOrder() {
    std::size_t beyond = 0;
    for (const Distribution d : {Distribution::normal, Distribution::large, Distribution::mixed}) {
      const Case c = make_case(of_three, Form::summed, drawn(of_three, d, 3));
      const auto x = floats(c.inputs.at("a")), y = floats(c.inputs.at("b")), z = floats(c.inputs.at("c"));
      std::vector<float> other(x.size());
      for (std::size_t i = 0; i < x.size(); ++i) other[i] = x[i] + (y[i] - z[i]);
      beyond += outside(c.written, other);
      QCOMPARE(outside(c.form, other), std::size_t{0});
    }
    QVERIFY(beyond > 0);
  }

  void varianceOfSquares() {
    std::size_t beyond = 0;
    for (const Distribution d : {Distribution::normal, Distribution::large, Distribution::positive, Distribution::rows,
                                 Distribution::shifted, Distribution::few}) {
      for (std::uint64_t seed = 1; seed <= 3; ++seed) {
        const Case c = make_case(variance, Form::expanded, drawn(variance, d, seed));
        const auto x = floats(c.inputs.at("x"));
        std::vector<float> serial(24), lanes(24), of_sample(24);
        for (std::size_t r = 0; r < 24; ++r) {
          float s = 0, q = 0;
          std::array<float, 32> s32{}, q32{};
          for (std::size_t i = 0; i < 700; ++i) {
            const float v = x[r * 700 + i];
            s += v, q += v * v;
            s32[i % 32] += v, q32[i % 32] += v * v;
          }
          for (std::size_t w = 16; w > 0; w /= 2)
            for (std::size_t t = 0; t < w; ++t) s32[t] += s32[t + w], q32[t] += q32[t + w];
          serial[r] = std::max(0.0f, q / 700 - s / 700 * (s / 700));
          lanes[r] = std::max(0.0f, q32[0] / 700 - s32[0] / 700 * (s32[0] / 700));
          of_sample[r] = serial[r] * (700.0f / 699);
        }
        beyond += outside(c.written, serial);
        QCOMPARE(outside(c.form, serial), std::size_t{0});
        QCOMPARE(outside(c.form, lanes), std::size_t{0});
        if (d == Distribution::normal) QVERIFY(outside(c.form, of_sample) > 12);
      }
    }
    QVERIFY(beyond > 0);
  }

  void scaledDifferences() {
    std::size_t beyond = 0;
    for (const Distribution d :
         {Distribution::normal, Distribution::large, Distribution::rows, Distribution::shifted}) {
      const Case c = make_case(scaled, Form::expanded, drawn(scaled, d, 5));
      const auto x = floats(c.inputs.at("x")), m = floats(c.inputs.at("m")), s = floats(c.inputs.at("s")),
                 b = floats(c.inputs.at("b"));
      std::vector<float> folded(x.size()), no_bias(x.size());
      for (std::size_t i = 0; i < x.size(); ++i) {
        const std::size_t k = i % 50;
        folded[i] = std::fma(x[i], s[k], b[k] - m[k] * s[k]);
        no_bias[i] = (x[i] - m[k]) * s[k];
      }
      beyond += outside(c.written, folded);
      QCOMPARE(outside(c.form, folded), std::size_t{0});
      if (d == Distribution::normal) QVERIFY(outside(c.form, no_bias) > 1000);
    }
    QVERIFY(beyond > 0);
  }

  void exponentialsToBaseTwo() {
    std::size_t beyond = 0;
    for (const Distribution d : {Distribution::normal, Distribution::large, Distribution::shifted}) {
      const Case c = make_case(exponential, Form::expanded, drawn(exponential, d, 5));
      const auto x = floats(c.inputs.at("x"));
      std::vector<float> fused(x.size()), half(x.size());
      for (std::size_t r = 0; r < 24; ++r) {
        const float top = *std::max_element(&x[r * 50], &x[r * 50] + 50) * 1.44269504f;
        for (std::size_t i = r * 50; i < r * 50 + 50; ++i) {
          fused[i] = std::exp2(std::fma(x[i], 1.44269504f, -top));
          half[i] = static_cast<float>(round_to(DType::f16, fused[i]));
        }
      }
      beyond += outside(c.written, fused);
      QCOMPARE(outside(c.form, fused), std::size_t{0});
      if (d == Distribution::normal) QVERIFY(outside(c.form, half) > 600);
    }
    QVERIFY(beyond > 0);
  }

  void aSharedSumIsNoPlaceToBegin() {
    // Nobody adds an element to the sum of its row: that sum is one for all of them.
    const Spec spec = read_spec(
        "op f(x: f32[R, C]) -> y: f32[R, C]\n default R = 4, C = 64\n{ y[r, c] = x[r, c] - sum(k) x[r, k] / C }");
    QVERIFY(!in_form(spec, Form::summed));
  }
};

QTEST_APPLESS_MAIN(FormsTest)
#include "forms_test.moc"
