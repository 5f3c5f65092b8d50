// SPDX-License-Identifier: Apache-2.0
// Inputs whose values a spec itself has, such as constants of a PyTorch module: lines "//@ value: NAME BASE64" above
// it, with the elements in memory order. They belong to the use of a kernel: the gate proves it for any values.
#pragma once
#include <map>
#include <string>
#include <string_view>
#include "base/result.h"
#include "op/evaluate.h"
#include "op/spec.h"

namespace ww::op {

inline constexpr std::string_view value_key = "value";  // of the directive

// By name. Code::invalid_argument: a value of no input or of one whose shape varies, or one of another size.
Result<std::map<std::string, HostTensor>> fixed_inputs(const Spec& spec);

// Whether a line gives the value of this input, right or wrong.
bool has_fixed_value(const Spec& spec, const std::string& input);
// Adds to `derived` the lines of `spec` for the inputs that both have.
void keep_fixed_values(const Spec& spec, Spec& derived);

}  // namespace ww::op
