// SPDX-License-Identifier: Apache-2.0
// ex2, lg2, sin, cos, tanh, rsqrt in f64 by polynomials, then rounded once: within the ISA's stated errors
// (section 9.7.3) and the same on every host instruction set. No fused operations are used on purpose.
#include "simt/real.h"

namespace ww::simt::WW_SIMT_ISA {
namespace {

constexpr f64 magic = 6755399441055744.0;  // 1.5 * 2^52: adding it rounds to an integer, which is then in the low bits

// Coefficients from the highest power of x down.
template <class... C>
inline f64 polynomial(f64 x, f64 sum, C... rest) {
  ((sum = sum * x + rest), ...);
  return sum;
}

// 2^x for any f64 (clamped to what f32 can show); Taylor series of exp on [-ln2/2, ln2/2], relative error below 1e-11.
inline f64 exp2_core(f64 x) {
  x = x < -300.0 ? -300.0 : x;
  x = x > 300.0 ? 300.0 : x;
  const f64 rounded = x + magic;
  const f64 n = rounded - magic;
  const f64 t = (x - n) * 0.693147180559945309417;
  const f64 p =
      polynomial(t, 1.0 / 362880, 1.0 / 40320, 1.0 / 5040, 1.0 / 720, 1.0 / 120, 1.0 / 24, 1.0 / 6, 0.5, 1.0, 1.0);
  const u64 scale = (std::bit_cast<u64>(rounded) + 1023) << 52;
  return p * std::bit_cast<f64>(scale);
}
inline f32 ex2_one(f32 a) { return a != a ? a : static_cast<f32>(exp2_core(static_cast<f64>(a))); }

// log2 of a positive finite f64: mantissa in [sqrt(1/2), sqrt(2)), then 2/ln2 * atanh((m - 1) / (m + 1)).
inline f32 lg2_one(f32 a) {
  const u64 raw = std::bit_cast<u64>(static_cast<f64>(a));
  const u64 shifted = raw - 0x3fe6a09e667f3bcdu;
  const s64 e = static_cast<s64>(shifted) >> 52;
  const f64 m = std::bit_cast<f64>(raw - (static_cast<u64>(e) << 52));
  const f64 s = (m - 1.0) / (m + 1.0), q = s * s;
  const f64 p = polynomial(q, 1.0 / 15, 1.0 / 13, 1.0 / 11, 1.0 / 9, 1.0 / 7, 1.0 / 5, 1.0 / 3, 1.0);
  const f64 exponent = std::bit_cast<f64>(static_cast<u64>(e) + std::bit_cast<u64>(magic)) - magic;
  const f32 v = static_cast<f32>(exponent + 2.88539008177792681472 * s * p);
  const u32 b = bits(a);
  const f32 infinity = from_bits(0x7f800000u);
  return (b & 0x7fffffffu) == 0             ? -infinity
         : (b & 0x80000000u) != 0 || a != a ? from_bits(0x7fffffffu)
         : b == 0x7f800000u                 ? infinity
                                            : v;
}

// Quadrant by x * 2/pi, then the series of sine and cosine on [-pi/4, pi/4].
inline f32 circular(f32 a, u64 turn) {
  const f64 x = static_cast<f64>(a);
  const f64 rounded = x * 0.636619772367581343076 + magic;
  const f64 n = rounded - magic;
  f64 t = x - n * 1.57079632673412561417;
  t = t - n * 6.07710050650619224932e-11;
  const u64 quadrant = std::bit_cast<u64>(rounded) + turn;
  const f64 q = t * t;
  const f64 s = polynomial(q, 1.0 / 6227020800, -1.0 / 39916800, 1.0 / 362880, -1.0 / 5040, 1.0 / 120, -1.0 / 6);
  const f64 c = polynomial(q, 1.0 / 479001600, -1.0 / 3628800, 1.0 / 40320, -1.0 / 720, 1.0 / 24, -0.5, 1.0);
  const f64 v = (quadrant & 1) != 0 ? c : s * q * t + t;
  return static_cast<f32>((quadrant & 2) != 0 ? -v : v);
}
inline f32 circular_any(f32 a, u64 turn) {
  // The ISA states no error beyond 2 pi; far out the library's reduction is as good as any. Infinity gives NaN.
  return static_cast<f32>(turn == 0 ? __builtin_sin(static_cast<f64>(a)) : __builtin_cos(static_cast<f64>(a)));
}

inline f32 tanh_one(f32 a) {
  const f64 x = static_cast<f64>(a), q = x * x;
  const f64 p = polynomial(q, 21844.0 / 6081075, -1382.0 / 155925, 62.0 / 2835, -17.0 / 315, 2.0 / 15, -1.0 / 3);
  const f64 small = p * q * x + x;
  const f64 e = exp2_core(x * 2.88539008177792681472);
  const f64 large = 1.0 - 2.0 / (e + 1.0);
  return a != a ? a : static_cast<f32>(q < 0.09 ? small : large);
}

// The largest errors that the ISA documents (section 9.7.3), less what the rounding to f32 takes of them.
constexpr f32 ex2_error = 0x1.dp-24f, lg2_error = 0x1.8p-23f, rsqrt_error = 0x1.2p-24f, tanh_error = 0x1p-11f;
constexpr f32 circular_error = 0x1.4p-21f, circular_error_far = 0x1.3p-15f;  // to 2 pi, beyond

// With a sign that the argument and the launch's draw decide: the same argument has the same result.
inline f32 signed_error(f32 error, f32 a, u32 draw) {
  u32 h = (bits(a) ^ draw) * 0x9e3779b1u;
  h = (h ^ (h >> 15)) * 0x85ebca77u;
  return from_bits(bits(error) ^ (h & 0x80000000u));
}
inline f32 times_near_one(f32 v, f32 error) {
  return static_cast<f32>(static_cast<f64>(v) * (1.0 + static_cast<f64>(error)));
}
inline f32 ex2_off(f32 v, f32 a, u32 draw) {  // exact for whole numbers, as libraries rely on
  const f32 whole = (a + 0x1.8p23f) - 0x1.8p23f;
  return whole == a ? v : times_near_one(v, signed_error(ex2_error, a, draw));
}
inline f32 lg2_off(f32 v, f32 a, u32 draw) {
  const f32 e = signed_error(lg2_error, a, draw);
  return v == 0 ? v : a > 0.5f && a < 2.0f ? v + e : times_near_one(v, e);
}
inline f32 within_one(f32 v) { return v > 1.0f ? 1.0f : v < -1.0f ? -1.0f : v; }
inline f32 circular_off(f32 v, f32 a, u32 draw) {
  const bool near = a >= -6.2831855f && a <= 6.2831855f;
  return a == 0 ? v : within_one(v + signed_error(near ? circular_error : circular_error_far, a, draw));
}
inline f32 rsqrt_off(f32 v, f32 a, u32 draw) { return times_near_one(v, signed_error(rsqrt_error, a, draw)); }
inline f32 tanh_off(f32 v, f32 a, u32 draw) { return within_one(times_near_one(v, signed_error(tanh_error, a, draw))); }

template <bool ftz, f32 (*f)(f32), f32 (*off)(f32, f32, u32)>
void approximate(Exec& x, const Op& o, u32 m) {
  const u32 draw = x.inexact;
  if (draw == 0)
    map1<f32, f32>(x, o, m, [](f32 a) { return give<ftz, false>(f(take<ftz>(a))); });
  else
    map1<f32, f32>(x, o, m, [draw](f32 a) {
      a = take<ftz>(a);
      return give<ftz, false>(off(f(a), a, draw));
    });
}
inline f32 rsqrt_one(f32 a) { return static_cast<f32>(1.0 / __builtin_sqrt(static_cast<f64>(a))); }
template <u64 turn>
inline f32 circular_one(f32 a) {
  return circular(a, turn);
}
template <bool ftz, u64 turn>
void trigonometric(Exec& x, const Op& o, u32 m) {
  const f32* const a = x.at<f32>(o.a);
  u32 far = 0;
  WW_LANES far |= (bits(a[i]) & 0x7fffffffu) > 0x4b000000u ? 1u << i : 0u;  // beyond 2^23, infinite, NaN
  if (__builtin_expect((far & m) == 0, 1)) {
    approximate<ftz, circular_one<turn>, circular_off>(x, o, m);
    return;
  }
  f32* const d = x.at<f32>(o.d);
  each_lane(m, [&](unsigned i) { d[i] = give<ftz, false>(circular_any(take<ftz>(a[i]), turn)); });
}

// The largest errors that the ISA documents for 16 bits (sections 9.7.4.9 and 9.7.4.10): of tanh absolute, of ex2
// relative.
template <class T>
constexpr f64 half_tanh_error = 0x1.0251p-11;  // 2^-10.987
template <>
constexpr f64 half_tanh_error<Bfloat> = 0x1p-8;
template <class T>
constexpr f64 half_ex2_error = 0x1.125fp-10;  // 2^-9.9
template <>
constexpr f64 half_ex2_error<Bfloat> = 0x1p-7;

inline f64 magnitude(f64 v) { return v < 0 ? -v : v; }

// The number of 16 bits that is furthest from `exact` on one side, among those within the error; the nearest number if
// there are none.
template <class T>
inline u16 furthest(f64 exact, f64 error, bool above) {
  const auto off = [exact](u16 v) { return static_cast<f64>(T::load(v)) - exact; };
  u16 v = T::store(static_cast<f32>(above ? exact + error : exact - error));
  if (magnitude(off(v)) > error) {
    const bool shrink = (off(v) > 0) == ((v & 0x8000u) == 0);
    v = static_cast<u16>((v & 0x7fffu) == 0 ? v ^ 0x8001u : shrink ? v - 1u : v + 1u);
  }
  return magnitude(off(v)) > error ? T::store(static_cast<f32>(exact)) : v;
}
inline bool above_exact(f32 a, u32 draw) { return (bits(signed_error(1.0f, a, draw)) & 0x80000000u) == 0; }
template <class T>
inline u16 half_tanh_off(f32 a, u32 draw) {
  const f32 v = tanh_one(a);
  if (v != v || v == 0 || v == 1.0f || v == -1.0f) return T::store(v);
  const u16 off = furthest<T>(static_cast<f64>(v), half_tanh_error<T>, above_exact(a, draw));
  return T::store(within_one(T::load(off)));
}
template <class T>
inline u16 half_ex2_off(f32 a, u32 draw) {
  const f32 v = ex2_one(a), whole = (a + 0x1.8p23f) - 0x1.8p23f;
  if (!(v > 0) || v - v != 0 || whole == a || (T::store(v) & 0x7fffu) == 0) return T::store(v);
  return furthest<T>(static_cast<f64>(v), half_ex2_error<T> * static_cast<f64>(v), above_exact(a, draw));
}

template <class T, bool pair, f32 (*f)(f32), u16 (*off)(f32, u32)>
void half_unary(Exec& x, const Op& o, u32 m) {
  const u32 draw = x.inexact;
  const auto one = [draw](u16 a) { return draw == 0 ? T::store(f(T::load(a))) : off(T::load(a), draw); };
  if constexpr (pair)
    map1<u32, u32>(x, o, m, [one](u32 a) {
      return static_cast<u32>(one(static_cast<u16>(a))) | (static_cast<u32>(one(static_cast<u16>(a >> 16))) << 16);
    });
  else
    map1<u16, u16>(x, o, m, one);
}

}  // namespace

void register_math(Registry& r) {
  constexpr auto S = InstrClass::special;
  r.alu("ex2.approx.f32", "", approximate<false, ex2_one, ex2_off>, "f32 f32", S, 1);
  r.alu("ex2.approx.ftz.f32", "", approximate<true, ex2_one, ex2_off>, "f32 f32", S, 1);
  r.alu("lg2.approx.f32", "", approximate<false, lg2_one, lg2_off>, "f32 f32", S, 1);
  r.alu("lg2.approx.ftz.f32", "", approximate<true, lg2_one, lg2_off>, "f32 f32", S, 1);
  r.alu("sin.approx.f32", "", trigonometric<false, 0>, "f32 f32", S, 1);
  r.alu("sin.approx.ftz.f32", "", trigonometric<true, 0>, "f32 f32", S, 1);
  r.alu("cos.approx.f32", "", trigonometric<false, 1>, "f32 f32", S, 1);
  r.alu("cos.approx.ftz.f32", "", trigonometric<true, 1>, "f32 f32", S, 1);
  r.alu("rsqrt.approx.f32", "", approximate<false, rsqrt_one, rsqrt_off>, "f32 f32", S, 1);
  r.alu("rsqrt.approx.ftz.f32", "", approximate<true, rsqrt_one, rsqrt_off>, "f32 f32", S, 1);
  r.alu("tanh.approx.f32", "", approximate<false, tanh_one, tanh_off>, "f32 f32", S, 1);
  r.alu("tanh.approx.$", "f16", half_unary<Half, false, tanh_one, half_tanh_off<Half>>, "$ $", S, 1);
  r.alu("tanh.approx.$", "f16x2", half_unary<Half, true, tanh_one, half_tanh_off<Half>>, "$ $", S, 2);
  r.alu("tanh.approx.$", "bf16", half_unary<Bfloat, false, tanh_one, half_tanh_off<Bfloat>>, "$ $", S, 1);
  r.alu("tanh.approx.$", "bf16x2", half_unary<Bfloat, true, tanh_one, half_tanh_off<Bfloat>>, "$ $", S, 2);
  r.alu("ex2.approx.$", "f16", half_unary<Half, false, ex2_one, half_ex2_off<Half>>, "$ $", S, 1);
  r.alu("ex2.approx.$", "f16x2", half_unary<Half, true, ex2_one, half_ex2_off<Half>>, "$ $", S, 2);
  r.alu("ex2.approx.ftz.$", "bf16", half_unary<Bfloat, false, ex2_one, half_ex2_off<Bfloat>>, "$ $", S, 1);
  r.alu("ex2.approx.ftz.$", "bf16x2", half_unary<Bfloat, true, ex2_one, half_ex2_off<Bfloat>>, "$ $", S, 2);
}

}  // namespace ww::simt::WW_SIMT_ISA
