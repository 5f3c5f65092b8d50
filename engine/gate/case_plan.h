// SPDX-License-Identifier: Apache-2.0
// The cases of every judgement on a device: those that follow from the spec, and the number of further ones drawn
// unpredictably. Judgements and displays both use this.
#pragma once
#include <stop_token>
#include <string_view>
#include <vector>
#include "base/result.h"
#include "device/device.h"
#include "gate/cases.h"

namespace ww::gate {

// `most_work`: see Request.
CaseOptions case_options(const device::Facts& device, double most_work, std::stop_token stop = {});

struct CasePlan {
  std::vector<Case> fixed;  // those of derive_cases, the default first
  bool reduced = false;     // "reduced" runs instead of the default
  bool may_reduce = false;  // the same if the device cannot generate the default's reference
  // Maximum numbers drawn per judgement; see random_cases, compared_cases and cases_of_other_ways.
  int random = 0, constants = 0, compared = 0, planned = 0;
};
inline constexpr int random_shapes = 3, constants_drawn = 2, constants_small = 4, constants_afar = 3,
                     constants_exchanged = 3, constants_twin = 1, compared_shapes = 6, planned_shapes = 3,
                     wrapping_shapes = 3;

// `device`: "simt", "cuda:0".
Result<CasePlan> case_plan(const op::Spec& spec, const op::Binding& binding, std::string_view device,
                           std::stop_token stop = {});

}  // namespace ww::gate
