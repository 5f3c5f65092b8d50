// SPDX-License-Identifier: Apache-2.0
// Which way a candidate's launch plan takes at given sizes.
#pragma once
#include "candidate/candidate.h"
#include "gate/cases.h"
#include "op/spec.h"

namespace ww::gate {

// What each choice of the plan comes out as (candidate::plan_choices). Then, if a launch has a grid that does not grow
// with any size, whether the largest tensor has more elements than such launches have threads, or more than eight times
// as many; and if a temporary's shape is fixed, whether a launch has more blocks than the temporary has elements.
// Beyond these, a kernel is right only if its threads, or its blocks, take several in turn. Empty: no choice, nothing
// fixed, or no plan.
Way plan_way(const candidate::Candidate& candidate, const op::Spec& spec, const op::Binding& binding,
             const candidate::Tuning& tuning);

}  // namespace ww::gate
