// SPDX-License-Identifier: Apache-2.0
// Names of candidates.
#pragma once
#include <string>
#include "candidate/candidate.h"
#include "store/states.h"

namespace ww::identity {

// "BLOCK 128, UNROLL 4": the choice for each tuned value, the only difference between two tunings of one kernel.
store::Tuning tuning_of(const candidate::Candidate& candidate);
std::string tuning_text(const store::Tuning& tuning);
std::string title_of(const candidate::Candidate& candidate);  // its title and, in brackets, its tuning

}  // namespace ww::identity
