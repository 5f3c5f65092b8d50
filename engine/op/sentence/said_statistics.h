// SPDX-License-Identifier: Apache-2.0
// Formulas with statistics by name, and words that say of what they are: "(x - mean) / std, mean and std of each row".
#pragma once
#include <optional>
#include <string_view>
#include "op/sentence/edited.h"

namespace ww::op {

// The sentence as a formula; nothing where it is not made of a formula and such words alone.
std::optional<Edited> with_said_statistics(std::string_view sentence);

}  // namespace ww::op
