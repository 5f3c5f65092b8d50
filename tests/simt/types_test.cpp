// SPDX-License-Identifier: Apache-2.0
// Types other than f32 and i32, in the kernels of tests/simt/kernels: f16, bf16, fp8, bytes, 64 bits, f64.
#include <algorithm>
#include <bit>
#include <cmath>
#include "base/dtype.h"
#include "simt/elements.h"

using namespace ww;
using namespace ww::simt;
using namespace ww::simt::test;

class TypesTest : public QObject {
  Q_OBJECT
 private slots:
  void halves() {
    Bed bed(fixture_of("05_half_bf16"));
    Numbers random(6);
    const int n = 200;
    std::vector<std::uint16_t> a(2 * n), b(2 * n), c(2 * n), x(2 * n), y(2 * n), z(2 * n);
    for (int i = 0; i < 2 * n; ++i) {
      a[i] = f64_to_f16(random.real(0.1f, 4));
      b[i] = f64_to_f16(random.real(-4, 4));
      c[i] = f64_to_f16(random.real(-4, 4));
      x[i] = f64_to_bf16(random.real(-4, 4));
      y[i] = f64_to_bf16(random.real(-4, 4));
      z[i] = f64_to_bf16(random.real(-4, 4));
    }
    const auto h = [](std::uint16_t v) { return f16_to_f64(v); };
    const auto f = [](std::uint16_t v) { return bf16_to_f64(v); };
    const auto pa = bed.put(a), pb = bed.put(b), po = bed.room<std::uint16_t>(2 * n), px = bed.put(x), py = bed.put(y);
    GOOD(bed.run("h", {1}, {256}, pa, pb, po, n));
    auto got = bed.get<std::uint16_t>(po, n);
    for (int i = 0; i < n; ++i) {
      const double product = h(f64_to_f16(h(a[i]) * h(b[i])));
      const double want = product + h(f64_to_f16(std::exp(h(a[i]))));
      QVERIFY2(std::abs(h(got[i]) - want) <= std::abs(want) * 0x1p-10 + 0x1p-7, differs(i, h(got[i]), want).c_str());
    }
    auto pc = bed.put(c);
    GOOD(bed.run("h2", {1}, {256}, pa, pb, pc, n));
    got = bed.get<std::uint16_t>(pc, 2 * n);
    for (int i = 0; i < 2 * n; ++i) {  // every operation rounds once, so this is exact
      const double fused = h(f64_to_f16(h(a[i]) * h(b[i]) + h(c[i]))), root = h(f64_to_f16(std::sqrt(h(a[i]))));
      const double want = h(f64_to_f16(std::fmax(fused, root) + h(f64_to_f16(h(a[i]) - h(b[i])))));
      QVERIFY2(h(got[i]) == want, differs(i, h(got[i]), want).c_str());
    }
    GOOD(bed.run("bf", {1}, {256}, px, py, po, n));
    got = bed.get<std::uint16_t>(po, n);
    for (int i = 0; i < n; ++i) {
      const double product = f(f64_to_bf16(f(x[i]) * f(y[i])));
      const double want = f(f64_to_bf16(product + product));
      QVERIFY2(f(got[i]) == want, differs(i, f(got[i]), want).c_str());
    }
    pc = bed.put(z);
    GOOD(bed.run("bf2", {1}, {256}, px, py, pc, n));
    got = bed.get<std::uint16_t>(pc, 2 * n);
    for (int i = 0; i < 2 * n; ++i) {
      const double want = f(f64_to_bf16(f(f64_to_bf16(f(x[i]) * f(y[i]) + f(z[i]))) + std::fmin(f(x[i]), f(y[i]))));
      QVERIFY2(f(got[i]) == want, differs(i, f(got[i]), want).c_str());
    }
  }

  void conversions() {
    Bed bed(fixture_of("05_half_bf16"));
    std::vector<float> a(32);
    for (int i = 0; i < 32; ++i) a[i] = static_cast<float>(i) * 7.3f;
    const auto ph = bed.put(std::vector<std::uint16_t>(64, 0)), pu = bed.room<std::uint8_t>(32),
               ps = bed.room<std::int16_t>(32), pd = bed.room<double>(32), pl = bed.room<long long>(32),
               pq = bed.room<unsigned>(32);
    GOOD(bed.run("cvts", {1}, {32}, bed.put(a), ph, pu, ps, pd, pl, pq));
    const auto half = bed.get<std::uint16_t>(ph, 64);
    for (int i = 0; i < 32; ++i) {
      QCOMPARE(half[i], f64_to_f16(a[i]));
      QCOMPARE(half[i + 32], f64_to_f16(i));
      QCOMPARE(bed.get<std::uint8_t>(pu, 32)[i], static_cast<std::uint8_t>(a[i]));
      QCOMPARE(bed.get<std::int16_t>(ps, 32)[i], static_cast<std::int16_t>(a[i]));
      QCOMPARE(bed.get<double>(pd, 32)[i], static_cast<double>(a[i]));
      QCOMPARE(bed.get<long long>(pl, 32)[i], static_cast<long long>(a[i]));
      const std::uint16_t next =
          i < 31 ? half[i + 1] : 0;  // lane 31 compares with an element that is still 0 at that moment
      const unsigned want = static_cast<unsigned>(std::floor(a[i])) +
                            static_cast<unsigned>(static_cast<int>(f16_to_f64(half[i]))) +
                            (f16_to_f64(half[i]) > f16_to_f64(next)) + std::bit_cast<unsigned>(a[i]);
      QCOMPARE(bed.get<unsigned>(pq, 32)[i], want);
    }
  }

  void fp8() {  // sm_80 has no such instructions: the headers' own integer code runs
    Bed bed(fixture_of("05_half_bf16"));
    const std::vector<float> a = {0, 1, 1.0625f, 1.1875f, -2.5f, 448, 500, 0.001953125f, 0.0009765625f, 17.5f};
    const std::vector<double> want = {0,      2, 2.0, 2.5, -5, 448 + 448, 448 + 512, 2 * 0.001953125, 0 + 0.0009765625,
                                      18 + 16};
    const auto po = bed.room<std::uint8_t>(10), pp = bed.room<float>(10);
    GOOD(bed.run("fp8", {1}, {10}, bed.put(a), po, pp));
    GOOD(compare(bed.get<float>(pp, 10), want, 0));
  }

  void bytesAndBits() {
    Bed bed(fixture_of("10_int8"));
    Numbers random(9);
    const int n = 3, t = 32;
    std::vector<int> a(n * t + 8), b(t + 8);
    for (int& x : a) x = static_cast<int>(random.next());
    for (int& x : b) x = static_cast<int>(random.next());
    const auto po = bed.put(std::vector<int>(n + t + 8, 0)), ps = bed.put(std::vector<float>{0.001f});
    bed.options.threads = 1;
    GOOD(bed.run("q", {1}, {t}, bed.put(a), bed.put(b), po, ps, n));
    const auto dot = [](int x, int y) {
      int s = 0;
      for (int k = 0; k < 4; ++k) s += static_cast<std::int8_t>(x >> (8 * k)) * static_cast<std::int8_t>(y >> (8 * k));
      return static_cast<unsigned>(s);
    };
    std::vector<int> out(n + t + 8, 0);
    std::vector<std::int8_t> small(t);
    for (int i = 0; i < t; ++i) {
      unsigned acc = 0;
      for (int k = 0; k < n; ++k) acc += dot(a[i * n + k], b[k]);
      const auto x = static_cast<unsigned>(a[i]), y = static_cast<unsigned>(b[i]);
      unsigned u4 = 1, v4 = 0;
      for (int k = 0; k < 32; k += 8) {
        u4 += ((x >> k) & 255) * ((y >> k) & 255);
        v4 |= (((x >> k) + (y >> k)) & 255) << k;
      }
      const auto high = static_cast<unsigned>((static_cast<long long>(a[i]) * b[i]) >> 32);
      const auto sad = static_cast<unsigned>(std::llabs(static_cast<long long>(a[i]) - b[i]));
      const unsigned funnel = (y << 5) | (x >> 27);
      out[i] = static_cast<int>(acc + u4 + v4 + x + high + (x & 0xffffff) * 3 + sad + funnel);
      small[i] = static_cast<std::int8_t>(
          std::clamp(static_cast<int>(std::rint(static_cast<float>(static_cast<int>(acc)) * 0.001f)), -128, 127));
    }
    std::memcpy(out.data() + n, small.data(),
                small.size());  // the chars overlay o[n..]; the warp stores all ints first
    GOOD(same(bed.get<int>(po, n + t), std::vector<int>(out.begin(), out.begin() + n + t)));

    std::vector<unsigned long long> v(t);
    for (auto& x : v) x = random.next();
    v[0] = 0;
    v[1] = 1;
    v[2] = ~0ull;
    const auto pv = bed.room<unsigned long long>(t);
    const int shift = 13;
    GOOD(bed.run("bits", {1}, {t}, bed.put(v), pv, shift));
    const auto bits = bed.get<unsigned long long>(pv, t);
    for (int i = 0; i < t; ++i) {
      unsigned long long reversed = 0;
      for (int k = 0; k < 64; ++k) reversed |= ((v[i] >> k) & 1) << (63 - k);
      const auto square = static_cast<unsigned long long>((static_cast<unsigned __int128>(v[i]) * v[i]) >> 64);
      const unsigned long long want64 = (v[i] << shift) | (v[i] >> 3) | static_cast<unsigned>(std::popcount(v[i])) |
                                        static_cast<unsigned>(std::countl_zero(v[i])) | (v[i] / 7) | (v[i] % shift) |
                                        square | reversed |
                                        static_cast<unsigned long long>(static_cast<long long>(v[i]) >> 2) |
                                        (v[i] == 0 ? 0u : static_cast<unsigned>(std::countr_zero(v[i]) + 1));
      QCOMPARE(bits[i], want64);
    }
  }

  void doubles() {
    Bed bed(fixture_of("11_double"));
    Numbers random(10);
    const int n = 100;
    std::vector<double> a(n), b(n);
    for (int i = 0; i < n; ++i) {
      a[i] = random.real(-3, 3) + 1e-9 * i;
      b[i] = random.real(0.5f, 4) * (i % 2 != 0 ? -1 : 1);
    }
    const auto po = bed.room<double>(n);
    GOOD(bed.run("d", {1}, {128}, bed.put(a), bed.put(b), po, n));
    const auto got = bed.get<double>(po, n);
    for (int i = 0; i < n; ++i) {
      const double want = std::fma(a[i], b[i], std::sqrt(std::fabs(a[i]))) / b[i] + std::exp(a[i]) + std::sin(b[i]) +
                          std::log(std::fabs(b[i]) + 1) + std::pow(std::fabs(a[i]), b[i]) + std::fmin(a[i], b[i]) +
                          std::floor(a[i]) + static_cast<double>(static_cast<long long>(a[i])) +
                          static_cast<double>(static_cast<float>(b[i]));
      QVERIFY2(std::abs(got[i] - want) <= 1e-13 * std::max(1.0, std::abs(want)), differs(i, got[i], want).c_str());
    }
  }
};

QTEST_GUILESS_MAIN(TypesTest)
#include "types_test.moc"
