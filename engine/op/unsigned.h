// SPDX-License-Identifier: Apache-2.0
// u64 by signed operations on the same 64 bits. Sums, products, bits and equality are the same for both. The checker
// replaces the others, so that all who read a checked spec know i64 only, beside loads and stores of u64 elements: a
// comparison, an extreme or its place compares with the top bits flipped; a right shift masks what the sign filled; a
// quotient is found from the half of the dividend; a real is made from the half, with the lost bit kept for rounding.
// What is written with casts to i64 is read back as the same expression.
#pragma once
#include "op/spec.h"

namespace ww::op {

ExprPtr as_u64(ExprPtr integer);
ExprPtr flipped(const ExprPtr& e);  // compares as a signed number as `e` does as an unsigned one
ExprPtr unflipped(ExprPtr e);       // the u64 again
ExprPtr u64_shifted_right(const ExprPtr& e, const ExprPtr& count);
ExprPtr u64_quotient(const ExprPtr& a, const ExprPtr& b);
ExprPtr u64_remainder(const ExprPtr& a, const ExprPtr& b);
ExprPtr real_of_u64(const ExprPtr& e);
ExprPtr u64_of_real(const ExprPtr& e);  // toward zero, saturating; NaN gives 0

}  // namespace ww::op
