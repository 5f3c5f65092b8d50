// SPDX-License-Identifier: Apache-2.0
#include "gate/defined.h"
#include "op/parse.h"
#include "op/program.h"
#include "op/walk.h"

namespace ww::gate {
namespace {

struct Undefined {
  int ranges = 0, divisors = 0;
};

Undefined undefined_parts(const op::Spec& spec, const op::Binding& binding) {
  const auto known = op::resolve(spec, binding);
  if (!known) return {};
  Undefined out;
  std::int64_t lo = 0, hi = 0, other = 0;
  for (const op::Equation& equation : spec.equations)
    op::for_each(*equation.value, [&](const op::Expr& e) {
      if (e.kind == op::ExprKind::binary && e.binary == op::BinaryOp::div && e.args[1]->type == op::Type::integer)
        out.divisors += op::interval(*e.args[1], {}, *known, &lo, &hi) && lo <= 0 ? 1 : 0;
      if (e.kind != op::ExprKind::reduce) return;
      for (const op::Index& i : e.indices)
        if (op::interval(*i.lo, {}, *known, &lo, &other) && op::interval(*i.hi, {}, *known, &hi, &other))
          out.ranges += hi <= lo ? 1 : 0;
    });
  return out;
}

}  // namespace

bool stays_defined(const op::Spec& spec, const op::Binding& binding, const op::Binding& own) {
  op::Binding before = binding;
  before.constants = own.constants;
  const Undefined now = undefined_parts(spec, binding);
  return now.divisors == 0 && now.ranges <= undefined_parts(spec, before).ranges;
}

}  // namespace ww::gate
