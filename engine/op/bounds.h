// SPDX-License-Identifier: Apache-2.0
// Rules of the running error bound; see bounds.cpp.
#pragma once
#include <limits>
#include <cmath>
#include <cstdint>
#include "base/dtype.h"
#include "op/functions.h"
#include "op/nan_rule.h"
#include "op/precision.h"

namespace ww::op {

inline constexpr double infinity = std::numeric_limits<double>::infinity();

// Properties of a sum's terms that its bound needs.
struct SumTrack {
  double sum = 0;        // in f64
  long double wide = 0;  // the sum, if the compute precision is f64
  double narrow = 0;     // the sum as a sequential kernel computes it in the compute precision
  double fused = 0;      // the same with multiply-adds, which do not round the terms
  double magnitude = 0;  // of the terms: sum of |t|
  double squares = 0;    // sum of t^2
  double partial = 0;    // sum of the squares of the partial sums
  double error = 0;      // sum of the terms' errors
  double off_whole = 0;  // 0: every term is a whole number
  double off_grid = 0;   // 0: every term is a multiple of 2^-8
  double count = 0;

  void add(double t, double e, bool f64) {
    sum += t;
    if (f64) {
      wide += t;
      narrow += t;
      fused += t;
    } else {
      narrow = static_cast<double>(static_cast<float>(narrow) + static_cast<float>(t));
      fused = static_cast<double>(static_cast<float>(fused + t));
    }
    magnitude += std::fabs(t);
    squares += t * t;
    partial += sum * sum;
    error += e;
    constexpr double to_whole = 1.5 * 0x1p52,
                     to_grid = 1.5 * 0x1p44;  // adding and subtracting it rounds to multiples of 1 and of 2^-8
    off_whole += std::fabs(t - ((t + to_whole) - to_whole));
    off_grid += std::fabs(t - ((t + to_grid) - to_grid));
    count += 1;
  }
  // Every partial sum is an f32 number, in any order.
  bool exact() const {
    return error == 0 && ((off_whole == 0 && magnitude <= 0x1p24) || (off_grid == 0 && magnitude <= 0x1p16));
  }
  double value(bool f64) const { return f64 ? static_cast<double>(wide) : sum; }
};

// Properties of a product's factors that its bound needs.
struct ProductTrack {
  double value = 1, error = 0;
  double peak = 1;  // the largest magnitude of the product so far
  double large = 1,
         small = 1;   // products of the magnitudes of the factors from 2 up, and of the nonzero ones up to 1/2
  double spread = 0;  // sum of squares of about the logarithms of the others
  bool any = false;
};

struct Rules {
  bool bounds = true;
  bool f64 = false;    // the compute precision is f64
  double u = 0;        // unit roundoff of the compute precision (twice it for f64: the reference rounds too)
  double largest = 0;  // largest finite value of the compute precision
  double tiny = 0;     // smallest normal: results below it may be flushed to zero
  NanRule nan = NanRule::unsaid;
  double careful = 1;    // 0: no room for what careful practice loses (Precision::strict)
  bool running = false;  // sums of squares may be kept beside a running mean
  bool joined = false;   // the steps of a recurrence, which a kernel may combine in another order
  // `headroom`: see EvaluateOptions.
  Rules(DType compute, bool with_bounds, double headroom = 1);

  // Whether `next` takes the place of `best` as the larger (smaller) of the two.
  bool beats(double next, double best, bool max) const {
    if (std::isnan(next)) return nan != NanRule::ignore;
    return (max ? next > best : next < best) || (nan == NanRule::ignore && std::isnan(best));
  }
  // min, max and clamp of operands of which one may be NaN.
  double chosen(Fn fn, double a, double b, double c) const;

  double constant_error(double value) const;       // of a literal, rounded to the compute precision
  double integer_error(std::int64_t value) const;  // of an integer converted to a real
  // Error of fn(a, …) = value when the arguments have errors ea, eb, ec.
  double call_error(Fn fn, double value, double a, double ea, double b, double eb, double c, double ec) const;
  double divide_error(double value, double b, double ea, double eb) const;
  double power_error(double value, double a, double ea, double b, double eb) const;
  double cast_error(DType to, double value, double before, double error) const;
  // `truncated`: matrix units may compute the sum, see order_error.
  double sum_error(const SumTrack& track, bool truncated = false) const;
  double running_error(const SumTrack& track) const;
  void multiply(ProductTrack& track, double factor, double error) const;
  double factors_error(const ProductTrack& track) const;
  // Whether an infinity times (or over) a factor may have either sign or be NaN: the factor's error reaches zero.
  static bool unsure_product(double infinite, double factor, double error) {
    return std::isinf(infinite) && error > 0 && error >= std::fabs(factor);
  }
  double product_error(double value) const {  // a product below the normal numbers may be flushed to zero
    const double v = std::fabs(value);
    return v < tiny ? v : u * v;
  }
  // Rounding errors of a sum of n terms in any sensible order, from the sum and the sum of squares of its terms.
  // `truncated`: by additions that may all round toward zero, as those of matrix units do.
  double order_error(double n, double sum, double squares, double partial, bool truncated) const {
    const double q = std::fmax(partial, n / 6 * squares + sum * sum * std::fmax(0.0, n / 3 - 1.0 / 6));
    return u * (6 + (truncated ? 1.5 * std::sqrt(n) : 0)) * std::sqrt(q);
  }

  // The last step of every node: the rules above give NaN or nonsense beside infinities and overflow.
  double settle(double value, double error) const {
    if (std::fabs(value) + error <= largest) return error;
    return settle_slow(value, error);
  }
  double settle_slow(double value, double error) const;
  // The same for a node with arguments, one of which has an infinite error, or is infinite or NaN.
  double settle_slow(double value, double error, bool overflowed, bool finite) const {
    if (overflowed) return settle_slow(value, std::numeric_limits<double>::infinity());
    return settle_slow(value, finite || std::isfinite(value) ? error : 0);
  }
};

// A value that is read again after it was stored in a type of unit roundoff u, and what rounding may have moved it by.
void store_rounded(DType dtype, double u, double& value, double& error);

}  // namespace ww::op
