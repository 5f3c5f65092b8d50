// SPDX-License-Identifier: Apache-2.0
// f32 arithmetic (PTX ISA 9.0, section 9.7.3). Op::imm holds the rounding mode.
#include "simt/real.h"

namespace ww::simt::WW_SIMT_ISA {
namespace {

constexpr auto F = InstrClass::f32;

template <bool ftz, bool sat>
void add(Exec& x, const Op& o, u32 m) {
  const Rounding mode(o.imm);
  map2<f32, f32, f32>(x, o, m, [](f32 a, f32 b) { return give<ftz, sat>(take<ftz>(a) + take<ftz>(b)); });
}
template <bool ftz, bool sat>
void sub(Exec& x, const Op& o, u32 m) {
  const Rounding mode(o.imm);
  map2<f32, f32, f32>(x, o, m, [](f32 a, f32 b) { return give<ftz, sat>(take<ftz>(a) - take<ftz>(b)); });
}
template <bool ftz, bool sat>
void mul(Exec& x, const Op& o, u32 m) {
  const Rounding mode(o.imm);
  map2<f32, f32, f32>(x, o, m, [](f32 a, f32 b) { return give<ftz, sat>(take<ftz>(a) * take<ftz>(b)); });
}
template <bool ftz, bool sat>
void fma(Exec& x, const Op& o, u32 m) {
  const Rounding mode(o.imm);
  map3<f32, f32, f32, f32>(x, o, m, [](f32 a, f32 b, f32 c) {
    return give<ftz, sat>(__builtin_fmaf(take<ftz>(a), take<ftz>(b), take<ftz>(c)));
  });
}
template <bool ftz>
void div(Exec& x, const Op& o, u32 m) {
  const Rounding mode(o.imm);
  map2<f32, f32, f32>(x, o, m, [](f32 a, f32 b) { return give<ftz, false>(take<ftz>(a) / take<ftz>(b)); });
}
// Approximate results lie within one unit in the last place (ISA section 9.7.3; div: two): each is one of the two
// neighbours of the exact one, by the argument and the launch's draw. Exact ones stay exact, as libraries rely on.
inline f32 neighbour(f64 exact, u32 argument, u32 draw) {
  const f32 v = static_cast<f32>(exact);
  if (draw == 0 || !(static_cast<f64>(v) != exact) || v - v != 0.0f || (bits(v) & 0x7f800000u) == 0) return v;
  u32 h = (argument ^ draw) * 0x9e3779b1u;
  h = (h ^ (h >> 15)) * 0x85ebca77u;
  const bool above = (h >> 31) != 0, is_above = static_cast<f64>(v) > exact;
  if (above == is_above) return v;
  const bool away = (v > 0.0f) == above;  // from zero
  const f32 other = from_bits(away ? bits(v) + 1 : bits(v) - 1);
  return other - other == 0.0f ? other : v;
}
template <bool ftz>
void rcp_approx(Exec& x, const Op& o, u32 m) {
  const u32 draw = x.inexact;
  map1<f32, f32>(x, o, m, [draw](f32 a) {
    a = take<ftz>(a);
    return give<ftz, false>(neighbour(1.0 / static_cast<f64>(a), bits(a), draw));
  });
}
template <bool ftz>
void sqrt_approx(Exec& x, const Op& o, u32 m) {
  const u32 draw = x.inexact;
  map1<f32, f32>(x, o, m, [draw](f32 a) {
    a = take<ftz>(a);
    return give<ftz, false>(neighbour(__builtin_sqrt(static_cast<f64>(a)), bits(a), draw));
  });
}
// div.full; div.approx multiplies by a reciprocal, so a divisor beyond 2^126 gives zero (and infinity over it NaN).
template <bool ftz, bool full>
void div_near(Exec& x, const Op& o, u32 m) {
  const u32 draw = x.inexact;
  map2<f32, f32, f32>(x, o, m, [draw](f32 a, f32 b) {
    a = take<ftz>(a);
    b = take<ftz>(b);
    const u32 e = bits(b) & 0x7fffffffu;
    const bool huge = e > 0x7e800000u && e < 0x7f800000u;
    if (!full && huge) return give<ftz, false>(a * from_bits(bits(b) & 0x80000000u));
    return give<ftz, false>(neighbour(static_cast<f64>(a) / static_cast<f64>(b), bits(a) + 31 * bits(b), draw));
  });
}
template <bool ftz>
void rcp(Exec& x, const Op& o, u32 m) {
  const Rounding mode(o.imm);
  map1<f32, f32>(x, o, m, [](f32 a) { return give<ftz, false>(1.0f / take<ftz>(a)); });
}
template <bool ftz>
void sqrt(Exec& x, const Op& o, u32 m) {
  const Rounding mode(o.imm);
  map1<f32, f32>(x, o, m, [](f32 a) { return give<ftz, false>(__builtin_sqrtf(take<ftz>(a))); });
}
template <bool ftz>
void abs(Exec& x, const Op& o, u32 m) {
  map1<f32, f32>(x, o, m, [](f32 a) { return from_bits(bits(take<ftz>(a)) & 0x7fffffffu); });
}
template <bool ftz>
void neg(Exec& x, const Op& o, u32 m) {
  map1<f32, f32>(x, o, m, [](f32 a) { return from_bits(bits(take<ftz>(a)) ^ 0x80000000u); });
}
void copysign(Exec& x, const Op& o, u32 m) {
  map2<u32, u32, u32>(x, o, m, [](u32 a, u32 b) { return (a & 0x80000000u) | (b & 0x7fffffffu); });
}
template <bool ftz, bool greatest, bool nan>
void extreme(Exec& x, const Op& o, u32 m) {
  map2<f32, f32, f32>(x, o, m, [](f32 a, f32 b) {
    a = take<ftz>(a);
    b = take<ftz>(b);
    const f32 v = greatest ? greater(a, b) : lesser(a, b);
    return nan && any_nan(a, b) ? from_bits(0x7fffffffu) : v;
  });
}
template <bool ftz, bool greatest, bool nan>
void extreme_xorsign(Exec& x, const Op& o, u32 m) {
  map2<f32, f32, f32>(x, o, m, [](f32 a, f32 b) {
    a = take<ftz>(a);
    b = take<ftz>(b);
    const u32 sign = (bits(a) ^ bits(b)) & 0x80000000u;
    const f32 p = from_bits(bits(a) & 0x7fffffffu), q = from_bits(bits(b) & 0x7fffffffu);
    const f32 v = greatest ? greater(p, q) : lesser(p, q);
    return nan && any_nan(a, b) ? from_bits(0x7fffffffu) : from_bits((bits(v) & 0x7fffffffu) | sign);
  });
}

template <bool ftz>
void register_flush(Registry& r, const char* flush_suffix) {
  const struct {
    const char* name;
    int mode;
  } modes[] = {{"", 0}, {".rn", 0}, {".rz", 1}, {".rm", 2}, {".rp", 3}};
  char name[64];
  const auto join = [&](const char* base, const char* mode, const char* tail) {
    char* p = name;
    for (const char* s : {base, mode, flush_suffix, tail})
      while (*s != '\0') *p++ = *s++;
    *p = '\0';
    return name;
  };
  for (const auto& mode : modes) {
    r.alu(join("add", mode.name, ".f32"), "", add<ftz, false>, "f32 f32 f32", F, 1, mode.mode);
    r.alu(join("add", mode.name, ".sat.f32"), "", add<ftz, true>, "f32 f32 f32", F, 1, mode.mode);
    r.alu(join("sub", mode.name, ".f32"), "", sub<ftz, false>, "f32 f32 f32", F, 1, mode.mode);
    r.alu(join("sub", mode.name, ".sat.f32"), "", sub<ftz, true>, "f32 f32 f32", F, 1, mode.mode);
    r.alu(join("mul", mode.name, ".f32"), "", mul<ftz, false>, "f32 f32 f32", F, 1, mode.mode);
    r.alu(join("mul", mode.name, ".sat.f32"), "", mul<ftz, true>, "f32 f32 f32", F, 1, mode.mode);
    r.alu(join("fma", mode.name, ".f32"), "", fma<ftz, false>, "f32 f32 f32 f32", F, 2, mode.mode);
    r.alu(join("fma", mode.name, ".sat.f32"), "", fma<ftz, true>, "f32 f32 f32 f32", F, 2, mode.mode);
    r.alu(join("mad", mode.name, ".f32"), "", fma<ftz, false>, "f32 f32 f32 f32", F, 2, mode.mode);
    r.alu(join("mad", mode.name, ".sat.f32"), "", fma<ftz, true>, "f32 f32 f32 f32", F, 2, mode.mode);
    if (mode.name[0] == '\0') continue;
    r.alu(join("div", mode.name, ".f32"), "", div<ftz>, "f32 f32 f32", F, 1, mode.mode);
    r.alu(join("rcp", mode.name, ".f32"), "", rcp<ftz>, "f32 f32", InstrClass::special, 1, mode.mode);
    r.alu(join("sqrt", mode.name, ".f32"), "", sqrt<ftz>, "f32 f32", InstrClass::special, 1, mode.mode);
  }
  r.alu(join("div.approx", "", ".f32"), "", div_near<ftz, false>, "f32 f32 f32", F, 1);
  r.alu(join("div.full", "", ".f32"), "", div_near<ftz, true>, "f32 f32 f32", F, 1);
  r.alu(join("rcp.approx", "", ".f32"), "", rcp_approx<ftz>, "f32 f32", InstrClass::special, 1);
  r.alu(join("sqrt.approx", "", ".f32"), "", sqrt_approx<ftz>, "f32 f32", InstrClass::special, 1);
  r.alu(join("abs", "", ".f32"), "", abs<ftz>, "f32 f32", F, 1);
  r.alu(join("neg", "", ".f32"), "", neg<ftz>, "f32 f32", F, 1);
  r.alu(join("min", "", ".f32"), "", extreme<ftz, false, false>, "f32 f32 f32", F, 1);
  r.alu(join("max", "", ".f32"), "", extreme<ftz, true, false>, "f32 f32 f32", F, 1);
  r.alu(join("min", "", ".NaN.f32"), "", extreme<ftz, false, true>, "f32 f32 f32", F, 1);
  r.alu(join("max", "", ".NaN.f32"), "", extreme<ftz, true, true>, "f32 f32 f32", F, 1);
  r.alu(join("min", "", ".xorsign.abs.f32"), "", extreme_xorsign<ftz, false, false>, "f32 f32 f32", F, 1);
  r.alu(join("max", "", ".xorsign.abs.f32"), "", extreme_xorsign<ftz, true, false>, "f32 f32 f32", F, 1);
  r.alu(join("min", "", ".NaN.xorsign.abs.f32"), "", extreme_xorsign<ftz, false, true>, "f32 f32 f32", F, 1);
  r.alu(join("max", "", ".NaN.xorsign.abs.f32"), "", extreme_xorsign<ftz, true, true>, "f32 f32 f32", F, 1);
}

}  // namespace

void register_f32(Registry& r) {
  register_flush<false>(r, "");
  register_flush<true>(r, ".ftz");
  r.alu("copysign.f32", "", copysign, "f32 f32 f32", F, 0);
}

}  // namespace ww::simt::WW_SIMT_ISA
