// SPDX-License-Identifier: Apache-2.0
// Softmax between two products in one pass over the keys: recognises the structure, and generates its kernel.
#pragma once
#include <vector>
#include "search/space.h"

namespace ww::search {

// Variants for a group of all steps over common rows: scores (a sum), their maximum, exponentials, their sum, a
// weighted sum. Empty for any other group.
std::vector<Variant> attention_variants(const Program& program, const Group& group);

}  // namespace ww::search
