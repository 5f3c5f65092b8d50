// SPDX-License-Identifier: Apache-2.0
// The room of a reference for kernels that compute another form of the spec (op/forms.h).
#pragma once
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include "gate/reference.h"

namespace ww::gate {

using ReferenceOutputs = std::map<std::string, op::ReferenceTensor>;

// The outputs of `reference` with the largest bound of all forms that its precision lets pass; `strict`, unless it is
// there, without the expanded form. A bound that only a form makes infinite is the largest number instead, unless the
// inputs are such that its products may overflow: an honest kernel may lose all digits there, but has no NaN. Nothing:
// there is no other form, or it cannot be evaluated at these sizes. Error: cancelled.
Result<std::optional<ReferenceOutputs>> with_forms(const op::Spec& spec, const Reference& reference, int threads,
                                                   std::stop_token stop);

}  // namespace ww::gate
