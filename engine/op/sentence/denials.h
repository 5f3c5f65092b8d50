// SPDX-License-Identifier: Apache-2.0
// What a sentence denies ("without a causal mask", "non-causal", "bias disabled") must not be in its reading.
#pragma once
#include <string_view>
#include "op/sentence/offers.h"

namespace ww::op {

// Asks about a reading that is the same with what is denied, and takes back choices that have it. `read` reads a
// sentence without choices.
void check_denials(const Library& library, std::string_view sentence, const ReadAny& read, Understanding& out);

}  // namespace ww::op
