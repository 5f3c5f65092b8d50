// SPDX-License-Identifier: Apache-2.0
// Outputs that are positions (argmax, argmin). Where values are closer than their errors, the reference says only that
// several positions may be right; whether a given one is follows from its own value.
#pragma once
#include <cstddef>
#include <span>
#include <stop_token>
#include <string>
#include <vector>
#include "base/result.h"
#include "gate/reference.h"
#include "op/spec.h"

namespace ww::gate {

struct Positions {
  std::vector<std::size_t> wrong;  // elements
  std::size_t right = 0;           // others than the reference's, whose values are within their errors of the extreme
};

// Looks at the elements of the output `name` that differ from the reference although its bound lets any value pass:
// wrong are those outside the range of the index, and those whose value, with its error and in every form of the spec,
// is not the extreme. Nothing is known where that error is infinite, and of an output that is no position. If the spec
// is too much work to be evaluated again, only the range is checked.
Result<Positions> judge_positions(const op::Spec& spec, const std::string& name, const Reference& reference,
                                  std::span<const std::byte> actual, int threads, std::stop_token stop);

}  // namespace ww::gate
