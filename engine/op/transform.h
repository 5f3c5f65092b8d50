// SPDX-License-Identifier: Apache-2.0
// Transforms specs. Results are checked; errors say what does not fit.
#pragma once
#include <map>
#include <string>
#include <string_view>
#include <vector>
#include "base/result.h"
#include "op/spec.h"

namespace ww::op {

Result<Spec> with_dtype(const Spec& spec, DType real);  // every real tensor becomes `real`
Result<Spec> with_defaults(const Spec& spec, const std::map<std::string, std::int64_t>& symbols);
Result<Spec> with_constants(const Spec& spec, const std::map<std::string, double>& constants);
// `first`'s only output is connected to `second`'s input `into` (empty: its first); name clashes are resolved by
// renaming, and shape symbols unified dimension by dimension. The fused op is named first_second. first's output
// becomes a temporary.
Result<Spec> compose(const Spec& first, const Spec& second, std::string_view into = {});
// The results of all `specs` from the same inputs: inputs of one name are one input, and equal constants one constant.
// An output keeps its name where it is in `outputs`, which is empty or has one name for each; else it is called after
// its op.
Result<Spec> beside(const std::vector<Spec>& specs, const std::vector<std::string>& outputs = {});
// A loss that is a mean (or a sum divided by sizes) as the sum, or as the terms of it: one per element.
enum class LossReduction : std::uint8_t { sum, none };
Result<Spec> with_reduction(const Spec& loss, LossReduction how);
// Inputs of any value: without domains and rules, except for inputs whose values are subscripts.
Result<Spec> widened(const Spec& spec);
// Renames tensors, symbols and constants (old -> new) throughout.
Result<Spec> rename(const Spec& spec, const std::map<std::string, std::string>& names);

}  // namespace ww::op
