// SPDX-License-Identifier: Apache-2.0
#include "op/functions.h"
#include <algorithm>
#include <cmath>
#include <limits>

namespace ww::op {

std::optional<Fn> fn_from_name(std::string_view name) {
  static constexpr std::string_view names[] = {
      "exp",     "exp2",     "expm1",  "log",   "log2",   "log10", "log1p", "sqrt",  "rsqrt", "sin",
      "cos",     "tan",      "atan",   "atan2", "sinh",   "cosh",  "tanh",  "erf",   "pow",   "abs",
      "sign",    "floor",    "ceil",   "round", "trunc",  "min",   "max",   "clamp", "isnan", "isinf",
      "ceildiv", "pow2ceil", "bitand", "bitor", "bitxor", "shl",   "shr"};
  for (std::size_t i = 0; i < std::size(names); ++i)
    if (names[i] == name) return static_cast<Fn>(i);
  return std::nullopt;
}

namespace {
double min_of(double a, double b) {
  return std::isnan(a) || std::isnan(b) ? std::numeric_limits<double>::quiet_NaN() : std::min(a, b);
}
double max_of(double a, double b) {
  return std::isnan(a) || std::isnan(b) ? std::numeric_limits<double>::quiet_NaN() : std::max(a, b);
}
}  // namespace

double call_real(Fn fn, double a, double b, double c) {
  switch (fn) {
    case Fn::exp: return std::exp(a);
    case Fn::exp2: return std::exp2(a);
    case Fn::expm1: return std::expm1(a);
    case Fn::log: return std::log(a);
    case Fn::log2: return std::log2(a);
    case Fn::log10: return std::log10(a);
    case Fn::log1p: return std::log1p(a);
    case Fn::sqrt: return std::sqrt(a);
    case Fn::rsqrt: return 1.0 / std::sqrt(a);
    case Fn::sin: return std::sin(a);
    case Fn::cos: return std::cos(a);
    case Fn::tan: return std::tan(a);
    case Fn::atan: return std::atan(a);
    case Fn::atan2: return std::atan2(a, b);
    case Fn::sinh: return std::sinh(a);
    case Fn::cosh: return std::cosh(a);
    case Fn::tanh: return std::tanh(a);
    case Fn::erf: return std::erf(a);
    case Fn::pow: return std::pow(a, b);
    case Fn::abs: return std::fabs(a);
    case Fn::sign: return a > 0 ? 1.0 : a < 0 ? -1.0 : a;
    case Fn::floor: return std::floor(a);
    case Fn::ceil: return std::ceil(a);
    case Fn::round: return std::nearbyint(a);  // the default rounding mode: ties to even
    case Fn::trunc: return std::trunc(a);
    case Fn::min: return min_of(a, b);
    case Fn::max: return max_of(a, b);
    case Fn::clamp: return min_of(max_of(a, b), c);
    case Fn::isnan: return std::isnan(a) ? 1.0 : 0.0;
    case Fn::isinf: return std::isinf(a) ? 1.0 : 0.0;
    case Fn::ceildiv: return std::ceil(a / b);
    case Fn::pow2ceil: return a <= 1 ? 1.0 : std::exp2(std::ceil(std::log2(a)));
    case Fn::bitand_of:
    case Fn::bitor_of:
    case Fn::bitxor_of:
    case Fn::shl:
    case Fn::shr: break;  // of integers only
  }
  return std::numeric_limits<double>::quiet_NaN();
}

bool call_integer(Fn fn, std::int64_t a, std::int64_t b, std::int64_t c, std::int64_t* out) {
  switch (fn) {
    case Fn::abs:
      if (a == std::numeric_limits<std::int64_t>::min()) return false;
      *out = a < 0 ? -a : a;
      return true;
    case Fn::sign: *out = (a > 0) - (a < 0); return true;
    case Fn::floor:
    case Fn::ceil:
    case Fn::round:
    case Fn::trunc: *out = a; return true;
    case Fn::min: *out = std::min(a, b); return true;
    case Fn::max: *out = std::max(a, b); return true;
    case Fn::clamp: *out = std::min(std::max(a, b), c); return true;
    case Fn::ceildiv: {
      std::int64_t r = 0;
      if (!floor_div(a, b, out) || !floor_mod(a, b, &r)) return false;
      if (r != 0) ++*out;
      return true;
    }
    case Fn::pow2ceil: {
      if (a > (std::int64_t{1} << 62)) return false;
      std::int64_t p = 1;
      while (p < a) p *= 2;
      *out = p;
      return true;
    }
    case Fn::bitand_of: *out = a & b; return true;
    case Fn::bitor_of: *out = a | b; return true;
    case Fn::bitxor_of: *out = a ^ b; return true;
    case Fn::shl: *out = shifted_left(a, b); return true;
    case Fn::shr: *out = shifted_right(a, b); return true;
    default: return false;
  }
}

std::int64_t shifted_left(std::int64_t a, std::int64_t count) {
  return count < 0 || count > 63 ? 0 : static_cast<std::int64_t>(static_cast<std::uint64_t>(a) << count);
}

std::int64_t shifted_right(std::int64_t a, std::int64_t count) { return a >> (count < 0 || count > 63 ? 63 : count); }

bool floor_div(std::int64_t a, std::int64_t b, std::int64_t* out) {
  if (b == 0 || (b == -1 && a == std::numeric_limits<std::int64_t>::min())) return false;
  *out = a / b - ((a % b != 0) && ((a < 0) != (b < 0)) ? 1 : 0);
  return true;
}

bool floor_mod(std::int64_t a, std::int64_t b, std::int64_t* out) {
  if (b == 0) return false;
  if (b == -1) {
    *out = 0;
    return true;
  }
  const std::int64_t r = a % b;
  *out = r != 0 && ((r < 0) != (b < 0)) ? r + b : r;
  return true;
}

bool integer_power(std::int64_t base, std::int64_t exponent, std::int64_t* out) {
  if (exponent < 0) return false;
  std::int64_t result = 1;
  while (exponent > 0) {
    if ((exponent & 1) && __builtin_mul_overflow(result, base, &result)) return false;
    exponent >>= 1;
    if (exponent > 0 && __builtin_mul_overflow(base, base, &base)) return false;
  }
  *out = result;
  return true;
}

double real_mod(double a, double b) {
  const double r = std::fmod(a, b);
  return r != 0 && ((r < 0) != (b < 0)) ? r + b : r;
}

}  // namespace ww::op
