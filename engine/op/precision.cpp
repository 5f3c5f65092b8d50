// SPDX-License-Identifier: Apache-2.0
#include "op/precision.h"
#include <algorithm>
#include "op/walk.h"

namespace ww::op {

bool depends_on_precision(const Spec& spec) {
  constexpr std::array lossy = {"expm1", "log1p", "tanh", "sinh", "erf"};
  bool found = false;
  for (const Equation& e : spec.equations)
    for_each(*e.value, [&](const Expr& x) {
      found = found || (x.kind == ExprKind::call && std::ranges::find(lossy, x.name) != lossy.end());
    });
  return found;
}

}  // namespace ww::op
