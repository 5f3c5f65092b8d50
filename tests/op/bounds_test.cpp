// SPDX-License-Identifier: Apache-2.0
// The bound lets honest kernels in single precision through and holds back less honest ones.
#include <QtTest>
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <random>
#include <string>
#include <vector>
#include "op/evaluate.h"
#include "op/naive.h"
#include "support/library_ops.h"

using namespace ww;
using namespace ww::op;
using testing::read_spec;
using test::drawn;
using test::floats;

namespace {

struct Case {
  Spec spec;
  std::map<std::string, HostTensor> inputs;
  ReferenceTensor y;
};

Case make_case(const std::string& text, Distribution d, std::uint64_t seed = 1) {
  Case c{read_spec(text), {}, {}};
  c.inputs = drawn(c.spec, {}, d, seed);
  const auto r = evaluate(c.spec, {}, c.inputs);
  if (!r) qFatal("%s", r.error().text().c_str());
  c.y = r->at("y");
  return c;
}

// Elements of `got` outside the bound.
std::size_t outside(const ReferenceTensor& y, const std::vector<float>& got) {
  std::size_t n = 0;
  for (std::size_t i = 0; i < got.size(); ++i) n += !(std::fabs(double{got[i]} - y.value[i]) <= y.bound[i]);
  return n;
}

constexpr Distribution all[] = {Distribution::normal, Distribution::uniform,  Distribution::positive,
                                Distribution::large,  Distribution::constant, Distribution::ramp};

// The orders in which kernels add.
float sequential(const float* x, std::size_t n) {
  float s = 0;
  for (std::size_t i = 0; i < n; ++i) s += x[i];
  return s;
}
float backwards(const float* x, std::size_t n) {
  float s = 0;
  for (std::size_t i = n; i-- > 0;) s += x[i];
  return s;
}
float pairwise(const float* x, std::size_t n) {
  return n <= 1 ? (n ? x[0] : 0) : pairwise(x, n / 2) + pairwise(x + n / 2, n - n / 2);
}
float strided(const float* x, std::size_t n) {  // 256 threads, then a tree
  std::vector<float> part(256, 0.0f);
  for (std::size_t i = 0; i < n; ++i) part[i % 256] += x[i];
  for (std::size_t w = 128; w > 0; w /= 2)
    for (std::size_t t = 0; t < w; ++t) part[t] += part[t + w];
  return part[0];
}
float shuffled(const float* x, std::size_t n) {
  std::vector<float> v(x, x + n);
  std::shuffle(v.begin(), v.end(), std::mt19937(3));
  return sequential(v.data(), n);
}

// A dot product as the matrix units of sm_75, sm_80 and sm_90 add it: `step` products and the sum, each cut to `extra`
// bits more than f32 has below the largest, and their total cut to f32.
struct MatrixUnit {
  std::size_t step;
  int extra;
};
constexpr MatrixUnit matrix_units[] = {{4, 1}, {8, 1}, {16, 2}};

float on_matrix_unit(const float* a, const float* b, std::size_t n, const MatrixUnit& unit) {
  double sum = 0;
  for (std::size_t k = 0; k < n; k += unit.step) {
    double top = std::fabs(sum), total = 0;
    for (std::size_t i = k; i < std::min(n, k + unit.step); ++i) top = std::max(top, std::fabs(double{a[i]} * b[i]));
    if (top == 0) continue;
    const double grid = std::ldexp(1, std::ilogb(top) - 23 - unit.extra);
    for (std::size_t i = k; i < std::min(n, k + unit.step); ++i) total += std::trunc(double{a[i]} * b[i] / grid) * grid;
    total += std::trunc(sum / grid) * grid;
    const double last = total == 0 ? 1 : std::ldexp(1, std::ilogb(total) - 23);
    sum = std::trunc(total / last) * last;
  }
  return static_cast<float>(sum);
}

const std::string sum64k = "op f(x: f32[N]) -> y: f32\n default N = 65536 { y = sum(i) x[i] }";

}  // namespace

class BoundsTest : public QObject {
  Q_OBJECT
 private slots:
  void honestSums() {
    for (const Distribution d : all) {
      for (const std::uint64_t seed : {1, 2, 3}) {
        const Case c = make_case(sum64k, d, seed);
        const auto x = floats(c.inputs.at("x"));
        for (const auto sum : {sequential, backwards, pairwise, strided, shuffled})
          QCOMPARE(outside(c.y, {sum(x.data(), x.size())}), std::size_t{0});
      }
    }
    // Few distinct values that do not round to zero on average.
    const Spec s = read_spec(sum64k);
    for (const float value : {0.1f, 1.0f / 127, 3.3333f}) {
      std::map<std::string, HostTensor> in{{"x", test::tensor(DType::f32, {65536}, std::vector<double>(65536, value))}};
      const auto r = evaluate(s, {}, in);
      const auto x = floats(in.at("x"));
      QVERIFY(r.has_value());
      for (const auto sum : {sequential, backwards, pairwise, strided})
        QCOMPARE(outside(r->at("y"), {sum(x.data(), x.size())}), std::size_t{0});
    }
  }

  void dishonestSums() {
    for (const Distribution d :
         {Distribution::normal, Distribution::uniform, Distribution::positive, Distribution::large}) {
      const Case c = make_case(sum64k, d);
      const auto x = floats(c.inputs.at("x"));
      double half = 0, brain = 0;
      for (const float v : x) {
        half = round_to(DType::f16, half + v);
        brain = round_to(DType::bf16, brain + v);
      }
      QCOMPARE(outside(c.y, {static_cast<float>(half)}), std::size_t{1});
      QCOMPARE(outside(c.y, {static_cast<float>(brain)}), std::size_t{1});
    }
    // One term too few or too many.
    for (const Distribution d : all) {
      const Case c = make_case(sum64k, d);
      const auto x = floats(c.inputs.at("x"));
      const auto magnitude = [](float p, float q) { return std::fabs(p) < std::fabs(q); };
      const std::size_t i = static_cast<std::size_t>(std::max_element(x.begin(), x.end(), magnitude) - x.begin());
      const double missing = c.y.value[0] - x[i], twice = c.y.value[0] + x[i];
      if (d == Distribution::positive) continue;  // a sum of 32768 in f32 may be off by as much
      QCOMPARE(outside(c.y, {static_cast<float>(missing)}), std::size_t{1});
      QCOMPARE(outside(c.y, {static_cast<float>(twice)}), std::size_t{1});
    }
  }

  // Products of f16 or bf16 may be added by matrix units, whatever path the reference takes.
  void matrixUnits() {
    for (const std::string type : {"f16", "bf16"}) {
      for (const std::size_t rows : {2, 8}) {
        const std::string text = "op f(a: " + type + "[M, K], b: " + type +
                                 "[N, K]) -> y: f32[M, N]\n default M = " + std::to_string(rows) +
                                 ", N = 8, K = 4096 { y[m, n] = sum(k) a[m, k] * b[n, k] }";
        for (const Distribution d : all) {
          const Case c = make_case(text, d);
          const auto a = floats(c.inputs.at("a")), b = floats(c.inputs.at("b"));
          std::vector<float> in_half;
          std::vector<std::vector<float>> sums(std::size(matrix_units));
          for (std::size_t at = 0; at < rows * 8; ++at) {
            const float *row = &a[at / 8 * 4096], *column = &b[at % 8 * 4096];
            for (std::size_t i = 0; i < sums.size(); ++i)
              sums[i].push_back(on_matrix_unit(row, column, 4096, matrix_units[i]));
            double half = 0;
            for (std::size_t k = 0; k < 4096; ++k) half = round_to(DType::f16, half + double{row[k]} * column[k]);
            in_half.push_back(static_cast<float>(half));
          }
          for (const auto& y : sums) QCOMPARE(outside(c.y, y), std::size_t{0});
          if (d == Distribution::constant) continue;  // may be exact in f16
          QVERIFY(outside(c.y, in_half) >= rows * 6);
        }
      }
    }
    // An f32 spec has no such room: f32 operands never go through matrix units.
    const auto bound = [](const std::string& type) {
      return make_case(
                 "op f(a: " + type + "[M, K], b: " + type +
                     "[N, K]) -> y: f32[M, N]\n default M = 8, N = 8, K = 4096 { y[m, n] = sum(k) a[m, k] * b[n, k] }",
                 Distribution::normal)
          .y.bound[0];
    };
    QVERIFY(bound("f16") > 4 * bound("f32"));
  }

  // Rows of one value each, as a product of matrices: equal products all round in one direction, and where the sign
  // changes from row to row the sums stray.
  void productsOfEqualTerms() {
    const std::string text =
        "op f(x: f32[N, C, L], w: f32[K, C, L]) -> y: f32[N, K]\n default N = 32, K = 32, C = 4, L = 4096\n"
        "{ y[n, k] = sum(c, l) x[n, c, l] * w[k, c, l] }";
    const Spec spec = read_spec(text);
    std::mt19937 random(7);
    std::uniform_real_distribution<float> constant(0.5f, 4.5f);
    const auto rows = [&] {
      std::vector<double> v;
      for (int row = 0; row < 128; ++row) v.insert(v.end(), 4096, (random() % 2 ? -1 : 1) * constant(random));
      return v;
    };
    const std::map<std::string, HostTensor> in{{"x", test::tensor(DType::f32, {32, 4, 4096}, rows())},
                                               {"w", test::tensor(DType::f32, {32, 4, 4096}, rows())}};
    const auto r = evaluate(spec, {}, in);
    QVERIFY(r.has_value());
    const auto x = floats(in.at("x")), w = floats(in.at("w"));
    std::vector<float> serial, lanes;
    for (std::size_t at = 0; at < 1024; ++at) {
      const float *p = &x[at / 32 * 16384], *q = &w[at % 32 * 16384];
      float s = 0;
      std::array<float, 32> part{};
      for (std::size_t k = 0; k < 16384; ++k)
        s = std::fma(p[k], q[k], s), part[k % 32] = std::fma(p[k], q[k], part[k % 32]);
      serial.push_back(s);
      lanes.push_back(pairwise(part.data(), 32));
    }
    QCOMPARE(outside(r->at("y"), serial), std::size_t{0});
    QCOMPARE(outside(r->at("y"), lanes), std::size_t{0});
    // Values that differ get no such room.
    const auto usual = evaluate(spec, {}, drawn(spec, {}, Distribution::normal, 1));
    QVERIFY(usual.has_value() && usual->at("y").bound[0] < 1e-2);
  }

  // The partial sums of runs of one sign are far larger than those of terms in a random order.
  void productsInRunsOfOneSign() {
    const Spec spec = read_spec(
        "op f(x: f32[N, C, L], w: f32[K, C, L]) -> y: f32[N, K]\n default N = 64, K = 64, C = 16, L = 512\n"
        "{ y[n, k] = sum(c, l) x[n, c, l] * w[k, c, l] }");
    std::mt19937 random(11);
    std::uniform_real_distribution<float> element(1, 2);
    std::vector<double> ones, runs;
    for (int row = 0; row < 64 * 16; ++row) {
      const float constant = 0.4f + element(random);
      const double sign = row % 2 != 0 ? -1 : 1;
      for (int l = 0; l < 512; ++l) ones.push_back(constant), runs.push_back(sign * 0x1p22 * element(random));
    }
    const std::map<std::string, HostTensor> in{{"x", test::tensor(DType::f32, {64, 16, 512}, ones)},
                                               {"w", test::tensor(DType::f32, {64, 16, 512}, runs)}};
    const auto r = evaluate(spec, {}, in);
    QVERIFY(r.has_value());
    const auto x = floats(in.at("x")), w = floats(in.at("w"));
    std::vector<float> serial;
    for (std::size_t at = 0; at < 64 * 64; ++at) {
      float s = 0;
      for (std::size_t k = 0; k < 8192; ++k) s = std::fma(x[at / 64 * 8192 + k], w[at % 64 * 8192 + k], s);
      serial.push_back(s);
    }
    QCOMPARE(outside(r->at("y"), serial), std::size_t{0});
  }

  void means() {
    const std::string text = "op f(x: f32[R, C]) -> y: f32[R]\n default R = 64, C = 1023 { y[r] = sum(c) x[r, c] / C }";
    for (const Distribution d : all) {
      const Case c = make_case(text, d);
      const auto x = floats(c.inputs.at("x"));
      std::vector<float> after(64), reciprocal(64), inside(64);
      for (std::size_t r = 0; r < 64; ++r) {
        after[r] = sequential(&x[r * 1023], 1023) / 1023.0f;
        reciprocal[r] = pairwise(&x[r * 1023], 1023) * (1.0f / 1023.0f);
        for (std::size_t i = 0; i < 1023; ++i) inside[r] += x[r * 1023 + i] / 1023.0f;
      }
      for (const auto* y : {&after, &reciprocal, &inside}) QCOMPARE(outside(c.y, *y), std::size_t{0});
    }
  }

  void layernorm() {
    const std::string text =
        "op f(x: f32[R, C], g: f32[C], b: f32[C]; eps = 1e-5) -> y: f32[R, C]\n default R = 32, C = 1000\n"
        "{ m[r] = sum(c) x[r, c] / C v[r] = sum(c) (x[r, c] - m[r])^2 / C y[r, c] = (x[r, c] - m[r]) * rsqrt(v[r] + "
        "eps) * g[c] + b[c] }";
    for (const Distribution d : all) {
      const Case c = make_case(text, d);
      const auto x = floats(c.inputs.at("x")), g = floats(c.inputs.at("g")), b = floats(c.inputs.at("b"));
      std::vector<float> honest(x.size()), one_pass(x.size()), no_eps(x.size()), half(x.size());
      for (std::size_t r = 0; r < 32; ++r) {
        const float* row = &x[r * 1000];
        const float m = strided(row, 1000) / 1000.0f;
        float v = 0;
        for (std::size_t i = 0; i < 1000; ++i) v += (row[i] - m) * (row[i] - m);
        v /= 1000.0f;
        const float s = 1.0f / std::sqrt(v + 1e-5f);
        for (std::size_t i = 0; i < 1000; ++i) {
          honest[r * 1000 + i] = (row[i] - m) * s * g[i] + b[i];
          no_eps[r * 1000 + i] = (row[i] - m) / std::sqrt(v * 1000.0f / 999.0f + 1e-5f) * g[i] + b[i];
          half[r * 1000 + i] = static_cast<float>(round_to(DType::f16, (row[i] - m) * s)) * g[i] + b[i];
        }
      }
      QCOMPARE(outside(c.y, honest), std::size_t{0});
      if (d == Distribution::constant) continue;
      QVERIFY(outside(c.y, no_eps) > 1000);  // the variance of a sample, not of the population
      if (d != Distribution::ramp) QVERIFY(outside(c.y, half) > 1000);
    }
  }

  void softmax() {
    const std::string text =
        "op f(x: f32[R, C]) -> y: f32[R, C]\n default R = 16, C = 777\n"
        "{ m[r] = max(c) x[r, c] e[r, c] = exp(x[r, c] - m[r]) z[r] = sum(c) e[r, c] y[r, c] = e[r, c] / z[r] }";
    for (const Distribution d : all) {
      const Case c = make_case(text, d);
      const auto x = floats(c.inputs.at("x"));
      std::vector<float> honest(x.size()), fast(x.size()), half(x.size());
      for (std::size_t r = 0; r < 16; ++r) {
        const float* row = &x[r * 777];
        float m = row[0], z = 0, zf = 0;
        for (std::size_t i = 0; i < 777; ++i) m = std::max(m, row[i]);
        const auto fast_exp = [&](float v) {  // 2^(v log2 e), flushed to zero, as ex2.approx.ftz does it
          const float t = v * 1.442695f;
          const float e = static_cast<float>(std::exp2(double{t}) * (1 + 1e-7));
          return e < 1.17549435e-38f ? 0.0f : e;
        };
        for (std::size_t i = 0; i < 777; ++i) {
          z += std::exp(row[i] - m);
          zf += fast_exp(row[i] - m);
        }
        for (std::size_t i = 0; i < 777; ++i) {
          honest[r * 777 + i] = std::exp(row[i] - m) / z;
          fast[r * 777 + i] = fast_exp(row[i] - m) * (1.0f / zf);
          half[r * 777 + i] = static_cast<float>(round_to(DType::f16, std::exp(row[i] - m))) / z;
        }
      }
      QCOMPARE(outside(c.y, honest), std::size_t{0});
      QCOMPARE(outside(c.y, fast), std::size_t{0});
      if (d == Distribution::normal || d == Distribution::uniform) QVERIFY(outside(c.y, half) > 1000);
    }
  }

  void products() {
    const std::string text =
        "op f(a: f32[M, K], b: f32[K, N]) -> y: f32[M, N]\n default M = 24, K = 1000, N = 28 { y[i, j] = sum(k) a[i, "
        "k] * b[k, j] }";
    for (const Distribution d : all) {
      const Case c = make_case(text, d);
      const auto a = floats(c.inputs.at("a")), b = floats(c.inputs.at("b"));
      const auto product = [&](const std::function<float(float, float, float)>& step, std::size_t terms) {
        std::vector<float> y(24 * 28);
        for (std::size_t i = 0; i < 24; ++i)
          for (std::size_t j = 0; j < 28; ++j)
            for (std::size_t k = 0; k < terms; ++k) y[i * 28 + j] = step(y[i * 28 + j], a[i * 1000 + k], b[k * 28 + j]);
        return y;
      };
      QCOMPARE(outside(c.y, product([](float s, float p, float q) { return s + p * q; }, 1000)), std::size_t{0});
      QCOMPARE(outside(c.y, product([](float s, float p, float q) { return std::fma(p, q, s); }, 1000)),
               std::size_t{0});
      QVERIFY(outside(c.y, product([](float s, float p, float q) { return s + p * q; }, 999)) >
              500);                                                          // the last term of some is 0
      if (d == Distribution::constant || d == Distribution::ramp) continue;  // exact in half precision too
      const auto half = [](float v) { return static_cast<float>(round_to(DType::f16, v)); };
      QVERIFY(outside(c.y, product([&](float s, float p, float q) { return half(s + p * q); }, 1000)) > 600);
      QVERIFY(outside(c.y, product([&](float s, float p, float q) { return s + half(p) * half(q); }, 1000)) > 300);
    }
  }

  void runningSums() {
    const Case c = make_case("op f(x: f32[C]) -> y: f32[C]\n default C = 5000 { y[c] = sum(j in 0..c + 1) x[j] }",
                             Distribution::normal);
    const auto x = floats(c.inputs.at("x"));
    std::vector<float> y(5000), late(5000);
    float s = 0;
    for (std::size_t i = 0; i < 5000; ++i) {
      late[i] = s;
      y[i] = s += x[i];
    }
    QCOMPARE(outside(c.y, y), std::size_t{0});
    QVERIFY(outside(c.y, late) > 4900);
  }

  void functions() {
    struct Row {
      const char* right;
      float (*kernel)(float);
    };
    const Row rows[] = {
        {"x[i] / (1 + exp(-x[i]))", [](float x) { return x / (1 + std::exp(-x)); }},
        {"x[i] / (1 + exp(-x[i]))", [](float x) { return x * (1 / (1 + std::exp(-x))); }},
        {"0.5 * x[i] * (1 + erf(x[i] / sqrt(2.0)))",
         [](float x) { return 0.5f * x * (1 + std::erf(x * 0.70710678f)); }},
        {"tanh(x[i])", [](float x) { return std::tanh(x); }},
        {"log1p(exp(x[i]))", [](float x) { return std::log1p(std::exp(x)); }},
        {"if(x[i] > 0, x[i], exp(x[i]) - 1)", [](float x) { return x > 0 ? x : std::exp(x) - 1; }},
        {"sin(x[i]) * cos(x[i])", [](float x) { return std::sin(x) * std::cos(x); }},
        {"sqrt(abs(x[i])) + rsqrt(x[i]^2 + 1)",
         [](float x) { return std::sqrt(std::fabs(x)) + 1 / std::sqrt(x * x + 1); }},
        {"log(abs(x[i]) + 1e-3)", [](float x) { return std::log(std::fabs(x) + 1e-3f); }},
        {"pow(abs(x[i]), 1.7)", [](float x) { return std::pow(std::fabs(x), 1.7f); }},
        {"x[i]^3 - 0.1 * x[i]", [](float x) { return x * x * x - 0.1f * x; }},
        {"clamp(x[i] / 6 + 0.5, 0, 1)", [](float x) { return std::min(std::max(x * (1.0f / 6) + 0.5f, 0.0f), 1.0f); }},
        {"floor(x[i] * 1.1)", [](float x) { return std::floor(x * 1.1f); }},
        {"if(x[i] * 3 > 1, x[i], -x[i])", [](float x) { return x * 3 > 1 ? x : -x; }},
    };
    for (const Row& row : rows) {
      for (const Distribution d : {Distribution::normal, Distribution::uniform, Distribution::ramp}) {
        const Case c =
            make_case("op f(x: f32[N]) -> y: f32[N]\n default N = 20000 { y[i] = " + std::string(row.right) + " }", d);
        const auto x = floats(c.inputs.at("x"));
        std::vector<float> y, coarse;
        for (const float v : x) {
          y.push_back(row.kernel(v));
          coarse.push_back(static_cast<float>(round_to(DType::bf16, y.back())));
        }
        QVERIFY2(outside(c.y, y) == 0, (std::string(row.right) + ": " + std::to_string(outside(c.y, y))).c_str());
        if (d == Distribution::normal && std::string(row.right).find("floor") == std::string::npos)
          QVERIFY2(outside(c.y, coarse) > 10000, row.right);
      }
    }
  }

  void narrowOutputs() {
    const Case c =
        make_case("op f(x: f16[N]) -> y: f16[N]\n default N = 5000 { y[i] = x[i] * 1.1 + 0.3 }", Distribution::normal);
    std::size_t wrong = 0, coarse = 0;
    for (std::size_t i = 0; i < 5000; ++i) {
      const float x = static_cast<float>(load_f64(DType::f16, c.inputs.at("x").bytes.data() + 2 * i));
      const double y = round_to(DType::f16, x * 1.1f + 0.3f);
      const double twice =
          round_to(DType::f16, round_to(DType::f16, x * round_to(DType::f16, 1.1)) + round_to(DType::f16, 0.3));
      wrong += std::fabs(y - c.y.value[i]) > c.y.bound[i];
      coarse += std::fabs(twice - c.y.value[i]) > c.y.bound[i];
    }
    QCOMPARE(wrong, std::size_t{0});
    QVERIFY(coarse > 500);  // intermediate results in half precision
  }

  void doublePrecision() {
    const Case c =
        make_case("op f(x: f64[N]) -> y: f64\n default N = 10001 { y = sum(i) x[i]^2 / 3 }", Distribution::normal);
    double y = 0, single = 0;
    for (std::size_t i = 0; i < 10001; ++i) {
      const double x = load_f64(DType::f64, c.inputs.at("x").bytes.data() + 8 * i);
      y += x * x / 3;
      single += static_cast<float>(x * x / 3);
    }
    QVERIFY(std::fabs(y - c.y.value[0]) <= c.y.bound[0]);
    QVERIFY(std::fabs(single - c.y.value[0]) > c.y.bound[0]);
  }

  void overflow() {
    const Spec s =
        read_spec("op f(x: f32[N]) -> y: f32[N], z: f32[N] { y[i] = exp(x[i]) / exp(x[i]) z[i] = exp(x[i]) }");
    const auto r = evaluate(s, {{{"N", 2}}, {}}, {{"x", test::tensor(DType::f32, {2}, {100, 1})}});
    QVERIFY(r.has_value());
    QVERIFY(std::isinf(r->at("y").bound[0]) && std::isinf(r->at("z").bound[0]));  // exp(100) is beyond f32
    QVERIFY(r->at("y").bound[1] < 1e-5);
  }

  // An honest kernel may have NaN, or the other end of a bounded function, behind a sum that overflowed.
  void whatFollowsFromOverflowIsNotChecked() {
    const Spec s = read_spec(
        "op f(x: f32[N, K]) -> y: f32[N], z: f32[N] { t[i] = sum(k) x[i, k] * x[i, k] * x[i, 0] "
        "y[i] = 1 / (1 + exp(-t[i])) z[i] = sin(t[i]) }");
    const auto r = evaluate(s, {{{"N", 2}, {"K", 2}}, {}}, {{"x", test::tensor(DType::f32, {2, 2}, {1e30, 1, 1, 2})}});
    QVERIFY(r.has_value());
    QVERIFY(std::isinf(r->at("y").bound[0]) && std::isinf(r->at("z").bound[0]));
    QVERIFY(r->at("y").bound[1] < 1e-5 && r->at("z").bound[1] < 1e-4);
  }

  // What overflows f32 may overflow f64 later: an infinity or NaN of the reference says nothing then. One that inputs
  // or poles give does.
  void onlyInfinitiesThatEveryKernelHasAreExact() {
    const double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
    const Spec s = read_spec(
        "op f(x: f32[N], z: f32[N]) -> a: f32[N], b: f32[N], c: f32[N], d: f32[N], e: f32[N], g: f32[N] "
        "{ a[i] = x[i]^8 * x[i]^8 b[i] = a[i] * z[i] c[i] = a[i] - a[i] d[i] = x[i] + z[i] e[i] = x[i] / z[i] "
        "g[i] = rsqrt(z[i]) * exp(x[i]) }");
    const auto r = evaluate(
        s, {{{"N", 3}}, {}},
        {{"x", test::tensor(DType::f32, {3}, {1e30, inf, nan})}, {"z", test::tensor(DType::f32, {3}, {0, 1, 1})}});
    QVERIFY(r.has_value());
    for (const char* name : {"a", "b", "c"}) {
      const ReferenceTensor& t = r->at(name);
      QVERIFY2(std::isinf(t.bound[0]), name);  // 1e480 is beyond f64, too
      QVERIFY2(!std::isfinite(t.value[1]) && t.bound[1] == 0, name);
      QVERIFY2(std::isnan(t.value[2]) && t.bound[2] == 0, name);
    }
    QCOMPARE(r->at("d").bound[1], 0.0);
    QCOMPARE(r->at("e").value[0], inf);  // a pole
    QCOMPARE(r->at("e").bound[0], 0.0);
    QCOMPARE(r->at("g").value[1], inf);
    QCOMPARE(r->at("g").bound[1], 0.0);
    QVERIFY(std::isinf(r->at("g").bound[0]));
  }

  void sumsAndProductsCarryOverflow() {
    const double inf = std::numeric_limits<double>::infinity();
    const Spec s = read_spec(
        "op f(x: f32[N, K], w: f32[K]) -> y: f32[N], z: f32[N], v: f32[N] { y[i] = sum(k) x[i, k]^16 * w[k] "
        "z[i] = prod(k) x[i, k] v[i] = sum(k) x[i, k] * w[k] }");
    const auto r = evaluate(s, {{{"N", 3}, {"K", 2}}, {}},
                            {{"x", test::tensor(DType::f32, {3, 2}, {1e30, -1e30, inf, 1, 1, 2})},
                             {"w", test::tensor(DType::f32, {2}, {1, 1})}});
    QVERIFY(r.has_value());
    QVERIFY(std::isinf(r->at("y").bound[0]) && std::isinf(r->at("z").bound[0]));
    for (const char* name : {"y", "z", "v"}) {
      QCOMPARE(r->at(name).value[1], inf);
      QCOMPARE(r->at(name).bound[1], 0.0);
      QVERIFY(r->at(name).bound[2] <= 1e-4 * r->at(name).value[2]);
    }
  }

  // The values of a step that overflowed f32 are not known any more, nor what follows from them.
  void aRecurrenceThatOverflowsIsNotChecked() {
    const Spec s = read_spec(
        "op f(a: f32[N, T], x: f32[N, T]) -> h: f32[N, T] { h[n, t] = a[n, t] * pad(h[n, t - 1], 0) + x[n, t] }");
    constexpr std::int64_t steps = 400;
    std::vector<double> a, x;
    for (std::int64_t t = 0; t < 2 * steps; ++t) {
      a.push_back(t < steps && t % 7 != 6 ? -300.0 : 0.5);
      x.push_back(1 + static_cast<double>(t % 3));
    }
    const auto r =
        evaluate(s, {{{"N", 2}, {"T", steps}}, {}},
                 {{"a", test::tensor(DType::f32, {2, steps}, a)}, {"x", test::tensor(DType::f32, {2, steps}, x)}});
    QVERIFY(r.has_value());
    float h = 0;
    bool overflowed = false;
    for (std::size_t t = 0; t < steps; ++t) {
      h = static_cast<float>(a[t]) * h + static_cast<float>(x[t]);
      overflowed = overflowed || !std::isfinite(h);
      QCOMPARE(std::isinf(r->at("h").bound[t]), overflowed);
      QVERIFY(r->at("h").bound[steps + t] < 1e-4);
    }
    QVERIFY(!std::isfinite(r->at("h").value[steps - 1]));
  }

  void squaresMayBeFlushedToZero() {
    const Case c = make_case("op f(x: f32[N]) -> y: f32[N] default N = 64 { y[i] = sqrt(x[i] * x[i] + x[i]^2) }",
                             Distribution::tiny);
    for (std::size_t i = 0; i < c.y.value.size(); ++i)  // zero, but nothing far off
      QVERIFY(c.y.bound[i] >= c.y.value[i] && c.y.bound[i] < 2 * c.y.value[i]);
    const Case usual = make_case("op f(x: f32[N]) -> y: f32[N] default N = 64 { y[i] = sqrt(x[i] * x[i] + x[i]^2) }",
                                 Distribution::normal);
    for (std::size_t i = 0; i < usual.y.value.size(); ++i) QVERIFY(usual.y.bound[i] <= 1e-5 * usual.y.value[i]);
  }

  // 1e30 * 1e30 overflows where 1e30 * 1e-30 * 1e30 does not, and the other way about.
  void productsInAnotherOrder() {
    const Spec s = read_spec(
        "op f(x: f32[N, K]) -> y: f32[N], z: f32[N, K] { y[i] = prod(k) x[i, k] "
        "z[i, k] = prod(j in 0..k+1) x[i, j] }");
    const auto x = test::tensor(DType::f32, {4, 4},
                                {1e30, 1e-30, 1e30, 1, 1e-30, 1e18, 1e-30, 1e18, 1e30, 0, 1e30, 1, 2, 3, 0.5, 7});
    const auto r = evaluate(s, {{{"N", 4}, {"K", 4}}, {}}, {{"x", x}});
    QVERIFY(r.has_value());
    for (const auto* bound : {&r->at("y").bound, &r->at("z").bound}) {
      const std::size_t step = bound->size() / 4, last = step - 1;
      QVERIFY(std::isinf((*bound)[last]));
      QVERIFY((*bound)[step + last] > 0.9e-24 && (*bound)[step + last] < 2e-23);
      QVERIFY(std::isinf((*bound)[2 * step + last]));
      QVERIFY((*bound)[3 * step + last] < 1e-4);
    }
  }

  // None of these factors is large: 5^60 overflows, 1.5^60 does not.
  void smallFactorsOverflowTogether() {
    const Spec s = read_spec(
        "op f(x: f32[N, K]) -> y: f32[N], z: f32[N, K] { y[i] = prod(k) x[i, k] z[i, k] = prod(j in 0..k+1) x[i, j] }");
    constexpr std::size_t n = 64;
    std::vector<double> x(2 * n, 1);
    for (std::size_t k = 0; k < 60; ++k) {
      x[k] = 5;
      x[n + k] = k % 2 == 0 ? 1.5 : 1 / 1.5;
    }
    x[62] = x[n + 62] = 0;
    const auto r = evaluate(s, {{{"N", 2}, {"K", n}}, {}}, {{"x", test::tensor(DType::f32, {2, n}, x)}});
    QVERIFY(r.has_value());
    QCOMPARE(r->at("y").value[0], 0.0);
    QVERIFY(std::isinf(r->at("y").bound[0]) && r->at("y").bound[1] < 1e-30);
    QVERIFY(std::isinf(r->at("z").bound[n - 1]) && r->at("z").bound[2 * n - 1] < 1e-30);
    QVERIFY(r->at("z").bound[50] < 1e-3 * r->at("z").value[50]);
  }

  // Whether the terms count is uncertain: all of them, added up in single precision, are right.
  void uncertainTermsAreRounded() {
    const Spec s = read_spec("op f(x: f32[N]) -> y: f32 { y = sum(i : sin(x[i])^2 + cos(x[i])^2 > 1.0) x[i] }");
    std::vector<double> x(50);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(1.3468230 + 1e-5 * static_cast<double>(i % 3));
    const auto r = evaluate(s, {{{"N", 50}}, {}}, {{"x", test::tensor(DType::f32, {50}, x)}});
    QVERIFY(r.has_value());
    float all = 0;
    for (const double v : x) all += static_cast<float>(v);
    QCOMPARE(outside(r->at("y"), {all}), std::size_t{0});
    QCOMPARE(outside(r->at("y"), {0.0f}), std::size_t{0});
  }

  // The result of the fast paths and of the plain path have bounds of one size.
  void pathsAgree() {
    const Case fast = make_case(
        "op f(a: f32[M, K], b: f32[K, N]) -> y: f32[M, N]\n default M = 32, K = 200, N = 32 { y[i, j] = sum(k) a[i, k] "
        "* b[k, j] }",
        Distribution::normal);
    const Case slow = make_case(
        "op f(a: f32[M, K], b: f32[K, N]) -> y: f32[M, N]\n default M = 32, K = 200, N = 32 { y[i, j] = sum(k) (a[i, "
        "k] * b[k, j] + 0) }",
        Distribution::normal);
    for (std::size_t i = 0; i < fast.y.value.size(); ++i) {
      QVERIFY(std::fabs(fast.y.value[i] - slow.y.value[i]) < 1e-12);
      QVERIFY(fast.y.bound[i] < 4 * slow.y.bound[i] && slow.y.bound[i] < 4 * fast.y.bound[i]);
    }
  }
};

QTEST_APPLESS_MAIN(BoundsTest)
#include "bounds_test.moc"
