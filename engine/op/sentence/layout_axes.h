// SPDX-License-Identifier: Apache-2.0
// Dimensions by name: "over the channel axis of an NCHW tensor" is over dimension 1.
#pragma once
#include <optional>
#include <string_view>
#include "op/sentence/edited.h"

namespace ww::op {

// The sentence with dimensions by number and the layout's sizes as a shape; nothing if no dimension is named, or if it
// is not certain which one is meant.
std::optional<Edited> with_numbered_axes(const Library& library, std::string_view sentence);

}  // namespace ww::op
