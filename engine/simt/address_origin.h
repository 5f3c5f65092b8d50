// SPDX-License-Identifier: Apache-2.0
// From which of a kernel's parameters an access computes its address, so that a fault can name the tensor that was
// meant.
#pragma once
#include <set>
#include <vector>
#include "simt/module.h"

namespace ww::simt {

// Indices in Function::params of an entry: the parameters that reach the address of the instruction through moves and
// sums. Parameters that are no addresses (an offset that is added) may be among them.
std::set<std::size_t> address_parameters(const Function& entry, std::size_t instruction);

}  // namespace ww::simt
