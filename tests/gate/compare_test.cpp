// SPDX-License-Identifier: Apache-2.0
#include <QtTest>
#include <cmath>
#include <cstring>
#include <limits>
#include "gate/compare.h"

using namespace ww;
using namespace ww::gate;

namespace {

constexpr double inf = std::numeric_limits<double>::infinity();
const double nan_value = std::nan("");

op::ReferenceTensor reals(DType dtype, std::vector<double> value, std::vector<double> bound) {
  op::ReferenceTensor t;
  t.dtype = dtype;
  t.shape = {static_cast<std::int64_t>(value.size())};
  t.value = std::move(value);
  t.bound = std::move(bound);
  return t;
}

std::vector<std::byte> bytes_of(DType dtype, const std::vector<double>& values) {
  std::vector<std::byte> out(values.size() * dtype_size(dtype));
  for (std::size_t i = 0; i < values.size(); ++i) store_f64(dtype, &out[i * dtype_size(dtype)], values[i]);
  return out;
}

bool right(DType dtype, double expected, double bound, double actual) {
  const auto c = compare("y", reals(dtype, {expected}, {bound}), bytes_of(dtype, {actual}));
  return c && !c->worst;
}

}  // namespace

class CompareTest : public QObject {
  Q_OBJECT
 private slots:
  void withinTheBound() {
    QVERIFY(right(DType::f32, 1.0, 1e-6, 1.0000005));
    QVERIFY(!right(DType::f32, 1.0, 1e-6, 1.000005));
    QVERIFY(!right(DType::f32, 1.0, 1e-6, -1.0));
    QVERIFY(right(DType::f64, 1.0, 0.0, 1.0));
    QVERIFY(!right(DType::f64, 1.0, 0.0, std::nextafter(1.0, 2.0)));
  }
  void whatStrictPrecisionWouldNotLetPassIsCounted() {
    op::ReferenceTensor t = reals(DType::f32, {1.0, 1.0, 1.0, nan_value}, {1e-5, 1e-5, 1e-5, 0});
    const auto loss = [&](const std::vector<double>& actual) { return compare("y", t, bytes_of(DType::f32, actual)); };
    QCOMPARE(loss({1.000004, 1, 1, nan_value})->beyond_strict, std::int64_t{0});  // nobody asked for it
    t.strict = {1e-6, 1e-6, 1e-6, 0};
    const auto some = loss({1.000004, 1.0000005, 1.000008, nan_value});
    QVERIFY(!some->worst);
    QCOMPARE(some->beyond_strict, std::int64_t{2});
    QVERIFY(some->lost_ulps > 60 && some->lost_ulps < 70);
    QCOMPARE(loss({1.1, 1, 1, nan_value})->beyond_strict, std::int64_t{0});  // wrong in any case
  }
  void signsOfMovedZerosCount() {
    op::ReferenceTensor t = reals(DType::f32, {-0.0, 0.0, 1.0}, {0, 0, 0});
    const auto same = [&](const std::vector<double>& actual) {
      const auto c = compare("y", t, bytes_of(DType::f32, actual));
      return c && !c->worst;
    };
    QVERIFY(same({0.0, -0.0, 1.0}));
    t.signed_zeros = true;
    QVERIFY(same({-0.0, 0.0, 1.0}));
    QVERIFY(same({-0.0, -0.0, 1.0}));  // of a mask that is multiplied
    QVERIFY(!same({0.0, 0.0, 1.0}));
    t.bound[0] = inf;
    QVERIFY(same({0.0, 0.0, 1.0}));
  }
  void specialValues() {
    for (const DType d : {DType::f64, DType::f32, DType::f16, DType::bf16}) {
      QVERIFY(right(d, nan_value, 1.0, nan_value));
      QVERIFY(right(d, nan_value, nan_value, nan_value));
      QVERIFY(!right(d, nan_value, 1.0, 0.0));
      QVERIFY(!right(d, 0.0, 1.0, nan_value));
      QVERIFY(right(d, inf, 0.0, inf));
      QVERIFY(!right(d, inf, 0.0, -inf));
      QVERIFY(!right(d, -inf, 0.0, 1.0));
      QVERIFY(!right(d, 1.0, 0.5, inf));
      QVERIFY(right(d, 0.0, 1e-9, -0.0));
    }
  }
  void overflowOfTheDtype() {
    QVERIFY(right(DType::f16, 70000.0, 32.0, inf));
    QVERIFY(!right(DType::f16, 70000.0, 32.0, -inf));
    QVERIFY(!right(DType::f16, 70000.0, 32.0, 65504.0));  // 4496 away from a value within 32
    QVERIFY(right(DType::f16, 65510.0, 32.0, 65504.0));
    QVERIFY(right(DType::f16, 65510.0, 64.0, inf));  // 65510 + 64 - 32 rounds to infinity, 32 being the last rounding
    QVERIFY(!right(DType::f16, 65510.0, 32.0, inf));
    QVERIFY(!right(DType::f32, 3.4028234663852886e38, 2.03e31, inf));  // exact before the last rounding
    QVERIFY(!right(DType::f16, 60000.0, 32.0, inf));
    QVERIFY(right(DType::f32, -1e39, 1e32, -inf));
    QVERIFY(!right(DType::f32, 1e38, 1e32, inf));
  }
  void eightBitsDoNotOverflow() {
    QVERIFY(right(DType::e4m3, 448.0, 16.0, 448.0));
    QVERIFY(!right(DType::e4m3, 448.0, 16.0, nan_value));
    QVERIFY(compare("y", reals(DType::e5m2, {57344.0}, {8192.0}), std::vector{std::byte{0x7c}})->worst);  // infinity
    QVERIFY(!right(DType::e4m3, 100.0, 4.0, 112.0));
  }
  void valuesBelowTheSmallestNormalMayVanish() {
    QVERIFY(right(DType::f32, 1e-39, 1e-46, 0.0));
    QVERIFY(!right(DType::f32, 1e-37, 1e-44, 0.0));
    QVERIFY(!right(DType::f64, 1e-39, 1e-55, 0.0));
    QVERIFY(!right(DType::f16, 3e-5, 3e-8, 0.0));  // f16 subnormals are not flushed
  }
  void boundsThatAreNotFiniteCheckNothing() {
    const auto c = compare("y", reals(DType::f32, {1, 1, 1}, {inf, nan_value, 1e-6}), bytes_of(DType::f32, {5, 5, 1}));
    QVERIFY(c.has_value());
    QVERIFY(!c->worst);
    QCOMPARE(c->unchecked, std::int64_t{2});
    QCOMPARE(c->total, std::int64_t{3});
  }
  void infinitiesWithoutABoundAreNotChecked() {
    const auto c = compare("y", reals(DType::f32, {inf, -inf, nan_value, inf}, {inf, inf, inf, 0}),
                           bytes_of(DType::f32, {nan_value, inf, 5, 5}));
    QVERIFY(c.has_value());
    QCOMPARE(c->unchecked, std::int64_t{3});
    QVERIFY(c->worst);
    QCOMPARE(c->worst->index, (std::vector<std::int64_t>{3}));
    QCOMPARE(c->worst->wrong, std::int64_t{1});
  }
  void theWorstIsNamedFirstOfEquals() {
    op::ReferenceTensor t = reals(DType::f32, {1, 1, 1, 1, 1, 1}, {1e-6, 1e-6, 1e-6, 1e-6, 1e-6, 1e-6});
    t.shape = {2, 3};
    const auto c = compare("y", t, bytes_of(DType::f32, {1, 1.5, 1, 1, 3, 3}));
    QVERIFY(c->worst.has_value());
    QCOMPARE(c->worst->index, (std::vector<std::int64_t>{1, 1}));
    QCOMPARE(c->worst->wrong, std::int64_t{3});
    QCOMPARE(c->worst->total, std::int64_t{6});
    QCOMPARE(c->worst->actual, 3.0);
    QCOMPARE(c->worst->expected, 1.0);
    QVERIFY(c->worst->error_ulps > 1e6);
    QCOMPARE(describe(*c->worst), std::string("y[1, 1] is 3, expected 1 ± 1e-06 (3 of 6 elements are wrong)"));
    const auto one = compare("y", t, bytes_of(DType::f32, {1, 1, 1, 1, 1, 3}));
    QCOMPARE(describe(*one->worst), std::string("y[1, 2] is 3, expected 1 ± 1e-06 (1 of 6 elements is wrong)"));
    const auto n = compare("y", t, bytes_of(DType::f32, {1, 1.5, 1, 1, 3, nan_value}));
    QCOMPARE(n->worst->index, (std::vector<std::int64_t>{1, 2}));  // NaN before every number
  }
  void ulpsAreTheOutputsOwn() {
    const auto c = compare("y", reals(DType::f16, {1.0}, {1e-4}), bytes_of(DType::f16, {1.0 + 3.0 / 1024}));
    QCOMPARE(c->worst->error_ulps, 3.0);
  }
  void integersExactly() {
    op::ReferenceTensor t;
    t.dtype = DType::i64;
    t.shape = {3};
    t.integer = {1, -5, (std::int64_t{1} << 60) + 1};
    std::vector<std::byte> b(24);
    for (int i = 0; i < 3; ++i)
      std::memcpy(&b[static_cast<std::size_t>(i) * 8], &t.integer[static_cast<std::size_t>(i)], 8);
    QVERIFY(!compare("y", t, b)->worst);
    const std::int64_t near = std::int64_t{1} << 60;  // the same as a double
    std::memcpy(&b[16], &near, 8);
    const auto c = compare("y", t, b);
    QVERIFY(c->worst.has_value());
    QCOMPARE(c->worst->index, (std::vector<std::int64_t>{2}));
    QCOMPARE(c->worst->wrong, std::int64_t{1});
  }
  void integersMayBeOffWhereTheirBoundSaysSo() {
    op::ReferenceTensor t;
    t.dtype = DType::i8;
    t.shape = {4};
    t.integer = {3, 3, 3, 3};
    t.bound = {0, 1, 1, inf};
    QVERIFY(!compare("q", t, bytes_of(DType::i8, {3, 4, 2, 100}))->worst);
    QCOMPARE(compare("q", t, bytes_of(DType::i8, {3, 4, 2, 100}))->unchecked, std::int64_t{1});
    const auto c = compare("q", t, bytes_of(DType::i8, {4, 4, 5, 3}));
    QVERIFY(c->worst.has_value());
    QCOMPARE(c->worst->wrong, std::int64_t{2});  // off where it is exact; off by two where one is allowed
    t.dtype = DType::boolean;
    t.integer = {1, 1, 1, 1};
    QVERIFY(!compare("q", t, bytes_of(DType::i8, {1, 0, 1, 1}))->worst);
    QCOMPARE(compare("q", t, bytes_of(DType::i8, {1, 2, 1, 1}))->worst->actual, 2.0);  // no bool at all
  }
  void boolsAreZeroOrOne() {
    op::ReferenceTensor t;
    t.dtype = DType::boolean;
    t.shape = {2};
    t.integer = {0, 1};
    std::vector<std::byte> b = {std::byte{0}, std::byte{1}};
    QVERIFY(!compare("y", t, b)->worst);
    b[1] = std::byte{2};
    const auto c = compare("y", t, b);
    QVERIFY(c->worst.has_value());
    QCOMPARE(c->worst->actual, 2.0);
  }
  void sizesMustFit() {
    QVERIFY(!compare("y", reals(DType::f32, {1, 2}, {1, 1}), bytes_of(DType::f32, {1})));
    QVERIFY(!compare("y", reals(DType::f32, {1, 2}, {1}), bytes_of(DType::f32, {1, 2})));
    QVERIFY(compare("y", reals(DType::f32, {}, {}), {}).has_value());
  }
  void manyElementsOnManyThreads() {
    const std::size_t n = 200000;
    std::vector<double> value(n, 1.0), bound(n, 1e-6), actual(n, 1.0);
    actual[150000] = 2;
    actual[199999] = 2;
    for (const int threads : {1, 4}) {
      const auto c = compare("y", reals(DType::f32, value, bound), bytes_of(DType::f32, actual), threads);
      QCOMPARE(c->worst->index[0], std::int64_t{150000});
      QCOMPARE(c->worst->wrong, std::int64_t{2});
    }
  }
};

QTEST_GUILESS_MAIN(CompareTest)
#include "compare_test.moc"
