// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include "store/states.h"
#include "store/workspace.h"

namespace ww::store {

// What people read; JSON and stored records have the names of the states themselves. The gate proves, a person signs.
std::string word_of(CandidateState state);  // "proved"
std::string word_of(ReviewKind kind);       // "signed", "refused"
std::string number_word(Provenance of);     // the number that ranks: "Time" if it was measured, else "Cost"

}  // namespace ww::store
