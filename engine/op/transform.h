// SPDX-License-Identifier: Apache-2.0
// Specs from specs. Results are checked; errors say what does not fit.
#pragma once
#include <map>
#include <string>
#include <string_view>
#include "base/result.h"
#include "op/spec.h"

namespace ww::op {

Result<Spec> with_dtype(const Spec& spec, DType real);  // every real tensor becomes `real`
Result<Spec> with_defaults(const Spec& spec, const std::map<std::string, std::int64_t>& symbols);
Result<Spec> with_constants(const Spec& spec, const std::map<std::string, double>& constants);
// `second`'s input `into` (empty: its first) is fed by `first`'s only output; equal names are renamed apart, and shape
// symbols unified dimension by dimension. The fused op is named first_second. first's output becomes a temporary.
Result<Spec> compose(const Spec& first, const Spec& second, std::string_view into = {});
// Renames tensors, symbols and constants (old -> new) throughout.
Result<Spec> rename(const Spec& spec, const std::map<std::string, std::string>& names);

}  // namespace ww::op
