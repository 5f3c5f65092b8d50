// SPDX-License-Identifier: Apache-2.0
#include <limits>
#include <set>
#include "simt/instruction.h"

using namespace ww;
using namespace ww::simt;
using namespace ww::simt::test;

class InstructionsTest : public QObject {
  Q_OBJECT
 private slots:
  void integerArithmetic() {
    const auto v = integers(1);
    CHECK("add.s32", "www", v, [](u64 a, u64 b, u64) { return a + b; });
    CHECK("add.u64", "ddd", v, [](u64 a, u64 b, u64) { return a + b; });
    CHECK("sub.s16", "hhh", v, [](u64 a, u64 b, u64) { return a - b; });
    CHECK("mul.lo.s32", "www", v, [](u64 a, u64 b, u64) { return a * b; });
    CHECK("mul.lo.u16", "hhh", v, [](u64 a, u64 b, u64) { return a * b; });
    CHECK("mul.hi.s32", "www", v, [](u64 a, u64 b, u64) { return static_cast<u64>((s64{i(a)} * i(b)) >> 32); });
    CHECK("mul.hi.u32", "www", v, [](u64 a, u64 b, u64) { return (a * b) >> 32; });
    CHECK("mul.hi.u64", "ddd", v, [](u64 a, u64 b, u64) { return static_cast<u64>((static_cast<u128>(a) * b) >> 64); });
    CHECK("mul.hi.s64", "ddd", v,
          [](u64 a, u64 b, u64) { return static_cast<u64>((static_cast<s128>(l(a)) * l(b)) >> 64); });
    CHECK("mul.wide.s32", "dww", v, [](u64 a, u64 b, u64) { return static_cast<u64>(s64{i(a)} * i(b)); });
    CHECK("mul.wide.u32", "dww", v, [](u64 a, u64 b, u64) { return a * b; });
    CHECK("mul.wide.s16", "whh", v, [](u64 a, u64 b, u64) {
      return static_cast<u64>(static_cast<s64>(static_cast<s16>(a)) * static_cast<s16>(b));
    });
    CHECK("mad.lo.s32", "wwww", v, [](u64 a, u64 b, u64 c) { return a * b + c; });
    CHECK("mad.wide.s32", "dwwd", v, [](u64 a, u64 b, u64 c) { return static_cast<u64>(s64{i(a)} * i(b)) + c; });
    CHECK("mad.hi.u32", "wwww", v, [](u64 a, u64 b, u64 c) { return ((a * b) >> 32) + c; });
    CHECK("mul24.lo.s32", "www", v,
          [](u64 a, u64 b, u64) { return static_cast<u64>(s64{i(a << 8) >> 8} * s64{i(b << 8) >> 8}); });
    CHECK("mul24.hi.u32", "www", v, [](u64 a, u64 b, u64) { return ((a & 0xffffff) * (b & 0xffffff)) >> 16; });
    CHECK("div.s32", "www", v, [](u64 a, u64 b, u64) { return b == 0 ? ~u64{0} : static_cast<u64>(s64{i(a)} / i(b)); });
    CHECK("rem.s32", "www", v, [](u64 a, u64 b, u64) { return b == 0 ? a : static_cast<u64>(s64{i(a)} % i(b)); });
    CHECK("div.u64", "ddd", v, [](u64 a, u64 b, u64) { return b == 0 ? ~u64{0} : a / b; });
    CHECK("rem.s64", "ddd", v, [](u64 a, u64 b, u64) {
      return b == 0 ? a : b == ~u64{0} ? 0 : static_cast<u64>(l(a) % l(b));
    });
    CHECK("min.s32", "www", v, [](u64 a, u64 b, u64) { return static_cast<u64>(std::min(i(a), i(b))); });
    CHECK("max.u32", "www", v, [](u64 a, u64 b, u64) { return std::max(a, b); });
    CHECK("min.s64", "ddd", v, [](u64 a, u64 b, u64) { return static_cast<u64>(std::min(l(a), l(b))); });
    CHECK("abs.s32", "ww", v, [](u64 a, u64, u64) { return i(a) < 0 ? 0 - a : a; });
    CHECK("neg.s64", "dd", v, [](u64 a, u64, u64) { return 0 - a; });
    CHECK("add.sat.s32", "www", v,
          [](u64 a, u64 b, u64) { return static_cast<u64>(std::clamp<s64>(s64{i(a)} + i(b), INT32_MIN, INT32_MAX)); });
    CHECK("sub.sat.s32", "www", v,
          [](u64 a, u64 b, u64) { return static_cast<u64>(std::clamp<s64>(s64{i(a)} - i(b), INT32_MIN, INT32_MAX)); });
    CHECK("sad.s32", "wwww", v, [](u64 a, u64 b, u64 c) { return c + static_cast<u64>(std::llabs(s64{i(a)} - i(b))); });
    const auto dot = [](auto ta, auto tb) {
      return [](u64 a, u64 b, u64 c) {
        for (int k = 0; k < 32; k += 8)
          c += static_cast<u64>(s64{static_cast<decltype(ta)>(a >> k)} * s64{static_cast<decltype(tb)>(b >> k)});
        return c;
      };
    };
    CHECK("dp4a.s32.s32", "wwww", v, dot(std::int8_t{}, std::int8_t{}));
    CHECK("dp4a.u32.u32", "wwww", v, dot(u8{}, u8{}));
    CHECK("dp4a.s32.u32", "wwww", v, dot(std::int8_t{}, u8{}));
    CHECK("dp2a.lo.s32.u32", "wwww", v, [](u64 a, u64 b, u64 c) {
      return c + static_cast<u64>(s64{static_cast<s16>(a)} * s64{static_cast<u8>(b)} +
                                  s64{static_cast<s16>(a >> 16)} * s64{static_cast<u8>(b >> 8)});
    });
  }

  void bits() {
    const auto v = integers(2);
    CHECK("shl.b32", "www", v, [](u64 a, u64 b, u64) { return b > 31 ? 0 : a << b; });
    CHECK("shl.b64", "ddw", v, [](u64 a, u64 b, u64) { return b > 63 ? 0 : a << b; });
    CHECK("shl.b16", "hhw", v, [](u64 a, u64 b, u64) { return b > 15 ? 0 : a << b; });
    CHECK("shr.u32", "www", v, [](u64 a, u64 b, u64) { return b > 31 ? 0 : a >> b; });
    CHECK("shr.s32", "www", v, [](u64 a, u64 b, u64) { return static_cast<u64>(s64{i(a)} >> std::min<u64>(b, 31)); });
    CHECK("shr.s64", "ddw", v, [](u64 a, u64 b, u64) { return static_cast<u64>(l(a) >> std::min<u64>(b, 63)); });
    CHECK("shr.s16", "hhw", v,
          [](u64 a, u64 b, u64) { return static_cast<u64>(s64{static_cast<s16>(a)} >> std::min<u64>(b, 15)); });
    CHECK("clz.b32", "ww", v, [](u64 a, u64, u64) { return static_cast<u64>(std::countl_zero(static_cast<u32>(a))); });
    CHECK("clz.b64", "wd", v, [](u64 a, u64, u64) { return static_cast<u64>(std::countl_zero(a)); });
    CHECK("popc.b64", "wd", v, [](u64 a, u64, u64) { return static_cast<u64>(std::popcount(a)); });
    CHECK("bfind.s32", "ww", v, [](u64 a, u64, u64) {
      const u32 x = i(a) < 0 ? ~static_cast<u32>(a) : static_cast<u32>(a);
      return x == 0 ? ~u64{0} : static_cast<u64>(31 - std::countl_zero(x));
    });
    CHECK("bfind.shiftamt.u32", "ww", v,
          [](u64 a, u64, u64) { return a == 0 ? ~u64{0} : static_cast<u64>(std::countl_zero(static_cast<u32>(a))); });
    CHECK(
        "lop3.b32", "wwww", v, [](u64 a, u64 b, u64 c) { return (a & b) | (a & c) | (b & c); }, ", 0xe8");
    CHECK(
        "lop3.b32", "wwww", v, [](u64 a, u64 b, u64 c) { return ~(a ^ b ^ c); }, ", 0x69");
    const auto field = [](int width, bool is_signed) {
      return [=](u64 a, u64 b, u64 c) -> u64 {  // bit by bit, as the ISA's pseudo code
        const int pos = static_cast<int>(b & 255), len = static_cast<int>(c & 255), msb = width - 1;
        const u64 sign = !is_signed || len == 0 ? 0 : (a >> std::min(pos + len - 1, msb)) & 1;
        u64 r = 0;
        for (int k = 0; k <= msb; ++k) r |= (k < len && pos + k <= msb ? (a >> (pos + k)) & 1 : sign) << k;
        return r;
      };
    };
    CHECK("bfe.u32", "wwww", v, field(32, false));
    CHECK("bfe.s32", "wwww", v, field(32, true));
    CHECK("bfe.u64", "ddww", v, field(64, false));
    CHECK("bfe.s64", "ddww", v, field(64, true));
    CHECK(
        "bfi.b32", "wwww", v,
        [](u64 a, u64 b, u64 c) {
          for (u64 k = 0; k < 11 && (c & 255) + k < 32; ++k)
            b = (b & ~(u64{1} << ((c & 255) + k))) | (((a >> k) & 1) << ((c & 255) + k));
          return b;
        },
        ", 11");
    CHECK("shf.l.wrap.b32", "wwww", v, [](u64 a, u64 b, u64 c) { return (((b << 32) | a) << (c & 31)) >> 32; });
    CHECK("shf.r.clamp.b32", "wwww", v, [](u64 a, u64 b, u64 c) { return ((b << 32) | a) >> std::min<u64>(c, 32); });
    CHECK("prmt.b32", "wwww", v, [](u64 a, u64 b, u64 c) {
      u64 r = 0;
      for (int k = 0; k < 4; ++k) {
        const u64 s = (c >> (4 * k)) & 15, byte = (((b << 32) | a) >> (8 * (s & 7))) & 255;
        r |= (s & 8 ? (byte & 128 ? 255 : 0) : byte) << (8 * k);
      }
      return r;
    });
    CHECK("prmt.b32.rc16", "wwww", v, [](u64 a, u64 b, u64 c) {
      const u64 h = (((b << 32) | a) >> (16 * (c & 1))) & 0xffff;
      return h | (h << 16);
    });
    CHECK("cnot.b32", "ww", v, [](u64 a, u64, u64) { return u64{a == 0}; });
    CHECK("fns.b32", "wwww",
          {{
               0xf0,
               0,
               2,
           },
           {0xf0, 7, static_cast<u64>(-2)},
           {0xf0, 4, 0},
           {0xf0, 0, 5}},
          [](u64, u64 base, u64 o) { return base == 0   ? (o == 2 ? u64{5} : ~u64{0})
                                            : base == 7 ? u64{6}
                                                        : u64{4}; });
  }

  // What nothing has written, and what is not specified, is the launch's garbage: zero only without one.
  void undefinedValuesAreDrawn() {
    Bed bed(kernel_text(".reg .b32 %never;\n.reg .pred %q;\n",
                        "mov.u32 %r1, %never;\nmov.u32 %r2, 64;\nsub.u32 %r3, %r2, 64;\nrem.u32 %r4, %r2, %r3;\n"
                        "div.s32 %r5, %r2, %r3;\nselp.u32 %r6, 1, 0, %q;\nst.global.v4.u32 [%o], {%r1, %r4, %r5, "
                        "%r6};"));
    const auto out = bed.room<u32>(4 * 32), in = bed.room<u32>(4 * 32);
    QCOMPARE(QString::fromStdString(bed.run("k", {1}, {32}, out, in)), QString());
    QCOMPARE(bed.get<u32>(out, 4), (std::vector<u32>{0, 64, 0xffffffff, 0}));
    std::set<u32> registers, predicates;
    for (bed.options.surroundings = 1; bed.options.surroundings < 9; ++bed.options.surroundings) {
      QCOMPARE(QString::fromStdString(bed.run("k", {1}, {32}, out, in)), QString());
      const auto got = bed.get<u32>(out, 4 * 32);
      QVERIFY(got[0] != 0 && got[1] != 64 && got[1] == got[2]);
      registers.insert(got[0]);
      for (std::size_t lane = 0; lane < 32; ++lane) predicates.insert(got[4 * lane + 3]);
    }
    QVERIFY(registers.size() > 3 && predicates.size() == 2);
  }

  void carries() {
    const std::string body =
        "ld.global.v2.u32 {%r1, %r2}, [%i];\nld.global.v2.u32 {%r3, %r4}, [%i+8];\n"
        "add.cc.u32 %r5, %r1, %r3;\naddc.cc.u32 %r6, %r2, %r4;\naddc.u32 %r7, 0, 0;\n"
        "st.global.v2.u32 [%o], {%r5, %r6};\nst.global.u32 [%o+8], %r7;\n"
        "sub.cc.u32 %r5, %r1, %r3;\nsubc.cc.u32 %r6, %r2, %r4;\nsubc.u32 %r8, 0, 0;\nst.global.u32 [%o+12], %r8;\n";
    Bed bed(kernel_text("", body));
    std::vector<u64> in;
    for (const Input& x : integers(3)) in.insert(in.end(), {x.a, x.b});
    const std::size_t n = in.size() / 2;
    const auto pin = bed.put(in), out = bed.room<u64>(2 * n);
    QCOMPARE(QString::fromStdString(bed.run("k", {1}, {static_cast<u32>(n)}, out, pin)), QString());
    const auto got = bed.get<u64>(out, 2 * n);
    for (std::size_t k = 0; k < n; ++k) {
      const u128 sum = static_cast<u128>(in[2 * k]) + in[2 * k + 1];
      QCOMPARE(got[2 * k], static_cast<u64>(sum));
      QCOMPARE(got[2 * k + 1] & 0xffffffff, static_cast<u64>(sum >> 64));
      QCOMPARE(got[2 * k + 1] >> 32, in[2 * k] < in[2 * k + 1] ? u64{0xffffffff} : u64{0});
    }
    // The flag of a subtraction is a carry, not a borrow: what the other kind makes of it, as an H200 does.
    Bed mixed(kernel_text("",
                          "ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%i];\n"
                          "add.cc.u32 %r5, %r1, %r2;\nsubc.u32 %r6, %r3, %r4;\nst.global.u32 [%o], %r6;\n"
                          "sub.cc.u32 %r5, %r1, %r2;\naddc.u32 %r6, %r3, %r4;\nst.global.u32 [%o+4], %r6;"));
    const std::pair<std::vector<u32>, std::vector<u32>> pairs[] = {{{0x40, 5, 0x40, 1}, {0x3e, 0x42}},
                                                                   {{0x21, 0x8000, 7, 7}, {0xffffffff, 0xe}},
                                                                   {{0xffffffff, 1, 9, 4}, {5, 0xe}}};
    for (const auto& [given, wanted] : pairs) {
      const auto from = mixed.put(given), to = mixed.room<u32>(2);
      QCOMPARE(QString::fromStdString(mixed.run("k", {1}, {1}, to, from)), QString());
      QCOMPARE(mixed.get<u32>(to, 2), wanted);
    }
    // 64 x 64 -> 128 bits from 32-bit pieces, as the compiler writes it.
    Bed wide(kernel_text("",
                         "ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%i];\n"
                         "mul.lo.u32 %r5, %r1, %r3;\nmul.hi.u32 %r6, %r1, %r3;\nmad.lo.cc.u32 %r6, %r1, %r4, "
                         "%r6;\nmadc.hi.u32 %r7, %r1, %r4, 0;\n"
                         "mad.lo.cc.u32 %r6, %r2, %r3, %r6;\nmadc.hi.cc.u32 %r7, %r2, %r3, %r7;\naddc.u32 %r8, 0, 0;\n"
                         "mad.lo.cc.u32 %r7, %r2, %r4, %r7;\nmadc.hi.u32 %r8, %r2, %r4, %r8;\nst.global.v4.u32 [%o], "
                         "{%r5, %r6, %r7, %r8};"));
    const auto wide_out = wide.room<u64>(2 * n);
    QCOMPARE(QString::fromStdString(wide.run("k", {1}, {static_cast<u32>(n)}, wide_out, wide.put(in))), QString());
    const auto product = wide.get<u64>(wide_out, 2 * n);
    for (std::size_t k = 0; k < n; ++k) {
      const u128 p = static_cast<u128>(in[2 * k]) * in[2 * k + 1];
      QCOMPARE(product[2 * k], static_cast<u64>(p));
      QCOMPARE(product[2 * k + 1], static_cast<u64>(p >> 64));
    }
  }

  void f32Arithmetic() {
    const auto v = floats(5);
    CHECK("add.f32", "www", v, [](u64 x, u64 y, u64) { return b(f(x) + f(y)); });
    CHECK("sub.rn.f32", "www", v, [](u64 x, u64 y, u64) { return b(f(x) - f(y)); });
    CHECK("mul.f32", "www", v, [](u64 x, u64 y, u64) { return b(f(x) * f(y)); });
    CHECK("mul.ftz.f32", "www", v, [](u64 x, u64 y, u64) { return b(flushed(flushed(f(x)) * flushed(f(y)))); });
    CHECK("fma.rn.f32", "wwww", v, [](u64 x, u64 y, u64 z) { return b(std::fma(f(x), f(y), f(z))); });
    CHECK("div.rn.f32", "www", v, [](u64 x, u64 y, u64) { return b(f(x) / f(y)); });
    CHECK("rcp.rn.f32", "ww", v, [](u64 x, u64, u64) { return b(1.0f / f(x)); });
    CHECK("sqrt.rn.f32", "ww", v, [](u64 x, u64, u64) { return b(std::sqrt(f(x))); });
    const struct {
      const char* name;
      int mode;
    } modes[] = {{"rz", FE_TOWARDZERO}, {"rm", FE_DOWNWARD}, {"rp", FE_UPWARD}};
    for (const auto& m : modes) {
      const int mode = m.mode;
      CHECK(std::string("add.") + m.name + ".f32", "www", v, [mode](u64 x, u64 y, u64) {
        return rounded(mode, [&]() -> u64 {
          const volatile float p = f(x), q = f(y);
          return b(p + q);
        });
      });
      CHECK(std::string("fma.") + m.name + ".f32", "wwww", v, [mode](u64 x, u64 y, u64 z) {
        return rounded(mode, [&]() -> u64 {
          const volatile float p = f(x), q = f(y), r = f(z);
          return b(std::fma(p, q, r));
        });
      });
      CHECK(std::string("div.") + m.name + ".f32", "www", v, [mode](u64 x, u64 y, u64) {
        return rounded(mode, [&]() -> u64 {
          const volatile float p = f(x), q = f(y);
          return b(p / q);
        });
      });
    }
    CHECK("add.sat.f32", "www", v, [](u64 x, u64 y, u64) {
      const float s = f(x) + f(y);
      return b(std::isnan(s) || s <= 0 ? 0.0f : std::min(s, 1.0f));
    });
    const auto low = [](float p, float q) {
      return std::isnan(p) ? q : std::isnan(q) ? p : p < q || (p == q && std::signbit(p)) ? p : q;
    };
    const auto high = [](float p, float q) {
      return std::isnan(p) ? q : std::isnan(q) ? p : p > q || (p == q && !std::signbit(p)) ? p : q;
    };
    CHECK("min.f32", "www", v, [&](u64 x, u64 y, u64) { return b(low(f(x), f(y))); });
    CHECK("max.f32", "www", v, [&](u64 x, u64 y, u64) { return b(high(f(x), f(y))); });
    CHECK("max.NaN.f32", "www", v, [&](u64 x, u64 y, u64) {
      return std::isnan(f(x)) || std::isnan(f(y)) ? u64{0x7fffffff} : b(high(f(x), f(y)));
    });
    CHECK("copysign.f32", "www", v, [](u64 x, u64 y, u64) { return (x & 0x80000000) | (y & 0x7fffffff); });
    CHECK("abs.ftz.f32", "ww", v, [](u64 x, u64, u64) {
      return std::bit_cast<u32>(flushed(std::bit_cast<float>(static_cast<u32>(x) & 0x7fffffff))) + u64{0};
    });
    CHECK("neg.f32", "ww", v, [](u64 x, u64, u64) { return x ^ 0x80000000; });
    CHECK("testp.subnormal.f32", "pw", v, [](u64 x, u64, u64) { return u64{std::fpclassify(f(x)) == FP_SUBNORMAL}; });
    CHECK("div.approx.f32", "www",
          {{0x3f800000, 0x7f000000, 0},
           {0x7f800000, 0x7f000000, 0},
           {0xc0400000, 0x7e800001, 0},
           {0x40c00000, 0x40000000, 0}},
          [](u64 x, u64 y, u64) {
            return y == 0x40000000 ? b(3.0f) : std::isinf(f(x)) ? u64{0x7fffffff} : x & 0x80000000;
          });
  }

  void f64Arithmetic() {
    const auto v = doubles(6);
    CHECK("add.rn.f64", "ddd", v, [](u64 x, u64 y, u64) { return b(d(x) + d(y)); });
    CHECK("sub.f64", "ddd", v, [](u64 x, u64 y, u64) { return b(d(x) - d(y)); });
    CHECK("mul.f64", "ddd", v, [](u64 x, u64 y, u64) { return b(d(x) * d(y)); });
    CHECK("fma.rn.f64", "dddd", v, [](u64 x, u64 y, u64 z) { return b(std::fma(d(x), d(y), d(z))); });
    CHECK("div.rn.f64", "ddd", v, [](u64 x, u64 y, u64) { return b(d(x) / d(y)); });
    CHECK("sqrt.rn.f64", "dd", v, [](u64 x, u64, u64) { return b(std::sqrt(d(x))); });
    CHECK("add.rm.f64", "ddd", v, [](u64 x, u64 y, u64) {
      return rounded(FE_DOWNWARD, [&]() -> u64 {
        const volatile double p = d(x), q = d(y);
        return b(p + q);
      });
    });
    CHECK("mul.rp.f64", "ddd", v, [](u64 x, u64 y, u64) {
      return rounded(FE_UPWARD, [&]() -> u64 {
        const volatile double p = d(x), q = d(y);
        return b(p * q);
      });
    });
    CHECK("min.f64", "ddd", v, [](u64 x, u64 y, u64) {
      const double p = d(x), q = d(y);
      return b(std::isnan(p) ? q : std::isnan(q) ? p : p < q || (p == q && std::signbit(p)) ? p : q);
    });
    // 20 bits of accuracy, the lower half of the result is zero.
    Bed bed(ptx_for("rcp.approx.ftz.f64", "dd", ""));
    std::vector<double> in = {3, -7.5, 1e300, 1e-300, 0.1, 1e10};
    std::vector<u64> flat;
    for (const double x : in) flat.insert(flat.end(), {b(x), 0, 0});
    const auto out = bed.room<u64>(12);
    QCOMPARE(QString::fromStdString(bed.run("k", {1}, {6}, out, bed.put(flat))), QString());
    for (std::size_t k = 0; k < in.size(); ++k) {
      const u64 got = bed.get<u64>(out, 12)[2 * k];
      QCOMPARE(got & 0xffffffff, u64{0});
      QVERIFY(std::abs(d(got) * in[k] - 1) < 0x1p-19);
    }
  }

  void halfArithmetic() {
    const auto v = halves(7);
    const auto h = [](u64 x) { return f16_to_f64(static_cast<u16>(x)); };
    const auto out = [](double x) { return std::isnan(x) ? u64{0x7fff} : u64{f64_to_f16(x)}; };
    CHECK("add.f16", "hhh", v, [&](u64 x, u64 y, u64) { return out(h(x) + h(y)); });
    CHECK("sub.rn.f16", "hhh", v, [&](u64 x, u64 y, u64) { return out(h(x) - h(y)); });
    CHECK("mul.f16", "hhh", v, [&](u64 x, u64 y, u64) { return out(h(x) * h(y)); });
    // The exact product and sum fit a long double's 64 bits or differ from the midpoint beyond them.
    const auto exact_fma = [&](u64 x, u64 y, u64 z) -> u64 {
      const long double p = static_cast<long double>(h(x)) * h(y), q = h(z), s = p + q;
      if (std::isnan(s)) return 0x7fff;
      double r = static_cast<double>(s);
      const long double error = std::abs(p) > std::abs(q) ? q - (s - p) : p - (s - q);
      if ((static_cast<long double>(r) != s || error != 0) &&
          !std::isinf(r)) {  // move off a midpoint in the right direction
        const long double rest = (s - static_cast<long double>(r)) + error;
        if (rest != 0) r = std::nextafter(r, rest > 0 ? HUGE_VAL : -HUGE_VAL);
      }
      return f64_to_f16(r);
    };
    CHECK("fma.rn.f16", "hhhh", v, exact_fma);
    // A case where rounding twice goes wrong: 2048.5 in steps of 2 after a product that f32 cannot hold with the sum.
    CHECK("fma.rn.f16", "hhhh", {{0x3c01, 0x3c01, 0x6800}, {0x0401, 0x0401, 0x3c00}, {0x1001, 0x1001, 0x3c01}},
          exact_fma);
    CHECK("fma.rn.relu.f16", "hhhh", v, [&](u64 x, u64 y, u64 z) {
      const u64 r = exact_fma(x, y, z);
      return r == 0x7fff ? r : r & 0x8000 ? 0 : r;
    });
    CHECK("add.sat.f16", "hhh", v, [&](u64 x, u64 y, u64) {
      const double s = h(x) + h(y);
      return std::isnan(s) || s <= 0 ? u64{0} : out(std::min(s, 1.0));
    });
    CHECK("max.f16", "hhh", v, [&](u64 x, u64 y, u64) {
      const double p = h(x), q = h(y);
      return out(std::isnan(p) ? q : std::isnan(q) ? p : p > q || (p == q && !std::signbit(p)) ? p : q);
    });
    CHECK("neg.f16", "hh", v, [](u64 x, u64, u64) { return x ^ 0x8000; });
    const auto pair = [](auto one) {
      return [one](u64 x, u64 y, u64 z) {
        return one(x & 0xffff, y & 0xffff, z & 0xffff) | (one(x >> 16, y >> 16, z >> 16) << 16);
      };
    };
    auto packed = v;
    for (std::size_t k = 0; k < packed.size(); ++k) {
      const Input& other = v[(k * 31 + 7) % v.size()];
      packed[k] = {(v[k].a & 0xffff) | (other.a << 16), (v[k].b & 0xffff) | (other.b << 16),
                   (v[k].c & 0xffff) | (other.c << 16)};
    }
    CHECK("fma.rn.f16x2", "wwww", packed, pair(exact_fma));
    CHECK("mul.f16x2", "www", packed, pair([&](u64 x, u64 y, u64) { return out(h(x) * h(y)); }));
    const auto g = [](u64 x) { return bf16_to_f64(static_cast<u16>(x)); };
    const auto bout = [](double x) { return std::isnan(x) ? u64{0x7fff} : u64{f64_to_bf16(x)}; };
    CHECK("mul.bf16", "hhh", v, [&](u64 x, u64 y, u64) { return bout(g(x) * g(y)); });
    CHECK("min.bf16x2", "www", packed, pair([&](u64 x, u64 y, u64) {
            const double p = g(x), q = g(y);
            return bout(std::isnan(p) ? q : std::isnan(q) ? p : p < q || (p == q && std::signbit(p)) ? p : q);
          }));
    Numbers random(70);
    std::vector<Input> near;
    for (int k = 0; k < 500; ++k)
      near.push_back(
          {f64_to_bf16(random.real(-2, 2)), f64_to_bf16(random.real(-2, 2)), f64_to_bf16(random.real(-2, 2))});
    CHECK("fma.rn.bf16", "hhhh", near,
          [&](u64 x, u64 y, u64 z) { return bout(g(x) * g(y) + g(z)); });  // exact in f64 at these magnitudes
  }

  void comparisons() {
    const auto v = floats(8);
    CHECK("setp.lt.f32", "pww", v, [](u64 x, u64 y, u64) { return u64{f(x) < f(y)}; });
    CHECK("setp.ne.f32", "pww", v, [](u64 x, u64 y, u64) { return u64{f(x) < f(y) || f(x) > f(y)}; });
    CHECK("setp.neu.f32", "pww", v, [](u64 x, u64 y, u64) { return u64{f(x) != f(y)}; });
    CHECK("setp.leu.f32", "pww", v, [](u64 x, u64 y, u64) { return u64{!(f(x) > f(y))}; });
    CHECK("setp.equ.f32", "pww", v, [](u64 x, u64 y, u64) { return u64{!(f(x) < f(y) || f(x) > f(y))}; });
    CHECK("setp.num.f32", "pww", v, [](u64 x, u64 y, u64) { return u64{!std::isnan(f(x)) && !std::isnan(f(y))}; });
    CHECK("setp.eq.ftz.f32", "pww", v, [](u64 x, u64 y, u64) { return u64{flushed(f(x)) == flushed(f(y))}; });
    CHECK("setp.gt.f64", "pdd", doubles(9), [](u64 x, u64 y, u64) { return u64{d(x) > d(y)}; });
    const auto n = integers(10);
    CHECK("setp.lt.s32", "pww", n, [](u64 x, u64 y, u64) { return u64{i(x) < i(y)}; });
    CHECK("setp.hi.u64", "pdd", n, [](u64 x, u64 y, u64) { return u64{x > y}; });
    CHECK("setp.ge.s16", "phh", n, [](u64 x, u64 y, u64) { return u64{static_cast<s16>(x) >= static_cast<s16>(y)}; });
    CHECK("setp.ne.b64", "pdd", n, [](u64 x, u64 y, u64) { return u64{x != y}; });
    CHECK("setp.gt.f16", "phh", halves(11),
          [](u64 x, u64 y, u64) { return u64{f16_to_f64(static_cast<u16>(x)) > f16_to_f64(static_cast<u16>(y))}; });
    CHECK("set.eq.f16.f16", "hhh", halves(12), [](u64 x, u64 y, u64) {
      return f16_to_f64(static_cast<u16>(x)) == f16_to_f64(static_cast<u16>(y)) ? u64{0x3c00} : 0;
    });
    CHECK("set.lt.u32.s32", "www", n, [](u64 x, u64 y, u64) { return i(x) < i(y) ? ~u64{0} : 0; });
    CHECK("set.gtu.f32.f32", "www", v, [](u64 x, u64 y, u64) { return !(f(x) <= f(y)) ? u64{0x3f800000} : 0; });
    CHECK("slct.b32.s32", "wwww", n, [](u64 x, u64 y, u64 z) { return i(z) >= 0 ? x : y; });
    // Two results and a combining predicate that is one of them.
    Bed bed(kernel_text(
        "",
        "ld.global.v2.u32 {%r1, %r2}, [%i];\nsetp.gt.s32 %p3, %r1, 10;\nsetp.lt.and.s32 %p3|%p4, %r1, %r2, !%p3;\n"
        "selp.u32 %r3, 1, 0, %p3;\nselp.u32 %r4, 2, 0, %p4;\nadd.u32 %r3, %r3, %r4;\nst.global.u32 [%o], %r3;"));
    std::vector<int> in;
    for (int k = 0; k < 40; ++k) in.insert(in.end(), {k - 5, 20 - k, 0, 0});
    const auto out = bed.room<int>(160);
    QCOMPARE(QString::fromStdString(bed.run("k", {1}, {40}, out, bed.put(in))), QString());
    for (int k = 0; k < 40; ++k) {
      const int x = k - 5, y = 20 - k;
      QCOMPARE(bed.get<int>(out, 160)[4 * k], x > 10 ? 0 : x < y ? 1 : 2);
    }
  }

  void moves() {
    Bed bed(kernel_text(
        ".reg .b16 a, b, c, e;\n",
        "ld.global.u64 %rd1, [%i];\nmov.b64 {%r1, %r2}, %rd1;\nmov.b64 %rd2, {%r2, %r1};\nst.global.u64 [%o], %rd2;\n"
        "mov.b32 {a, b}, %r1;\nmov.b32 %r3, {b, a};\nmov.b64 {a, b, c, e}, %rd1;\nmov.b32 %r4, {e, "
        "c};\nst.global.v2.u32 [%o+8], {%r3, %r4};"));
    QVERIFY2(bed.program, bed.error.c_str());
    const auto out = bed.room<u64>(2);
    QCOMPARE(QString::fromStdString(bed.run("k", {1}, {1}, out, bed.put(std::vector<u64>{0x1122334455667788, 0}))),
             QString());
    QCOMPARE(bed.get<u64>(out, 2)[0], u64{0x5566778811223344});
    QCOMPARE(bed.get<u64>(out, 2)[1], u64{0x3344112277885566});
  }
};

QTEST_GUILESS_MAIN(InstructionsTest)
#include "instructions_test.moc"
