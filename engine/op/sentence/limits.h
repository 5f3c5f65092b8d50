// SPDX-License-Identifier: Apache-2.0
// Requests that are understood but cannot be met, or only after a question.
#pragma once
#include <string_view>
#include "op/sentence/phrasebook.h"

namespace ww::op {

// Each puts its question first in `out` and returns true, or returns false and changes nothing.

// A request that the op language cannot express. A phrase of several words counts in any sentence ("matrix
// exponential"), a single word only if the sentence is not understood; `phrases_only` ignores single words.
bool say_limits(const Library& library, std::string_view sentence, bool phrases_only, Understanding& out);
bool beyond_range(const Spec& spec, Understanding& out);            // a number beyond f64: "10^400"
bool beyond_size(const Spec& spec, Understanding& out);             // a tensor that is larger than any may be
bool wrong_order(const Spec& spec, Understanding& out);             // "between 2 and -1"
bool share_as_type(std::string_view sentence, Understanding& out);  // "half of the elements" is not an element type

}  // namespace ww::op
