// SPDX-License-Identifier: Apache-2.0
// cvt, and the approximations of transcendental functions.
#include <limits>
#include "simt/instruction.h"

using namespace ww;
using namespace ww::simt;
using namespace ww::simt::test;

namespace {

u64 to_int(double x, double lo, double hi) { return static_cast<u64>(static_cast<s64>(std::clamp(x, lo, hi))); }

}  // namespace

class ConversionsTest : public QObject {
  Q_OBJECT
 private slots:
  void floatsToIntegers() {
    const auto v = floats(13);
    CHECK("cvt.rzi.s32.f32", "ww", v, [](u64 x, u64, u64) {
      return std::isnan(f(x)) ? 0 : to_int(std::trunc(static_cast<double>(f(x))), INT32_MIN, INT32_MAX);
    });
    CHECK("cvt.rni.u32.f32", "ww", v, [](u64 x, u64, u64) {
      return std::isnan(f(x)) ? 0 : to_int(std::rint(static_cast<double>(f(x))), 0, UINT32_MAX);
    });
    CHECK("cvt.rmi.s16.f32", "hw", v, [](u64 x, u64, u64) {
      return std::isnan(f(x)) ? 0 : to_int(std::floor(static_cast<double>(f(x))), -32768, 32767);
    });
    CHECK("cvt.rpi.u8.f32", "ww", v,
          [](u64 x, u64, u64) { return std::isnan(f(x)) ? 0 : to_int(std::ceil(static_cast<double>(f(x))), 0, 255); });
    CHECK("cvt.rzi.s64.f32", "dw", v, [](u64 x, u64, u64) {
      return std::isnan(f(x))  ? u64{1} << 63
             : f(x) >= 0x1p63f ? u64{INT64_MAX}
             : f(x) < -0x1p63f ? u64{1} << 63
                               : static_cast<u64>(static_cast<s64>(f(x)));
    });
  }

  void doublesToIntegersAndFloats() {
    const auto w = doubles(14);
    CHECK("cvt.rzi.s32.f64", "wd", w, [](u64 x, u64, u64) {
      return std::isnan(d(x)) ? u64{0x80000000} : to_int(std::trunc(d(x)), INT32_MIN, INT32_MAX);
    });
    CHECK("cvt.rzi.u64.f64", "dd", w, [](u64 x, u64, u64) {
      return std::isnan(d(x)) ? u64{1} << 63 : d(x) >= 0x1p64 ? ~u64{0} : d(x) < 1 ? 0 : static_cast<u64>(d(x));
    });
    CHECK("cvt.rn.f32.f64", "wd", w, [](u64 x, u64, u64) { return b(static_cast<float>(d(x))); });
    CHECK("cvt.rz.f32.f64", "wd", w, [](u64 x, u64, u64) {
      return rounded(FE_TOWARDZERO, [&]() -> u64 {
        const volatile double p = d(x);
        return b(static_cast<float>(p));
      });
    });
  }

  void integersToAll() {
    const auto n = integers(15);
    CHECK("cvt.rn.f32.s32", "ww", n, [](u64 x, u64, u64) { return b(static_cast<float>(i(x))); });
    CHECK("cvt.rn.f32.u64", "wd", n, [](u64 x, u64, u64) { return b(static_cast<float>(x)); });
    CHECK("cvt.rp.f32.s32", "ww", n, [](u64 x, u64, u64) {
      return rounded(FE_UPWARD, [&]() -> u64 {
        const volatile int p = i(x);
        return b(static_cast<float>(p));
      });
    });
    CHECK("cvt.rn.f64.s64", "dd", n, [](u64 x, u64, u64) { return b(static_cast<double>(l(x))); });
    CHECK("cvt.s64.s32", "dw", n, [](u64 x, u64, u64) { return static_cast<u64>(s64{i(x)}); });
    CHECK("cvt.s32.s8", "ww", n, [](u64 x, u64, u64) { return static_cast<u64>(s64{static_cast<std::int8_t>(x)}); });
    CHECK("cvt.u16.u32", "hw", n, [](u64 x, u64, u64) { return x; });
    CHECK("cvt.u32.u8", "ww", n, [](u64 x, u64, u64) { return x & 255; });
    CHECK("cvt.sat.u8.s32", "ww", n, [](u64 x, u64, u64) { return static_cast<u64>(std::clamp(i(x), 0, 255)); });
    CHECK("cvt.sat.s16.s64", "hd", n,
          [](u64 x, u64, u64) { return static_cast<u64>(std::clamp<s64>(l(x), -32768, 32767)); });
    CHECK("cvt.rn.f16.s32", "hw", n, [](u64 x, u64, u64) { return u64{f64_to_f16(i(x))}; });
  }

  void floatsToFloats() {
    const auto v = floats(13);
    CHECK("cvt.sat.f32.f32", "ww", v,
          [](u64 x, u64, u64) { return std::isnan(f(x)) || f(x) <= 0 ? 0 : b(std::min(f(x), 1.0f)); });
    CHECK("cvt.rmi.f32.f32", "ww", v, [](u64 x, u64, u64) { return b(std::floor(f(x))); });
  }

  void halvesToOthers() {
    std::vector<Input> all;
    for (u64 k = 0; k < 65536; k += 67) all.push_back({k, k * 3, 0});
    all.resize(977);
    CHECK("cvt.f32.f16", "wh", all, [](u64 x, u64, u64) {
      const float r = static_cast<float>(f16_to_f64(static_cast<u16>(x)));
      return std::isnan(r) ? (x & 0x8000) << 16 | 0x7f800000 | (x & 0x3ff) << 13 : b(r);
    });
    CHECK("cvt.rni.s32.f16", "wh", halves(17), [](u64 x, u64, u64) {
      const double p = f16_to_f64(static_cast<u16>(x));
      return std::isnan(p) ? 0 : to_int(std::rint(p), INT32_MIN, INT32_MAX);
    });
  }

  void floatsToHalves() {
    auto around = floats(13);  // magnitudes that f16 rounds, underflows and overflows
    Numbers random(16);
    for (std::size_t k = 0; k + 300 < around.size(); ++k)
      around[k + 260].a = std::bit_cast<u32>(std::ldexp(random.real(-2, 2), random.between(-27, 17)));
    around.push_back({std::bit_cast<u32>(65519.996f), 0, 0});
    around.push_back({std::bit_cast<u32>(65520.0f), 0, 0});
    around.push_back({std::bit_cast<u32>(0x1p-25f), 0, 0});
    around.push_back({std::bit_cast<u32>(0x1.000002p-25f), 0, 0});
    CHECK("cvt.rn.f16.f32", "hw", around,
          [](u64 x, u64, u64) { return std::isnan(f(x)) ? u64{0x7fff} : u64{f64_to_f16(f(x))}; });
    CHECK("cvt.rn.bf16.f32", "hw", around,
          [](u64 x, u64, u64) { return std::isnan(f(x)) ? u64{0x7fff} : u64{f64_to_bf16(f(x))}; });
    CHECK("cvt.rz.bf16.f32", "hw", around, [](u64 x, u64, u64) { return std::isnan(f(x)) ? u64{0x7fff} : x >> 16; });
    CHECK("cvt.rn.f16x2.f32", "www", around, [](u64 x, u64 y, u64) {
      const auto one = [](u64 z) { return std::isnan(f(z)) ? u64{0x7fff} : u64{f64_to_f16(f(z))}; };
      return one(x) << 16 | one(y);
    });
  }

  void floatsToNarrowFormats() {
    CHECK("cvt.rna.tf32.f32", "ww", {{0x3f800fff, 0, 0}, {0x3f801000, 0, 0}, {0xbf803000, 0, 0}, {0x7f800000, 0, 0}},
          [](u64 x, u64, u64) {
            return x == 0x3f800fff   ? u64{0x3f800000}
                   : x == 0x3f801000 ? u64{0x3f802000}
                   : x == 0xbf803000 ? u64{0xbf804000}
                                     : x;
          });
    // e4m3: 448 is the largest; 2^-9 the smallest; ties to even. The first source is the upper byte.
    CHECK("cvt.rn.satfinite.e4m3x2.f32", "hww",
          {{b(1.0f), b(500.0f), 0},
           {b(-0x1p-10f), b(0x1.8p-10f), 0},
           {b(1.0625f), b(1.1875f), 0},
           {0x7fc00000, b(-448.0f), 0}},
          [](u64 x, u64 y, u64) {
            const auto one = [](float z) -> u64 {
              if (std::isnan(z)) return 0x7f;
              if (z == 1.0f || z == 1.0625f) return 0x38;
              if (z == 500.0f) return 0x7e;
              if (z == -448.0f) return 0xfe;
              if (z == -0x1p-10f) return 0x80;
              if (z == 0x1.8p-10f) return 0x01;
              return 0x3a;  // 1.1875 to 1.25
            };
            return one(f(x)) << 8 | one(f(y));
          });
  }

  void approximations() {
    const struct {
      const char* name;
      double (*want)(double);
      float lo, hi;
      double relative, absolute;
    } cases[] = {{"ex2.approx.ftz.f32", [](double x) { return std::exp2(x); }, -100, 100, 0x1p-22, 0},
                 {"lg2.approx.f32", [](double x) { return std::log2(x); }, 1e-3f, 1e6f, 0x1p-22, 0x1p-22},
                 {"rcp.approx.ftz.f32", [](double x) { return 1 / x; }, 1e-3f, 1e6f, 0x1p-23, 0},
                 {"rsqrt.approx.f32", [](double x) { return 1 / std::sqrt(x); }, 1e-3f, 1e6f, 0x1p-22, 0},
                 {"sqrt.approx.ftz.f32", [](double x) { return std::sqrt(x); }, 0, 1e6f, 0x1p-22, 0},
                 {"sin.approx.f32", [](double x) { return std::sin(x); }, -3.14159f, 3.14159f, 0, 0x1p-20},
                 {"cos.approx.f32", [](double x) { return std::cos(x); }, -3.14159f, 3.14159f, 0, 0x1p-20},
                 {"tanh.approx.f32", [](double x) { return std::tanh(x); }, -6, 6, 0x1p-11, 0}};
    Numbers random(18);
    for (const auto& c : cases) {
      Bed bed(ptx_for(c.name, "ww", ""));
      std::vector<u64> in;
      for (int k = 0; k < 700; ++k) in.insert(in.end(), {std::bit_cast<u32>(random.real(c.lo, c.hi)), 0, 0});
      const auto out = bed.put(std::vector<u64>(1400, 0));
      QCOMPARE(QString::fromStdString(bed.run("k", {1}, {700}, out, bed.put(in))), QString());
      const auto got = bed.get<u64>(out, 1400);
      for (std::size_t k = 0; k < 700; ++k) {
        const double want = c.want(f(in[3 * k])), have = f(got[2 * k]);
        QVERIFY2(std::abs(have - want) <= c.relative * std::abs(want) + c.absolute,
                 (std::string(c.name) + " " + std::to_string(f(in[3 * k]))).c_str());
      }
    }
    const u64 inf = 0x7f800000, minus_inf = 0xff800000, nan = 0x7fffffff;
    CHECK("ex2.approx.f32", "ww",
          {{minus_inf, 0, 0}, {inf, 0, 0}, {0x7fc00000, 0, 0}, {b(-140.0f), 0, 0}, {b(0.0f), 0, 0}},
          [=](u64 x, u64, u64) {
            return x == minus_inf ? 0 : x == inf ? inf : x == 0x7fc00000 ? nan : x == 0 ? b(1.0f) : b(0x1p-140f);
          });
    CHECK("ex2.approx.ftz.f32", "ww", {{b(-140.0f), 0, 0}}, [](u64, u64, u64) { return u64{0}; });
    CHECK("lg2.approx.f32", "ww", {{0, 0, 0}, {inf, 0, 0}, {b(-1.0f), 0, 0}, {b(8.0f), 0, 0}, {1, 0, 0}},
          [=](u64 x, u64, u64) {
            return x == 0 ? minus_inf : x == inf ? inf : x == 1 ? b(-149.0f) : x == b(8.0f) ? b(3.0f) : nan;
          });
    CHECK("sin.approx.f32", "ww", {{inf, 0, 0}, {0x80000000, 0, 0}},
          [=](u64 x, u64, u64) { return x == inf ? nan : x; });
    CHECK("tanh.approx.f32", "ww", {{inf, 0, 0}, {minus_inf, 0, 0}},
          [=](u64 x, u64, u64) { return x == inf ? b(1.0f) : b(-1.0f); });
  }
};

QTEST_GUILESS_MAIN(ConversionsTest)
#include "conversions_test.moc"
