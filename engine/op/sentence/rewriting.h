// SPDX-License-Identifier: Apache-2.0
// Other words for the same: the rules of resources/phrasebook/rewrites.txt, tried where a sentence is not understood as
// it stands.
#pragma once
#include <optional>
#include <string_view>
#include "op/sentence/edited.h"

namespace ww::op {

// The sentence in the words that the rules put in place of its own; nothing where no rule fits.
std::optional<Edited> rewritten(const Library& library, std::string_view sentence);

}  // namespace ww::op
