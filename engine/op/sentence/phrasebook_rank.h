// SPDX-License-Identifier: Apache-2.0
// Ops of any rank. An op file describes a matrix [R, C]; with the directive `spread: R`, R may be any number of
// dimensions, and with `axis: C`, C may be any one of the dimensions.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>
#include "base/result.h"
#include "op/spec.h"

namespace ww::op::phrases {

std::string directive(const Spec& spec, const std::string& key);  // empty when absent
bool spreads(const Spec& spec);                                   // has `spread`
bool has_axis(const Spec& spec);                                  // has `axis`

// `spec` for a first input of shape `dims`, which become the defaults, along dimension `axis` (default: the last; any
// other needs an op with `axis`, and the name then ends in _axis<n>). The result is checked.
Result<Spec> at_shape(const Spec& spec, const std::vector<std::int64_t>& dims, std::optional<std::size_t> axis = {});

}  // namespace ww::op::phrases
