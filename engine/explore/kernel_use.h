// SPDX-License-Identifier: Apache-2.0
// The launches of a candidate's plan at the run's case, with what the compiler said of their kernels. *modelled*.
#pragma once
#include <optional>
#include <vector>
#include "candidate/candidate.h"
#include "explore/facts.h"
#include "profile/occupancy.h"

namespace ww::explore {

struct KernelUse {  // of one launch
  candidate::PlannedLaunch launch;
  int threads = 0;                                      // of a block
  const compile::KernelResources* resources = nullptr;  // the candidate's; null: not known
  std::optional<profile::Occupancy> occupancy;
};
std::vector<KernelUse> uses_of(
    const Ground& ground, const store::CandidateRecord& candidate);  // in order; empty: there is no plan for this case

}  // namespace ww::explore
