// SPDX-License-Identifier: Apache-2.0
// Loop nests of Python and C: "for i in range(N): for j in range(M): y[j] += x[i][j]" is y[j] = sum(i) x[i, j].
#pragma once
#include <optional>
#include <string_view>
#include "op/sentence/edited.h"

namespace ww::op {

// The sentence as an equation; nothing where it is no loop nest, or does more than sums, maxima and one assignment.
std::optional<Edited> loops_as_equation(std::string_view sentence);

}  // namespace ww::op
