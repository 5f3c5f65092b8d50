// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "base/result.h"
#include "op/spec.h"

namespace ww::op {

// An estimate of the evaluator's steps for the spec at a binding: nodes times points, with matrix products at a
// quarter.
Result<double> steps_of(const Spec& spec, const Binding& binding);

// Whether every input, output and temporary has elements at a binding.
bool has_elements(const Spec& spec, const Binding& binding);

}  // namespace ww::op
