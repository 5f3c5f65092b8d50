// SPDX-License-Identifier: Apache-2.0
// Softmax between two products as one pass over the keys: the pattern, found by structure, and its kernel.
#pragma once
#include <vector>
#include "search/space.h"

namespace ww::search {

// Variants for a group of all steps over common rows: scores (a sum), their maximum, exponentials, their sum, a
// weighted sum. Empty where the group is something else.
std::vector<Variant> attention_variants(const Program& program, const Group& group);

}  // namespace ww::search
