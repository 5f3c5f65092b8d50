// SPDX-License-Identifier: Apache-2.0
// Sizes that only count independent parts: "batch" in [batch, channels, …].
#pragma once
#include <string>
#include <vector>
#include "op/spec.h"

namespace ww::op {

// The symbols S such that S is the first dimension of every output, no dimension of another place, and element [i, …]
// of an output depends only on the elements [i, …] of tensors that begin with S, and on tensors without S. The last
// elements of the outputs at a large S are then those at a small S over the last elements of the inputs. In the spec's
// order.
std::vector<std::string> leading_symbols(const Spec& spec);

// Whether the tensor's first dimension is the symbol.
bool leads(const Param& tensor, const std::string& symbol);

}  // namespace ww::op
