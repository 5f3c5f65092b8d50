// SPDX-License-Identifier: Apache-2.0
// A spec as steps, each computed by one kernel (or one of several forms of it): nested reductions become separate steps
// if the ranges of their indices depend only on shapes.
#pragma once
#include <map>
#include <string>
#include <vector>
#include "op/spec.h"

namespace ww::oracle {

struct Step {
  std::string target;              // a tensor of the spec, or "$0", "$1", …
  std::vector<op::Index> indices;  // their ranges use symbols and constants alone
  op::ExprPtr value;
  // the reduction in `value` that uses every index, if there is one; the rest of `value` is applied to its result
  const op::Expr* main = nullptr;
  // A running reduction along one of the indices.
  int moving = -1;          // which; -1: none
  bool backward = false;    // of a recurrence: from its last step to its first
  int recurrence = -1;      // the recurrence that the equation belongs to, whose members are consecutive; -1: none
  std::size_t carried = 0;  // the index that enumerates the steps of the recurrence
};

std::vector<Step> steps_of(const op::Spec& spec);

bool shapes_alone(const op::Expr& e);  // contains no index and no tensor
bool reads_tensors(const op::Expr& e);

}  // namespace ww::oracle
