// SPDX-License-Identifier: Apache-2.0
// Inside of understand(): phrasebook.cpp reads a sentence as it stands, understand.cpp puts it otherwise where that is
// not understood.
#pragma once
#include <optional>
#include <string_view>
#include "op/sentence/offers.h"

namespace ww::op {

inline constexpr std::size_t longest_sentence = 20000;

Understanding read_once(const Library& library, std::string_view sentence);
// A sentence or formula that the program wrote for a spec.
std::optional<Understanding> read_own(std::string_view sentence);
ReadAny reader(const Library& library);
// Adds the nearest ops to the questions about unknown words.
void name_nearest(const Library& library, Understanding& out);

}  // namespace ww::op
