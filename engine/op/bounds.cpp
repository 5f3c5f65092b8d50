// SPDX-License-Identifier: Apache-2.0
// First-order running error analysis (N. J. Higham, "Accuracy and Stability of Numerical Algorithms", 2nd ed. 2002, ch.
// 3): each intermediate value v has a bound e of the difference between v and what an honest kernel in the compute
// precision has there. u is the unit roundoff, inputs are exact.
//   + - *      the operands' errors, and u |v|
//   /          (ea + |v| eb) / (|b| - eb) and 4 u |v|: room for a product with an approximate reciprocal
//   functions  |f'| ea, and c u |v| with c twice the function's largest error in ulps (an ulp is at most 2 u |v|) in
//              the "CUDA C++ Programming Guide", mathematical functions, times 2, so that the fast intrinsics pass and
//              half precision does not. exp and exp2 gain 3 |x| u |v|, as __expf has an error that grows with |x|; log,
//              sin and cos an absolute part. So do expm1, log1p, tanh, sinh and erf (8 to 12 u): careful kernels write
//              exp(x) - 1, log(1 + x), tanh and sinh by exp, erf by normcdf, which lose the digits of results near
//              zero. Precision::strict leaves these absolute parts out.
//   sum        the terms' errors, and what the additions round. An addition rounds by at most u |s|, s the partial sum,
//              with a sign that is as good as random, so that the total is near u sqrt(sum of s^2) (N. J. Higham, T.
//              Mary, "A New Approach to Probabilistic Rounding Error Analysis", SIAM J. Sci. Comput. 41, 2019; for data
//              of mean zero: the same, "Sharper Probabilistic Backward Error Analysis", ibid. 42, 2020). Taken is 6 u
//              sqrt(Q), more than ten deviations, with Q the larger of the sum of s^2 in text order and its mean over
//              all orders, n S^2 / 3 + (n sum(t^2) - S^2) / 6 for n terms t with sum S. Added to it is twice the error
//              that a sequential sum in the compute precision in fact makes, since few distinct terms round all in one
//              direction; at least, twice the error of one by multiply-adds. Whole terms with sum |t| up to 2^24, and
//              multiples of 2^-8 up to 2^16, add up exactly in f32 in any order: their sum has no error, which finds a
//              single missing term among ones.
//              In products of matrices the sequential sum is not tried, and its partial sums are known at 16 places; of
//              their squares an eighth counts, which for random terms stays within the mean. There, terms that equal
//              one another round in one direction, and runs of them stray further than the mean over all orders: with
//              m terms to a value, m times 6 u sqrt(Q), at most u n / 2 times the sum of |t|. m is the smaller one of
//              a row's and a column's.
//              What is added to a sum (a bias) may be its first term: see forms.h.
//              A kernel that keeps a variance beside a running mean (B. P. Welford, "Note on a Method for Calculating
//              Corrected Sums of Squares and Products", Technometrics 4(3), 1962) adds m^2 / c^2 at each place c after
//              a large element m, however small the others are: a slow sequence, which rounds in one direction, at
//              most u / 2 a term, and vanishes from c^2 = 1 / u on, at most sqrt(u) in all. That counts where few
//              terms make up the sum.
//              Where the terms are products of two f16 or bf16 numbers, matrix units may add them, whose rounding PTX
//              leaves open ("PTX ISA" 9.0, mma). They truncate, so that the signs are not random: a step adds 4
//              (sm_75), 8 (sm_80) or 16 (sm_90) products to the sum, cut to one bit more than f32 has (two on sm_90),
//              and cuts the result (M. Fasi, N. J. Higham, M. Mikaitis, S. Pranesh, "Numerical Behavior of NVIDIA
//              Tensor Cores", PeerJ Comput. Sci. 7:e330, 2021). On sm_75 that is at most (4 + 2) u |s| a step, 1.5 u
//              |s| a term; the sum of the |s| is at most sqrt(n Q).
//   recurrence each step carries the errors of those before it. A kernel may join steps in another order, as a scan
//              does: then a term passes through about log2 n roundings more, relative to the terms and not to their
//              sum. So an addition in a step counts 4 u (|a| + |b|).
//   prod       as products of two. In this order and in others large factors may overflow before small ones or zeros
//              come, and small ones be flushed to zero before large ones: then the error is infinite, or |v| and more.
//              Factors between 1/2 and 2 are taken for a random walk that strays at most six of its deviations
//   max, min   the largest error of those that can win
//   if, comparisons
//              a comparison of values nearer than their errors is uncertain; if() then adds the difference of its
//              branches; floor, casts to integers and such the height of the step. An uncertain integer carries its
//              error as well.
//   NaN        of max, min and clamp of a spec with "nan: ignore" the operands that are not NaN count. Where all are
//              NaN, and in argmax and argmin wherever one is, kernels differ: the error is infinite. With "nan: any" it
//              is wherever NaN comes out
//   overflow   a value beyond the largest finite number of the compute precision has an infinite error, and so has
//              what follows from it, bounded functions too: an honest kernel may have NaN there. An infinity or NaN
//              that comes from an input's, or from a pole, has none: an honest kernel has it, too. But an infinity
//              times a factor whose error reaches zero has an infinite error: where the factor rounds to zero, NaN
//              comes out
//   underflow  a product below the smallest normal number may be flushed to zero: |v|
//   output     its dtype's u |v|, and its smallest subnormal.
#include "op/bounds.h"
#include <algorithm>
#include <limits>

namespace ww::op {
Rules::Rules(DType compute, bool with_bounds, double headroom) : bounds(with_bounds) {
  f64 = compute == DType::f64;
  u = unit_roundoff(compute) * (f64 ? 2 : 1);
  largest = largest_finite(compute) / headroom;
  tiny = smallest_normal(compute) * headroom;
}

double Rules::chosen(Fn fn, double a, double b, double c) const {
  if (nan != NanRule::ignore) return call_real(fn, a, b, c);
  if (fn == Fn::clamp) return std::fmin(std::fmax(a, b), c);
  return fn == Fn::max ? std::fmax(a, b) : std::fmin(a, b);
}

double Rules::constant_error(double value) const {
  if (f64 || !std::isfinite(value)) return 0;
  const double rounded = round_to(DType::f32, value);
  return std::isfinite(rounded) ? std::fabs(rounded - value) : infinity;
}

double Rules::integer_error(std::int64_t value) const {
  const double limit = f64 ? 0x1p53 : 0x1p24;
  const double v = std::fabs(static_cast<double>(value));
  return v <= limit ? 0 : u * v;
}

double Rules::running_error(const SumTrack& t) const {
  constexpr double few = 16;  // of so many terms one counts
  if (t.count * t.squares <= few * t.magnitude * t.magnitude) return 0;
  return std::min(t.count * u / 2, std::sqrt(u)) * t.magnitude;
}

double Rules::sum_error(const SumTrack& t, bool truncated) const {
  const double v = t.value(f64);
  if (t.count <= 1 || !std::isfinite(v)) return settle(v, t.error);
  if (t.exact()) return 0;
  // Partial sums, too, may be off by what the terms are, which is much where it is uncertain whether they count.
  const double partial = t.partial + t.count * t.error * t.error;
  const double order = order_error(t.count, v, t.squares, partial, truncated) + 2 * std::fabs(t.narrow - v) +
                       (running ? running_error(t) : 0);
  return settle(v, t.error + std::max(order, 2 * std::fabs(t.fused - v)));
}

void Rules::multiply(ProductTrack& t, double factor, double error) const {
  const double before = t.value, magnitude = std::fabs(factor);
  t.value = before * factor;
  if (error == infinity || t.error == infinity || unsure_product(before, factor, error) ||
      unsure_product(factor, before, t.error))
    t.error = infinity;
  else if (std::isfinite(t.value))
    t.error = std::fabs(before) * error + t.error * (magnitude + error) + (t.any ? product_error(t.value) : 0);
  else
    t.error = std::isfinite(before) && std::isfinite(factor) ? infinity : 0;
  if (std::isfinite(t.value)) t.peak = std::max(t.peak, std::fabs(t.value));
  if (magnitude >= 2)
    t.large *= magnitude;
  else if (magnitude > 0.5)
    t.spread += std::pow(magnitude < 1 ? 1 / magnitude - 1 : magnitude - 1, 2);
  else if (magnitude > 0)
    t.small *= magnitude;
  t.any = true;
}

double Rules::factors_error(const ProductTrack& t) const {
  const double strays = std::exp(6 * std::sqrt(t.spread));
  if (std::max(t.peak, t.large * strays) > largest && std::isfinite(t.value)) return infinity;
  // Below the normal numbers factors are lost, or most of a product's digits, several times.
  const double lost = t.small < 8 * u * tiny * strays ? 16 : t.small < tiny * strays ? 1 : 0;
  return settle(t.value, t.error + (lost > 0 ? lost * std::fabs(t.value) : 0));
}

double Rules::settle_slow(double value, double error) const {
  if (std::isfinite(value)) return infinity;  // overflow, or an error that is not a number
  return error == infinity ? infinity : 0;    // an infinity or NaN that an honest kernel has too
}

double Rules::divide_error(double value, double b, double ea, double eb) const {
  const double divisor = std::fabs(b) - eb;
  if (eb > 0 && divisor <= 0) return infinity;
  if (b == 0) return ea > 0 ? infinity : 0;
  return (ea + std::fabs(value) * eb) / divisor + 4 * u * std::fabs(value) + (value != 0 ? tiny : 0);
}

double Rules::power_error(double value, double a, double ea, double b, double eb) const {
  const double v = std::fabs(value);
  if (v == 0 && ea == 0 && eb == 0) return tiny;
  if (a == 0 && ea == 0 && eb == 0) return 0;  // 1, or a pole
  const double log_a = a > 0 ? std::fabs(std::log(a)) : 0;
  double e = v * u * (32 + 6 * std::fabs(b) * log_a) + tiny;
  if (ea > 0) {
    if (ea >= std::fabs(a)) return b >= 0 ? std::pow(std::fabs(a) + ea, b) + v : infinity;
    e += std::fabs(b) * v * ea / (std::fabs(a) - ea);
  }
  if (eb > 0) e += v * log_a * eb;
  return e;
}

double Rules::cast_error(DType to, double value, double before, double error) const {
  if (!is_real(to) || error == 0) return 0;  // an exact value rounds to the same number everywhere
  if (to == DType::f64) return error;
  const double u = unit_roundoff(to);
  if (saturates(to)) return error + 2 * u * (std::fabs(value) + smallest_normal(to));
  return error + 2 * u * std::max(std::fabs(value), std::fabs(before));
}

double Rules::call_error(Fn fn, double value, double a, double ea, double b, double eb, double c, double ec) const {
  const double v = std::fabs(value);
  // Largest |f'| on [a - ea, a + ea] is taken at the end where it is larger; second-order terms are small otherwise.
  switch (fn) {
    case Fn::exp:
      if (v == 0) return std::exp(a + ea) + tiny;
      return v * (std::expm1(ea) + u * (8 + 3 * std::fabs(a))) + tiny;
    case Fn::exp2:
      if (v == 0) return std::exp2(a + ea) + tiny;
      return v * (std::expm1(ea * 0.6931471805599453) + u * (8 + 3 * std::fabs(a))) + tiny;
    case Fn::expm1:
      return (1 + v) * std::expm1(std::min(ea, 700.0)) +
             u * (8 * v + (8 + 3 * std::fabs(a)) * (careful * (1 + value) + (1 - careful) * v)) + tiny;
    case Fn::log:
    case Fn::log2:
    case Fn::log10: {
      const double scale = fn == Fn::log ? 1 : fn == Fn::log2 ? 1.4426950408889634 : 0.4342944819032518;
      if (ea > 0 && ea >= a) return infinity;
      return scale * ea / (a - ea) + u * (8 * v + 8 * scale);
    }
    case Fn::log1p:
      if (ea > 0 && ea >= 1 + a) return infinity;
      return ea / (1 + a - ea) + u * (8 * v + 10 * careful) + tiny;
    case Fn::sqrt:
      if (ea > 0 && ea >= a) return std::sqrt(std::max(0.0, a) + ea);
      return (ea > 0 ? ea / (2 * std::sqrt(a - ea)) : 0) + 6 * u * v;
    case Fn::rsqrt:
      if (ea > 0 && ea >= a) return infinity;
      if (a == 0) return 0;  // a pole
      return (ea > 0 ? ea / (2 * (a - ea) * std::sqrt(a - ea)) : 0) + 8 * u * v;
    case Fn::sin:
      if (ea == infinity) return infinity;  // of an argument that overflowed: NaN
      return std::min(2.0, ea * std::min(1.0, std::fabs(std::cos(a)) + ea) + u * (8 * v + 4));
    case Fn::cos:
      if (ea == infinity) return infinity;
      return std::min(2.0, ea * std::min(1.0, std::fabs(std::sin(a)) + ea) + u * (8 * v + 4));
    case Fn::tan: return ea * (1 + (v + ea) * (v + ea)) + u * (16 * v + 4 * (1 + v * v));
    case Fn::atan: return ea / (1 + std::max(0.0, std::fabs(a) - ea) * std::max(0.0, std::fabs(a) - ea)) + 8 * u * v;
    case Fn::atan2: {
      const double r = std::hypot(a, b) - ea - eb;
      if (ea + eb > 0 && r <= 0) return infinity;
      return (ea + eb > 0 ? (ea + eb) / r : 0) + 12 * u * v;
    }
    case Fn::sinh: return std::cosh(std::fabs(a) + ea) * ea + u * (12 * v + 8 * careful) + tiny;
    case Fn::cosh: return std::sinh(std::fabs(a) + ea) * ea + 8 * u * v * (1 + std::fabs(a) / 4);
    case Fn::tanh: {
      const double t = std::tanh(std::max(0.0, std::fabs(a) - ea));
      return ea * (1 - t * t) + u * (8 * v + 12 * careful) + tiny;
    }
    case Fn::erf: {
      const double x = std::max(0.0, std::fabs(a) - ea);
      return ea * 1.1283791670955126 * std::exp(-x * x) + 8 * u * (v + careful) + tiny;
    }
    case Fn::pow: return power_error(value, a, ea, b, eb);
    case Fn::abs: return ea;
    case Fn::sign: return ea == infinity ? infinity : ea > 0 && std::fabs(a) <= ea ? 2 : 0;
    case Fn::floor:
    case Fn::ceil:
    case Fn::round:
    case Fn::trunc:
      if (ea == 0 || !std::isfinite(a)) return 0;
      return std::max(call_real(fn, a + ea, 0, 0) - value, value - call_real(fn, a - ea, 0, 0));
    case Fn::min:
    case Fn::max:
      if (std::fabs(a - b) <= ea + eb || std::isnan(a - b)) return std::max(ea, eb);
      return (fn == Fn::max) == (a > b) ? ea : eb;
    case Fn::clamp: return std::max(ea, std::max(eb, ec));
    case Fn::isnan:
    case Fn::isinf: return 0;
    case Fn::ceildiv:
    case Fn::pow2ceil:
    case Fn::bitand_of:
    case Fn::bitor_of:
    case Fn::bitxor_of:
    case Fn::shl:
    case Fn::shr: return ea + eb > 0 ? infinity : 0;
  }
  (void)c;
  return infinity;
}

void store_rounded(DType dtype, double u, double& value, double& error) {
  const double largest = largest_finite(dtype);
  if (saturates(dtype) && !std::isnan(value)) value = std::clamp(value, -largest, largest);
  error += u * std::fabs(value);
  if (saturates(dtype)) error += u * smallest_normal(dtype);
}

}  // namespace ww::op
