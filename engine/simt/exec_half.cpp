// SPDX-License-Identifier: Apache-2.0
// f16 and bf16 arithmetic, single and packed (PTX ISA 9.0, section 9.7.4). Sums and products of two 16-bit values go
// through f32: with 24 bits the second rounding is innocuous. A fused multiply-add goes through rounding to odd.
#include <type_traits>
#include "simt/real.h"

namespace ww::simt::WW_SIMT_ISA {
namespace {

constexpr auto H = InstrClass::f16;

struct Add {
  static f32 f(f32 a, f32 b) { return a + b; }
};
struct Sub {
  static f32 f(f32 a, f32 b) { return a - b; }
};
struct Mul {
  static f32 f(f32 a, f32 b) { return a * b; }
};
struct Min {
  static f32 f(f32 a, f32 b) { return lesser(a, b); }
};
struct Max {
  static f32 f(f32 a, f32 b) { return greater(a, b); }
};
struct MinNan {
  static f32 f(f32 a, f32 b) { return any_nan(a, b) ? from_bits(0x7fffffff) : lesser(a, b); }
};
struct MaxNan {
  static f32 f(f32 a, f32 b) { return any_nan(a, b) ? from_bits(0x7fffffff) : greater(a, b); }
};

// how: 0 plain, 1 .sat (to [0, 1]), 2 .relu (negative and NaN handling as the ISA: NaN stays NaN, negative gives 0)
template <int how>
f32 finish(f32 v) {
  if constexpr (how == 1) return saturate(v);
  if constexpr (how == 2) return v < 0.0f || v == 0.0f ? 0.0f : v;
  return v;
}
template <bool ftz, class T>
f32 load16(u16 v) {
  // Subnormals of both types have an exponent field of zero.
  if constexpr (ftz) v = (v & (std::is_same_v<T, Half> ? 0x7c00 : 0x7f80)) == 0 ? static_cast<u16>(v & 0x8000) : v;
  return T::load(v);
}
template <bool ftz, class T>
u16 store16(f32 f) {
  u16 v = T::store(f);
  if constexpr (ftz) v = (v & (std::is_same_v<T, Half> ? 0x7c00 : 0x7f80)) == 0 ? static_cast<u16>(v & 0x8000) : v;
  return v;
}

// Packed values are 64 independent 16-bit lanes, two per thread.
template <class F>
void packed2(Exec& x, const Op& o, u32 m, F f) {
  map2<u32, u32, u32>(x, o, m, [f](u32 a, u32 b) {
    return static_cast<u32>(f(static_cast<u16>(a), static_cast<u16>(b))) |
           (static_cast<u32>(f(static_cast<u16>(a >> 16), static_cast<u16>(b >> 16))) << 16);
  });
}
template <class F>
void packed3(Exec& x, const Op& o, u32 m, F f) {
  map3<u32, u32, u32, u32>(x, o, m, [f](u32 a, u32 b, u32 c) {
    return static_cast<u32>(f(static_cast<u16>(a), static_cast<u16>(b), static_cast<u16>(c))) |
           (static_cast<u32>(f(static_cast<u16>(a >> 16), static_cast<u16>(b >> 16), static_cast<u16>(c >> 16))) << 16);
  });
}

template <class T, class F, bool pair, bool ftz, int how>
void binary(Exec& x, const Op& o, u32 m) {
  const auto f = [](u16 a, u16 b) { return store16<ftz, T>(finish<how>(F::f(load16<ftz, T>(a), load16<ftz, T>(b)))); };
  if constexpr (pair)
    packed2(x, o, m, f);
  else
    map2<u16, u16, u16>(x, o, m, f);
}
template <class T, bool pair, bool ftz, int how>
void fma(Exec& x, const Op& o, u32 m) {
  const auto f = [](u16 a, u16 b, u16 c) {
    return store16<ftz, T>(finish<how>(odd_fma(load16<ftz, T>(a), load16<ftz, T>(b), load16<ftz, T>(c))));
  };
  if constexpr (pair)
    packed3(x, o, m, f);
  else
    map3<u16, u16, u16, u16>(x, o, m, f);
}
template <class U, U sign>
void neg(Exec& x, const Op& o, u32 m) {
  map1<U, U>(x, o, m, [](U a) { return static_cast<U>(a ^ sign); });
}
template <class U, U sign>
void abs(Exec& x, const Op& o, u32 m) {
  map1<U, U>(x, o, m, [](U a) { return static_cast<U>(a & ~sign); });
}

template <class T, bool pair>
void register_type(Registry& r, const char* t) {
  r.alu("add.$", t, binary<T, Add, pair, false, 0>, "$ $ $", H, pair ? 2 : 1);
  r.alu("sub.$", t, binary<T, Sub, pair, false, 0>, "$ $ $", H, pair ? 2 : 1);
  r.alu("mul.$", t, binary<T, Mul, pair, false, 0>, "$ $ $", H, pair ? 2 : 1);
  r.alu("add.rn.$", t, binary<T, Add, pair, false, 0>, "$ $ $", H, pair ? 2 : 1);
  r.alu("sub.rn.$", t, binary<T, Sub, pair, false, 0>, "$ $ $", H, pair ? 2 : 1);
  r.alu("mul.rn.$", t, binary<T, Mul, pair, false, 0>, "$ $ $", H, pair ? 2 : 1);
  r.alu("fma.rn.$", t, fma<T, pair, false, 0>, "$ $ $ $", H, pair ? 4 : 2);
  r.alu("fma.rn.relu.$", t, fma<T, pair, false, 2>, "$ $ $ $", H, pair ? 4 : 2);
  r.alu("min.$", t, binary<T, Min, pair, false, 0>, "$ $ $", H, pair ? 2 : 1);
  r.alu("max.$", t, binary<T, Max, pair, false, 0>, "$ $ $", H, pair ? 2 : 1);
  r.alu("min.NaN.$", t, binary<T, MinNan, pair, false, 0>, "$ $ $", H, pair ? 2 : 1);
  r.alu("max.NaN.$", t, binary<T, MaxNan, pair, false, 0>, "$ $ $", H, pair ? 2 : 1);
  if constexpr (pair) {
    r.alu("neg.$", t, neg<u32, 0x80008000u>, "$ $", H, 2);
    r.alu("abs.$", t, abs<u32, 0x80008000u>, "$ $", H, 2);
  } else {
    r.alu("neg.$", t, neg<u16, 0x8000>, "$ $", H, 1);
    r.alu("abs.$", t, abs<u16, 0x8000>, "$ $", H, 1);
  }
}
template <bool pair>
void register_f16(Registry& r, const char* t) {
  using T = Half;
  r.alu("add.sat.$", t, binary<T, Add, pair, false, 1>, "$ $ $", H, pair ? 2 : 1);
  r.alu("sub.sat.$", t, binary<T, Sub, pair, false, 1>, "$ $ $", H, pair ? 2 : 1);
  r.alu("mul.sat.$", t, binary<T, Mul, pair, false, 1>, "$ $ $", H, pair ? 2 : 1);
  r.alu("add.rn.sat.$", t, binary<T, Add, pair, false, 1>, "$ $ $", H, pair ? 2 : 1);
  r.alu("sub.rn.sat.$", t, binary<T, Sub, pair, false, 1>, "$ $ $", H, pair ? 2 : 1);
  r.alu("mul.rn.sat.$", t, binary<T, Mul, pair, false, 1>, "$ $ $", H, pair ? 2 : 1);
  r.alu("fma.rn.sat.$", t, fma<T, pair, false, 1>, "$ $ $ $", H, pair ? 4 : 2);
  r.alu("add.ftz.$", t, binary<T, Add, pair, true, 0>, "$ $ $", H, pair ? 2 : 1);
  r.alu("sub.ftz.$", t, binary<T, Sub, pair, true, 0>, "$ $ $", H, pair ? 2 : 1);
  r.alu("mul.ftz.$", t, binary<T, Mul, pair, true, 0>, "$ $ $", H, pair ? 2 : 1);
  r.alu("add.rn.ftz.$", t, binary<T, Add, pair, true, 0>, "$ $ $", H, pair ? 2 : 1);
  r.alu("sub.rn.ftz.$", t, binary<T, Sub, pair, true, 0>, "$ $ $", H, pair ? 2 : 1);
  r.alu("mul.rn.ftz.$", t, binary<T, Mul, pair, true, 0>, "$ $ $", H, pair ? 2 : 1);
  r.alu("fma.rn.ftz.$", t, fma<T, pair, true, 0>, "$ $ $ $", H, pair ? 4 : 2);
  r.alu("min.ftz.$", t, binary<T, Min, pair, true, 0>, "$ $ $", H, pair ? 2 : 1);
  r.alu("max.ftz.$", t, binary<T, Max, pair, true, 0>, "$ $ $", H, pair ? 2 : 1);
}

}  // namespace

void register_half(Registry& r) {
  register_type<Half, false>(r, "f16");
  register_type<Half, true>(r, "f16x2");
  register_type<Bfloat, false>(r, "bf16");
  register_type<Bfloat, true>(r, "bf16x2");
  register_f16<false>(r, "f16");
  register_f16<true>(r, "f16x2");
}

}  // namespace ww::simt::WW_SIMT_ISA
