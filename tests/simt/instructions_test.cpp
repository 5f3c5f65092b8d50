// SPDX-License-Identifier: Apache-2.0
// Single instructions against values computed another way, edge cases first. Each is run with a full warp and with a
// partial one, so that both paths of a handler are seen.
#include <bit>
#include <cfenv>
#include <cmath>
#include <functional>
#include <limits>
#include "base/dtype.h"
#include "simt/bed.h"
#include "simt/ptx.h"

using namespace ww;
using namespace ww::simt;
using namespace ww::simt::test;

namespace {

using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using s16 = std::int16_t;
using s32 = std::int32_t;
using s64 = std::int64_t;
using u128 = unsigned __int128;
using s128 = __int128;

struct Input {
  u64 a, b, c;
};  // up to three operands, in the low bits

// Letters for the types of an instruction: destination first. h 16 bits, w 32, d 64, p predicate (destination only).
std::string ptx_for(const std::string& opcode, const std::string& types, const std::string& tail) {
  const auto reg = [](char t, int n) {
    return std::string(t == 'h' ? "%h" : t == 'w' ? "%r" : "%rd") + std::to_string(n);
  };
  const auto suffix = [](char t) { return t == 'h' ? "u16" : t == 'w' ? "u32" : "u64"; };
  std::string body;
  for (std::size_t k = 1; k < types.size(); ++k)
    body += std::string("ld.global.") + suffix(types[k]) + " " + reg(types[k], static_cast<int>(k)) + ", [%rd19+" +
            std::to_string(8 * (k - 1)) + "];\n";
  body += opcode + " " + (types[0] == 'p' ? "%p1" : reg(types[0], 9));
  for (std::size_t k = 1; k < types.size(); ++k) body += ", " + reg(types[k], static_cast<int>(k));
  body += tail + ";\n";
  if (types[0] == 'p') body += "selp.u32 %r9, 1, 0, %p1;\n";
  body += std::string("st.global.") + (types[0] == 'p' ? "u32" : suffix(types[0])) + " [%o], " +
          reg(types[0] == 'p' ? 'w' : types[0], 9) + ";\n";
  return kernel_text("", "mul.wide.u32 %t, %r0, 8;\nadd.s64 %rd19, %i, %t;\n" + body);
}

u64 cut(u64 v, char type) { return type == 'h' ? v & 0xffff : type == 'w' || type == 'p' ? v & 0xffffffff : v; }

// Runs the instruction on all inputs and compares bits. "" when all agree.
std::string check(const std::string& opcode, const std::string& types, const std::vector<Input>& inputs,
                  const std::function<u64(u64, u64, u64)>& want, const std::string& tail = "") {
  Bed bed(ptx_for(opcode, types, tail));
  if (!bed.program) return bed.error;
  std::vector<u64> flat;
  for (const Input& i : inputs) flat.insert(flat.end(), {i.a, i.b, i.c});
  const auto out = bed.put(std::vector<u64>(2 * inputs.size(), 0)), in = bed.put(flat);
  const std::string bad = bed.run("k", {1}, {static_cast<u32>(inputs.size())}, out, in);
  if (!bad.empty()) return opcode + ": " + bad;
  const auto got = bed.get<u64>(out, 2 * inputs.size());
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const auto arg = [&](std::size_t k, u64 v) { return k < types.size() ? cut(v, types[k]) : 0; };
    const u64 expected = cut(want(arg(1, inputs[i].a), arg(2, inputs[i].b), arg(3, inputs[i].c)), types[0]);
    if (cut(got[2 * i], types[0]) == expected) continue;
    // The payload of an f64 NaN is left open by the ISA.
    if (opcode.ends_with(".f64") && types[0] == 'd' && std::isnan(std::bit_cast<double>(got[2 * i])) &&
        std::isnan(std::bit_cast<double>(expected)))
      continue;
    char text[200];
    std::snprintf(text, sizeof text, "%s(%llx, %llx, %llx) = %llx, want %llx", opcode.c_str(),
                  static_cast<unsigned long long>(inputs[i].a), static_cast<unsigned long long>(inputs[i].b),
                  static_cast<unsigned long long>(inputs[i].c),
                  static_cast<unsigned long long>(cut(got[2 * i], types[0])),
                  static_cast<unsigned long long>(expected));
    return text;
  }
  return "";
}

// 3 x 37 inputs: a full warp and a partial one twice, from edge values and random bits.
std::vector<Input> mixed(const std::vector<u64>& edges, u64 seed) {
  Numbers random(seed);
  std::vector<Input> v;
  for (const u64 a : edges)
    for (const u64 b : edges) v.push_back({a, b, edges[(v.size() * 7) % edges.size()]});
  while (v.size() < 200) v.push_back({random.next(), random.next(), random.next()});
  while (v.size() % 32 != 5) v.push_back({random.next(), edges[v.size() % edges.size()], random.next()});
  if (v.size() > 1000) v.resize(997);
  return v;
}
std::vector<Input> integers(u64 seed) {
  return mixed({0, 1, 2, 31, 32, 33, 63, 64, 255, 0x7fff, 0x8000, 0xffff, 0x7fffffff, 0x80000000, 0xffffffff,
                0x100000000, 0x7fffffffffffffff, 0x8000000000000000, ~u64{0}},
               seed);
}
std::vector<Input> floats(u64 seed) {
  auto v = mixed({0, 0x80000000, 1, 0x80000001, 0x007fffff, 0x00800000, 0x3f800000, 0xbf800000, 0x3f800001, 0x3effffff,
                  0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0x40490fdb},
                 seed);
  Numbers random(seed + 1);
  for (std::size_t i = 250; i < v.size(); i += 2)  // values whose exponents are near each other
    v[i] = {std::bit_cast<u32>(random.real(-4, 4)), std::bit_cast<u32>(random.real(-4, 4)),
            std::bit_cast<u32>(random.real(-4, 4))};
  return v;
}
std::vector<Input> doubles(u64 seed) {
  auto v = mixed({0, 1ull << 63, 1, 0x000fffffffffffff, 0x0010000000000000, 0x3ff0000000000000, 0xbff0000000000000,
                  0x3ff0000000000001, 0x7fefffffffffffff, 0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000000000,
                  0x41dfffffffc00000, 0x43e0000000000000, 0xc3e0000000000000},
                 seed);
  return v;
}
std::vector<Input> halves(u64 seed) {
  return mixed({0, 0x8000, 1, 0x8001, 0x03ff, 0x0400, 0x3c00, 0xbc00, 0x3c01, 0x3bff, 0x7bff, 0xfbff, 0x7c00, 0xfc00,
                0x7e00, 0x2e66, 0x5640, 0x6400, 0x68ff},
               seed);
}

float f(u64 v) { return std::bit_cast<float>(static_cast<u32>(v)); }
u64 b(float v) { return std::isnan(v) ? 0x7fffffffu : std::bit_cast<u32>(v); }
double d(u64 v) { return std::bit_cast<double>(v); }
u64 b(double v) { return std::bit_cast<u64>(v); }
s32 i(u64 v) { return static_cast<s32>(v); }
s64 l(u64 v) { return static_cast<s64>(v); }
float flushed(float v) { return std::fpclassify(v) == FP_SUBNORMAL ? std::copysign(0.0f, v) : v; }

template <class F>
auto rounded(int mode, F f) {
  std::fesetround(mode);
  const volatile auto r = f();
  std::fesetround(FE_TONEAREST);
  return r;
}

#define CHECK(...) QCOMPARE(QString::fromStdString(check(__VA_ARGS__)), QString())

}  // namespace

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

  void conversions() {
    const auto v = floats(13);
    const auto to_int = [](double x, double lo, double hi) {
      return static_cast<u64>(static_cast<s64>(std::clamp(x, lo, hi)));
    };
    CHECK("cvt.rzi.s32.f32", "ww", v, [&](u64 x, u64, u64) {
      return std::isnan(f(x)) ? 0 : to_int(std::trunc(static_cast<double>(f(x))), INT32_MIN, INT32_MAX);
    });
    CHECK("cvt.rni.u32.f32", "ww", v, [&](u64 x, u64, u64) {
      return std::isnan(f(x)) ? 0 : to_int(std::rint(static_cast<double>(f(x))), 0, UINT32_MAX);
    });
    CHECK("cvt.rmi.s16.f32", "hw", v, [&](u64 x, u64, u64) {
      return std::isnan(f(x)) ? 0 : to_int(std::floor(static_cast<double>(f(x))), -32768, 32767);
    });
    CHECK("cvt.rpi.u8.f32", "ww", v,
          [&](u64 x, u64, u64) { return std::isnan(f(x)) ? 0 : to_int(std::ceil(static_cast<double>(f(x))), 0, 255); });
    CHECK("cvt.rzi.s64.f32", "dw", v, [&](u64 x, u64, u64) {
      return std::isnan(f(x))  ? u64{1} << 63
             : f(x) >= 0x1p63f ? u64{INT64_MAX}
             : f(x) < -0x1p63f ? u64{1} << 63
                               : static_cast<u64>(static_cast<s64>(f(x)));
    });
    const auto w = doubles(14);
    CHECK("cvt.rzi.s32.f64", "wd", w, [&](u64 x, u64, u64) {
      return std::isnan(d(x)) ? u64{0x80000000} : to_int(std::trunc(d(x)), INT32_MIN, INT32_MAX);
    });
    CHECK("cvt.rzi.u64.f64", "dd", w, [&](u64 x, u64, u64) {
      return std::isnan(d(x)) ? u64{1} << 63 : d(x) >= 0x1p64 ? ~u64{0} : d(x) < 1 ? 0 : static_cast<u64>(d(x));
    });
    CHECK("cvt.rn.f32.f64", "wd", w, [](u64 x, u64, u64) { return b(static_cast<float>(d(x))); });
    CHECK("cvt.rz.f32.f64", "wd", w, [](u64 x, u64, u64) {
      return rounded(FE_TOWARDZERO, [&]() -> u64 {
        const volatile double p = d(x);
        return b(static_cast<float>(p));
      });
    });
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
    CHECK("cvt.sat.f32.f32", "ww", v,
          [](u64 x, u64, u64) { return std::isnan(f(x)) || f(x) <= 0 ? 0 : b(std::min(f(x), 1.0f)); });
    CHECK("cvt.rmi.f32.f32", "ww", v, [](u64 x, u64, u64) { return b(std::floor(f(x))); });
    std::vector<Input> all;
    for (u64 k = 0; k < 65536; k += 67) all.push_back({k, k * 3, 0});
    all.resize(977);
    CHECK("cvt.f32.f16", "wh", all, [](u64 x, u64, u64) {
      const float r = static_cast<float>(f16_to_f64(static_cast<u16>(x)));
      return std::isnan(r) ? (x & 0x8000) << 16 | 0x7f800000 | (x & 0x3ff) << 13 : b(r);
    });
    auto around = v;  // magnitudes that f16 rounds, underflows and overflows
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
    CHECK("cvt.rni.s32.f16", "wh", halves(17), [&](u64 x, u64, u64) {
      const double p = f16_to_f64(static_cast<u16>(x));
      return std::isnan(p) ? 0 : to_int(std::rint(p), INT32_MIN, INT32_MAX);
    });
    CHECK("cvt.rn.f16.s32", "hw", n, [](u64 x, u64, u64) { return u64{f64_to_f16(i(x))}; });
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
