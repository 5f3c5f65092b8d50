// SPDX-License-Identifier: Apache-2.0
// Comparison, selection and predicate logic (PTX ISA 9.0, sections 9.7.6 to 9.7.8).
#include "simt/half.h"
#include "simt/lanes.h"

namespace ww::simt::WW_SIMT_ISA {
namespace {

constexpr auto P = InstrClass::predicate;

struct Eq {
  template <class T>
  static bool f(T a, T b) {
    return a == b;
  }
};
struct Ne {
  template <class T>
  static bool f(T a, T b) {
    return a < b || a > b;
  }
};  // ordered, as floats want it
struct Lt {
  template <class T>
  static bool f(T a, T b) {
    return a < b;
  }
};
struct Le {
  template <class T>
  static bool f(T a, T b) {
    return a <= b;
  }
};
struct Gt {
  template <class T>
  static bool f(T a, T b) {
    return a > b;
  }
};
struct Ge {
  template <class T>
  static bool f(T a, T b) {
    return a >= b;
  }
};
struct Equ {
  template <class T>
  static bool f(T a, T b) {
    return !(a < b || a > b);
  }
};
struct Neu {
  template <class T>
  static bool f(T a, T b) {
    return !(a == b);
  }
};
struct Ltu {
  template <class T>
  static bool f(T a, T b) {
    return !(a >= b);
  }
};
struct Leu {
  template <class T>
  static bool f(T a, T b) {
    return !(a > b);
  }
};
struct Gtu {
  template <class T>
  static bool f(T a, T b) {
    return !(a <= b);
  }
};
struct Geu {
  template <class T>
  static bool f(T a, T b) {
    return !(a < b);
  }
};
struct Num {
  template <class T>
  static bool f(T a, T b) {
    return a == a && b == b;
  }
};
struct Nan {
  template <class T>
  static bool f(T a, T b) {
    return !(a == a && b == b);
  }
};

struct Plain {
  template <class T>
  static T load(T v) {
    return v;
  }
};
struct Flush {
  static f32 load(f32 v) { return (bits(v) & 0x7f800000u) == 0 ? from_bits(bits(v) & 0x80000000u) : v; }
};

template <class T, class L, class C>
void setp(Exec& x, const Op& o, u32 m) {
  compare2<T>(x, o, m, [](T a, T b) { return C::f(L::load(a), L::load(b)); });
}

template <class T>
void register_integer_compare(Registry& r, const char* t) {
  r.alu("setp.eq.$", t, setp<T, Plain, Eq>, "pred $ $", P);
  r.alu("setp.ne.$", t, setp<T, Plain, Neu>, "pred $ $", P);
  r.alu("setp.lt.$", t, setp<T, Plain, Lt>, "pred $ $", P);
  r.alu("setp.le.$", t, setp<T, Plain, Le>, "pred $ $", P);
  r.alu("setp.gt.$", t, setp<T, Plain, Gt>, "pred $ $", P);
  r.alu("setp.ge.$", t, setp<T, Plain, Ge>, "pred $ $", P);
}
template <class T>
void register_bit_compare(Registry& r, const char* t) {
  r.alu("setp.eq.$", t, setp<T, Plain, Eq>, "pred $ $", P);
  r.alu("setp.ne.$", t, setp<T, Plain, Neu>, "pred $ $", P);
}
template <class T>
void register_unsigned_compare(Registry& r, const char* t) {
  r.alu("setp.lo.$", t, setp<T, Plain, Lt>, "pred $ $", P);
  r.alu("setp.ls.$", t, setp<T, Plain, Le>, "pred $ $", P);
  r.alu("setp.hi.$", t, setp<T, Plain, Gt>, "pred $ $", P);
  r.alu("setp.hs.$", t, setp<T, Plain, Ge>, "pred $ $", P);
}
template <class T, class L>
void register_float_compare(Registry& r, const char* t, const char* type) {
  const auto add = [&](const char* name, Handler fn) { r.alu(name, t, fn, type, P); };
  add("setp.eq.$", setp<T, L, Eq>);
  add("setp.ne.$", setp<T, L, Ne>);
  add("setp.lt.$", setp<T, L, Lt>);
  add("setp.le.$", setp<T, L, Le>);
  add("setp.gt.$", setp<T, L, Gt>);
  add("setp.ge.$", setp<T, L, Ge>);
  add("setp.equ.$", setp<T, L, Equ>);
  add("setp.neu.$", setp<T, L, Neu>);
  add("setp.ltu.$", setp<T, L, Ltu>);
  add("setp.leu.$", setp<T, L, Leu>);
  add("setp.gtu.$", setp<T, L, Gtu>);
  add("setp.geu.$", setp<T, L, Geu>);
  add("setp.num.$", setp<T, L, Num>);
  add("setp.nan.$", setp<T, L, Nan>);
}

template <class T>
void selp(Exec& x, const Op& o, u32 m) {
  Out<T> out(x, o, m);
  const T* const a = x.at<T>(o.a);
  const T* const b = x.at<T>(o.b);
  const u32 p = *x.at<u32>(o.c) ^ ((o.flags & op_negate) != 0 ? full_mask : 0);
  T* const d = out.p;
  WW_LANES d[i] = (p & (1u << i)) != 0 ? a[i] : b[i];
  out.done();
}
template <class T, class C>
void slct(Exec& x, const Op& o, u32 m) {
  map3<T, T, T, C>(x, o, m, [](T a, T b, C c) { return c >= 0 ? a : b; });
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
                      case 4: return e != exponent && e != 0;
                      default: return e == 0 && f != 0;
                    }
                  }),
                  m);
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
  register_unsigned_compare<u16>(r, "u16");
  register_unsigned_compare<u32>(r, "u32");
  register_unsigned_compare<u64>(r, "u64");
  register_float_compare<f32, Plain>(r, "f32", "pred f32 f32");
  register_float_compare<f32, Flush>(r, "ftz.f32", "pred f32 f32");
  register_float_compare<f64, Plain>(r, "f64", "pred f64 f64");
  register_float_compare<u16, Half>(r, "f16", "pred f16 f16");
  register_float_compare<u16, Bfloat>(r, "bf16", "pred bf16 bf16");
  const struct {
    const char* name;
    Handler wide[3];
  } selections[] = {{"selp.$", {selp<u16>, selp<u32>, selp<u64>}}};
  for (const char* t : {"b16", "u16", "s16", "f16", "bf16"})
    r.alu(selections[0].name, t, selections[0].wide[0], "$ $ $ pred", P);
  for (const char* t : {"b32", "u32", "s32", "f32"})
    r.alu(selections[0].name, t, selections[0].wide[1], "$ $ $ pred", P);
  for (const char* t : {"b64", "u64", "s64", "f64"})
    r.alu(selections[0].name, t, selections[0].wide[2], "$ $ $ pred", P);
  for (const char* t : {"b16", "u16", "s16"}) {
    r.alu("slct.$.s32", t, slct<u16, s32>, "$ $ $ s32", P);
    r.alu("slct.$.f32", t, slct<u16, f32>, "$ $ $ f32", P);
  }
  for (const char* t : {"b32", "u32", "s32", "f32"}) {
    r.alu("slct.$.s32", t, slct<u32, s32>, "$ $ $ s32", P);
    r.alu("slct.$.f32", t, slct<u32, f32>, "$ $ $ f32", P);
  }
  for (const char* t : {"b64", "u64", "s64", "f64"}) {
    r.alu("slct.$.s32", t, slct<u64, s32>, "$ $ $ s32", P);
    r.alu("slct.$.f32", t, slct<u64, f32>, "$ $ $ f32", P);
  }
  r.alu("and.pred", "", pred_and, "pred pred pred", P);
  r.alu("or.pred", "", pred_or, "pred pred pred", P);
  r.alu("xor.pred", "", pred_xor, "pred pred pred", P);
  r.alu("not.pred", "", pred_not, "pred pred", P);
  r.alu("mov.pred", "", pred_mov, "pred pred", P);
  r.alu("testp.finite.f32", "", testp<u32, 23, 8, 0>, "pred f32", P);
  r.alu("testp.infinite.f32", "", testp<u32, 23, 8, 1>, "pred f32", P);
  r.alu("testp.number.f32", "", testp<u32, 23, 8, 2>, "pred f32", P);
  r.alu("testp.notanumber.f32", "", testp<u32, 23, 8, 3>, "pred f32", P);
  r.alu("testp.normal.f32", "", testp<u32, 23, 8, 4>, "pred f32", P);
  r.alu("testp.subnormal.f32", "", testp<u32, 23, 8, 5>, "pred f32", P);
  r.alu("testp.finite.f64", "", testp<u64, 52, 11, 0>, "pred f64", P);
  r.alu("testp.infinite.f64", "", testp<u64, 52, 11, 1>, "pred f64", P);
  r.alu("testp.number.f64", "", testp<u64, 52, 11, 2>, "pred f64", P);
  r.alu("testp.notanumber.f64", "", testp<u64, 52, 11, 3>, "pred f64", P);
  r.alu("testp.normal.f64", "", testp<u64, 52, 11, 4>, "pred f64", P);
  r.alu("testp.subnormal.f64", "", testp<u64, 52, 11, 5>, "pred f64", P);
}

}  // namespace ww::simt::WW_SIMT_ISA
