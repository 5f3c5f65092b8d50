// SPDX-License-Identifier: Apache-2.0
// The index arithmetic of gradients: which indices read a given element.
#pragma once
#include <functional>
#include <string>
#include <vector>
#include "op/spec.h"

namespace ww::op::gradient {

// New names for indices, which no text can hold; pretty() replaces them.
class Fresh {
 public:
  std::string name(const std::string& base);

 private:
  int count_ = 0;
};
inline constexpr char fresh_mark = '#';
std::string base_of(const std::string& name);  // without its mark

// What one read hands to the element that it reads: for all values of the loops under which the conditions hold, the
// element at the subscripts gets `factor`.
struct Share {
  std::string tensor;
  std::vector<ExprPtr> subscripts;
  std::vector<Index> loops;         // the equation's indices first, then those of reductions, outermost first
  std::vector<ExprPtr> conditions;  // in order: a later one may rely on an earlier one
  ExprPtr factor;
};

// The same of the element at `element`: the sum of the factor over the remaining loops under the remaining conditions.
// False: the positions are data and leave a loop open, so that each element would search through all reads (a scatter).
bool invert(Share& share, const std::vector<Index>& element, const Spec& spec, Fresh& fresh,
            const std::function<bool(const Expr&)>& is_data);

}  // namespace ww::op::gradient
