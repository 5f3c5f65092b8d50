// SPDX-License-Identifier: Apache-2.0
// Rules of the running error bound; see bounds.cpp.
#pragma once
#include <cmath>
#include <cstdint>
#include "base/dtype.h"
#include "op/functions.h"

namespace ww::op {

struct Rules {
  bool bounds = true;
  bool f64 = false;        // the compute precision is f64
  double u = 0;            // unit roundoff of the compute precision (twice it for f64: the reference rounds too)
  double largest = 0;      // largest finite value of the compute precision
  double tiny = 0;         // smallest normal: results below it may be flushed to zero
  explicit Rules(DType compute, bool with_bounds);

  double constant_error(double value) const;               // of a literal, rounded to the compute precision
  double integer_error(std::int64_t value) const;          // of an integer converted to a real
  // Error of fn(a, …) = value when the arguments have errors ea, eb, ec.
  double call_error(Fn fn, double value, double a, double ea, double b, double eb, double c, double ec) const;
  double divide_error(double value, double b, double ea, double eb) const;
  double power_error(double value, double a, double ea, double b, double eb) const;
  double cast_error(DType to, double value, double before, double error) const;
  // Rounding errors of a sum of n terms, as a multiple of u * (sum of |term|).
  double growth(double n) const;

  // The rules above give NaN or nonsense beside infinities and overflow: the last step of every node.
  double settle(double value, double error) const {
    if (std::fabs(value) + error <= largest) return error;
    return settle_slow(value, error);
  }
  double settle_slow(double value, double error) const;
};

}  // namespace ww::op
