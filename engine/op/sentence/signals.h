// SPDX-License-Identifier: Apache-2.0
// Signals as functions of their place: "y(t) = 0.9 y(t-1) + x(t)" is y[t] = 0.9 * y[t-1] + x[t].
#pragma once
#include <optional>
#include <string_view>
#include "op/sentence/edited.h"

namespace ww::op {

// The sentence with brackets around places; nothing where it does not begin with a signal at a place.
std::optional<Edited> with_places_in_brackets(std::string_view sentence);

}  // namespace ww::op
