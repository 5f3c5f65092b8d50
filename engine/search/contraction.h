// SPDX-License-Identifier: Apache-2.0
// Contractions as tiled kernels. Each side of the product is an expression over (batch, m, k) or (batch, n, k), a tile
// of which is evaluated into shared memory, so that transposed operands, casts, padding, masks and whole convolutions
// need no special cases.
#pragma once
#include <optional>
#include "search/groups.h"

namespace ww::search {

struct Operand {
  ExprPtr value;  // in the equation's own expression
  bool left = true;
  bool along_k = false;  // contiguous in memory along k instead of its own side
};

struct ContractionPlan {
  std::vector<Index> batch, m, n, k;                          // k: the box around all ranges
  std::vector<Operand> operands;                              // one per distinct text
  std::vector<ExprPtr> left_masks, right_masks;               // conditions that must hold for a term to count
  std::vector<std::pair<const Equation*, const Expr*>> sums;  // equations with a reduction, in order
  bool zero_fills = false;                                    // a term with a left operand of 0 contributes nothing
};
// Empty if an equation's reduction has another form.
std::optional<ContractionPlan> plan_contraction(const Group& group);

}  // namespace ww::search
