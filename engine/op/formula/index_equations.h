// SPDX-License-Identifier: Apache-2.0
// Equations as in the body of a spec, without its head: "h[t] = a[t] * pad(h[t - 1], 0) + x[t]". Inputs,
// outputs and sizes follow from the subscripts.
#pragma once
#include <optional>
#include <string_view>
#include "op/sentence/phrasebook.h"

namespace ww::op {

// Empty unless the sentence consists of such equations, possibly after words that introduce them ("compute y[i] = …").
// A read beyond the ends of a tensor becomes a question.
std::optional<Understanding> read_index_equations(const Library& library, std::string_view sentence);

}  // namespace ww::op
