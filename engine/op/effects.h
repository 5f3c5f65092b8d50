// SPDX-License-Identifier: Apache-2.0
// What the results of a spec do not show of it.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>
#include "op/spec.h"

namespace ww::op {

struct Replaceable {          // a part of a spec that could be another without any effect
  std::string before, after;  // printed: "exp(N / 900 - 190)", "exp((N + 1) / 900 - 190)"
};
// Terms of sizes and indices that have no effect beyond rounding at any of the `tried` sizes and could be constants,
// ends of ranges that could be others and are no tensor's dimension, and functions of reductions that could be 0.
// Subscripts do not count, nor do ranges of max and min, nor conditions that a mutant leaves out (op/mutate.h). Of
// nested parts the outermost. Sizes at which an evaluation takes too long are left out; none is left: std::nullopt.
std::optional<std::vector<Replaceable>> without_effect(const Spec& spec, const std::vector<Binding>& tried);

// Whether an input or output has a dimension of this constant size.
bool is_dimension(const Spec& spec, std::int64_t size);

}  // namespace ww::op
