// SPDX-License-Identifier: Apache-2.0
// Widens the bounds of a reference for kernels that compute another form of the spec (op/forms.h).
#pragma once
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include "gate/reference.h"

namespace ww::gate {

inline constexpr double most_form_flops = 2e8;  // of a spec in another form: it is evaluated term by term

using ReferenceOutputs = std::map<std::string, op::ReferenceTensor>;

// The outputs of `reference` with the largest bound of all forms that its precision allows; `strict` is filled in
// without the expanded form, unless already present. A bound that is infinite only in a form becomes the largest finite
// number, unless the products of that form may overflow on these inputs: an honest kernel may lose all digits there,
// but has no NaN. Empty: no other form, or none can be evaluated at these sizes. Error: cancelled.
Result<std::optional<ReferenceOutputs>> with_forms(const op::Spec& spec, const Reference& reference, int threads,
                                                   std::stop_token stop);

}  // namespace ww::gate
