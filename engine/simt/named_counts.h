// SPDX-License-Identifier: Apache-2.0
// A launch's counts under the names that all of the program uses: those of Tally's members, sums of loads and stores,
// and by kind of instruction "warp_instructions.KIND" and "thread_instructions.KIND".
#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>
#include "simt/counters.h"

namespace ww::simt {

std::vector<std::pair<std::string, std::uint64_t>> named_counts(const Tally& total);

}  // namespace ww::simt
