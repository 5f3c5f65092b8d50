// SPDX-License-Identifier: Apache-2.0
// Sizes at which positions lie on both sides of a number that a kernel compares with.
#pragma once
#include <cstdint>
#include <vector>
#include "op/spec.h"

namespace ww::explore {

// Those that are cheap to evaluate, with as many sizes beyond the number as possible: all of them, two, or one, beside
// small ones.
std::vector<op::Binding> sizes_beyond(const op::Spec& spec, std::int64_t number);

}  // namespace ww::explore
