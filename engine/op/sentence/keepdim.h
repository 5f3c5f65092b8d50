// SPDX-License-Identifier: Apache-2.0
// "with keepdim", "keepdim=True": the result of a reduction keeps the dimension, with size 1.
#pragma once
#include <cstddef>
#include <vector>
#include "op/sentence/phrasebook_sentence.h"

namespace ww::op::phrases {

// Returns whether the sentence asks for it, and marks those words as read.
bool take_keepdim(std::vector<Item>& items);
// The result with a dimension of size 1 at `at`.
Result<Spec> with_kept_dimension(const Spec& spec, std::size_t at);

}  // namespace ww::op::phrases
