// SPDX-License-Identifier: Apache-2.0
// The last steps to a derived spec: what it needs, in names and ranges as a person would write them.
#pragma once
#include <string>
#include <variant>
#include <vector>
#include "op/spec.h"

namespace ww::op::gradient {

// `derived`: outputs, all candidates for inputs and constants, and equations in any order, also needless ones; indices
// may have names of Fresh. `sources`: inputs of the op; one of them is kept where only its shape tells a size.
// The result is printed and parsed. Text: why that fails.
std::variant<Spec, std::string> finished(Spec derived, const std::vector<Param>& sources);

}  // namespace ww::op::gradient
