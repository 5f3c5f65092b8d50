// SPDX-License-Identifier: Apache-2.0
// Comparison, selection and predicate logic (PTX ISA 9.0, sections 9.7.6 to 9.7.8).
#include <initializer_list>
#include <type_traits>
#include "simt/half.h"
#include "simt/lanes.h"

namespace ww::simt::WW_SIMT_ISA {
namespace {

constexpr auto P = InstrClass::predicate;

// Those that end in u also hold for unordered operands; C++'s != is neu, since it does.
constexpr auto eq = [](auto a, auto b) { return a == b; };
constexpr auto ne = [](auto a, auto b) { return a < b || a > b; };
constexpr auto lt = [](auto a, auto b) { return a < b; };
constexpr auto le = [](auto a, auto b) { return a <= b; };
constexpr auto gt = [](auto a, auto b) { return a > b; };
constexpr auto ge = [](auto a, auto b) { return a >= b; };
constexpr auto equ = [](auto a, auto b) { return !(a < b || a > b); };
constexpr auto neu = [](auto a, auto b) { return !(a == b); };
constexpr auto ltu = [](auto a, auto b) { return !(a >= b); };
constexpr auto leu = [](auto a, auto b) { return !(a > b); };
constexpr auto gtu = [](auto a, auto b) { return !(a <= b); };
constexpr auto geu = [](auto a, auto b) { return !(a < b); };
constexpr auto num = [](auto a, auto b) { return a == a && b == b; };
constexpr auto nan = [](auto a, auto b) { return !(a == a && b == b); };

struct Plain {
  template <class T>
  static T load(T v) {
    return v;
  }
};
struct Flush {
  static f32 load(f32 v) { return (bits(v) & 0x7f800000u) == 0 ? from_bits(bits(v) & 0x80000000u) : v; }
};

template <class T, class L, auto compare>
void setp(Exec& x, const Op& o, u32 m) {
  compare2<T>(x, o, m, [](T a, T b) { return compare(L::load(a), L::load(b)); });
}

template <class T>
void register_bit_compare(Registry& r, const char* t) {
  r.alu("setp.eq.$", t, setp<T, Plain, eq>, "pred $ $", P);
  r.alu("setp.ne.$", t, setp<T, Plain, neu>, "pred $ $", P);
}
template <class T>
void register_order(Registry& r, const char* t, const char* less, const char* at_most, const char* greater,
                    const char* at_least) {
  r.alu(less, t, setp<T, Plain, lt>, "pred $ $", P);
  r.alu(at_most, t, setp<T, Plain, le>, "pred $ $", P);
  r.alu(greater, t, setp<T, Plain, gt>, "pred $ $", P);
  r.alu(at_least, t, setp<T, Plain, ge>, "pred $ $", P);
}
template <class T>
void register_integer_compare(Registry& r, const char* t) {
  register_bit_compare<T>(r, t);
  register_order<T>(r, t, "setp.lt.$", "setp.le.$", "setp.gt.$", "setp.ge.$");
  if constexpr (std::is_unsigned_v<T>) register_order<T>(r, t, "setp.lo.$", "setp.ls.$", "setp.hi.$", "setp.hs.$");
}
template <class T, class L>
void register_float_compare(Registry& r, const char* t, const char* type) {
  const auto add = [&](const char* name, Handler fn) { r.alu(name, t, fn, type, P); };
  add("setp.eq.$", setp<T, L, eq>);
  add("setp.ne.$", setp<T, L, ne>);
  add("setp.lt.$", setp<T, L, lt>);
  add("setp.le.$", setp<T, L, le>);
  add("setp.gt.$", setp<T, L, gt>);
  add("setp.ge.$", setp<T, L, ge>);
  add("setp.equ.$", setp<T, L, equ>);
  add("setp.neu.$", setp<T, L, neu>);
  add("setp.ltu.$", setp<T, L, ltu>);
  add("setp.leu.$", setp<T, L, leu>);
  add("setp.gtu.$", setp<T, L, gtu>);
  add("setp.geu.$", setp<T, L, geu>);
  add("setp.num.$", setp<T, L, num>);
  add("setp.nan.$", setp<T, L, nan>);
}

template <class T>
void selp(Exec& x, const Op& o, u32 m) {
  Out<T> out(x, o, m);
  const T* const a = x.at<T>(o.a);
  const T* const b = x.at<T>(o.b);
  const u32 p = *x.at<u32>(o.c) ^ ((o.flags & op_negate) != 0 ? full_mask : 0);
  T* const d = out.p;
  x.reached[&o - x.code] |= ((p & m) != 0 ? ptx::reach_yes : 0) | ((~p & m) != 0 ? ptx::reach_no : 0);
  WW_LANES d[i] = (p & (1u << i)) != 0 ? a[i] : b[i];
  out.done();
}
template <class T, class C>
void slct(Exec& x, const Op& o, u32 m) {
  map3<T, T, T, C>(x, o, m, [](T a, T b, C c) { return c >= 0 ? a : b; });
}

template <class T>
void register_selection(Registry& r, std::initializer_list<const char*> types) {
  for (const char* t : types) {
    r.alu("selp.$", t, selp<T>, "$ $ $ pred", P);
    r.alu("slct.$.s32", t, slct<T, s32>, "$ $ $ s32", P);
    r.alu("slct.$.f32", t, slct<T, f32>, "$ $ $ f32", P);
  }
}

u32 second_source(Exec& x, const Op& o) { return *x.at<u32>(o.b) ^ ((o.flags & op_negate) != 0 ? full_mask : 0); }
void pred_and(Exec& x, const Op& o, u32 m) { write_predicate(x, o.d, *x.at<u32>(o.a) & second_source(x, o), m); }
void pred_or(Exec& x, const Op& o, u32 m) { write_predicate(x, o.d, *x.at<u32>(o.a) | second_source(x, o), m); }
void pred_xor(Exec& x, const Op& o, u32 m) { write_predicate(x, o.d, *x.at<u32>(o.a) ^ second_source(x, o), m); }
void pred_not(Exec& x, const Op& o, u32 m) { write_predicate(x, o.d, ~*x.at<u32>(o.a), m); }
void pred_mov(Exec& x, const Op& o, u32 m) { write_predicate(x, o.d, *x.at<u32>(o.a), m); }

template <class F>
u32 lane_mask(F f) {
  u32 b = 0;
  WW_LANES b |= f(i) ? (1u << i) : 0u;
  return b;
}
// testp: kinds in the order of the names below.
template <class U, int mantissa, int exponent_bits, int kind>
void testp(Exec& x, const Op& o, u32 m) {
  const U* const a = x.at<U>(o.a);
  constexpr U exponent = ((U{1} << exponent_bits) - 1) << mantissa, fraction = (U{1} << mantissa) - 1;
  write_predicate(x, o.d, lane_mask([&](unsigned i) {
                    const U e = a[i] & exponent, f = a[i] & fraction;
                    switch (kind) {
                      case 0: return e != exponent;
                      case 1: return e == exponent && f == 0;
                      case 2: return e != exponent || f == 0;
                      case 3: return e == exponent && f != 0;
                      case 4: return (e != exponent && e != 0) || (e == 0 && f == 0);  // hardware: zeros are normal
                      default: return e == 0 && f != 0;
                    }
                  }),
                  m);
}
template <class U, int mantissa, int exponent_bits>
void register_testp(Registry& r, const char* t) {
  r.alu("testp.finite.$", t, testp<U, mantissa, exponent_bits, 0>, "pred $", P);
  r.alu("testp.infinite.$", t, testp<U, mantissa, exponent_bits, 1>, "pred $", P);
  r.alu("testp.number.$", t, testp<U, mantissa, exponent_bits, 2>, "pred $", P);
  r.alu("testp.notanumber.$", t, testp<U, mantissa, exponent_bits, 3>, "pred $", P);
  r.alu("testp.normal.$", t, testp<U, mantissa, exponent_bits, 4>, "pred $", P);
  r.alu("testp.subnormal.$", t, testp<U, mantissa, exponent_bits, 5>, "pred $", P);
}

}  // namespace

void register_predicate(Registry& r) {
  register_integer_compare<u16>(r, "u16");
  register_integer_compare<s16>(r, "s16");
  register_integer_compare<u32>(r, "u32");
  register_integer_compare<s32>(r, "s32");
  register_integer_compare<u64>(r, "u64");
  register_integer_compare<s64>(r, "s64");
  register_bit_compare<u16>(r, "b16");
  register_bit_compare<u32>(r, "b32");
  register_bit_compare<u64>(r, "b64");
  register_float_compare<f32, Plain>(r, "f32", "pred f32 f32");
  register_float_compare<f32, Flush>(r, "ftz.f32", "pred f32 f32");
  register_float_compare<f64, Plain>(r, "f64", "pred f64 f64");
  register_float_compare<u16, Half>(r, "f16", "pred f16 f16");
  register_float_compare<u16, Bfloat>(r, "bf16", "pred bf16 bf16");
  register_selection<u16>(r, {"b16", "u16", "s16"});
  register_selection<u32>(r, {"b32", "u32", "s32", "f32"});
  register_selection<u64>(r, {"b64", "u64", "s64", "f64"});
  for (const char* t : {"f16", "bf16"}) r.alu("selp.$", t, selp<u16>, "$ $ $ pred", P);
  r.alu("and.pred", "", pred_and, "pred pred pred", P);
  r.alu("or.pred", "", pred_or, "pred pred pred", P);
  r.alu("xor.pred", "", pred_xor, "pred pred pred", P);
  r.alu("not.pred", "", pred_not, "pred pred", P);
  r.alu("mov.pred", "", pred_mov, "pred pred", P);
  register_testp<u32, 23, 8>(r, "f32");
  register_testp<u64, 52, 11>(r, "f64");
}

}  // namespace ww::simt::WW_SIMT_ISA
