// SPDX-License-Identifier: Apache-2.0
// Minus infinity beside a maximum: which inputs it masks, and what of a masked line is compared.
#include <QtTest>
#include <algorithm>
#include <cmath>
#include <cstring>
#include "gate/compare.h"
#include "gate/distributions.h"
#include "gate/reference.h"
#include "op/nan_rule.h"
#include "support/library_ops.h"

using namespace ww;
using namespace ww::gate;
using testing::library_op;

namespace {

constexpr std::int64_t rows = 64, columns = 40;
using Names = std::set<std::string>;

std::shared_ptr<const Reference> reference_of(const op::Spec& spec, std::uint64_t seed) {
  const auto made =
      make_reference(spec, {{{{"R", rows}, {"C", columns}}, {}}, op::Distribution::masked, seed, {}, {}}, 1, {});
  if (!made) qFatal("%s", made.error().text().c_str());
  return *made;
}

// A set in which some lines are masked entirely.
std::shared_ptr<const Reference> with_masked_lines(const op::Spec& spec) {
  for (std::uint64_t seed = 1; seed < 50; ++seed)
    if (auto r = reference_of(spec, seed); !r->masked.empty()) return r;
  qFatal("no set masks whole lines");
}

std::vector<float> inputs_of(const Reference& r) {
  std::vector<float> x(static_cast<std::size_t>(rows * columns));
  std::memcpy(x.data(), r.inputs.at("x").bytes.data(), x.size() * 4);
  return x;
}

// As kernels compute it; `masked`: what they give for lines without an element.
std::vector<float> softmax(const std::vector<float>& x, float masked) {
  std::vector<float> y(x.size());
  for (std::size_t r = 0; r < rows; ++r) {
    const float *line = &x[r * columns], top = *std::max_element(line, line + columns);
    float z = 0;
    for (std::size_t c = 0; c < columns; ++c) z += std::exp(line[c] - top);
    for (std::size_t c = 0; c < columns; ++c)
      y[r * columns + c] = std::isinf(top) ? masked : std::exp(line[c] - top) / z;
  }
  return y;
}

Comparison compared(const Reference& r, const std::vector<float>& y) {
  const auto c = compare("y", r.outputs.at("y"), std::as_bytes(std::span(y)), 1);
  if (!c) qFatal("%s", c.error().text().c_str());
  return *c;
}

}  // namespace

class MaskedLinesTest : public QObject {
  Q_OBJECT
  const op::Spec softmax_ = library_op("softmax");

 private slots:
  void theInputsOfAMaximumAreMasked() {
    QCOMPARE(masked_inputs(softmax_), Names{"x"});
    QCOMPARE(masked_inputs(library_op("temperature_softmax")), Names{"x"});
    QCOMPARE(masked_inputs(library_op("cross_entropy")), Names{"logits"});
    // Not what is multiplied before, what meets no exponential, and what has a domain of its own.
    for (const char* name : {"attention", "max", "minmax_normalize", "softmin", "relu"})
      QCOMPARE(masked_inputs(library_op(name)), Names{});
    QCOMPARE(masked_inputs(testing::read_spec(
                 "op f(q: f32[N, E], k: f32[N, E], bias: f32[N, N], w: f32[N] in 0.0..1.0) -> y: f32[N]\n"
                 "  default N = 8, E = 4\n{\n  s[i, j] = (sum(e) q[i, e] * k[j, e]) / 2 + bias[i, j] - w[j]\n"
                 "  m[i] = max(j) s[i, j]\n  y[i] = sum(j) exp(s[i, j] - m[i])\n}\n")),
             Names{"bias"});
    const auto all = distributions_for(softmax_, true);
    QCOMPARE(std::ranges::count(all, op::Distribution::masked), 2);
    QCOMPARE(std::ranges::count(distributions_for(softmax_, false), op::Distribution::masked), 0);
  }
  void otherInputsAreNot() {
    const op::Spec spec = testing::read_spec(
        "op f(x: f32[R, C], v: f32[R, C]) -> y: f32[R]\n  default R = 64, C = 40\n{\n  m[r] = max(c) x[r, c]\n"
        "  y[r] = sum(c) exp(x[r, c] - m[r]) * v[r, c]\n}\n");
    const auto inputs = make_inputs(spec, {{{}, {}}, op::Distribution::masked, 3, {}, {}});
    QVERIFY(inputs.has_value());
    const auto infinities = [&](const char* name) {
      std::vector<float> v(static_cast<std::size_t>(rows * columns));
      std::memcpy(v.data(), inputs->at(name).bytes.data(), v.size() * 4);
      return std::ranges::count(v, -INFINITY);
    };
    QVERIFY(infinities("x") > 100 && infinities("x") < rows * columns);
    QCOMPARE(infinities("v"), 0);
  }
  void honestKernelsPassWhateverTheyGiveForMaskedLines() {
    const auto r = with_masked_lines(softmax_);
    const std::vector<float> x = inputs_of(*r);
    for (const float masked : {std::nanf(""), 0.0f, 1.0f / columns}) {
      const Comparison c = compared(*r, softmax(x, masked));
      QVERIFY2(!c.worst, c.worst ? describe(*c.worst).c_str() : "");
      QCOMPARE(c.unchecked, r->masked.at("y"));
      QVERIFY(c.unchecked > 0 && c.unchecked < c.total && c.unchecked % columns == 0);
    }
  }
  void linesMaskedInPartAreCompared() {
    const auto r = with_masked_lines(softmax_);
    const std::vector<float> x = inputs_of(*r);
    const std::vector<float> right = softmax(x, 0.0f);
    // As an online kernel gives them that begins with minus infinity: NaN where the first element is masked.
    std::vector<float> online = right;
    std::int64_t partly = 0;
    for (std::size_t line = 0; line < rows; ++line) {
      const float* of = &x[line * columns];
      const bool all = std::all_of(of, of + columns, [](float v) { return std::isinf(v); });
      if (!std::isinf(of[0]) || all) continue;
      std::fill_n(&online[line * columns], columns, std::nanf(""));
      partly += columns;
    }
    QVERIFY(partly > 0);
    QCOMPARE(compared(*r, online).worst->wrong, partly);
    // What is masked is 0, not a little.
    std::vector<float> leaking = right;
    for (std::size_t i = 0; i < x.size(); ++i)
      if (std::isinf(x[i])) leaking[i] = 1e-4f;
    QVERIFY(compared(*r, leaking).worst.has_value());
  }
  void theSpecsWordDecides() {
    const auto with = [&](const char* word) {
      const auto spec = op::parse_spec("//@ nan: " + std::string(word) + "\n" + softmax_.text);
      if (!spec) qFatal("%s", spec.error().text().c_str());
      return *spec;
    };
    const auto usual = with_masked_lines(softmax_);
    const auto propagate = reference_of(with("propagate"), usual->set.seed);
    QVERIFY(propagate->masked.empty());
    const std::vector<float> x = inputs_of(*propagate);
    QVERIFY(!compared(*propagate, softmax(x, std::nanf(""))).worst);
    QCOMPARE(compared(*propagate, softmax(x, 0.0f)).worst->wrong, usual->masked.at("y"));
    for (const char* word : {"any", "ignore"}) {
      const auto r = reference_of(with(word), usual->set.seed);
      QVERIFY(!compared(*r, softmax(x, 0.0f)).worst && !compared(*r, softmax(x, std::nanf(""))).worst);
    }
  }
};

QTEST_APPLESS_MAIN(MaskedLinesTest)
#include "masked_lines_test.moc"
