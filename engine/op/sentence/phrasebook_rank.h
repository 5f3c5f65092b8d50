// SPDX-License-Identifier: Apache-2.0
// Ops of any rank: an op file is written for a matrix [R, C]; where its directives say `spread: R`, R may stand for any
// number of dimensions, and with `axis: C` the dimension C may stand at any place among them.
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

// `spec` for a first input of shape `dims` (which become the defaults), worked along dimension `axis` (the last when
// not given; other places need an op with `axis`, whose name then ends in _axis<n>). The result is checked.
Result<Spec> at_shape(const Spec& spec, const std::vector<std::int64_t>& dims, std::optional<std::size_t> axis = {});

}  // namespace ww::op::phrases
