// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include "candidate/candidate.h"

namespace ww::candidate {

// Why a candidate does not claim a case: the first "require" line that excludes it, quoted, and the nearest valid size,
// if changing one symbol suffices. Empty: it claims the case.
std::string excluded_text(const Candidate& candidate, const op::Spec& spec, const op::Binding& binding,
                          const Tuning& tuning);

}  // namespace ww::candidate
