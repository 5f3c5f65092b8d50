// SPDX-License-Identifier: Apache-2.0
// The rules of op/bounds.cpp and the values of op/functions.cpp, restated for the device: see there for what they mean.
// Written a second time so that each can be held against the other.
#include "oracle/texts.h"

namespace ww::oracle {
namespace {

constexpr const char* numbers = R"(
typedef long long I;
typedef unsigned long long Bits;
struct R { double v, e; };   // a real: value, and how far an honest kernel may be from it
struct Z { I i; double e; }; // an integer or boolean that hangs on inexact reals; e > 0: uncertain
#define FN static __device__ __forceinline__
#define INF __longlong_as_double(0x7ff0000000000000ll)
#define NOT_A_NUMBER __longlong_as_double(0x7ff8000000000000ll)

FN double settle(double v, double e) {
  if (fabs(v) + e <= LARGEST) return e;
  return isfinite(v) ? INF : e == INF ? INF : 0.0;
}
FN R made(double v, double e) { return R{v, settle(v, e)}; }
FN double settle_from(double v, double e, bool overflowed, bool finite) {  // of arguments
  if (fabs(v) + e <= LARGEST) return e;
  return settle(v, overflowed ? INF : finite || isfinite(v) ? e : 0.0);
}
FN R made(double v, double e, R a) { return R{v, settle_from(v, e, a.e == INF, isfinite(a.v))}; }
FN R made(double v, double e, R a, R b) {
  return R{v, settle_from(v, e, a.e == INF || b.e == INF, isfinite(a.v) && isfinite(b.v))};
}
FN R exactly(double v) { return R{v, 0.0}; }
FN Z sure(I i) { return Z{i, 0.0}; }

FN R literal(double v) {  // rounded to the compute precision
  if (F64 || !isfinite(v)) return R{v, 0.0};
  const float near = (float)v;
  return R{v, isfinite(near) ? fabs((double)near - v) : INF};
}
FN double integer_error(I i) {
  const double v = fabs((double)i);
  return v <= (F64 ? 0x1p53 : 0x1p24) ? 0.0 : U * v;
}
FN R real(I i) { return R{(double)i, integer_error(i)}; }
FN R real(Z a) { return R{(double)a.i, a.e + integer_error(a.i)}; }
FN R unsure(R a, bool yes) { return R{a.v, yes ? INF : a.e}; }
FN Z unsure(Z a, bool yes) { return Z{a.i, yes ? INF : a.e}; }

// After the last rounding, to the output's dtype.
FN double output_bound(R r, double u, double largest, double smallest) {
  const double v = fabs(r.v);
  if (!isfinite(v)) return r.e;
  return v + r.e > largest ? INF : r.e + u * (v + r.e) + smallest;
}

// Of a type whose rounding keeps what is too large at the largest number.
FN R kept_within(R r, double largest) {
  return r.v == r.v ? R{fmin(fmax(r.v, -largest), largest), r.e} : r;
}
FN double bound_within(R r, double u, double largest, double smallest) {
  const double v = fabs(r.v);
  return isfinite(v) ? r.e + u * fmin(v + r.e, largest) + smallest : r.e;
}

FN double half_bits(unsigned short bits) {
  float f;
  asm("cvt.f32.f16 %0, %1;" : "=f"(f) : "h"(bits));
  return (double)f;
}
FN double bfloat_bits(unsigned short bits) { return (double)__int_as_float((int)bits << 16); }
FN double fp8_bits(unsigned bits, int fraction, int least) {
  const int magnitude = bits & 127, e = magnitude >> fraction, f = magnitude & ((1 << fraction) - 1);
  const double step = __longlong_as_double((I)((e == 0 ? 0 : e - 1) + least - fraction + 1023) << 52);
  const double v = (e == 0 ? f : f + (1 << fraction)) * step;
  return bits & 128 ? -v : v;
}
FN double e4m3_bits(unsigned char bits) { return (bits & 127) == 127 ? NOT_A_NUMBER : fp8_bits(bits, 3, -6); }
FN double e5m2_bits(unsigned char bits) {
  if ((bits & 127) == 124) return bits & 128 ? -INF : INF;
  return (bits & 127) > 124 ? NOT_A_NUMBER : fp8_bits(bits, 2, -14);
}

// The nearest number with `digits` bits whose least exponent is `least`; ties to even.
FN double rounded(double v, int digits, int least, double largest) {
  if (!isfinite(v) || v == 0) return v;
  const int exponent = (int)((__double_as_longlong(v) >> 52) & 2047) - 1023;
  const int top = exponent < least ? least : exponent;
  const double step = __longlong_as_double((I)(top - digits + 1 + 1023) << 52);
  const double r = rint(v / step) * step;  // both exact: step is a power of two
  return fabs(r) > largest ? copysign(INF, v) : r;
}
FN double round_f32(double v) { return (double)(float)v; }
FN double round_f16(double v) { return rounded(v, 11, -14, 65504.0); }
FN double round_bf16(double v) { return rounded(v, 8, -126, 0x1.fep127); }
FN double round_kept(double v, int digits, int least, double largest) {
  return v == v ? rounded(fmin(fmax(v, -largest), largest), digits, least, largest) : v;
}
FN double round_e4m3(double v) { return round_kept(v, 4, -6, 448.0); }
FN double round_e5m2(double v) { return round_kept(v, 3, -14, 57344.0); }

// A cast to a real type of unit roundoff u, f64 aside.
FN R cast_narrow(R a, double v, double u, double normal) {
  return made(v, a.e == 0 ? 0.0 : a.e + 2 * u * (fabs(v) + normal));
}
FN R cast_real(R a, double v, double u) { return made(v, a.e == 0 ? 0.0 : a.e + 2 * u * fmax(fabs(v), fabs(a.v))); }
)";

constexpr const char* arithmetic = R"(
FN R add(R a, R b) { const double v = a.v + b.v; return made(v, a.e + b.e + U * fabs(v), a, b); }
FN R sub(R a, R b) { const double v = a.v - b.v; return made(v, a.e + b.e + U * fabs(v), a, b); }
FN double product_error(double v) { return fabs(v) < TINY ? fabs(v) : U * fabs(v); }
FN R mul(R a, R b) {
  const double v = a.v * b.v;
  return made(v, fabs(a.v) * b.e + a.e * (fabs(b.v) + b.e) + product_error(v), a, b);
}
FN R negate(R a) { return R{-a.v, a.e}; }
FN double divide_error(double v, double b, double ea, double eb) {
  const double divisor = fabs(b) - eb;
  if (eb > 0 && divisor <= 0) return INF;
  if (b == 0) return ea > 0 ? INF : 0.0;
  return (ea + fabs(v) * eb) / divisor + 4 * U * fabs(v) + (v != 0 ? TINY : 0.0);
}
FN R div(R a, R b) { const double v = a.v / b.v; return made(v, divide_error(v, b.v, a.e, b.e), a, b); }
FN R mod(R a, R b) {
  const double r = fmod(a.v, b.v);
  const double v = r != 0 && ((r < 0) != (b.v < 0)) ? r + b.v : r;
  const double e = a.e + fabs(floor(a.v / b.v)) * b.e;
  const bool near_step = v - e < fmin(0.0, b.v) || v + e > fmax(0.0, b.v);
  return made(v, e == INF ? INF : e > 0 && near_step ? fabs(b.v) + b.e : e + 4 * U * fabs(v), a, b);
}
FN double power_error(double value, double a, double ea, double b, double eb) {
  const double v = fabs(value);
  if (v == 0 && ea == 0 && eb == 0) return TINY;
  if (a == 0 && ea == 0 && eb == 0) return 0.0;
  const double log_a = a > 0 ? fabs(log(a)) : 0.0;
  double e = v * U * (32 + 6 * fabs(b) * log_a) + TINY;
  if (ea > 0) {
    if (ea >= fabs(a)) return b >= 0 ? pow(fabs(a) + ea, b) + v : INF;
    e += fabs(b) * v * ea / (fabs(a) - ea);
  }
  if (eb > 0) e += v * log_a * eb;
  return e;
}
FN R power(R a, R b) { const double v = pow(a.v, b.v); return made(v, power_error(v, a.v, a.e, b.v, b.e), a, b); }
FN R square(R a) { const double v = a.v * a.v; return made(v, a.e * (2 * fabs(a.v) + a.e) + product_error(v), a); }
FN R small_power(R a, int p) {
  double r = 1;
  for (int k = 0; k < p; ++k) r *= a.v;
  const double x = fabs(a.v);
  const double spread = a.e > 0 ? pow(x + a.e, (double)p) - pow(x, (double)p) : 0.0;
  return made(r, spread + (p > 3 ? p + 32 : p) * product_error(r), a);
}
FN Z compare(bool result, double distance, double e) { return Z{result, e > 0 && !(fabs(distance) > e) ? 1.0 : 0.0}; }
FN Z both(Z a, Z b) {
  const bool settled = (!(a.e > 0) && a.i == 0) || (!(b.e > 0) && b.i == 0);
  return Z{a.i && b.i, (a.e > 0 || b.e > 0) && !settled ? 1.0 : 0.0};
}
FN Z either(Z a, Z b) {
  const bool settled = (!(a.e > 0) && a.i != 0) || (!(b.e > 0) && b.i != 0);
  return Z{a.i || b.i, (a.e > 0 || b.e > 0) && !settled ? 1.0 : 0.0};
}
FN R pick(Z c, R a, R b) {
  R out = c.i ? a : b;
  if (c.e > 0) {
    const double difference = fabs(a.v - b.v);
    out.e = isnan(difference) ? INF : fmax(a.e, b.e) + difference;
  }
  return out;
}
FN Z pick(Z c, Z a, Z b) {
  Z out = c.i ? a : b;
  if (c.e > 0) out.e = fmax(a.e, b.e) + fabs((double)a.i - (double)b.i);
  return out;
}

// Integers: wrap around; quotients round toward minus infinity; what has no value is 0.
FN I i_add(I a, I b) { return (I)((Bits)a + (Bits)b); }
FN I i_sub(I a, I b) { return (I)((Bits)a - (Bits)b); }
FN I i_mul(I a, I b) { return (I)((Bits)a * (Bits)b); }
FN I i_div(I a, I b) {
  if (b == 0 || (b == -1 && a == (I)0x8000000000000000ull)) return 0;
  const I q = a / b;
  return q * b != a && ((a < 0) != (b < 0)) ? q - 1 : q;
}
FN I i_mod(I a, I b) { return b == 0 || b == -1 ? 0 : i_sub(a, i_mul(i_div(a, b), b)); }
FN I i_pow(I a, I n) {
  I r = n < 0 ? 0 : 1;
  for (; n > 0; n >>= 1, a = i_mul(a, a))
    if (n & 1) r = i_mul(r, a);
  return r;
}
FN I i_ceildiv(I a, I b) { return b == 0 ? 0 : i_add(i_div(a, b), i_mod(a, b) != 0); }
FN I i_pow2ceil(I a) {
  I p = 1;
  while (p < a && p < ((I)1 << 62)) p *= 2;
  return p;
}
FN I sensible(I lo, I hi, I& hazy) {  // the end of a range that data decides
  if (hi > lo && (Bits)hi - (Bits)lo > (Bits)1 << 40) {
    hazy = 1;
    return lo;
  }
  return hi;
}
FN double not_nan(double e) { return isnan(e) ? INF : e; }
FN Z z_add(Z a, Z b) { return Z{i_add(a.i, b.i), a.e + b.e}; }
FN Z z_sub(Z a, Z b) { return Z{i_sub(a.i, b.i), a.e + b.e}; }
FN Z z_mul(Z a, Z b) {
  const double error = fabs((double)a.i) * b.e + fabs((double)b.i) * a.e + a.e * b.e;
  return Z{i_mul(a.i, b.i), a.e + b.e == 0 ? 0.0 : not_nan(error)};
}
FN Z z_div(Z a, Z b) { return Z{i_div(a.i, b.i), a.e + b.e > 0 || b.i == 0 ? INF : 0.0}; }
FN Z z_mod(Z a, Z b) { return Z{i_mod(a.i, b.i), a.e + b.e > 0 || b.i == 0 ? INF : 0.0}; }
FN Z z_pow(Z a, Z b) { return Z{i_pow(a.i, b.i), a.e + b.e > 0 || b.i < 0 ? INF : 0.0}; }
FN Z z_ceildiv(Z a, Z b) { return Z{i_ceildiv(a.i, b.i), a.e + b.e > 0 || b.i == 0 ? INF : 0.0}; }
FN Z z_pow2ceil(Z a) { return Z{i_pow2ceil(a.i), a.e > 0 ? INF : 0.0}; }
FN I i_bitand(I a, I b) { return a & b; }
FN I i_bitor(I a, I b) { return a | b; }
FN I i_bitxor(I a, I b) { return a ^ b; }
FN I i_shl(I a, I n) { return n < 0 || n > 63 ? 0 : (I)((Bits)a << n); }
FN I i_shr(I a, I n) { return a >> (n < 0 || n > 63 ? 63 : n); }
FN Z z_bitand(Z a, Z b) { return Z{i_bitand(a.i, b.i), a.e + b.e > 0 ? INF : 0.0}; }
FN Z z_bitor(Z a, Z b) { return Z{i_bitor(a.i, b.i), a.e + b.e > 0 ? INF : 0.0}; }
FN Z z_bitxor(Z a, Z b) { return Z{i_bitxor(a.i, b.i), a.e + b.e > 0 ? INF : 0.0}; }
FN Z z_shl(Z a, Z n) { return Z{i_shl(a.i, n.i), a.e + n.e > 0 ? INF : 0.0}; }
FN Z z_shr(Z a, Z n) { return Z{i_shr(a.i, n.i), a.e + n.e > 0 ? INF : 0.0}; }
FN Z z_negate(Z a) { return Z{i_sub(0, a.i), a.e}; }
FN Z z_not(Z a) { return Z{a.i == 0, a.e}; }
FN I i_abs(I a) { return a < 0 ? i_sub(0, a) : a; }
FN I i_sign(I a) { return (a > 0) - (a < 0); }
FN I i_min(I a, I b) { return a < b ? a : b; }
FN I i_max(I a, I b) { return a > b ? a : b; }
FN Z z_abs(Z a) { return Z{i_abs(a.i), a.e}; }
FN Z z_sign(Z a) { return Z{i_sign(a.i), a.e}; }
FN Z z_min(Z a, Z b) { return Z{i_min(a.i, b.i), fmax(a.e, b.e)}; }
FN Z z_max(Z a, Z b) { return Z{i_max(a.i, b.i), fmax(a.e, b.e)}; }

FN I whole(double v) {  // toward zero, saturating; NaN gives 0
  if (isnan(v)) return 0;
  if (v >= 9223372036854775807.0) return 0x7fffffffffffffffll;
  if (v <= -9223372036854775808.0) return (I)0x8000000000000000ull;
  return (I)v;
}
FN I fit(I v, I lo, I hi) { return v < lo ? lo : v > hi ? hi : v; }
FN Z cast_whole(R a, I lo, I hi) {
  const I here = fit(whole(a.v), lo, hi);
  if (!(a.e > 0)) return sure(here);
  const double low = (double)fit(whole(a.v - a.e), lo, hi), high = (double)fit(whole(a.v + a.e), lo, hi);
  return Z{here, fmax(high - (double)here, (double)here - low)};
}
FN Z cast_boolean(R a) { return Z{!(a.v == 0), a.e > 0 && fabs(a.v) <= a.e ? 1.0 : 0.0}; }
FN Z cast_again(Z a, I narrowed) { return Z{narrowed, a.e > 0 && narrowed != a.i ? INF : a.e}; }
)";

constexpr const char* functions = R"(
FN R f_exp(R x) {
  const double v = exp(x.v);
  return made(v, v == 0 ? exp(x.v + x.e) + TINY : v * (expm1(x.e) + U * (8 + 3 * fabs(x.v))) + TINY, x);
}
FN R f_exp2(R x) {
  const double v = exp2(x.v);
  const double relative = expm1(x.e * 0.6931471805599453) + U * (8 + 3 * fabs(x.v));
  return made(v, v == 0 ? exp2(x.v + x.e) + TINY : v * relative + TINY, x);
}
FN R f_expm1(R x) {
  const double v = expm1(x.v);
  return made(v, (1 + fabs(v)) * expm1(fmin(x.e, 700.0)) + U * (8 * fabs(v) + (8 + 3 * fabs(x.v)) * (1 + v)), x);
}
FN R log_made(double v, R x, double scale) {
  return made(v, x.e > 0 && x.e >= x.v ? INF : scale * x.e / (x.v - x.e) + U * (8 * fabs(v) + 8 * scale), x);
}
FN R f_log(R x) { return log_made(log(x.v), x, 1.0); }
FN R f_log2(R x) { return log_made(log2(x.v), x, 1.4426950408889634); }
FN R f_log10(R x) { return log_made(log10(x.v), x, 0.4342944819032518); }
FN R f_log1p(R x) {
  const double v = log1p(x.v);
  return made(v, x.e > 0 && x.e >= 1 + x.v ? INF : x.e / (1 + x.v - x.e) + U * (8 * fabs(v) + 10), x);
}
FN R f_sqrt(R x) {
  const double v = sqrt(x.v);
  if (x.e > 0 && x.e >= x.v) return made(v, sqrt(fmax(0.0, x.v) + x.e), x);
  return made(v, (x.e > 0 ? x.e / (2 * sqrt(x.v - x.e)) : 0.0) + 6 * U * fabs(v), x);
}
FN R f_rsqrt(R x) {
  const double v = 1.0 / sqrt(x.v);
  if (x.e > 0 && x.e >= x.v) return made(v, INF, x);
  if (x.v == 0) return made(v, 0.0, x);
  return made(v, (x.e > 0 ? x.e / (2 * (x.v - x.e) * sqrt(x.v - x.e)) : 0.0) + 8 * U * fabs(v), x);
}
FN R f_sin(R x) {
  const double v = sin(x.v);
  return made(v, x.e == INF ? INF : fmin(2.0, x.e * fmin(1.0, fabs(cos(x.v)) + x.e) + U * (8 * fabs(v) + 4)), x);
}
FN R f_cos(R x) {
  const double v = cos(x.v);
  return made(v, x.e == INF ? INF : fmin(2.0, x.e * fmin(1.0, fabs(sin(x.v)) + x.e) + U * (8 * fabs(v) + 4)), x);
}
FN R f_tan(R x) {
  const double v = tan(x.v), w = fabs(v);
  return made(v, x.e * (1 + (w + x.e) * (w + x.e)) + U * (16 * w + 4 * (1 + w * w)), x);
}
FN R f_atan(R x) {
  const double v = atan(x.v), near = fmax(0.0, fabs(x.v) - x.e);
  return made(v, x.e / (1 + near * near) + 8 * U * fabs(v), x);
}
FN R f_atan2(R y, R x) {
  const double v = atan2(y.v, x.v), r = hypot(y.v, x.v) - y.e - x.e, e = y.e + x.e;
  if (e > 0 && r <= 0) return made(v, INF, y, x);
  return made(v, (e > 0 ? e / r : 0.0) + 12 * U * fabs(v), y, x);
}
FN R f_sinh(R x) {
  const double v = sinh(x.v);
  return made(v, cosh(fabs(x.v) + x.e) * x.e + U * (12 * fabs(v) + 8), x);
}
FN R f_cosh(R x) {
  const double v = cosh(x.v);
  return made(v, sinh(fabs(x.v) + x.e) * x.e + 8 * U * fabs(v) * (1 + fabs(x.v) / 4), x);
}
FN R f_tanh(R x) {
  const double v = tanh(x.v), t = tanh(fmax(0.0, fabs(x.v) - x.e));
  return made(v, x.e * (1 - t * t) + U * (8 * fabs(v) + 12), x);
}
FN R f_erf(R a) {
  const double v = erf(a.v), x = fmax(0.0, fabs(a.v) - a.e);
  return made(v, a.e * 1.1283791670955126 * exp(-x * x) + 8 * U * (fabs(v) + 1), a);
}
FN R f_pow(R a, R b) { return power(a, b); }
FN R f_abs(R x) { return made(fabs(x.v), x.e, x); }
FN R f_sign(R x) {
  const double v = x.v > 0 ? 1.0 : x.v < 0 ? -1.0 : x.v;
  return made(v, x.e == INF ? INF : x.e > 0 && fabs(x.v) <= x.e ? 2.0 : 0.0, x);
}
FN R step_made(R x, double v, double above, double below) {
  return made(v, x.e == 0 || !isfinite(x.v) ? 0.0 : fmax(above - v, v - below), x);
}
FN R f_floor(R x) { return step_made(x, floor(x.v), floor(x.v + x.e), floor(x.v - x.e)); }
FN R f_ceil(R x) { return step_made(x, ceil(x.v), ceil(x.v + x.e), ceil(x.v - x.e)); }
FN R f_round(R x) { return step_made(x, rint(x.v), rint(x.v + x.e), rint(x.v - x.e)); }
FN R f_trunc(R x) { return step_made(x, trunc(x.v), trunc(x.v + x.e), trunc(x.v - x.e)); }
FN double least(double a, double b) { return isnan(a) || isnan(b) ? NOT_A_NUMBER : fmin(a, b); }
FN double most(double a, double b) { return isnan(a) || isnan(b) ? NOT_A_NUMBER : fmax(a, b); }
FN R extreme_made(double v, R a, R b, bool a_wins) {
  const double d = a.v - b.v;
  return made(v, fabs(d) <= a.e + b.e || isnan(d) ? fmax(a.e, b.e) : a_wins ? a.e : b.e, a, b);
}
FN R f_min(R a, R b) { return extreme_made(least(a.v, b.v), a, b, !(a.v > b.v)); }
FN R f_max(R a, R b) { return extreme_made(most(a.v, b.v), a, b, a.v > b.v); }
FN R f_clamp(R x, R lo, R hi) { return made(least(most(x.v, lo.v), hi.v), fmax(x.e, fmax(lo.e, hi.e))); }
FN I f_isnan(R x) { return isnan(x.v); }
FN I f_isinf(R x) { return isinf(x.v); }
)";

}  // namespace

std::string rules_text(bool f64) {
  std::string out =
      f64 ? "// The compute precision is f64; U is twice its unit roundoff, as the reference rounds, too.\n"
            "#define F64 true\n#define U 0x1p-52\n#define LARGEST 0x1.fffffffffffffp1023\n#define TINY 0x1p-1022\n"
          : "// The compute precision is f32.\n"
            "#define F64 false\n#define U 0x1p-24\n#define LARGEST 0x1.fffffep127\n#define TINY 0x1p-126\n";
  return out + numbers + arithmetic + functions;
}

}  // namespace ww::oracle
