// SPDX-License-Identifier: Apache-2.0
// Whether drawn constants leave a spec defined.
#pragma once
#include "op/spec.h"

namespace ww::gate {

// Whether the constants of `binding` make no more ranges of reductions empty than those of `own` do at the same sizes,
// no divisor zero or negative, and no lower end of clamp() higher than its upper one: a window of no elements has no
// mean, and a row no longer than what is subtracted from its length no deviation. Only what follows from sizes and
// constants alone counts.
bool stays_defined(const op::Spec& spec, const op::Binding& binding, const op::Binding& own);

}  // namespace ww::gate
