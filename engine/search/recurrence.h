// SPDX-License-Identifier: Apache-2.0
// Recurrences of a program: which equations they contain, what is independent within them, and which of them a scan can
// compute.
#pragma once
#include <optional>
#include <vector>
#include "op/recurrence.h"
#include "search/groups.h"

namespace ww::search {

// Positions refer to program.equations, where members of a recurrence are consecutive.
std::vector<op::Recurrence> recurrences_of(const Program& program);
// Makes members of each recurrence consecutive, in order within a step, after the equations they read.
void order_recurrences(Program& program);

// The recurrence as a separate group. Its rows are the indices along which its elements are independent: each row can
// be computed alone.
Group recurrence_group(const Program& program, const op::Recurrence& recurrence);

// h = factor * (h one step before) + term: steps of this form can be combined in any grouping.
struct AffineStep {
  ExprPtr factor, term;
};
std::optional<AffineStep> affine_step(const Group& group);

}  // namespace ww::search
