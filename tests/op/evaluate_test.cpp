// SPDX-License-Identifier: Apache-2.0
#include <QtTest>
#include <cmath>
#include <stop_token>
#include <string>
#include "op/evaluate.h"
#include "op/naive.h"
#include "op/random_spec.h"
#include "support/library_ops.h"

using namespace ww;
using namespace ww::op;
using testing::read_spec;
using test::drawn;
using test::Naive;
using test::tensor;

namespace {

using Inputs = std::map<std::string, HostTensor>;

std::vector<double> values(const Spec& spec, const Binding& binding, const Inputs& inputs,
                           const std::string& output = "y") {
  const auto r = evaluate(spec, binding, inputs);
  if (!r) qFatal("%s", r.error().text().c_str());
  return r->at(output).value;
}

std::vector<std::int64_t> integers(const Spec& spec, const Binding& binding, const Inputs& inputs,
                                   const std::string& output = "y") {
  const auto r = evaluate(spec, binding, inputs);
  if (!r) qFatal("%s", r.error().text().c_str());
  return r->at(output).integer;
}

bool close(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  if (std::isinf(a) || std::isinf(b)) return a == b;
  return std::fabs(a - b) <= 1e-10 * (1 + std::fabs(a) + std::fabs(b));
}

// The outputs of the fast evaluator against those of the plain one, on one case.
void compare(const Spec& spec, const Binding& binding, Distribution d = Distribution::normal, std::uint64_t seed = 1) {
  const Inputs inputs = drawn(spec, binding, d, seed);
  const auto fast = evaluate(spec, binding, inputs);
  QVERIFY2(fast.has_value(), fast ? "" : (print(spec) + fast.error().text()).c_str());
  Naive plain(spec, binding, inputs);
  for (const Param& p : spec.outputs) {
    const ReferenceTensor& a = fast->at(p.name);
    const Naive::Array& b = plain.arrays.at(p.name);
    QCOMPARE(a.shape, b.shape);
    for (std::size_t i = 0; i < b.values.size(); ++i) {
      const bool same = is_real(p.dtype) ? close(a.value[i], b.values[i].real) : a.integer[i] == b.values[i].integer;
      if (!same) {
        QFAIL((print(spec) + p.name + " element " + std::to_string(i) + ": " +
               std::to_string(is_real(p.dtype) ? a.value[i] : static_cast<double>(a.integer[i])) + ", plainly " +
               std::to_string(b.values[i].number()))
                  .c_str());
      }
      if (is_real(p.dtype) && std::isfinite(a.value[i]))
        QVERIFY(a.bound[i] >= unit_roundoff(p.dtype) * std::fabs(a.value[i]));
    }
  }
}

}  // namespace

class EvaluateTest : public QObject {
  Q_OBJECT
 private slots:
  void byHand() {
    const Spec s =
        read_spec("op f(x: f32[N], a: f32; b = 0.5) -> y: f32[N], z: f32 { y[i] = a * x[i] + b z = sum(i) x[i] }");
    const Inputs in{{"x", tensor(DType::f32, {3}, {1, 2, -4})}, {"a", tensor(DType::f32, {}, {3})}};
    QCOMPARE(values(s, {{{"N", 3}}, {}}, in), (std::vector<double>{3.5, 6.5, -11.5}));
    QCOMPARE(values(s, {{{"N", 3}}, {}}, in, "z"), (std::vector<double>{-1}));
    QCOMPARE(values(s, {{{"N", 3}}, {{"b", 1}}}, in), (std::vector<double>{4, 7, -11}));
  }

  void everyDtype() {
    for (const DType d : all_dtypes) {
      if (d == DType::boolean) continue;
      const std::string name(dtype_name(d));
      const Spec s = read_spec("op f(x: " + name + "[N]) -> y: " + name + "[N] { y[i] = x[i] + x[i] }");
      const Inputs in{{"x", tensor(d, {3}, {1, 2, 96})}};
      const auto r = evaluate(s, {{{"N", 3}}, {}}, in);
      QVERIFY(r.has_value());
      QCOMPARE(r->at("y").dtype, d);
      if (is_real(d))
        QCOMPARE(r->at("y").value, (std::vector<double>{2, 4, 192}));
      else
        QCOMPARE(r->at("y").integer, (std::vector<std::int64_t>{2, 4, d == DType::i8 ? -64 : 192}));  // i8 wraps
    }
    const Spec b = read_spec("op f(x: bool[N]) -> y: bool[N], n: i32 { y[i] = !x[i] n = sum(i : x[i]) i32(1) }");
    const Inputs in{{"x", tensor(DType::boolean, {3}, {1, 0, 1})}};
    QCOMPARE(integers(b, {{{"N", 3}}, {}}, in), (std::vector<std::int64_t>{0, 1, 0}));
    QCOMPARE(integers(b, {{{"N", 3}}, {}}, in, "n"), (std::vector<std::int64_t>{2}));
  }

  void integersAreExact() {
    const Spec s = read_spec(
        "op f(x: i64[N]) -> y: i64[N], q: i64[N], r: i64[N] { y[i] = x[i] + 1 q[i] = x[i] / 4 r[i] = x[i] % 4 }");
    Inputs in{{"x", {DType::i64, {3}, std::vector<std::byte>(24)}}};
    const std::int64_t x[] = {9007199254740993, -7, 7};
    std::memcpy(in["x"].bytes.data(), x, 24);
    QCOMPARE(integers(s, {{{"N", 3}}, {}}, in), (std::vector<std::int64_t>{9007199254740994, -6, 8}));
    QCOMPARE(integers(s, {{{"N", 3}}, {}}, in, "q"),
             (std::vector<std::int64_t>{2251799813685248, -2, 1}));  // toward minus infinity
    QCOMPARE(integers(s, {{{"N", 3}}, {}}, in, "r"), (std::vector<std::int64_t>{1, 1, 3}));
  }

  // Two's complement in 64 bits; a count outside 0..63 moves every bit out.
  void bits() {
    const Spec s = read_spec(
        "op f(a: i64[N], b: i64[N]) -> x: i64[N], o: i64[N], n: i64[N], l: i64[N], r: i64[N]\n{ x[i] = bitxor(a[i], "
        "b[i]) "
        "o[i] = bitor(a[i], b[i]) n[i] = bitand(a[i], b[i]) l[i] = shl(a[i], b[i]) r[i] = shr(a[i], b[i]) }");
    using Numbers = std::vector<std::int64_t>;
    Inputs in;
    const auto give = [&](const char* name, const Numbers& v) {
      HostTensor t{DType::i64, {static_cast<std::int64_t>(v.size())}, std::vector<std::byte>(v.size() * 8)};
      std::memcpy(t.bytes.data(), v.data(), v.size() * 8);
      in[name] = t;
    };
    give("a", {12, -1, -5, 7, -7, 1});
    give("b", {10, 1, 1, 64, -1, 63});
    const auto at = [&](const char* output) { return integers(s, {{{"N", 6}}, {}}, in, output); };
    QCOMPARE(at("x"), (Numbers{6, -2, -6, 71, 6, 62}));
    QCOMPARE(at("o"), (Numbers{14, -1, -5, 71, -1, 63}));
    QCOMPARE(at("n"), (Numbers{8, 1, 1, 0, -7, 1}));
    QCOMPARE(at("l"), (Numbers{12288, -2, -10, 0, 0, std::numeric_limits<std::int64_t>::min()}));
    QCOMPARE(at("r"), (Numbers{0, -1, -3, 0, -1, 0}));
  }

  // u64 against the processor's own arithmetic, with numbers on both sides of 2^63.
  void unsignedNumbers() {
    const Spec s = read_spec(R"(op f(a: u64[N], b: u64[N], n: i32[N]) -> lt: bool[N], ge: bool[N], top: u64[N],
      mid: u64[N], right: u64[N], fixed: u64[N], quotient: u64[N], rest: u64[N], by_seven: u64[N], by_size: u64[N],
      hash: u64[N], wide: f64[N], back: u64[N], mixed: f64[N], most: u64, least: u64, place: i64, total: u64,
      none: u64, small: u32[N], cube: u64[N]
{
  lt[i] = a[i] < b[i]
  ge[i] = a[i] >= 0x8000000000000001
  top[i] = max(a[i], b[i])
  mid[i] = clamp(a[i], 5, b[i])
  right[i] = shr(a[i], n[i])
  fixed[i] = shr(a[i], 33)
  quotient[i] = a[i] / max(b[i], 1)
  rest[i] = a[i] % max(b[i], 1)
  by_seven[i] = a[i] / 7 * 10 + a[i] % 7
  by_size[i] = a[i] / N * N + a[i] % N
  hash[i] = bitxor(a[i], shr(a[i], 31)) * 0xBF58476D1CE4E5B9 - b[i]
  wide[i] = a[i]
  back[i] = u64(wide[i])
  mixed[i] = if(a[i] > b[i], 0.5, b[i]) * 1.0
  most = max(i) a[i]
  least = min(i) a[i]
  place = argmax(i) a[i]
  total = sum(i) a[i]
  none = min(i : a[i] < 0) a[i]
  small[i] = u32(a[i])
  cube[i] = a[i]^3
})");
    using Words = std::vector<std::uint64_t>;
    const std::uint64_t m = ~std::uint64_t{0}, h = std::uint64_t{1} << 63;
    const Words a = {0, 1, h - 1, h, h + 1, m, m - 1, 12345678901234567890u, 7, h + 1024};
    const Words b = {m, 0, h, h - 1, 3, m, h + 5, 1000000007, h, 11};
    const std::vector<std::int32_t> n = {0, 1, 62, 63, 64, -1, 5, 33, 2, 40};
    const std::size_t count = a.size();
    const auto given = [&](DType d, const auto& v) {
      HostTensor t{d, {static_cast<std::int64_t>(v.size())}, std::vector<std::byte>(v.size() * sizeof v[0])};
      std::memcpy(t.bytes.data(), v.data(), t.bytes.size());
      return t;
    };
    const Inputs in{{"a", given(DType::u64, a)}, {"b", given(DType::u64, b)}, {"n", given(DType::i32, n)}};
    const Binding binding{{{"N", static_cast<std::int64_t>(count)}}, {}};
    // The printed spec is the same one.
    for (const Spec& spec : {s, read_spec(print(s))}) {
      const auto r = evaluate(spec, binding, in);
      QVERIFY2(r.has_value(), r ? "" : r.error().text().c_str());
      const auto is = [&](const char* output, auto expected) {
        for (std::size_t i = 0; i < count; ++i)
          QVERIFY2(static_cast<std::uint64_t>(r->at(output).integer[i]) == static_cast<std::uint64_t>(expected(i)),
                   (output + (" " + std::to_string(i))).c_str());
      };
      is("lt", [&](std::size_t i) { return a[i] < b[i]; });
      is("ge", [&](std::size_t i) { return a[i] >= h + 1; });
      is("top", [&](std::size_t i) { return std::max(a[i], b[i]); });
      is("mid", [&](std::size_t i) { return std::min(std::max<std::uint64_t>(a[i], 5), b[i]); });
      is("right", [&](std::size_t i) { return n[i] < 0 || n[i] > 63 ? 0 : a[i] >> n[i]; });
      is("fixed", [&](std::size_t i) { return a[i] >> 33; });
      is("quotient", [&](std::size_t i) { return a[i] / std::max<std::uint64_t>(b[i], 1); });
      is("rest", [&](std::size_t i) { return a[i] % std::max<std::uint64_t>(b[i], 1); });
      is("by_seven", [&](std::size_t i) { return a[i] / 7 * 10 + a[i] % 7; });
      is("by_size", [&](std::size_t i) { return a[i]; });
      is("hash", [&](std::size_t i) { return (a[i] ^ a[i] >> 31) * 0xBF58476D1CE4E5B9u - b[i]; });
      is("back", [&](std::size_t i) {
        const double v = static_cast<double>(a[i]);
        return v >= 0x1p64 ? m : static_cast<std::uint64_t>(v);
      });
      is("small", [&](std::size_t i) { return static_cast<std::uint32_t>(a[i]); });
      is("cube", [&](std::size_t i) { return a[i] * a[i] * a[i]; });
      for (std::size_t i = 0; i < count; ++i) {
        QCOMPARE(r->at("wide").value[i], static_cast<double>(a[i]));
        QCOMPARE(r->at("mixed").value[i], a[i] > b[i] ? 0.5 : static_cast<double>(b[i]));
      }
      std::uint64_t total = 0;
      for (const std::uint64_t x : a) total += x;
      const auto one = [&](const char* output) { return static_cast<std::uint64_t>(r->at(output).integer[0]); };
      QCOMPARE(one("most"), m);
      QCOMPARE(one("least"), std::uint64_t{0});
      QCOMPARE(one("place"), std::uint64_t{5});
      QCOMPARE(one("total"), total);
      QCOMPARE(one("none"), m);  // of no number
      QCOMPARE(r->at("most").value_at(0), 0x1p64);
    }
  }

  // What is stored in 8 bits is kept at the largest number, for the output and for who reads it again.
  void eightBitReals() {
    const Spec s = read_spec(R"(op f(x: f32[N], w: e4m3[N]) -> y: e4m3[N], z: e5m2[N], again: f32[N], cast: f32[N]
{
  y[i] = x[i] * w[i]
  z[i] = x[i] * w[i]
  again[i] = y[i] - 1
  cast[i] = e4m3(x[i])
})");
    const Inputs in{{"x", tensor(DType::f32, {5}, {2, -1000, 17, 0.001, std::numeric_limits<double>::infinity()})},
                    {"w", tensor(DType::e4m3, {5}, {1.1, 300, 1, 1, 1})}};
    const auto r = evaluate(s, {{{"N", 5}}, {}}, in);
    QVERIFY(r.has_value());
    QCOMPARE(r->at("y").value, (std::vector<double>{2.25, -448, 17, static_cast<float>(0.001), 448}));
    QCOMPARE(r->at("z").value[1], -57344.0);  // 288 * 1000
    QCOMPARE(r->at("again").value[1], -449.0);
    QCOMPARE(r->at("cast").value, (std::vector<double>{2, -448, 16, 0.001953125 / 2 > 0.001 ? 0 : 0.001953125, 448}));
    const std::vector<double>& bound = r->at("y").bound;
    QVERIFY(bound[2] >= 1 && bound[2] < 1.5);                      // half the step at 17
    QVERIFY(bound[3] >= std::ldexp(1.0, -10) && bound[3] < 0.01);  // half the smallest number
    QVERIFY(std::isfinite(bound[1]) && bound[1] < 64);
  }

  void ties() {
    const Spec s = read_spec(
        "op f(x: f32[N]) -> y: i64, z: i64, e: i64 { y = argmax(i) x[i] z = argmin(i) x[i] e = argmax(i in 2..2) x[i] "
        "}");
    const Inputs in{{"x", tensor(DType::f32, {5}, {1, 3, -2, 3, -2})}};
    QCOMPARE(integers(s, {{{"N", 5}}, {}}, in, "y"), (std::vector<std::int64_t>{1}));
    QCOMPARE(integers(s, {{{"N", 5}}, {}}, in, "z"), (std::vector<std::int64_t>{2}));
    QCOMPARE(integers(s, {{{"N", 5}}, {}}, in, "e"), (std::vector<std::int64_t>{-1}));
    QVERIFY(evaluate(s, {{{"N", 5}}, {}}, in)->at("y").bound.empty());  // exact values tie exactly
    // A decision between values nearer than their errors is said to be uncertain.
    const Spec near =
        read_spec("op f(x: f32[N]) -> y: i64, c: bool { y = argmax(i) exp(x[i]) c = exp(x[0]) > exp(x[1]) }");
    const Inputs close_by{{"x", tensor(DType::f32, {3}, {1, 1.0000001, 0})}};
    const auto r = evaluate(near, {{{"N", 3}}, {}}, close_by);
    QVERIFY(r && std::isinf(r->at("y").bound.at(0)) && r->at("c").bound.at(0) == 1);
    const auto sure = evaluate(near, {{{"N", 3}}, {}}, {{"x", tensor(DType::f32, {3}, {1, 2, 0})}});
    QVERIFY(sure && sure->at("y").bound.empty() && sure->at("c").bound.empty());
  }

  void emptyReductions() {
    const Spec s = read_spec(
        "op f(x: f32[N]) -> s: f32, p: f32, a: f32, i: f32, n: bool, l: bool, k: i32[N]\n{\n"
        "  s = sum(j) x[j]\n  p = prod(j) x[j]\n  a = max(j) x[j]\n  i = min(j) x[j]\n  n = any(j) (x[j] > 0)\n  l = "
        "all(j) (x[j] > 0)\n  k[j] = j\n}");
    const Inputs in{{"x", tensor(DType::f32, {0}, {})}};
    const auto r = evaluate(s, {{{"N", 0}}, {}}, in);
    QVERIFY(r.has_value());
    QCOMPARE(r->at("s").value[0], 0.0);
    QCOMPARE(r->at("p").value[0], 1.0);
    QCOMPARE(r->at("a").value[0], -INFINITY);
    QCOMPARE(r->at("i").value[0], INFINITY);
    QCOMPARE(r->at("n").integer[0], std::int64_t{0});
    QCOMPARE(r->at("l").integer[0], std::int64_t{1});
    QVERIFY(r->at("k").integer.empty());
  }

  void nonFiniteValues() {
    const Spec s = read_spec(
        "op f(x: f32[N]) -> y: f32[N], m: f32, e: f32[N] { y[i] = x[i] - x[i] m = max(i) x[i] e[i] = exp(x[i]) }");
    const auto r = evaluate(s, {{{"N", 3}}, {}}, {{"x", tensor(DType::f32, {3}, {INFINITY, NAN, -INFINITY})}});
    QVERIFY(r.has_value());
    for (const double v : r->at("y").value) QVERIFY(std::isnan(v));
    QVERIFY(std::isnan(r->at("m").value[0]));
    QVERIFY(std::isinf(r->at("e").value[0]) && std::isnan(r->at("e").value[1]) && r->at("e").value[2] == 0);
    QVERIFY(r->at("e").bound[2] < 1e-30);
    // The product of matrices must not turn a masked infinity into NaN.
    const Spec causal = read_spec(
        "op f(p: f32[N, N], v: f32[N, E]) -> y: f32[N, E] { y[i, e] = sum(j in 0..i + 1) p[i, j] * v[j, e] }");
    Inputs in = drawn(causal, {{{"N", 64}, {"E", 32}}, {}});
    const float infinite = INFINITY;
    std::memcpy(in["v"].bytes.data() + 63 * 32 * 4, &infinite, 4);
    const auto y = values(causal, {{{"N", 64}, {"E", 32}}, {}}, in);
    QVERIFY(std::isfinite(y[62 * 32]) && std::isinf(y[63 * 32]));
  }

  void failuresNameThePlace() {
    const auto message = [](const std::string& text, const Binding& binding, const Inputs& in) {
      const auto r = evaluate(read_spec(text), binding, in);
      return r ? std::string() : r.error().message;
    };
    const Inputs in{{"t", tensor(DType::f32, {4}, {1, 2, 3, 4})}, {"i", tensor(DType::i32, {3}, {0, 7, 9})}};
    const Binding b{{{"N", 3}, {"V", 4}}, {}};
    QCOMPARE(message("op f(t: f32[V], i: i32[N]) -> y: f32[N] { y[n] = t[i[n]] }", b, in),
             std::string("in the equation of 'y': t[i[n]] is out of range at n = 1: subscript 0 is 7, and dimension 0 "
                         "of 't' has 4 elements"));
    QCOMPARE(message("op f(t: f32[V], i: i32[N]) -> y: i32[N] { y[n] = 10 / (i[n] - 7) }", b, in),
             std::string("in the equation of 'y': integer division by zero in 10 / (i[n] - 7) at n = 1"));
    QVERIFY(message("op f(t: f32[V], i: i32[N]) -> y: f32[N] { y[n] = if(i[n] < 4, t[i[n]], 0.0) }", b, in).empty());
    QVERIFY(message("op f(t: f32[V], i: i32[N]) -> y: bool[N] { y[n] = i[n] < 4 && t[i[n]] > 0 }", b, in).empty());
    QVERIFY(message("op f(t: f32[V], i: i32[N]) -> y: f32 { y = sum(n : i[n] < 4) t[i[n]] }", b, in).empty());
    QVERIFY(message("op f(t: f32[V], i: i32[N]) -> y: f32[N] { y[n] = pad(t[i[n]], -1) }", b, in).empty());
    QVERIFY(message("op f(t: f32[V], i: i32[N]) -> y: f32[N] { y[n] = if(n == 0, sum(j in 0..9) t[j + n * 9], 0.0) }",
                    b, in)
                .find("out of range") != std::string::npos);

    Inputs endless{{"t", tensor(DType::i64, {1}, {0})}};
    const std::int64_t most = std::numeric_limits<std::int64_t>::max();
    std::memcpy(endless["t"].bytes.data(), &most, 8);
    QVERIFY(message("op f(t: i64[V]) -> y: i64[V] { y[v] = sum(j in -2..t[v]) j }", {{{"V", 1}}, {}}, endless)
                .find("more than 2^40 values") != std::string::npos);

    const Spec s = read_spec("op f(x: f32[N, M]) -> y: f32[N] { y[i] = sum(j) x[i, j] }");
    const auto code = [&](const Binding& binding, const Inputs& inputs) {
      return evaluate(s, binding, inputs).error().message;
    };
    const Binding nm{{{"N", 2}, {"M", 3}}, {}};
    QCOMPARE(code(nm, {}), std::string("the input 'x' is missing"));
    QCOMPARE(code(nm, {{"x", tensor(DType::f16, {2, 3}, {1, 2, 3, 4, 5, 6})}}),
             std::string("the input 'x' is f16, and the spec says f32"));
    QCOMPARE(code(nm, {{"x", tensor(DType::f32, {3, 2}, {1, 2, 3, 4, 5, 6})}}),
             std::string("the input 'x' has the shape [3, 2], and the spec says [2, 3]"));
    QCOMPARE(code(nm, {{"x", {DType::f32, {2, 3}, std::vector<std::byte>(23)}}}),
             std::string("the input 'x' has 23 bytes, and its shape needs 24"));
    QVERIFY(code(nm, {{"z", tensor(DType::f32, {2, 3}, {1, 2, 3, 4, 5, 6})}}).find("no input 'z'") !=
            std::string::npos);
  }

  void limitsAndCancellation() {
    const Spec s = read_spec("op f(a: f32[N, N], b: f32[N, N]) -> y: f32[N, N] { y[i, j] = sum(k) a[i, k] * b[k, j] }");
    const Binding binding{{{"N", 64}}, {}};
    const Inputs in = drawn(s, binding);
    EvaluateOptions options;
    options.max_operations = 1000;
    const auto large = evaluate(s, binding, in, options);
    QVERIFY(!large && large.error().code == Code::unsupported &&
            large.error().message.find("limit of 1e+03") != std::string::npos);
    std::stop_source source;
    source.request_stop();
    EvaluateOptions cancelled;
    cancelled.stop = source.get_token();
    const auto stopped = evaluate(s, binding, in, cancelled);
    QVERIFY(!stopped && stopped.error().code == Code::cancelled);
  }

  void againstThePlainEvaluator_data() {
    QTest::addColumn<QString>("text");
    const auto row = [](const char* name, const char* text) { QTest::newRow(name) << QString(text); };
    row("matmul",
        "op f(a: f32[M, K], b: f32[K, N]) -> y: f32[M, N]\n default M = 41, K = 43, N = 47 { y[i, j] = sum(k) a[i, k] "
        "* b[k, j] }");
    row("matmul transposed, with what stands around it",
        "op f(a: f32[K, M], b: f32[N, K], c: f32[M], d: f32[N]) -> y: f32[M, N]\n default M = 41, K = 43, N = 47\n"
        "{ y[i, j] = max(-(sum(k) -a[k, i] * b[j, k] / c[i] * 2.5) + d[j], 0) }");
    row("batched, with a vector inside",
        "op f(a: f32[B, M, K], b: f32[B, K, N], s: f32[K]) -> y: f32[B, M, N]\n default B = 5, M = 21, K = 23, N = 27\n"
        "{ y[n, i, j] = sum(k) a[n, i, k] * s[k] * b[n, k, j] }");
    row("two summed indices",
        "op f(a: f32[M, K, L], b: f32[L, K, N]) -> y: f32[M, N]\n default M = 20, K = 7, L = 9, N = 33 { y[i, j] = "
        "sum(k, l) a[i, k, l] * b[l, k, j] }");
    row("restricted",
        "op f(a: f32[M, K], b: f32[K, N], m: bool[M, K]) -> y: f32[M, N]\n default M = 41, K = 43, N = 47\n"
        "{ y[i, j] = sum(k in 0..min(i + 1, K) : m[i, k]) a[i, k] * b[k, j] }");
    row("lower times lower",
        "op f(a: f32[N, N], b: f32[N, N]) -> y: f32[N, N]\n default N = 48 { y[i, j] = sum(k in j..i + 1) a[i, k] * "
        "b[k, j] }");
    row("convolution",
        "op f(x: f32[N, C, H, W], w: f32[K, C, R, S]; stride = 2, padding = 1, dilation = 2)\n"
        " -> y: f32[N, K, (H + 2*padding - dilation*(R - 1) - 1)/stride + 1, (W + 2*padding - dilation*(S - 1) - "
        "1)/stride + 1]\n"
        " default N = 2, C = 5, H = 17, W = 19, K = 6, R = 3, S = 3\n"
        "{ y[n, k, p, q] = sum(c, r, s) pad(x[n, c, p*stride + r*dilation - padding, q*stride + s*dilation - padding], "
        "0) * w[k, c, r, s] }");
    row("grouped convolution",
        "op f(x: f32[N, G*C, H], w: f32[G*K, C, R]; padding = 1) -> y: f32[N, G*K, H + 2*padding - R + 1]\n"
        " default N = 2, G = 3, C = 4, H = 33, K = 5, R = 3\n"
        "{ y[n, k, p] = sum(c in 0..C, r in 0..R) pad(x[n, k / K * C + c, p + r - padding], 0) * w[k, c, r] }");
    row("attention in one equation after the other",
        "op f(q: f32[S, E], k: f32[T, E], v: f32[T, E]) -> y: f32[S, E]\n default S = 33, T = 35, E = 16\n"
        "{\n s[i, j] = sum(e) q[i, e] * k[j, e] / sqrt(E)\n m[i] = max(j) s[i, j]\n z[i] = sum(j) exp(s[i, j] - m[i])\n"
        " y[i, e] = sum(j) exp(s[i, j] - m[i]) / z[i] * v[j, e]\n}");
    row("causal attention",
        "op f(q: f32[S, E], k: f32[S, E], v: f32[S, E]) -> y: f32[S, E]\n default S = 50, E = 16\n"
        "{\n s[i, j] = sum(e) q[i, e] * k[j, e]\n m[i] = max(j in 0..i + 1) s[i, j]\n"
        " p[i, j] = if(j <= i, exp(s[i, j] - m[i]), 0.0)\n z[i] = sum(j in 0..i + 1) p[i, j]\n"
        " y[i, e] = sum(j in 0..i + 1) p[i, j] * v[j, e] / z[i]\n}");
    row("softmax in one equation",
        "op f(x: f32[R, C]) -> y: f32[R, C]\n default R = 9, C = 40\n"
        "{ y[r, c] = exp(x[r, c] - (max(j) x[r, j])) / (sum(j) exp(x[r, j] - (max(k) x[r, k]))) }");
    row("running sums",
        "op f(x: f32[R, C]) -> a: f32[R, C], b: f32[R, C], c: f32[R, C], d: f32[R, C], e: f32[C, R]\n default R = 5, C "
        "= 70\n"
        "{\n a[r, i] = sum(j in 0..i + 1) x[r, j]\n b[r, i] = sum(j in 0..i) x[r, j]\n c[r, i] = max(j in i..C) x[r, "
        "j]\n"
        " d[r, i] = prod(j in i + 1..C) (x[r, j] / 2)\n e[i, r] = 2 * sum(j in 0..i + 1 : j % 3 != 1) x[r, j]^2\n}");
    row("windows",
        "op f(x: f32[C]) -> a: f32[C], b: f32[C]\n default C = 90\n"
        "{\n a[i] = sum(j in i - 2..i + 3) pad(x[j], 0)\n b[i] = min(j in max(0, i - 4)..i + 1) x[j]\n}");
    row("ragged",
        "op f(x: f32[R, C], n: i32[R] in 0..C) -> y: f32[R], z: i64[R]\n default R = 20, C = 30\n"
        "{\n y[r] = sum(j in 0..n[r]) x[r, j]\n z[r] = argmin(j in n[r]..C) x[r, j]\n}");
    row("triangle",
        "op f(x: f32[N, N]) -> y: f32[N]\n default N = 24 { y[n] = sum(i in 0..n + 1, j in i..n + 1) x[i, j] * f32(i + "
        "1) }");
    row("column sums",
        "op f(x: f32[R, C]) -> y: f32[C], m: f32[C]\n default R = 700, C = 300 { y[c] = sum(r) x[r, c] m[c] = max(r) "
        "abs(x[r, c]) }");
    row("whole",
        "op f(x: f32[R, C]) -> y: f32, z: bool\n default R = 70, C = 300 { y = sum(r, c) x[r, c]^2 / (R * C) z = "
        "any(r, c) (x[r, c] > 3.9) }");
    row("gather and scatter",
        "op f(t: f32[V, E], i: i32[N] in 0..V) -> y: f32[N, E], z: f32[V, E]\n default V = 11, E = 7, N = 40\n"
        "{ y[n, e] = t[i[n], e] z[v, e] = sum(n : i[n] == v) t[i[n], e] }");
    row("half precision",
        "op f(a: f16[M, K], b: bf16[K, N]) -> y: f16[M, N]\n default M = 41, K = 43, N = 47 { y[i, j] = f16(sum(k) "
        "a[i, k] * b[k, j]) }");
    row("integers",
        "op f(a: i8[M, K], b: u8[K, N]) -> y: i32[M, N]\n default M = 11, K = 43, N = 17 { y[i, j] = sum(k) i32(a[i, "
        "k]) * i32(b[k, j]) }");
    row("shifted range",
        "op f(a: f32[M, K], b: f32[K, N]) -> y: f32[M, N]\n default M = 41, K = 43, N = 47 { y[i, j] = sum(k in 2..K - "
        "1) a[i, k - 2] * b[k, j] }");
  }

  void againstThePlainEvaluator() {
    QFETCH(QString, text);
    const Spec spec = read_spec(text.toStdString());
    for (const Distribution d : {Distribution::normal, Distribution::ramp, Distribution::constant})
      compare(spec, {}, d);
  }

  void randomSpecs() {
    for (unsigned seed = 0; seed < 400; ++seed) {
      const Spec spec = read_spec(test::RandomSpec(seed).text());
      compare(spec, {}, seed % 4 == 0 ? Distribution::ramp : Distribution::normal, seed);
      if (QTest::currentTestFailed()) return;
    }
  }

  void sameWithAnyNumberOfThreads() {
    const Spec s = read_spec(
        "op f(x: f32[R, C]) -> y: f32[R, C], z: f32\n default R = 300, C = 70 { y[r, c] = exp(x[r, c]) / (sum(j) "
        "exp(x[r, j])) z = sum(r, c) x[r, c] }");
    const Inputs in = drawn(s, {});
    EvaluateOptions one;
    one.threads = 1;
    EvaluateOptions three;
    three.threads = 3;
    const auto a = evaluate(s, {}, in, one), b = evaluate(s, {}, in, three);
    QVERIFY(a && b);
    for (const char* name : {"y", "z"}) {
      QCOMPARE(a->at(name).value, b->at(name).value);
      QCOMPARE(a->at(name).bound, b->at(name).bound);
    }
    EvaluateOptions without;
    without.bounds = false;
    const auto c = evaluate(s, {}, in, without);
    QVERIFY(c && c->at("y").value == a->at("y").value && c->at("y").bound.empty());
  }

  void work() {
    const Spec matmul = read_spec(
        "op f(a: f32[M, K], b: f32[K, N]) -> y: f32[M, N]\n default M = 8, K = 16, N = 32 { y[i, j] = sum(k) a[i, k] * "
        "b[k, j] }");
    const auto m = work_of(matmul, {});
    QVERIFY(m.has_value());
    QCOMPARE(m->flops, 2.0 * 8 * 16 * 32);
    QCOMPARE(m->special, 0.0);
    QCOMPARE(m->bytes_read, 4.0 * (8 * 16 + 16 * 32));
    QCOMPARE(m->bytes_written, 4.0 * 8 * 32);
    const Spec softmax = read_spec(
        "op f(x: f16[R, C]) -> y: f16[R, C]\n default R = 4, C = 10\n"
        "{ m[r] = max(c) x[r, c] e[r, c] = exp(x[r, c] - m[r]) z[r] = sum(c) e[r, c] y[r, c] = e[r, c] / z[r] }");
    const auto w = work_of(softmax, {});
    QVERIFY(w.has_value());
    QCOMPARE(w->flops, 4.0 * 40);
    QCOMPARE(w->special, 40.0);
    QCOMPARE(w->bytes_read, 80.0);
    const Spec scan = read_spec(
        "op f(x: f32[R, C]) -> y: f32[R, C]\n default R = 4, C = 10 { y[r, c] = sum(j in 0..c + 1) x[r, j] }");
    QCOMPARE(work_of(scan, {})->flops, 40.0);  // one pass
    const Spec causal = read_spec(
        "op f(p: f32[N, N], v: f32[N]) -> y: f32[N]\n default N = 9 { y[i] = sum(j in 0..i + 1) p[i, j] * v[j] }");
    QCOMPARE(work_of(causal, {})->flops, 2.0 * 45);
    const Spec lookup = read_spec(
        "op f(t: f32[V, E], i: i32[N] in 0..V) -> y: f32[N, E]\n default V = 1000, E = 8, N = 4 { y[n, e] = t[i[n], e] "
        "}");
    QVERIFY(work_of(lookup, {})->bytes_read < 500);  // not the whole table
    QVERIFY(!work_of(read_spec("op f(x: f32[N]) -> y: f32[N] { y[i] = x[i] }"), {}));
  }

  void workedExample() {
    const auto text = worked_example(
        read_spec("op f(x: i32[R, C], s: i32) -> y: i32[R], z: i32[C, R, C] { y[r] = sum(c) x[r, c] * s z[a, "
                  "b, c] = a * 100 + b * 10 + c }"));
    QVERIFY(text.has_value());
    QVERIFY(text->find("f with C = 3, R = 2\nx =\n") == 0);
    QVERIFY(text->find("s = ") != std::string::npos);
    QVERIFY(text->find("z[2, :, :] =\n  200 201 202\n  210 211 212\n") != std::string::npos);
    // Sizes that do not fit the spec are passed over.
    const auto conv =
        worked_example(read_spec("op f(x: f32[H], w: f32[R]) -> y: f32[H - R] { y[p] = sum(r) x[p + r] * w[r] }"));
    QVERIFY2(conv.has_value(), conv ? "" : conv.error().text().c_str());
    QVERIFY(conv->find("H = 3, R = 2") != std::string::npos);
    QVERIFY(!worked_example(read_spec("op f(x: f32[H]) -> y: f32[H - 9] { y[p] = x[p + 9] }")));
  }
  // It is made outside of the sandbox, for anybody's spec.
  void examplesHaveABudget_data() {
    QTest::addColumn<QString>("spec");
    QTest::newRow("input") << "op f(x: f32[1000000000000], z: f32[N]) -> y: f32[N] { y[i] = z[i] }";
    QTest::newRow("inputs together") << "op f(x: f32[1000000, 1000000, N], z: f32[N]) -> y: f32[N] { y[i] = z[i] }";
    QTest::newRow("range") << "op f(x: f32[N]) -> y: f32[N] { y[i] = sum(j in 0..1000000000000) x[i] }";
    QTest::newRow("range of data")
        << "op f(x: i32[N] in 900..1000) -> y: f32[N] { y[i] = sum(j in 0..x[i] * 100000000) 1 }";
    QTest::newRow("ranges of data")
        << "op f(x: i32[N] in 900..1000) -> y: f32[N] { y[i] = sum(j in 0..x[i] * 10000000, k in 5..j - j) 1 }";
    QTest::newRow("many sizes, each large") << "op f(a: f32[A], b: f32[B], c: f32[C], d: f32[D]) -> y: f32[A] { y[i] = "
                                               "sum(j in 0..90000000) a[i] + b[D + 5] + c[0] + d[0] }";
  }
  void examplesHaveABudget() {
    QFETCH(QString, spec);
    QVERIFY(!worked_example(read_spec(spec.toStdString())));
  }
};

QTEST_APPLESS_MAIN(EvaluateTest)
#include "evaluate_test.moc"
