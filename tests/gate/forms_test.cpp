// SPDX-License-Identifier: Apache-2.0
// The room that a reference has for other forms of its spec.
#include <QtTest>
#include <cmath>
#include <cstring>
#include <limits>
#include "gate/compare.h"
#include "gate/forms.h"
#include "support/library_ops.h"

using namespace ww;
using namespace ww::gate;

namespace {

constexpr std::int64_t rows = 24, columns = 300;

std::shared_ptr<const Reference> reference_of(const op::Spec& spec, op::Distribution d, op::Precision precision,
                                              std::uint64_t seed = 5, std::int64_t length = columns) {
  InputSet set{{{{"R", rows}, {"C", length}}, {}}, d, seed, {}, precision};
  const auto made = make_reference(spec, set, 1, {});
  if (!made) qFatal("%s", made.error().text().c_str());
  return *made;
}

std::vector<float> inputs_of(const Reference& r) {
  std::vector<float> x(static_cast<std::size_t>(rows * columns));
  std::memcpy(x.data(), r.inputs.at("x").bytes.data(), x.size() * 4);
  return x;
}

Comparison compared(const op::ReferenceTensor& expected, const std::vector<float>& y) {
  const auto c = compare("y", expected, std::as_bytes(std::span(y)), 1);
  if (!c) qFatal("%s", c.error().text().c_str());
  return *c;
}

// E[x^2] - E[x]^2, which may come out below zero.
std::vector<float> of_squares(const std::vector<float>& x) {
  std::vector<float> y;
  for (std::size_t r = 0; r < rows; ++r) {
    float s = 0, q = 0;
    for (std::size_t c = 0; c < columns; ++c) s += x[r * columns + c], q += x[r * columns + c] * x[r * columns + c];
    y.push_back((q - s * s / columns) / (columns - 1));
  }
  return y;
}

}  // namespace

class FormsTest : public QObject {
  Q_OBJECT
  const op::Spec variance_ = testing::library_op("var");

 private slots:
  void usualPrecisionStatesTheLoss() {
    const auto r = reference_of(variance_, op::Distribution::shifted, op::Precision::usual);
    const std::vector<float> y = of_squares(inputs_of(*r));
    QVERIFY(compared(r->outputs.at("y"), y).worst.has_value());
    const auto wider = with_forms(variance_, *r, 1, {});
    QVERIFY(wider.has_value() && wider->has_value());
    const Comparison c = compared((*wider)->at("y"), y);
    QVERIFY2(!c.worst, c.worst ? describe(*c.worst).c_str() : "");
    QVERIFY(c.beyond_strict > 0 && c.lost_ulps > 16);
  }
  void strictPrecisionHasNoRoom() {
    const auto r = reference_of(variance_, op::Distribution::shifted, op::Precision::strict);
    const auto wider = with_forms(variance_, *r, 1, {});
    QVERIFY(wider.has_value());
    const std::vector<float> y = of_squares(inputs_of(*r));
    QVERIFY(compared(*wider ? (*wider)->at("y") : r->outputs.at("y"), y).worst.has_value());
  }
  void wrongValuesAreWrongInEveryForm() {
    const auto r = reference_of(variance_, op::Distribution::normal, op::Precision::usual);
    const auto wider = with_forms(variance_, *r, 1, {});
    QVERIFY(wider.has_value() && wider->has_value());
    std::vector<float> y = of_squares(inputs_of(*r));
    QVERIFY(!compared((*wider)->at("y"), y).worst);
    for (float& v : y) v *= (columns - 1.0f) / columns;  // of the population
    QCOMPARE(compared((*wider)->at("y"), y).worst->wrong, rows);
  }
  // The root of E[x^2] - E[x]^2 where rounding made that negative, in f64 too.
  void rootsNearZero() {
    const op::Spec spec = testing::library_op("std");
    int lost = 0;  // sets with a row of which the spec as written says that it is wrong
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
      const auto r = reference_of(spec, op::Distribution::rows, op::Precision::usual, seed);
      std::vector<float> y = of_squares(inputs_of(*r));
      for (float& v : y) v = std::sqrt(std::max(v, 0.0f));
      lost += compared(r->outputs.at("y"), y).worst.has_value();
      const auto wider = with_forms(spec, *r, 1, {});
      QVERIFY(wider.has_value() && wider->has_value());
      const Comparison c = compared((*wider)->at("y"), y);
      QVERIFY2(!c.worst, c.worst ? describe(*c.worst).c_str() : "");
    }
    QVERIFY2(lost > 1, std::to_string(lost).c_str());
  }
  // A running mean decays slowly after a large element, and what it adds rounds in one direction.
  void variancesBesideARunningMean() {
    const op::Spec spec = testing::library_op("var");
    constexpr std::int64_t length = 3405;
    int lost = 0;
    for (std::uint64_t seed = 0; seed < 12; ++seed) {
      const auto r = reference_of(spec, op::Distribution::mixed, op::Precision::usual, seed, length);
      const auto* x = reinterpret_cast<const float*>(r->inputs.at("x").bytes.data());
      std::vector<float> y(rows);
      for (std::int64_t i = 0; i < rows; ++i) {
        float mean = 0, sum = 0;
        for (std::int64_t c = 0; c < length; ++c) {
          const float v = x[i * length + c], d = v - mean;
          mean += d / static_cast<float>(c + 1);
          sum = std::fma(d, v - mean, sum);
        }
        y[static_cast<std::size_t>(i)] = sum / static_cast<float>(length - 1);
      }
      lost += compared(r->outputs.at("y"), y).worst.has_value();
      const auto wider = with_forms(spec, *r, 1, {});
      QVERIFY(wider.has_value() && wider->has_value());
      const Comparison c = compared((*wider)->at("y"), y);
      QVERIFY2(!c.worst, c.worst ? describe(*c.worst).c_str() : "");
      for (float& v : y) v *= 1.0003f;
      QVERIFY(compared((*wider)->at("y"), y).worst.has_value());
    }
    QVERIFY(lost > 0);
  }
  // Where a form loses all digits, an honest kernel has any number, but no NaN.
  void nanIsWrongWhereAllDigitsAreLost() {
    const op::Spec spec = testing::library_op("std");
    const auto r = reference_of(spec, op::Distribution::shifted, op::Precision::usual);
    const auto wider = with_forms(spec, *r, 1, {});
    QVERIFY(wider.has_value() && wider->has_value());
    const op::ReferenceTensor& expected = (*wider)->at("y");
    std::vector<float> y;
    for (const double v : expected.value) y.push_back(static_cast<float>(v));
    QVERIFY(!compared(expected, y).worst);
    y[3] = std::numeric_limits<float>::quiet_NaN();
    QCOMPARE(compared(expected, y).worst->wrong, std::int64_t{1});
  }
  // Infinite elements have an infinite distance, which |a|^2 + |b|^2 - 2ab does not show.
  void differencesOfInfinities() {
    const op::Spec spec = testing::library_op("squared_distances");
    InputSet set{{{{"M", 24}, {"N", 24}, {"K", 8}}, {}}, op::Distribution::infinite, 5, {}, op::Precision::usual};
    const auto r = make_reference(spec, set, 1, {});
    QVERIFY(r.has_value());
    const auto wider = with_forms(spec, **r, 1, {});
    QVERIFY(wider.has_value() && wider->has_value());
    const op::ReferenceTensor &written = (*r)->outputs.at("y"), &expected = (*wider)->at("y");
    std::vector<float> a(24 * 8), b(24 * 8), y;
    std::memcpy(a.data(), (*r)->inputs.at("a").bytes.data(), a.size() * 4);
    std::memcpy(b.data(), (*r)->inputs.at("b").bytes.data(), b.size() * 4);
    for (std::size_t at = 0; at < 24 * 24; ++at) {
      float aa = 0, bb = 0, ab = 0;
      for (std::size_t k = 0; k < 8; ++k) {
        const float u = a[at / 24 * 8 + k], v = b[at % 24 * 8 + k];
        aa += u * u, bb += v * v, ab += u * v;
      }
      y.push_back(aa + bb - 2 * ab);
    }
    QVERIFY(compared(written, y).worst.has_value());
    QVERIFY(!compared(expected, y).worst);
    const auto finite = std::ranges::find_if(y, [](float v) { return std::isfinite(v); });
    *finite += 1;
    QCOMPARE(compared(expected, y).worst->wrong, std::int64_t{1});
  }
  void aSpecWithoutOtherFormsHasNone() {
    const op::Spec spec = testing::library_op("relu");
    const auto r = reference_of(spec, op::Distribution::normal, op::Precision::usual);
    const auto wider = with_forms(spec, *r, 1, {});
    QVERIFY(wider.has_value() && !wider->has_value());
  }
};

QTEST_APPLESS_MAIN(FormsTest)
#include "forms_test.moc"
