// SPDX-License-Identifier: Apache-2.0
// f64 arithmetic (PTX ISA 9.0, section 9.7.3). Op::imm holds the rounding mode.
#include "simt/lanes.h"

namespace ww::simt::WW_SIMT_ISA {
namespace {

constexpr auto D = InstrClass::f64;
constexpr u64 sign64 = u64{1} << 63;
constexpr u64 exponent64 = u64{0x7ff} << 52;

u64 raw(f64 v) { return std::bit_cast<u64>(v); }
f64 real(u64 v) { return std::bit_cast<f64>(v); }

void add(Exec& x, const Op& o, u32 m) {
  const Rounding mode(o.imm);
  map2<f64, f64, f64>(x, o, m, [](f64 a, f64 b) { return a + b; });
}
void sub(Exec& x, const Op& o, u32 m) {
  const Rounding mode(o.imm);
  map2<f64, f64, f64>(x, o, m, [](f64 a, f64 b) { return a - b; });
}
void mul(Exec& x, const Op& o, u32 m) {
  const Rounding mode(o.imm);
  map2<f64, f64, f64>(x, o, m, [](f64 a, f64 b) { return a * b; });
}
void fma(Exec& x, const Op& o, u32 m) {
  const Rounding mode(o.imm);
  map3<f64, f64, f64, f64>(x, o, m, [](f64 a, f64 b, f64 c) { return __builtin_fma(a, b, c); });
}
void div(Exec& x, const Op& o, u32 m) {
  const Rounding mode(o.imm);
  map2<f64, f64, f64>(x, o, m, [](f64 a, f64 b) { return a / b; });
}
void rcp(Exec& x, const Op& o, u32 m) {
  const Rounding mode(o.imm);
  map1<f64, f64>(x, o, m, [](f64 a) { return 1.0 / a; });
}
void sqrt(Exec& x, const Op& o, u32 m) {
  const Rounding mode(o.imm);
  map1<f64, f64>(x, o, m, [](f64 a) { return __builtin_sqrt(a); });
}
void abs(Exec& x, const Op& o, u32 m) {
  map1<u64, u64>(x, o, m, [](u64 a) { return a & ~sign64; });
}
void neg(Exec& x, const Op& o, u32 m) {
  map1<u64, u64>(x, o, m, [](u64 a) { return a ^ sign64; });
}
void copysign(Exec& x, const Op& o, u32 m) {
  map2<u64, u64, u64>(x, o, m, [](u64 a, u64 b) { return (a & sign64) | (b & ~sign64); });
}
void min(Exec& x, const Op& o, u32 m) {
  map2<f64, f64, f64>(x, o, m, [](f64 a, f64 b) {
    const f64 ordered = a < b ? a : b < a ? b : real(raw(a) | raw(b));
    return a != a ? b : b != b ? a : ordered;
  });
}
void max(Exec& x, const Op& o, u32 m) {
  map2<f64, f64, f64>(x, o, m, [](f64 a, f64 b) {
    const f64 ordered = a > b ? a : b > a ? b : real(raw(a) & raw(b));
    return a != a ? b : b != b ? a : ordered;
  });
}

// The .approx.ftz forms look at the upper half of the value only and clear the lower half of the result
// (sections 9.7.3.14 and 9.7.3.17); subnormals are flushed on both sides.
f64 upper(f64 v) {
  const u64 r = raw(v) & 0xffffffff00000000u;
  return real((r & exponent64) == 0 ? r & sign64 : r);
}
void rcp_approx(Exec& x, const Op& o, u32 m) {
  map1<f64, f64>(x, o, m, [](f64 a) { return upper(1.0 / upper(a)); });
}
void rsqrt_approx(Exec& x, const Op& o, u32 m) {
  map1<f64, f64>(x, o, m, [](f64 a) { return upper(1.0 / __builtin_sqrt(upper(a))); });
}
void rsqrt_full(Exec& x, const Op& o, u32 m) {
  map1<f64, f64>(x, o, m, [](f64 a) { return 1.0 / __builtin_sqrt(a); });
}

}  // namespace

void register_f64(Registry& r) {
  const struct {
    const char* name;
    int mode;
  } modes[] = {{"", 0}, {".rn", 0}, {".rz", 1}, {".rm", 2}, {".rp", 3}};
  for (const auto& mode : modes) {
    r.alu("add$.f64", mode.name, add, "f64 f64 f64", D, 1, mode.mode);
    r.alu("sub$.f64", mode.name, sub, "f64 f64 f64", D, 1, mode.mode);
    r.alu("mul$.f64", mode.name, mul, "f64 f64 f64", D, 1, mode.mode);
    r.alu("fma$.f64", mode.name, fma, "f64 f64 f64 f64", D, 2, mode.mode);
    r.alu("mad$.f64", mode.name, fma, "f64 f64 f64 f64", D, 2, mode.mode);
    r.alu("div$.f64", mode.name, div, "f64 f64 f64", D, 1, mode.mode);
    r.alu("rcp$.f64", mode.name, rcp, "f64 f64", D, 1, mode.mode);
    r.alu("sqrt$.f64", mode.name, sqrt, "f64 f64", D, 1, mode.mode);
  }
  r.alu("abs.f64", "", abs, "f64 f64", D, 1);
  r.alu("neg.f64", "", neg, "f64 f64", D, 1);
  r.alu("copysign.f64", "", copysign, "f64 f64 f64", D, 0);
  r.alu("min.f64", "", min, "f64 f64 f64", D, 1);
  r.alu("max.f64", "", max, "f64 f64 f64", D, 1);
  r.alu("rcp.approx.ftz.f64", "", rcp_approx, "f64 f64", InstrClass::special, 1);
  r.alu("rsqrt.approx.ftz.f64", "", rsqrt_approx, "f64 f64", InstrClass::special, 1);
  r.alu("rsqrt.approx.f64", "", rsqrt_full, "f64 f64", InstrClass::special, 1);
}

}  // namespace ww::simt::WW_SIMT_ISA
