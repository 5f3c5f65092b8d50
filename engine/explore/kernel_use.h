// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>
#include "explore/facts.h"
#include "profile/launches.h"

namespace ww::explore {

// At the run's case, in order; empty: there is no plan for it.
std::vector<profile::LaunchUse> uses_of(const Ground& ground, const store::CandidateRecord& candidate);

}  // namespace ww::explore
