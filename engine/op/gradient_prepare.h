// SPDX-License-Identifier: Apache-2.0
// Specs made ready for differentiation.
#pragma once
#include <functional>
#include <set>
#include <string>
#include "base/result.h"
#include "op/spec.h"

namespace ww::op::gradient {

using TensorSet = std::set<std::string>;

// Whether the value of `e` depends on that of one of the tensors: through its terms and operands, not through
// subscripts and conditions.
bool value_depends(const Expr& e, const TensorSet& tensors);
// The tensors of `roots`, and those whose values depend on them.
TensorSet dependents(const Spec& spec, const TensorSet& roots);

// The same op, where a sum of dependent values inside an expression that is not linear in it, and every maximum and
// minimum of such values inside any expression, is an equation of its own.
Result<Spec> with_reductions_apart(const Spec& spec, const TensorSet& dependent);

// Whether the temporary, a maximum or minimum, can have any value without changing a result: it keeps exponentials in
// range. Tried out at small sizes.
bool cancels_out(const Spec& spec, const Equation& equation);

// "x_2" where a name is taken, which is then taken, too.
std::string untaken(const std::string& base, std::set<std::string>& taken);
std::set<std::string> all_names(const Spec& spec);  // of tensors, symbols, constants and indices

}  // namespace ww::op::gradient
