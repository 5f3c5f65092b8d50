// SPDX-License-Identifier: Apache-2.0
// Groups of equations over common rows: one thread, one warp or one block per row. With a thread per row this lowers
// every group, and is the fallback for all others.
#pragma once
#include <set>
#include "search/groups.h"
#include "search/team.h"

namespace ww::search {

struct RowSchedule {
  enum class Cache : std::uint8_t { none, shared, registers };
  Team team = Team::thread;
  Cache cache = Cache::none;  // inputs that several passes read; warp and block
  bool online = false;        // combine max and sum of exponentials, or mean and variance, in one pass; warp and block
  bool vectors = false;       // load and store several neighbouring elements at once; warp and block
  bool tree = false;          // combine a block's results through a tree in shared memory
};

// What the group offers to a schedule: something to cache, a one-pass pattern, contiguous rows for vectors.
bool row_schedule_fits(const Program& program, const Group& group, const RowSchedule& schedule);
// Writes one kernel. `kept`: temporaries of the group that later groups read.
void lower_rows(Source& source, const Group& group, const RowSchedule& schedule, const std::set<std::string>& kept,
                const std::string& kernel_name, const std::string& about);

}  // namespace ww::search
