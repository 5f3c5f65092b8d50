// SPDX-License-Identifier: Apache-2.0
// What every judgement on a device tries: cases that follow from the spec, and how many more each draws that nobody
// knows before. Judgements and whoever tells of them go by this.
#pragma once
#include <stop_token>
#include <string_view>
#include <vector>
#include "base/result.h"
#include "device/device.h"
#include "gate/cases.h"

namespace ww::gate {

CaseOptions case_options(const device::Facts& device, std::stop_token stop = {});

struct CasePlan {
  std::vector<Case> fixed;  // those of derive_cases, the default first
  bool reduced = false;     // "reduced" is run in place of the default
  bool may_reduce = false;  // the same where the device cannot make the default's reference
  // Drawn for each judgement, at most; see random_cases, compared_cases and cases_of_other_ways.
  int random = 0, constants = 0, compared = 0, planned = 0;
};
inline constexpr int random_shapes = 3, constants_drawn = 2, constants_small = 4, constants_twin = 1,
                     compared_shapes = 2, planned_shapes = 2;

// `device`: "simt", "cuda:0".
Result<CasePlan> case_plan(const op::Spec& spec, const op::Binding& binding, std::string_view device,
                           std::stop_token stop = {});

}  // namespace ww::gate
