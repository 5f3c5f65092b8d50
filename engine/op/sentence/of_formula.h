// SPDX-License-Identifier: Apache-2.0
// Ops of formulas: "softmax of x @ y.T" is x @ y.T, then softmax.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>
#include "op/sentence/edited.h"

namespace ww::op {

struct OfFormula {
  std::string formula;               // must be understood alone
  std::vector<std::string> chains;   // the formula, then the op: the same in several orders
  std::vector<std::string> answers;  // where the op is a reduction: of each row, of all elements
  std::string first;                 // of "x + 1", which may stand behind "exp of x": the op of x, then that
};
// The ways to take the words in front of "of" and those behind the formula, the shortest formula last.
std::vector<OfFormula> ops_of_formulas(std::string_view sentence);

}  // namespace ww::op
