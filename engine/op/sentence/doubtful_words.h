// SPDX-License-Identifier: Apache-2.0
// Words that a reading passes over though they may change it: "elementwise matmul", "sin-1(x)", "mean softmax".
#pragma once
#include <optional>
#include <string_view>
#include "op/sentence/offers.h"

namespace ww::op {

// A sentence that is asked about, or read with other words, before it is read as it stands; else nothing. `read` reads
// a sentence without choices.
std::optional<Understanding> read_doubtful(const Library& library, std::string_view sentence, const ReadAny& read);
// Asks about a reading that had to guess; says what an op has that its name does not say.
void check_guesses(const Library& library, std::string_view sentence, const ReadAny& read, Understanding& out);

}  // namespace ww::op
