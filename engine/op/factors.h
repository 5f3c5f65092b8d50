// SPDX-License-Identifier: Apache-2.0
// Sums of products as two groups of factors, the form of a matrix product; used by evaluator and oracle.
#pragma once
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>
#include "op/spec.h"

namespace ww::op {

using NameSet = std::set<std::string>;

NameSet names_in(const Expr& e);  // its free indices

struct Factor {
  ExprPtr expr;
  bool below = false;  // divides
  NameSet names;
};

struct FactorGroup {
  ExprPtr product;
  ExprPtr mask;  // terms outside it are 0; null: every term counts
  NameSet names;
  void take(const Factor& factor);
  void restrict_to(const ExprPtr& condition);
  ExprPtr masked() const;  // a real
};

struct GroupedSum {
  FactorGroup left, right;
  std::vector<Factor> outside;  // independent of the summed indices
  bool negative = false;
  int roundings = 0;  // of one product
};

ExprPtr as_real(const ExprPtr& e);  // with a cast where it is an integer

enum class FactorOrder { as_written, divisors_last };

// Empty if the factors that depend on summed indices do not form two groups, or a range or a condition belongs to
// neither.
std::optional<GroupedSum> group_sum(const Expr& sum, FactorOrder order);

// Whether matrix units with 16-bit operands can compute the sum: its terms are products of two elements of f16 or bf16
// tensors, and of values independent of the summed indices. `dtype_of`: of an input.
bool fits_matrix_units(const Expr& sum, const std::function<DType(const std::string&)>& dtype_of);

// The term of a reduction; its neutral element where the reduction's condition fails.
ExprPtr term_or_neutral(const Expr& reduction);

}  // namespace ww::op
