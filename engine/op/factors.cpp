// SPDX-License-Identifier: Apache-2.0
#include "op/factors.h"
#include <algorithm>
#include <limits>
#include "op/walk.h"

namespace ww::op {
namespace {

void flatten(const ExprPtr& e, bool below, std::vector<Factor>& out, bool* negative) {
  if (e->type == Type::real && e->kind == ExprKind::binary &&
      (e->binary == BinaryOp::mul || e->binary == BinaryOp::div)) {
    flatten(e->args[0], below, out, negative);
    flatten(e->args[1], e->binary == BinaryOp::div ? !below : below, out, negative);
  } else if (e->type == Type::real && e->kind == ExprKind::unary && e->unary == UnaryOp::negate) {
    *negative = !*negative;
    flatten(e->args[0], below, out, negative);
  } else {
    out.push_back({e, below, names_in(*e)});
  }
}

bool within(const NameSet& a, const NameSet& b) { return std::includes(b.begin(), b.end(), a.begin(), a.end()); }

bool touches(const NameSet& names, const std::vector<Index>& indices) {
  return std::any_of(indices.begin(), indices.end(), [&](const Index& i) { return names.count(i.name) != 0; });
}

// What restricts the terms: ranges that depend on other indices, and the condition.
std::vector<ExprPtr> restrictions(const Expr& sum) {
  std::vector<ExprPtr> out;
  for (const Index& i : sum.indices) {
    const ExprPtr name = name_of(i.name, Role::index);
    if (!free_indices(*i.lo).empty()) out.push_back(binary_of(BinaryOp::ge, name, i.lo));
    if (!free_indices(*i.hi).empty()) out.push_back(binary_of(BinaryOp::lt, name, i.hi));
  }
  if (sum.args.size() > 1) out.push_back(sum.args[1]);
  return out;
}

double neutral_element(ReduceOp op) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  switch (op) {
    case ReduceOp::sum: return 0;
    case ReduceOp::prod: return 1;
    case ReduceOp::max: return -infinity;
    default: return infinity;
  }
}

}  // namespace

NameSet names_in(const Expr& e) {
  const std::vector<std::string> v = free_indices(e);
  return {v.begin(), v.end()};
}

void FactorGroup::take(const Factor& factor) {
  names.insert(factor.names.begin(), factor.names.end());
  if (!product)
    product = factor.below ? binary_of(BinaryOp::div, real_literal(1), factor.expr) : factor.expr;
  else
    product = binary_of(factor.below ? BinaryOp::div : BinaryOp::mul, product, factor.expr);
}

void FactorGroup::restrict_to(const ExprPtr& condition) {
  mask = mask ? binary_of(BinaryOp::logical_and, mask, condition) : condition;
}

ExprPtr as_real(const ExprPtr& e) {
  if (e->type == Type::real) return e;
  auto cast = std::make_shared<Expr>();
  cast->kind = ExprKind::cast;
  cast->cast = DType::f64;
  cast->type = Type::real;
  cast->args = {e};
  return cast;
}

ExprPtr FactorGroup::masked() const {
  const ExprPtr real = as_real(product);  // an integer factor, as the product would convert it
  return mask ? select_of(mask, real, real_literal(0)) : real;
}

std::optional<GroupedSum> group_sum(const Expr& sum, FactorOrder order) {
  GroupedSum out;
  std::vector<Factor> factors, inside;
  flatten(sum.args[0], false, factors, &out.negative);
  if (order == FactorOrder::divisors_last)
    std::stable_partition(factors.begin(), factors.end(), [](const Factor& f) { return !f.below; });
  for (Factor& f : factors) (touches(f.names, sum.indices) ? inside : out.outside).push_back(std::move(f));
  if (inside.size() < 2) return std::nullopt;
  out.roundings = static_cast<int>(inside.size()) - 1;
  std::stable_sort(inside.begin(), inside.end(),
                   [](const Factor& a, const Factor& b) { return a.names.size() > b.names.size(); });
  out.left.names = inside[0].names;
  for (const Factor& f : inside) (within(f.names, out.left.names) ? out.left : out.right).take(f);
  if (!out.right.product) return std::nullopt;
  for (const ExprPtr& condition : restrictions(sum)) {
    const NameSet names = names_in(*condition);
    if (within(names, out.left.names))
      out.left.restrict_to(condition);
    else if (within(names, out.right.names))
      out.right.restrict_to(condition);
    else
      return std::nullopt;
  }
  return out;
}

bool fits_matrix_units(const Expr& sum, const std::function<DType(const std::string&)>& dtype_of) {
  if (sum.kind != ExprKind::reduce || sum.reduce != ReduceOp::sum || sum.type != Type::real) return false;
  std::vector<Factor> factors;
  bool negative = false;
  flatten(sum.args[0], false, factors, &negative);
  int operands = 0;
  for (const Factor& f : factors) {
    if (!touches(f.names, sum.indices)) continue;
    const Expr* e = f.expr.get();
    while (e->type == Type::real && (e->kind == ExprKind::padded || e->kind == ExprKind::cast)) e = e->args[0].get();
    if (f.below || e->kind != ExprKind::access) return false;
    const DType dtype = dtype_of(e->name);
    if (dtype != DType::f16 && dtype != DType::bf16) return false;
    ++operands;
  }
  return operands == 2;
}

ExprPtr term_or_neutral(const Expr& reduction) {
  if (reduction.args.size() < 2) return reduction.args[0];
  return select_of(reduction.args[1], reduction.args[0], real_literal(neutral_element(reduction.reduce)));
}

}  // namespace ww::op
