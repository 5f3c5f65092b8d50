// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "base/result.h"
#include "op/spec.h"

namespace ww::op {

// Steps that the evaluator takes for the spec at a binding, roughly: nodes times points, products of matrices at a
// quarter.
Result<double> steps_of(const Spec& spec, const Binding& binding);

}  // namespace ww::op
