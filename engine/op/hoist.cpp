// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>
#include "op/evaluator.h"
#include "op/walk.h"

namespace ww::op {
namespace {
constexpr double max_kept = double{1 << 28};  // elements of a hoisted tensor
}

std::vector<GridIndex> Evaluator::grid_of(const std::vector<std::string>& names, const Scope& scope) {
  std::vector<GridIndex> grid;
  for (const std::string& n : names) grid.push_back(scope.at(n));
  return grid;
}

// Puts the reduction's indices into scope with ranges that hold all their values; unknown ones are left
// out.
void Evaluator::enter(const Expr& reduction, Scope& scope, bool* uniform, double* points) const {
  *uniform = true;
  for (const Index& i : reduction.indices) {
    GridIndex g{i.name, 0, 0};
    std::int64_t other = 0;
    const bool known = interval(*i.lo, scope, known_, &g.lo, &other) && interval(*i.hi, scope, known_, &other, &g.hi);
    *uniform = *uniform && known && free_indices(*i.lo).empty() && free_indices(*i.hi).empty();
    if (known) {
      scope[i.name] = g;
      *points *= static_cast<double>(std::max<std::int64_t>(1, g.extent()));
    } else {
      scope.erase(i.name);
    }
  }
}

bool Evaluator::may_fail(const Expr& e, const Scope& scope, bool padded) const {
  if (e.kind == ExprKind::padded) return may_fail(*e.args[0], scope, true) || may_fail(*e.args[1], scope);
  if (e.kind == ExprKind::access && !padded) {
    const Tensor& t = tensors_.at(e.name);
    for (std::size_t i = 0; i < e.args.size(); ++i) {
      std::int64_t first = 0, last = 0;
      if (!interval(*e.args[i], scope, known_, &first, &last) || first < 0 || last >= t.shape[i]) return true;
    }
  }
  if (e.kind == ExprKind::binary && e.type == Type::integer &&
      (e.binary == BinaryOp::div || e.binary == BinaryOp::mod || e.binary == BinaryOp::pow)) {
    std::int64_t first = 0, last = 0;
    if (e.binary == BinaryOp::pow || !interval(*e.args[1], scope, known_, &first, &last) || first <= 0) return true;
  }
  if (e.kind == ExprKind::call && e.type == Type::integer && (e.name == "ceildiv" || e.name == "pow2ceil")) return true;
  if (e.kind == ExprKind::reduce) {
    Scope inner = scope;
    bool uniform = false;
    double points = 1;
    enter(e, inner, &uniform, &points);
    for (const Index& i : e.indices)
      if (may_fail(*i.lo, inner) || may_fail(*i.hi, inner)) return true;
    return std::any_of(e.args.begin(), e.args.end(), [&](const ExprPtr& a) { return may_fail(*a, inner); });
  }
  return std::any_of(e.args.begin(), e.args.end(), [&](const ExprPtr& a) { return may_fail(*a, scope); });
}

ExprPtr Evaluator::keep(std::unique_ptr<Dense> dense, const std::vector<GridIndex>& grid) {
  const std::string name = "$" + std::to_string(kept_.size());  // free again when this one is no longer kept
  std::vector<ExprPtr> subscripts;
  for (const GridIndex& g : grid) {
    ExprPtr s = name_of(g.name, Role::index);
    subscripts.push_back(g.lo == 0 ? s : binary_of(BinaryOp::sub, s, integer_literal(g.lo)));
  }
  tensors_[name] = view(*dense);
  const Type type = dense->type;
  kept_.push_back(std::move(dense));
  return access_of(name, std::move(subscripts), type);
}

ExprPtr Evaluator::hoist(const ExprPtr& e, const Scope& scope, bool guarded, double points) {
  if (!status_ || e->args.empty()) return e;
  if (e->kind == ExprKind::reduce) {
    if (ExprPtr out = hoisted_reduction(e, scope, guarded, points)) return out;
    if (!status_) return e;
  }
  Scope inner = scope;
  std::vector<bool> guards(e->args.size(), guarded);
  if (e->kind == ExprKind::reduce) {
    bool uniform = false;
    enter(*e, inner, &uniform, &points);
    guards[0] = guarded || !uniform || e->args.size() > 1;
    if (guards.size() > 1) guards[1] = guarded || !uniform;
  } else if (e->kind == ExprKind::select) {
    guards[1] = guards[2] = true;
  } else if (e->kind == ExprKind::binary && (e->binary == BinaryOp::logical_and || e->binary == BinaryOp::logical_or)) {
    guards[1] = true;
  }
  std::shared_ptr<Expr> copy;
  for (std::size_t i = 0; i < e->args.size(); ++i) {
    // The access below pad() stays as it is: its subscripts are integers.
    if (e->kind == ExprKind::padded && i == 0) continue;
    ExprPtr a = hoist(e->args[i], inner, guards[i], points);
    if (a == e->args[i]) continue;
    if (!copy) copy = std::make_shared<Expr>(*e);
    copy->args[i] = std::move(a);
  }
  return copy ? ExprPtr(copy) : e;
}

ExprPtr Evaluator::hoisted_reduction(const ExprPtr& e, const Scope& scope, bool guarded, double points) {
  const std::vector<std::string> free = free_indices(*e);
  double own = 1;
  for (const std::string& n : free) {
    const auto found = scope.find(n);
    if (found == scope.end()) return nullptr;
    own *= static_cast<double>(found->second.extent());
  }
  if (own == 0 || own > max_kept) return nullptr;
  if (guarded && may_fail(*e, scope)) return nullptr;
  if (ExprPtr out = contraction(*e, free, scope); out || !status_) return out;
  if (ExprPtr out = scan(*e, free, scope); out || !status_) return out;
  if (own >= points) return nullptr;
  auto dense = std::make_unique<Dense>();
  const std::vector<GridIndex> grid = grid_of(free, scope);
  status_ = compute(e, e->type, grid, *dense);
  if (!status_) return nullptr;
  return keep(std::move(dense), grid);
}

}  // namespace ww::op
