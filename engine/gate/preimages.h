// SPDX-License-Identifier: Apache-2.0
// Elements for which what a program computes from their bits compares equal with a constant.
#pragma once
#include <vector>
#include "ptx/syntax.h"

namespace ww::gate {

// Values as f32 (from their bits) or as integers, as their loads have them; of masks, shifts, products and the like of
// one element, and of sums and products of one real element with constants. For each comparison those next to it, too.
std::vector<double> preimages(const ptx::File& file);

}  // namespace ww::gate
