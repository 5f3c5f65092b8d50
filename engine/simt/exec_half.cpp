// SPDX-License-Identifier: Apache-2.0
// f16 and bf16 arithmetic, single and packed (PTX ISA 9.0, section 9.7.4). Sums and products of two 16-bit values go
// through f32: with 24 bits the second rounding is innocuous. A fused multiply-add goes through rounding to odd.
#include <type_traits>
#include "simt/real.h"

namespace ww::simt::WW_SIMT_ISA {
namespace {

constexpr auto H = InstrClass::f16;

constexpr auto sum = [](f32 a, f32 b) { return a + b; };
constexpr auto difference = [](f32 a, f32 b) { return a - b; };
constexpr auto product = [](f32 a, f32 b) { return a * b; };
constexpr auto least = [](f32 a, f32 b) { return lesser(a, b); };
constexpr auto greatest = [](f32 a, f32 b) { return greater(a, b); };
constexpr auto least_nan = [](f32 a, f32 b) { return any_nan(a, b) ? from_bits(0x7fffffff) : lesser(a, b); };
constexpr auto greatest_nan = [](f32 a, f32 b) { return any_nan(a, b) ? from_bits(0x7fffffff) : greater(a, b); };

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

template <class T, auto operation, bool pair, bool ftz, int how>
void binary(Exec& x, const Op& o, u32 m) {
  const auto f = [](u16 a, u16 b) {
    return store16<ftz, T>(finish<how>(operation(load16<ftz, T>(a), load16<ftz, T>(b))));
  };
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
// The sign of the product with the lesser or greater magnitude.
template <class T, auto operation, bool pair, bool ftz>
void xorsign(Exec& x, const Op& o, u32 m) {
  const auto f = [](u16 a, u16 b) {
    const u16 v = store16<ftz, T>(
        operation(load16<ftz, T>(static_cast<u16>(a & 0x7fff)), load16<ftz, T>(static_cast<u16>(b & 0x7fff))));
    return (v & 0x7fff) > (std::is_same_v<T, Half> ? 0x7c00 : 0x7f80)
               ? T::nan
               : static_cast<u16>((v & 0x7fff) | ((a ^ b) & 0x8000));
  };
  if constexpr (pair)
    packed2(x, o, m, f);
  else
    map2<u16, u16, u16>(x, o, m, f);
}
template <class U, U sign>
void neg(Exec& x, const Op& o, u32 m) {
  map1<U, U>(x, o, m, [](U a) { return static_cast<U>(a ^ sign); });
}
template <class U, U sign>
void abs(Exec& x, const Op& o, u32 m) {
  map1<U, U>(x, o, m, [](U a) { return static_cast<U>(a & ~sign); });
}

// `suffix` says what `ftz` and `how` are. They round to nearest whether or not their name has .rn.
template <class T, bool pair, bool ftz, int how>
void register_arithmetic(Registry& r, const char* t, const char* suffix) {
  const auto add = [&](const char* name, Handler fn) {
    for (const char* rounding : {"", ".rn"})
      r.alu(Name(name, rounding, suffix, ".$").text, t, fn, "$ $ $", H, pair ? 2 : 1);
  };
  add("add", binary<T, sum, pair, ftz, how>);
  add("sub", binary<T, difference, pair, ftz, how>);
  add("mul", binary<T, product, pair, ftz, how>);
  r.alu(Name("fma.rn", suffix, ".$").text, t, fma<T, pair, ftz, how>, "$ $ $ $", H, pair ? 4 : 2);
}
template <class T, bool pair>
void register_type(Registry& r, const char* t) {
  register_arithmetic<T, pair, false, 0>(r, t, "");
  r.alu("fma.rn.relu.$", t, fma<T, pair, false, 2>, "$ $ $ $", H, pair ? 4 : 2);
  r.alu("min.$", t, binary<T, least, pair, false, 0>, "$ $ $", H, pair ? 2 : 1);
  r.alu("max.$", t, binary<T, greatest, pair, false, 0>, "$ $ $", H, pair ? 2 : 1);
  r.alu("min.NaN.$", t, binary<T, least_nan, pair, false, 0>, "$ $ $", H, pair ? 2 : 1);
  r.alu("max.NaN.$", t, binary<T, greatest_nan, pair, false, 0>, "$ $ $", H, pair ? 2 : 1);
  r.alu("min.xorsign.abs.$", t, xorsign<T, least, pair, false>, "$ $ $", H, pair ? 2 : 1);
  r.alu("max.xorsign.abs.$", t, xorsign<T, greatest, pair, false>, "$ $ $", H, pair ? 2 : 1);
  r.alu("min.NaN.xorsign.abs.$", t, xorsign<T, least_nan, pair, false>, "$ $ $", H, pair ? 2 : 1);
  r.alu("max.NaN.xorsign.abs.$", t, xorsign<T, greatest_nan, pair, false>, "$ $ $", H, pair ? 2 : 1);
  using U = std::conditional_t<pair, u32, u16>;
  constexpr U sign = pair ? 0x80008000u : 0x8000;
  r.alu("neg.$", t, neg<U, sign>, "$ $", H, pair ? 2 : 1);
  r.alu("abs.$", t, abs<U, sign>, "$ $", H, pair ? 2 : 1);
}
template <bool pair>
void register_f16(Registry& r, const char* t) {
  register_arithmetic<Half, pair, false, 1>(r, t, ".sat");
  register_arithmetic<Half, pair, true, 0>(r, t, ".ftz");
  r.alu("min.ftz.$", t, binary<Half, least, pair, true, 0>, "$ $ $", H, pair ? 2 : 1);
  r.alu("max.ftz.$", t, binary<Half, greatest, pair, true, 0>, "$ $ $", H, pair ? 2 : 1);
  r.alu("min.ftz.NaN.$", t, binary<Half, least_nan, pair, true, 0>, "$ $ $", H, pair ? 2 : 1);
  r.alu("max.ftz.NaN.$", t, binary<Half, greatest_nan, pair, true, 0>, "$ $ $", H, pair ? 2 : 1);
  r.alu("min.ftz.xorsign.abs.$", t, xorsign<Half, least, pair, true>, "$ $ $", H, pair ? 2 : 1);
  r.alu("max.ftz.xorsign.abs.$", t, xorsign<Half, greatest, pair, true>, "$ $ $", H, pair ? 2 : 1);
  r.alu("min.ftz.NaN.xorsign.abs.$", t, xorsign<Half, least_nan, pair, true>, "$ $ $", H, pair ? 2 : 1);
  r.alu("max.ftz.NaN.xorsign.abs.$", t, xorsign<Half, greatest_nan, pair, true>, "$ $ $", H, pair ? 2 : 1);
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
