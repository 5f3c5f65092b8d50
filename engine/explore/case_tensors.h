// SPDX-License-Identifier: Apache-2.0
// The inputs of a case and the outputs that its spec asks for, to be looked at.
#pragma once
#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>
#include "base/result.h"
#include "evidence/wrong_map.h"
#include "op/inputs.h"
#include "op/spec.h"
#include "store/workspace.h"

namespace ww::explore {

inline constexpr std::int64_t most_shown_elements = std::int64_t{1} << 24;  // over all tensors of a case

struct CaseTensor {
  bool output = false;
  evidence::WrongMap map;  // nothing is wrong in it; a cell shows its value of largest magnitude
};

// The op's distributions of inputs that the gate draws from.
std::vector<op::Distribution> distributions_of(const op::Spec& spec);
// Inputs and reference outputs of the run's spec, in its order, evaluated on this thread and its helpers. Errors:
// invalid_argument (the case has more elements than are shown, or the spec is not defined on these inputs), cancelled.
Result<std::vector<CaseTensor>> case_tensors(const op::Spec& spec, const op::Binding& binding,
                                             op::Distribution distribution, std::uint64_t seed,
                                             std::stop_token stop = {});
// The spec of the run that a candidate belongs to.
Result<op::Spec> spec_of(store::Workspace& workspace, std::int64_t candidate);

}  // namespace ww::explore
