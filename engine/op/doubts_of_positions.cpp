// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include "op/doubts.h"
#include "op/effects.h"
#include "op/parse.h"
#include "op/walk.h"

namespace ww::op {
namespace {

constexpr double far = 1000;  // sizes at which ops are compared are mostly smaller

std::optional<double> literal_of(const Spec& spec, const Expr& e) {
  if (e.kind == ExprKind::integer) return static_cast<double>(e.integer);
  if (e.kind == ExprKind::real) return e.real;
  if (e.kind == ExprKind::unary && e.unary == UnaryOp::negate) {
    const std::optional<double> v = literal_of(spec, *e.args[0]);
    return v ? std::optional(-*v) : std::nullopt;
  }
  if (e.kind != ExprKind::name || e.role != Role::constant) return std::nullopt;
  const auto c = std::ranges::find(spec.constants, e.name, &Constant::name);
  return c == spec.constants.end() ? std::nullopt : literal_of(spec, *c->value);
}

// Of indices and sizes, and of no element.
bool is_place(const Expr& e) {
  bool place = false, element = false;
  for_each(e, [&](const Expr& x) {
    place = place || (x.kind == ExprKind::name && x.role != Role::constant);
    element = element || x.kind == ExprKind::access;
  });
  return place && !element;
}

bool sets_apart(const Spec& spec, const Expr& e) {
  if (e.kind != ExprKind::binary && e.kind != ExprKind::call) return false;
  // 10000^(i / N) encodes positions
  if ((e.kind == ExprKind::binary && e.binary == BinaryOp::pow) || (e.kind == ExprKind::call && e.name == "pow"))
    return false;
  const bool number = std::ranges::any_of(e.args, [&](const ExprPtr& a) {
    const std::optional<double> v = literal_of(spec, *a);
    return v && std::abs(*v) >= far && std::isfinite(*v);
  });
  return number && std::ranges::any_of(e.args, [](const ExprPtr& a) { return is_place(*a); });
}

}  // namespace

std::vector<std::string> doubts_of_positions(const Spec& spec) {
  std::vector<std::string> out;
  std::set<std::string> seen;
  const auto add = [&](const std::string& what) {
    if (seen.insert(what).second)
      out.push_back("'" + what + "' sets far sizes or positions apart, and what is compared may not go so far.");
  };
  const auto add_ranges = [&](const std::vector<Index>& indices) {
    for (const Index& i : indices)
      for (const ExprPtr& end : {i.lo, i.hi})
        if (std::int64_t v = 0;
            i.given && integer_value(*end, &v) && v >= static_cast<std::int64_t>(far) && !is_dimension(spec, v))
          add(i.name + " in " + print(*i.lo) + ".." + print(*i.hi));
  };
  for (const Equation& e : spec.equations) {
    add_ranges(e.indices);
    for_each(*e.value, [&](const Expr& x) {
      if (x.kind == ExprKind::reduce) add_ranges(x.indices);
      if (sets_apart(spec, x)) add(print(x));
    });
  }
  return out;
}

}  // namespace ww::op
