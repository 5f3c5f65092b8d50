// SPDX-License-Identifier: Apache-2.0
// Conversions between element types in any order of words: "convert a float32 image to half precision, 1080 x 1920".
#pragma once
#include <optional>
#include <string_view>
#include "op/sentence/edited.h"

namespace ww::op {

// The sentence as a copy with the types of its input (f32 if none is named) and output; nothing if it is no conversion
// between floating-point types: one to integers has to say how to round.
std::optional<Edited> casts_as_copy(const Library& library, std::string_view sentence);

}  // namespace ww::op
