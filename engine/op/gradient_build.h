// SPDX-License-Identifier: Apache-2.0
// Expressions built with the trivial simplifications (0 * x, x * 1, x + 0), and integer expressions taken apart.
#pragma once
#include <optional>
#include <string>
#include <vector>
#include "op/spec.h"

namespace ww::op::gradient {

bool is_number(const Expr& e, double value);
ExprPtr sum_of(ExprPtr a, ExprPtr b);
ExprPtr difference_of(ExprPtr a, ExprPtr b);
ExprPtr negation_of(ExprPtr a);
ExprPtr product_of(ExprPtr a, ExprPtr b);
ExprPtr quotient_of(ExprPtr a, ExprPtr b);   // of integers: toward minus infinity
ExprPtr remainder_of(ExprPtr a, ExprPtr b);  // of integers
ExprPtr call_of(const char* function, std::vector<ExprPtr> args);
ExprPtr both_of(ExprPtr a, ExprPtr b);  // a && b; null: nothing is asked
ExprPtr reduce_over(ReduceOp op, std::vector<Index> indices, ExprPtr condition, ExprPtr body);

bool mentions(const Expr& e, const std::string& name);

// e = factor * name + rest, if it is so.
struct Linear {
  ExprPtr factor, rest;
};
std::optional<Linear> linear_in(const ExprPtr& e, const std::string& name);

// The terms of a sum, their signs within.
std::vector<ExprPtr> terms_of(const ExprPtr& e);
ExprPtr total_of(const std::vector<ExprPtr>& terms);
// e / divisor, where every term of e has the divisor's factors; null where not.
ExprPtr divided_exactly(const ExprPtr& e, const ExprPtr& divisor);

}  // namespace ww::op::gradient
