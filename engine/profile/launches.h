// SPDX-License-Identifier: Apache-2.0
// The launches of a candidate's plan with their kernels' resources, as the assembler reports them, and their occupancy.
// *modelled*.
#pragma once
#include <optional>
#include <vector>
#include "candidate/candidate.h"
#include "compile/compile.h"
#include "profile/occupancy.h"

namespace ww::profile {

struct LaunchUse {
  candidate::PlannedLaunch launch;
  KernelShape shape;                                  // registers and static shared memory are 0 without `resources`
  std::optional<compile::KernelResources> resources;  // absent: the assembler did not report the kernel
  std::optional<Occupancy> occupancy;                 // absent without `resources`, or without `limits`
};
// Launches in order. `limits` null: the architecture's are unknown.
std::vector<LaunchUse> launches_of(const candidate::Plan& plan, const std::vector<compile::KernelResources>& resources,
                                   const DeviceLimits* limits);

}  // namespace ww::profile
