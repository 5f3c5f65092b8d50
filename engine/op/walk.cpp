// SPDX-License-Identifier: Apache-2.0
#include "op/walk.h"
#include <algorithm>
#include <set>

namespace ww::op {

void for_each(const Expr& expr, const std::function<void(const Expr&)>& visit) {
  visit(expr);
  for (const Index& i : expr.indices) {
    if (i.lo) for_each(*i.lo, visit);
    if (i.hi) for_each(*i.hi, visit);
  }
  for (const ExprPtr& a : expr.args)
    if (a) for_each(*a, visit);
}

ExprPtr rewrite(const ExprPtr& expr, const std::function<ExprPtr(const Expr&)>& change) {
  if (!expr) return expr;
  if (ExprPtr other = change(*expr)) return other;
  std::shared_ptr<Expr> copy;
  const auto own = [&]() -> Expr& {
    if (!copy) copy = std::make_shared<Expr>(*expr);
    return *copy;
  };
  for (std::size_t i = 0; i < expr->indices.size(); ++i) {
    const Index& index = expr->indices[i];
    ExprPtr lo = rewrite(index.lo, change);
    ExprPtr hi = rewrite(index.hi, change);
    if (lo != index.lo) own().indices[i].lo = std::move(lo);
    if (hi != index.hi) own().indices[i].hi = std::move(hi);
  }
  for (std::size_t i = 0; i < expr->args.size(); ++i) {
    ExprPtr a = rewrite(expr->args[i], change);
    if (a != expr->args[i]) own().args[i] = std::move(a);
  }
  return copy ? ExprPtr(std::move(copy)) : expr;
}

ExprPtr substitute(const ExprPtr& expr, const std::map<std::string, ExprPtr>& names) {
  return rewrite(expr, [&](const Expr& e) -> ExprPtr {
    if (e.kind != ExprKind::name) return nullptr;
    const auto found = names.find(e.name);
    return found == names.end() ? nullptr : found->second;
  });
}

namespace {

void add_once(std::vector<std::string>& list, const std::string& name) {
  if (std::find(list.begin(), list.end(), name) == list.end()) list.push_back(name);
}

void collect_free(const Expr& e, std::vector<std::string>& bound, std::vector<std::string>& out) {
  if (e.kind == ExprKind::name) {
    if (e.role == Role::index && std::find(bound.begin(), bound.end(), e.name) == bound.end()) add_once(out, e.name);
    return;
  }
  const std::size_t scope = bound.size();
  for (const Index& i : e.indices) {
    if (i.lo) collect_free(*i.lo, bound, out);
    if (i.hi) collect_free(*i.hi, bound, out);
    bound.push_back(i.name);
  }
  for (const ExprPtr& a : e.args) collect_free(*a, bound, out);
  bound.resize(scope);
}

std::shared_ptr<Expr> make(ExprKind kind, Type type) {
  auto e = std::make_shared<Expr>();
  e->kind = kind;
  e->type = type;
  return e;
}

}  // namespace

std::vector<std::string> free_indices(const Expr& expr) {
  std::vector<std::string> bound, out;
  collect_free(expr, bound, out);
  return out;
}

std::vector<std::string> tensors_read(const Expr& expr) {
  std::vector<std::string> out;
  for_each(expr, [&](const Expr& e) {
    if (e.kind == ExprKind::access) add_once(out, e.name);
  });
  return out;
}

std::vector<std::string> inputs_read(const Spec& spec) {
  std::set<std::string> needed;
  for (const Param& p : spec.outputs) needed.insert(p.name);
  for (std::size_t before = 0; before != needed.size();) {  // the equations of a recurrence read one another
    before = needed.size();
    for (const Equation& e : spec.equations)
      if (needed.contains(e.target))
        for (std::string& t : tensors_read(*e.value)) needed.insert(std::move(t));
  }
  std::vector<std::string> out;
  for (const Param& p : spec.inputs)
    if (needed.contains(p.name)) out.push_back(p.name);
  return out;
}

ExprPtr integer_literal(std::int64_t value) {
  auto e = make(ExprKind::integer, Type::integer);
  e->integer = value;
  return e;
}

ExprPtr real_literal(double value) {
  auto e = make(ExprKind::real, Type::real);
  e->real = value;
  return e;
}

ExprPtr name_of(std::string name, Role role, Type type) {
  auto e = make(ExprKind::name, type);
  e->name = std::move(name);
  e->role = role;
  return e;
}

ExprPtr binary_of(BinaryOp op, ExprPtr a, ExprPtr b) {
  Type type = a->type == Type::real || b->type == Type::real ? Type::real : Type::integer;
  if (op >= BinaryOp::lt) type = Type::boolean;
  if (op == BinaryOp::pow && type == Type::integer && !(b->kind == ExprKind::integer && b->integer >= 0))
    type = Type::real;
  auto e = make(ExprKind::binary, type);
  e->binary = op;
  e->span = {a->span.begin, b->span.end};
  e->args = {std::move(a), std::move(b)};
  return e;
}

ExprPtr unary_of(UnaryOp op, ExprPtr a) {
  auto e = make(ExprKind::unary, op == UnaryOp::logical_not ? Type::boolean : a->type);
  e->unary = op;
  e->span = a->span;
  e->args = {std::move(a)};
  return e;
}

ExprPtr select_of(ExprPtr condition, ExprPtr yes, ExprPtr no) {
  auto e = make(ExprKind::select, Type::real);
  e->args = {std::move(condition), std::move(yes), std::move(no)};
  return e;
}

ExprPtr access_of(std::string tensor, std::vector<ExprPtr> subscripts, Type type) {
  auto e = make(ExprKind::access, type);
  e->name = std::move(tensor);
  e->args = std::move(subscripts);
  return e;
}

Type type_of(DType dtype) {
  return dtype == DType::boolean ? Type::boolean : is_real(dtype) ? Type::real : Type::integer;
}

}  // namespace ww::op
