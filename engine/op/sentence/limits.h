// SPDX-License-Identifier: Apache-2.0
// Requests that are understood and yet cannot be met, or not without a question.
#pragma once
#include <string_view>
#include "op/sentence/phrasebook.h"

namespace ww::op {

// Each puts its question first in `out` and returns true, or returns false and changes nothing.

// A sentence that asks for what the op language cannot say. A phrase of several words counts in any sentence ("matrix
// exponential"), a single word only where the sentence is not understood: with `phrases_only` it does not count.
bool say_limits(const Library& library, std::string_view sentence, bool phrases_only, Understanding& out);
bool beyond_range(const Spec& spec, Understanding& out);            // a number that f64 does not hold: "10^400"
bool wrong_order(const Spec& spec, Understanding& out);             // "between 2 and -1"
bool share_as_type(std::string_view sentence, Understanding& out);  // "half of the elements": no element type

}  // namespace ww::op
