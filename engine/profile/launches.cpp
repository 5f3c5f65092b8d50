// SPDX-License-Identifier: Apache-2.0
#include "profile/launches.h"

namespace ww::profile {

std::vector<LaunchUse> launches_of(const candidate::Plan& plan, const std::vector<compile::KernelResources>& resources,
                                   const DeviceLimits* limits) {
  std::vector<LaunchUse> list;
  for (const candidate::PlannedLaunch& l : plan.launches) {
    LaunchUse use;
    use.launch = l;
    use.shape = {static_cast<int>(l.block[0] * l.block[1] * l.block[2]), 0, 0,
                 static_cast<std::int64_t>(l.shared_bytes)};
    for (const compile::KernelResources& k : resources)
      if (k.kernel == l.kernel) use.resources = k;
    if (use.resources) {
      use.shape.registers = use.resources->registers;
      use.shape.static_shared = use.resources->static_shared;
      if (limits) use.occupancy = occupancy(*limits, use.shape);
    }
    list.push_back(std::move(use));
  }
  return list;
}

}  // namespace ww::profile
