// SPDX-License-Identifier: Apache-2.0
// Integer arithmetic (PTX ISA 9.0, section 9.7.1). All wrap around; signed arithmetic is done on unsigned types.
#include <type_traits>
#include "simt/lanes.h"

namespace ww::simt::WW_SIMT_ISA {
namespace {

template <class T>
using Un = std::make_unsigned_t<T>;
template <class T>
using Wide = std::conditional_t<sizeof(T) == 2, std::conditional_t<std::is_signed_v<T>, s32, u32>,
                                std::conditional_t<sizeof(T) == 4, std::conditional_t<std::is_signed_v<T>, s64, u64>,
                                                   std::conditional_t<std::is_signed_v<T>, s128, u128>>>;
template <class T>
T low(T a, T b) {
  using P = std::conditional_t<sizeof(T) == 8, u64, u32>;
  return static_cast<T>(static_cast<P>(a) * static_cast<P>(b));
}
template <class T>
T high(T a, T b) {
  return static_cast<T>((static_cast<Wide<T>>(a) * static_cast<Wide<T>>(b)) >> (8 * sizeof(T)));
}
template <class T>
T plus(T a, T b) {
  return static_cast<T>(static_cast<Un<T>>(a) + static_cast<Un<T>>(b));
}
template <class T>
T minus(T a, T b) {
  return static_cast<T>(static_cast<Un<T>>(a) - static_cast<Un<T>>(b));
}
template <class T>
T negate(T a) {
  return static_cast<T>(Un<T>{0} - static_cast<Un<T>>(a));
}
template <class T>
T magnitude(T a) {
  return a < 0 ? negate(a) : a;
}
template <class T>
T absolute_difference(T a, T b) {
  return a < b ? minus(b, a) : minus(a, b);
}

template <class T>
T least(T a, T b) {
  return b < a ? b : a;
}
template <class T>
T greatest(T a, T b) {
  return a < b ? b : a;
}

// What a division by zero gives is not specified, and differs: all ones or half of them for the quotient, the dividend
// or all ones for the remainder, by width and by what the assembler folds (an H200, ptxas 13.0). The most negative
// value over -1 wraps.
template <class T>
T by_zero(const Exec& x, T usual) {
  return x.garbage == 0 ? usual : static_cast<T>(x.garbage * u64{0x100000001});
}
template <class T>
T quotient(T a, T b) {
  if constexpr (std::is_signed_v<T>)
    if (b == T{-1}) return negate(a);
  return static_cast<T>(a / b);
}
template <class T>
T remainder(T a, T b) {
  if constexpr (std::is_signed_v<T>)
    if (b == T{-1}) return 0;
  return static_cast<T>(a % b);
}

template <class T, T (*f)(T)>
void unary(Exec& x, const Op& o, u32 m) {
  map1<T, T>(x, o, m, [](T a) { return f(a); });
}
template <class T, T (*f)(T, T)>
void binary(Exec& x, const Op& o, u32 m) {
  map2<T, T, T>(x, o, m, [](T a, T b) { return f(a, b); });
}
template <class T, T (*product)(T, T)>
void mad(Exec& x, const Op& o, u32 m) {
  map3<T, T, T, T>(x, o, m, [](T a, T b, T c) { return plus(product(a, b), c); });
}
template <class T>
void mul_wide(Exec& x, const Op& o, u32 m) {
  using W = Wide<T>;
  map2<W, T, T>(x, o, m, [](T a, T b) { return static_cast<W>(static_cast<W>(a) * static_cast<W>(b)); });
}
template <class T>
void mad_wide(Exec& x, const Op& o, u32 m) {
  using W = Wide<T>;
  map3<W, T, T, W>(x, o, m, [](T a, T b, W c) { return plus<W>(static_cast<W>(a) * static_cast<W>(b), c); });
}
template <class T>
void div(Exec& x, const Op& o, u32 m) {
  map2<T, T, T>(x, o, m, [&x](T a, T b) { return b == 0 ? by_zero(x, static_cast<T>(~T{0})) : quotient(a, b); });
}
template <class T>
void rem(Exec& x, const Op& o, u32 m) {
  map2<T, T, T>(x, o, m, [&x](T a, T b) { return b == 0 ? by_zero(x, a) : remainder(a, b); });
}
template <class T>
void sad(Exec& x, const Op& o, u32 m) {
  map3<T, T, T, T>(x, o, m, [](T a, T b, T c) { return plus(c, absolute_difference(a, b)); });
}

s32 clamp32(s64 v) { return v > 2147483647 ? 2147483647 : v < -2147483648LL ? -2147483647 - 1 : static_cast<s32>(v); }
void add_sat(Exec& x, const Op& o, u32 m) {
  map2<s32, s32, s32>(x, o, m, [](s32 a, s32 b) { return clamp32(s64{a} + b); });
}
void sub_sat(Exec& x, const Op& o, u32 m) {
  map2<s32, s32, s32>(x, o, m, [](s32 a, s32 b) { return clamp32(s64{a} - b); });
}
void mad_hi_sat(Exec& x, const Op& o, u32 m) {
  map3<s32, s32, s32, s32>(x, o, m, [](s32 a, s32 b, s32 c) { return clamp32(s64{high(a, b)} + c); });
}
template <s32 (*f)(s32, s32)>
void relu(Exec& x, const Op& o, u32 m) {
  map2<s32, s32, s32>(x, o, m, [](s32 a, s32 b) { return greatest(f(a, b), 0); });
}

// 24-bit operands: the rest of the register is ignored. lo: bits 31..0 of the 48-bit product, hi: bits 47..16.
s64 cut24(s32 v) { return (s64{v} << 40) >> 40; }
u64 cut24(u32 v) { return v & 0xffffffu; }
template <class T>
T product24(T a, T b, bool hi) {
  const auto p = static_cast<u64>(cut24(a) * cut24(b));
  return static_cast<T>(hi ? p >> 16 : p);
}
template <class T, bool hi>
void mul24(Exec& x, const Op& o, u32 m) {
  map2<T, T, T>(x, o, m, [](T a, T b) { return product24(a, b, hi); });
}
template <class T, bool hi>
void mad24(Exec& x, const Op& o, u32 m) {
  map3<T, T, T, T>(x, o, m, [](T a, T b, T c) { return plus(product24(a, b, hi), c); });
}

// Four products of bytes, or two of a 16-bit half and a byte, summed into c (section 9.7.1.23 and 24).
template <class A, class B, class T>
void dp4a(Exec& x, const Op& o, u32 m) {
  map3<u32, u32, u32, u32>(x, o, m, [](u32 a, u32 b, u32 c) {
    u32 sum = c;
    for (unsigned k = 0; k < 32; k += 8)
      sum += static_cast<u32>(static_cast<s32>(static_cast<A>(a >> k)) * static_cast<s32>(static_cast<B>(b >> k)));
    return sum;
  });
}
template <class A, class B, int shift>
void dp2a(Exec& x, const Op& o, u32 m) {
  map3<u32, u32, u32, u32>(x, o, m, [](u32 a, u32 b, u32 c) {
    using A16 = std::conditional_t<std::is_signed_v<A>, s16, u16>;
    return c + static_cast<u32>(static_cast<s32>(static_cast<A16>(a)) * static_cast<s32>(static_cast<B>(b >> shift))) +
           static_cast<u32>(static_cast<s32>(static_cast<A16>(a >> 16)) *
                            static_cast<s32>(static_cast<B>(b >> (shift + 8))));
  });
}

// Two 16-bit values in one register (sm_90).
template <class T, T (*f)(T, T)>
void halves(Exec& x, const Op& o, u32 m) {
  map2<u32, u32, u32>(x, o, m, [](u32 a, u32 b) {
    const u32 lo = static_cast<u16>(f(static_cast<T>(a), static_cast<T>(b)));
    const u32 hi = static_cast<u16>(f(static_cast<T>(a >> 16), static_cast<T>(b >> 16)));
    return lo | (hi << 16);
  });
}

template <class T>
void register_type(Registry& r, const char* type) {
  constexpr auto I = InstrClass::integer;
  r.alu("add.$", type, binary<T, plus<T>>, "$ $ $", I);
  r.alu("sub.$", type, binary<T, minus<T>>, "$ $ $", I);
  r.alu("mul.lo.$", type, binary<T, low<T>>, "$ $ $", I);
  r.alu("mul.hi.$", type, binary<T, high<T>>, "$ $ $", I);
  r.alu("mad.lo.$", type, mad<T, low<T>>, "$ $ $ $", I);
  r.alu("mad.hi.$", type, mad<T, high<T>>, "$ $ $ $", I);
  r.alu("div.$", type, div<T>, "$ $ $", I);
  r.alu("rem.$", type, rem<T>, "$ $ $", I);
  r.alu("min.$", type, binary<T, least<T>>, "$ $ $", I);
  r.alu("max.$", type, binary<T, greatest<T>>, "$ $ $", I);
  r.alu("sad.$", type, sad<T>, "$ $ $ $", I);
  if constexpr (std::is_signed_v<T>) {
    r.alu("abs.$", type, unary<T, magnitude<T>>, "$ $", I);
    r.alu("neg.$", type, unary<T, negate<T>>, "$ $", I);
  }
}

}  // namespace

void register_integer(Registry& r) {
  constexpr auto I = InstrClass::integer;
  register_type<u16>(r, "u16");
  register_type<s16>(r, "s16");
  register_type<u32>(r, "u32");
  register_type<s32>(r, "s32");
  register_type<u64>(r, "u64");
  register_type<s64>(r, "s64");
  r.alu("mul.wide.u16", "", mul_wide<u16>, "u32 u16 u16", I);
  r.alu("mul.wide.s16", "", mul_wide<s16>, "s32 s16 s16", I);
  r.alu("mul.wide.u32", "", mul_wide<u32>, "u64 u32 u32", I);
  r.alu("mul.wide.s32", "", mul_wide<s32>, "s64 s32 s32", I);
  r.alu("mad.wide.u16", "", mad_wide<u16>, "u32 u16 u16 u32", I);
  r.alu("mad.wide.s16", "", mad_wide<s16>, "s32 s16 s16 s32", I);
  r.alu("mad.wide.u32", "", mad_wide<u32>, "u64 u32 u32 u64", I);
  r.alu("mad.wide.s32", "", mad_wide<s32>, "s64 s32 s32 s64", I);
  r.alu("add.sat.s32", "", add_sat, "s32 s32 s32", I);
  r.alu("sub.sat.s32", "", sub_sat, "s32 s32 s32", I);
  r.alu("mad.hi.sat.s32", "", mad_hi_sat, "s32 s32 s32 s32", I);
  r.alu("min.relu.s32", "", relu<least<s32>>, "s32 s32 s32", I);
  r.alu("max.relu.s32", "", relu<greatest<s32>>, "s32 s32 s32", I);
  r.alu("mul24.lo.$", "u32", mul24<u32, false>, "$ $ $", I);
  r.alu("mul24.lo.$", "s32", mul24<s32, false>, "$ $ $", I);
  r.alu("mul24.hi.$", "u32", mul24<u32, true>, "$ $ $", I);
  r.alu("mul24.hi.$", "s32", mul24<s32, true>, "$ $ $", I);
  r.alu("mad24.lo.$", "u32", mad24<u32, false>, "$ $ $ $", I);
  r.alu("mad24.lo.$", "s32", mad24<s32, false>, "$ $ $ $", I);
  r.alu("mad24.hi.$", "u32", mad24<u32, true>, "$ $ $ $", I);
  r.alu("mad24.hi.$", "s32", mad24<s32, true>, "$ $ $ $", I);
  r.alu("dp4a.s32.s32", "", dp4a<s8, s8, s32>, "b32 b32 b32 b32", I);
  r.alu("dp4a.s32.u32", "", dp4a<s8, u8, s32>, "b32 b32 b32 b32", I);
  r.alu("dp4a.u32.s32", "", dp4a<u8, s8, s32>, "b32 b32 b32 b32", I);
  r.alu("dp4a.u32.u32", "", dp4a<u8, u8, u32>, "b32 b32 b32 b32", I);
  r.alu("dp2a.lo.s32.s32", "", dp2a<s8, s8, 0>, "b32 b32 b32 b32", I);
  r.alu("dp2a.lo.s32.u32", "", dp2a<s8, u8, 0>, "b32 b32 b32 b32", I);
  r.alu("dp2a.lo.u32.s32", "", dp2a<u8, s8, 0>, "b32 b32 b32 b32", I);
  r.alu("dp2a.lo.u32.u32", "", dp2a<u8, u8, 0>, "b32 b32 b32 b32", I);
  r.alu("dp2a.hi.s32.s32", "", dp2a<s8, s8, 16>, "b32 b32 b32 b32", I);
  r.alu("dp2a.hi.s32.u32", "", dp2a<s8, u8, 16>, "b32 b32 b32 b32", I);
  r.alu("dp2a.hi.u32.s32", "", dp2a<u8, s8, 16>, "b32 b32 b32 b32", I);
  r.alu("dp2a.hi.u32.u32", "", dp2a<u8, u8, 16>, "b32 b32 b32 b32", I);
  r.alu("add.u16x2", "", halves<u16, plus<u16>>, "b32 b32 b32", I);
  r.alu("add.s16x2", "", halves<s16, plus<s16>>, "b32 b32 b32", I);
  r.alu("min.u16x2", "", halves<u16, least<u16>>, "b32 b32 b32", I);
  r.alu("min.s16x2", "", halves<s16, least<s16>>, "b32 b32 b32", I);
  r.alu("max.u16x2", "", halves<u16, greatest<u16>>, "b32 b32 b32", I);
  r.alu("max.s16x2", "", halves<s16, greatest<s16>>, "b32 b32 b32", I);
}

}  // namespace ww::simt::WW_SIMT_ISA
