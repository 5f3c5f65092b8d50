// SPDX-License-Identifier: Apache-2.0
// Aggregates counts per operation into the counters that a launch reports.
#pragma once
#include <vector>
#include "simt/machine.h"
#include "simt/program_data.h"

namespace ww::simt {

void add_counts(PcCount& to, const PcCount& from);
Counters make_counters(const ProgramData& program, const Decoded& code, const std::vector<std::uint32_t>& functions,
                       const std::vector<PcCount>& counts);

}  // namespace ww::simt
