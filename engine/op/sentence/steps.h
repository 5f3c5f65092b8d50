// SPDX-License-Identifier: Apache-2.0
// Steps in a row, each working on the result of the one before: "subtract the row max, exponentiate, divide by the row
// sum".
#pragma once
#include <optional>
#include <string_view>
#include "op/sentence/edited.h"

namespace ww::op {

// The sentence as a formula; nothing if one of its steps is not known.
std::optional<Edited> steps_as_formula(const Library& library, std::string_view sentence);

}  // namespace ww::op
