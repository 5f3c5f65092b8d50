// SPDX-License-Identifier: Apache-2.0
// What a simulated cost is made of. The rules of ranking and of advice name these groups.
#pragma once
#include <utility>
#include <vector>
#include "base/describe.h"

namespace ww::profile {

enum class CostGroup : std::uint8_t {
  unknown,
  arithmetic,
  special_functions,
  tensor,
  global_memory,
  local_memory,
  shared_memory,
  atomics,
  shuffles_and_barriers,
  control,
  idle_schedulers  // what too few warps leave unused
};
constexpr auto names_of(CostGroup) {
  using enum CostGroup;
  return std::to_array<Enumerator<CostGroup>>({{unknown, "unknown"},
                                               {arithmetic, "arithmetic"},
                                               {special_functions, "special functions"},
                                               {tensor, "tensor"},
                                               {global_memory, "global memory"},
                                               {local_memory, "local memory"},
                                               {shared_memory, "shared memory"},
                                               {atomics, "atomics"},
                                               {shuffles_and_barriers, "shuffles and barriers"},
                                               {control, "control"},
                                               {idle_schedulers, "idle schedulers"}});
}

using CostShares = std::vector<std::pair<CostGroup, double>>;

}  // namespace ww::profile
