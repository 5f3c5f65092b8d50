// SPDX-License-Identifier: Apache-2.0
#include "search/contraction.h"
#include <algorithm>
#include "op/parse.h"
#include "op/walk.h"
#include "search/row_steps.h"
#include "search/terms.h"

namespace ww::search {

using op::BinaryOp;
using op::ExprKind;

namespace {

// A bound with every outer index at its lowest or highest: exact where the bound is an index plus something fixed.
ExprPtr extreme(const ExprPtr& bound, const std::vector<Index>& outer, bool highest) {
  std::map<std::string, ExprPtr> names;
  bool ok = true;
  const std::function<void(const Expr&)> monotone = [&](const Expr& e) {
    if (op::free_indices(e).empty() || is_index(e)) return;
    if (e.kind == ExprKind::binary && e.binary == BinaryOp::add) {
      monotone(*e.args[0]);
      monotone(*e.args[1]);
    } else if (e.kind == ExprKind::binary && e.binary == BinaryOp::sub && op::free_indices(*e.args[1]).empty()) {
      monotone(*e.args[0]);
    } else {
      ok = false;
    }
  };
  monotone(*bound);
  if (!ok || !op::tensors_read(*bound).empty()) return nullptr;
  for (const Index& i : outer) names[i.name] = highest ? sub(i.hi, op::integer_literal(1)) : i.lo;
  ExprPtr out = op::substitute(bound, names);
  if (!op::free_indices(*out).empty()) return nullptr;
  // (N - 1) + 1 is N.
  const ExprPtr one = op::integer_literal(1);
  for (const Index& i : outer)
    if (highest && op::same_integer(*out, *i.hi)) return i.hi;
  return out;
}

void conjuncts(const ExprPtr& e, std::vector<ExprPtr>& out) {
  if (e->kind == ExprKind::binary && e->binary == BinaryOp::logical_and) {
    conjuncts(e->args[0], out);
    conjuncts(e->args[1], out);
    return;
  }
  out.push_back(e);
}

bool contiguous_along(const Expr& e, const std::vector<Index>& own, const std::vector<Index>& k) {
  bool found = false, along_k = false;
  op::for_each(e, [&](const Expr& x) {
    if (x.kind != ExprKind::access || x.args.empty() || found) return;
    found = true;
    along_k = !uses(*x.args.back(), own.back().name) && uses_any(*x.args.back(), names_of(k));
  });
  return along_k;
}

// The box around a reduction's ranges, and what of it counts: false where a range has no such box.
bool box_of(const Equation& eq, const Expr& reduce, std::vector<Index>& box, std::vector<ExprPtr>& conditions) {
  const std::set<std::string> own = names_of(reduce.indices);
  for (const Index& i : reduce.indices) {
    if (uses_any(*i.lo, own) || uses_any(*i.hi, own)) return false;
    Index whole = i;
    whole.lo = extreme(i.lo, eq.indices, false);
    whole.hi = extreme(i.hi, eq.indices, true);
    if (!whole.lo || !whole.hi) return false;
    const ExprPtr at = op::name_of(i.name, op::Role::index);
    if (!same(whole.lo, i.lo)) conditions.push_back(op::binary_of(BinaryOp::le, i.lo, at));
    if (!same(whole.hi, i.hi)) conditions.push_back(op::binary_of(BinaryOp::lt, at, i.hi));
    box.push_back(whole);
  }
  if (reduce.args.size() > 1) conjuncts(reduce.args[1], conditions);
  return true;
}

void add_operands(const std::vector<ExprPtr>& side, bool left, ContractionPlan& plan) {
  for (const ExprPtr& e : side) {
    const std::string text = op::print(*e);
    if (std::any_of(plan.operands.begin(), plan.operands.end(),
                    [&](const Operand& o) { return op::print(*o.value) == text && o.left == left; }))
      continue;
    plan.operands.push_back({e, left, contiguous_along(*e, left ? plan.m : plan.n, plan.k)});
  }
}

// False where a condition belongs to neither operand.
bool add_masks(const std::vector<ExprPtr>& conditions, ContractionPlan& plan) {
  const std::set<std::string> m = names_of(plan.m), n = names_of(plan.n);
  for (const ExprPtr& condition : conditions) {
    if (!uses_any(*condition, n))
      plan.left_masks.push_back(condition);
    else if (!uses_any(*condition, m))
      plan.right_masks.push_back(condition);
    else
      return false;
  }
  return true;
}

// Zeros instead of what lies outside are harmless in a sum of products of both sides.
bool is_product(const Expr& reduce, const Contraction& c) {
  const std::vector<ExprPtr> factors = multiplicands(reduce.args[0]);
  const auto has_factor_of = [&](const std::vector<ExprPtr>& side) {
    return std::find_first_of(side.begin(), side.end(), factors.begin(), factors.end()) != side.end();
  };
  return reduce.reduce == op::ReduceOp::sum && has_factor_of(c.left) && has_factor_of(c.right);
}

}  // namespace

std::optional<ContractionPlan> plan_contraction(const Group& group) {
  ContractionPlan plan;
  for (const Equation& eq : group.equations) {
    if (!has_reduce(*eq.value)) continue;
    const auto c = contraction_of(eq);
    if (!c) return std::nullopt;
    const Expr& r = *c->reduce;
    if (r.reduce != op::ReduceOp::sum && r.reduce != op::ReduceOp::max && r.reduce != op::ReduceOp::min)
      return std::nullopt;
    std::vector<Index> k;
    std::vector<ExprPtr> conditions;
    if (!box_of(eq, r, k, conditions)) return std::nullopt;
    if (plan.sums.empty()) {
      plan.batch = c->batch;
      plan.m = c->m;
      plan.n = c->n;
      plan.k = k;
    } else if (!same_loops(plan.batch, c->batch) || !same_loops(plan.m, c->m) || !same_loops(plan.n, c->n) ||
               !same_loops(plan.k, k) || !conditions.empty() || !plan.left_masks.empty() || !plan.right_masks.empty()) {
      return std::nullopt;
    }
    add_operands(c->left, true, plan);
    add_operands(c->right, false, plan);
    if (!add_masks(conditions, plan)) return std::nullopt;
    const bool product = is_product(r, *c);
    if (!product && !(plan.left_masks.empty() && plan.right_masks.empty())) return std::nullopt;
    plan.zero_fills = product && (plan.sums.empty() || plan.zero_fills);
    plan.sums.emplace_back(&eq, &r);
  }
  if (plan.sums.empty()) return std::nullopt;
  return plan;
}

}  // namespace ww::search
