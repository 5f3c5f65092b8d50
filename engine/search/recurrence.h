// SPDX-License-Identifier: Apache-2.0
// Recurrences of a program: which equations they are, what is independent within them, and which of them a scan can
// compute.
#pragma once
#include <optional>
#include <vector>
#include "op/recurrence.h"
#include "search/groups.h"

namespace ww::search {

// Positions are of program.equations, where members of a recurrence are neighbours.
std::vector<op::Recurrence> recurrences_of(const Program& program);
// Puts members of each recurrence beside one another, in their order within a step, after what they read.
void order_recurrences(Program& program);

// The recurrence as a group of its own. Its rows are the indices along which its elements do not depend on one another:
// each row can be computed alone.
Group recurrence_group(const Program& program, const op::Recurrence& recurrence);

// h = factor * (h one step before) + term: steps of this form can be joined in any grouping.
struct AffineStep {
  ExprPtr factor, term;
};
std::optional<AffineStep> affine_step(const Group& group);

}  // namespace ww::search
