// SPDX-License-Identifier: Apache-2.0
#include "gate/defined.h"
#include <algorithm>
#include <optional>
#include "op/parse.h"
#include "op/program.h"
#include "op/walk.h"

namespace ww::gate {
namespace {

struct Undefined {
  int ranges = 0, other = 0;
};

// Of an expression of literals, sizes and constants.
std::optional<double> number_of(const op::Expr& e, const op::Resolved& known) {
  using K = op::ExprKind;
  if (e.kind == K::integer) return static_cast<double>(e.integer);
  if (e.kind == K::real) return e.real;
  if (e.kind == K::unary && e.unary == op::UnaryOp::negate) {
    const std::optional<double> of = number_of(*e.args[0], known);
    return of ? std::optional(-*of) : std::nullopt;
  }
  if (e.kind != K::name) return {};
  if (const auto whole = known.integer(e.name)) return static_cast<double>(*whole);
  const auto c = std::ranges::find(known.constants, e.name, &op::ResolvedConstant::name);
  return c == known.constants.end() ? std::nullopt : std::optional(c->real);
}

bool crosses(const op::Expr& e, const op::Resolved& known) {  // clamp(x, lo, hi) with lo above hi
  if (e.kind != op::ExprKind::call || e.name != "clamp") return false;
  const std::optional<double> lo = number_of(*e.args[1], known), hi = number_of(*e.args[2], known);
  return lo && hi && *lo > *hi;
}

Undefined undefined_parts(const op::Spec& spec, const op::Binding& binding) {
  const auto known = op::resolve(spec, binding);
  if (!known) return {};
  Undefined out;
  std::int64_t lo = 0, hi = 0, other = 0;
  for (const op::Equation& equation : spec.equations)
    op::for_each(*equation.value, [&](const op::Expr& e) {
      if (e.kind == op::ExprKind::binary && e.binary == op::BinaryOp::div && e.args[1]->type == op::Type::integer)
        out.other += op::interval(*e.args[1], {}, *known, &lo, &hi) && lo <= 0 ? 1 : 0;
      else if (e.kind == op::ExprKind::binary && e.binary == op::BinaryOp::div)
        out.other += number_of(*e.args[1], *known) == 0 ? 1 : 0;
      out.other += crosses(e, *known) ? 1 : 0;
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
  return now.other == 0 && now.ranges <= undefined_parts(spec, before).ranges;
}

}  // namespace ww::gate
