// SPDX-License-Identifier: Apache-2.0
// The language's functions on values: one definition for constants, shapes and the evaluator.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

namespace ww::op {

enum class Fn : std::uint8_t {
  exp,
  exp2,
  expm1,
  log,
  log2,
  log10,
  log1p,
  sqrt,
  rsqrt,
  sin,
  cos,
  tan,
  atan,
  atan2,
  sinh,
  cosh,
  tanh,
  erf,
  pow,
  abs,
  sign,
  floor,
  ceil,
  round,
  trunc,
  min,
  max,
  clamp,
  isnan,
  isinf,
  ceildiv,
  pow2ceil,
  bitand_of,
  bitor_of,
  bitxor_of,
  shl,
  shr,
};
std::optional<Fn> fn_from_name(std::string_view name);

// min, max and clamp give NaN when an argument is NaN. Unused arguments are ignored.
double call_real(Fn fn, double a, double b = 0, double c = 0);
// The functions that map integers to integers, ceildiv, pow2ceil and the bitwise ones. False: overflow or division by
// zero.
bool call_integer(Fn fn, std::int64_t a, std::int64_t b, std::int64_t c, std::int64_t* out);

// Integers as 64 bits in two's complement. shl fills with zeros, shr with the sign; a count below 0 or above 63 shifts
// out every bit.
std::int64_t shifted_left(std::int64_t a, std::int64_t count);
std::int64_t shifted_right(std::int64_t a, std::int64_t count);

// Quotient and remainder rounded toward minus infinity. False on a zero divisor or overflow.
bool floor_div(std::int64_t a, std::int64_t b, std::int64_t* out);
bool floor_mod(std::int64_t a, std::int64_t b, std::int64_t* out);
bool integer_power(std::int64_t base, std::int64_t exponent,
                   std::int64_t* out);  // false: overflow or a negative exponent
double real_mod(double a, double b);    // a - b * floor(a / b)

}  // namespace ww::op
