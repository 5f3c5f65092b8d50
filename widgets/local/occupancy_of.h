// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "session/engine.h"

namespace ww::widgets {

// Occupancy of each launch of the candidate's plan at the default case that it was judged at, else the spec's.
// *modelled*.
Result<std::vector<KernelOccupancy>> occupancy_of(const store::CandidateRecord& record, const std::string& spec_text,
                                                  const std::string& architecture);

}  // namespace ww::widgets
