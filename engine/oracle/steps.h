// SPDX-License-Identifier: Apache-2.0
// A spec as steps, each of which one kernel (or one of several forms of it) computes: reductions below other work are
// taken out into steps of their own where their indices have ranges that shapes alone decide.
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
  const op::Expr* main = nullptr;  // the reduction in `value` that uses every index, when there is one; the rest of
                                   // `value` is applied to its result
  // A running reduction along one of the indices.
  int moving = -1;          // which; -1: none
  bool backward = false;    // of a recurrence: from its last step to its first
  int recurrence = -1;      // which one the equation belongs to, whose members follow one another; -1: none
  std::size_t carried = 0;  // its index that tells the steps of the recurrence apart
};

std::vector<Step> steps_of(const op::Spec& spec);

bool shapes_alone(const op::Expr& e);  // no index and no tensor in it
bool reads_tensors(const op::Expr& e);

}  // namespace ww::oracle
