// SPDX-License-Identifier: Apache-2.0
#include "op/gradient_build.h"
#include <algorithm>
#include "op/walk.h"

namespace ww::op::gradient {
namespace {

bool negated(const Expr& e) { return e.kind == ExprKind::unary && e.unary == UnaryOp::negate; }
bool is_binary(const Expr& e, BinaryOp op) { return e.kind == ExprKind::binary && e.binary == op; }

ExprPtr folded(BinaryOp op, const ExprPtr& a, const ExprPtr& b) {
  ExprPtr e = binary_of(op, a, b);
  std::int64_t value = 0;
  if (e->type == Type::integer && a->kind == ExprKind::integer && b->kind == ExprKind::integer &&
      integer_value(*e, &value))
    return integer_literal(value);
  if (op == BinaryOp::mul && a->kind == ExprKind::real && b->kind == ExprKind::real)
    return real_literal(a->real * b->real);
  return e;
}

ExprPtr zero_like(const ExprPtr& a, const ExprPtr& b) {
  return a->type == Type::integer && b->type == Type::integer ? integer_literal(0) : real_literal(0);
}

}  // namespace

bool is_number(const Expr& e, double value) {
  return (e.kind == ExprKind::integer && !e.is_u64 && static_cast<double>(e.integer) == value) ||
         (e.kind == ExprKind::real && e.real == value);
}

ExprPtr sum_of(ExprPtr a, ExprPtr b) {
  if (is_number(*a, 0)) return b;
  if (is_number(*b, 0)) return a;
  if (negated(*b)) return difference_of(std::move(a), b->args[0]);
  if (b->kind == ExprKind::integer && b->integer < 0 && b->integer != INT64_MIN)
    return difference_of(std::move(a), integer_literal(-b->integer));
  return folded(BinaryOp::add, a, b);
}

ExprPtr difference_of(ExprPtr a, ExprPtr b) {
  if (is_number(*b, 0)) return a;
  if (is_number(*a, 0)) return negation_of(std::move(b));
  if (negated(*b)) return sum_of(std::move(a), b->args[0]);
  if (a->type == Type::integer && b->type == Type::integer && same_integer(*a, *b)) return integer_literal(0);
  return folded(BinaryOp::sub, a, b);
}

ExprPtr negation_of(ExprPtr a) {
  if (negated(*a)) return a->args[0];
  if (a->kind == ExprKind::integer && a->integer != INT64_MIN) return integer_literal(-a->integer);
  if (a->kind == ExprKind::real) return real_literal(-a->real);
  if (is_binary(*a, BinaryOp::sub)) return difference_of(a->args[1], a->args[0]);
  return unary_of(UnaryOp::negate, std::move(a));
}

ExprPtr product_of(ExprPtr a, ExprPtr b) {
  if (is_number(*a, 0) || is_number(*b, 0)) return zero_like(a, b);
  if (is_number(*a, 1)) return b;
  if (is_number(*b, 1)) return a;
  if (negated(*a)) return negation_of(product_of(a->args[0], std::move(b)));
  if (negated(*b)) return negation_of(product_of(std::move(a), b->args[0]));
  if (is_number(*a, -1)) return negation_of(std::move(b));
  if (is_number(*b, -1)) return negation_of(std::move(a));
  return folded(BinaryOp::mul, a, b);
}

ExprPtr quotient_of(ExprPtr a, ExprPtr b) {
  if (is_number(*a, 0)) return zero_like(a, b);
  if (is_number(*b, 1)) return a;
  const bool real = a->type == Type::real || b->type == Type::real;
  if (real && negated(*a)) return negation_of(quotient_of(a->args[0], std::move(b)));
  return folded(BinaryOp::div, a, b);
}

ExprPtr remainder_of(ExprPtr a, ExprPtr b) {
  if (is_number(*a, 0) || is_number(*b, 1)) return integer_literal(0);
  return folded(BinaryOp::mod, a, b);
}

ExprPtr call_of(const char* function, std::vector<ExprPtr> args) {
  auto e = std::make_shared<Expr>();
  e->kind = ExprKind::call;
  e->name = function;
  e->type = Type::real;
  e->args = std::move(args);
  return e;
}

ExprPtr both_of(ExprPtr a, ExprPtr b) {
  if (!a || !b) return a ? a : b;
  return binary_of(BinaryOp::logical_and, std::move(a), std::move(b));
}

ExprPtr reduce_over(ReduceOp op, std::vector<Index> indices, ExprPtr condition, ExprPtr body) {
  auto e = std::make_shared<Expr>();
  e->kind = ExprKind::reduce;
  e->reduce = op;
  e->type = body->type;
  e->indices = std::move(indices);
  e->args = {std::move(body)};
  if (condition) e->args.push_back(std::move(condition));
  return e;
}

bool mentions(const Expr& e, const std::string& name) {
  bool found = false;
  for_each(e, [&](const Expr& x) { found = found || (x.kind == ExprKind::name && x.name == name); });
  return found;
}

std::optional<Linear> linear_in(const ExprPtr& e, const std::string& name) {
  if (!mentions(*e, name)) return Linear{integer_literal(0), e};
  if (e->kind == ExprKind::name) return Linear{integer_literal(1), integer_literal(0)};
  if (negated(*e)) {
    auto a = linear_in(e->args[0], name);
    if (a) a = Linear{negation_of(a->factor), negation_of(a->rest)};
    return a;
  }
  if (e->kind != ExprKind::binary) return std::nullopt;
  const auto a = linear_in(e->args[0], name), b = linear_in(e->args[1], name);
  if (!a || !b) return std::nullopt;
  if (e->binary == BinaryOp::add) return Linear{sum_of(a->factor, b->factor), sum_of(a->rest, b->rest)};
  if (e->binary == BinaryOp::sub) return Linear{difference_of(a->factor, b->factor), difference_of(a->rest, b->rest)};
  if (e->binary != BinaryOp::mul) return std::nullopt;
  if (is_number(*b->factor, 0)) return Linear{product_of(a->factor, b->rest), product_of(a->rest, b->rest)};
  if (is_number(*a->factor, 0)) return Linear{product_of(a->rest, b->factor), product_of(a->rest, b->rest)};
  return std::nullopt;
}

std::vector<ExprPtr> terms_of(const ExprPtr& e) {
  std::vector<ExprPtr> out;
  if (negated(*e)) {
    for (const ExprPtr& t : terms_of(e->args[0])) out.push_back(negation_of(t));
  } else if (is_binary(*e, BinaryOp::add) || is_binary(*e, BinaryOp::sub)) {
    out = terms_of(e->args[0]);
    for (const ExprPtr& t : terms_of(e->args[1])) out.push_back(e->binary == BinaryOp::sub ? negation_of(t) : t);
  } else if (is_binary(*e, BinaryOp::mul)) {
    for (const ExprPtr& a : terms_of(e->args[0]))
      for (const ExprPtr& b : terms_of(e->args[1])) out.push_back(product_of(a, b));
  } else if (!is_number(*e, 0)) {
    out.push_back(e);
  }
  return out;
}

ExprPtr total_of(const std::vector<ExprPtr>& terms) {
  ExprPtr out = integer_literal(0);
  for (const ExprPtr& t : terms) out = sum_of(out, t);
  return out;
}

namespace {

std::vector<ExprPtr> factors_of(const ExprPtr& e) {
  if (negated(*e)) {
    std::vector<ExprPtr> out = factors_of(e->args[0]);
    out.insert(out.begin(), integer_literal(-1));
    return out;
  }
  if (!is_binary(*e, BinaryOp::mul)) return {e};
  std::vector<ExprPtr> out = factors_of(e->args[0]);
  const std::vector<ExprPtr> more = factors_of(e->args[1]);
  out.insert(out.end(), more.begin(), more.end());
  return out;
}

ExprPtr term_divided(const ExprPtr& term, const ExprPtr& divisor) {
  std::vector<ExprPtr> left = factors_of(term);
  for (const ExprPtr& f : factors_of(divisor)) {
    if (is_number(*f, 1)) continue;
    const auto same = std::find_if(left.begin(), left.end(), [&](const ExprPtr& x) {
      return same_integer(*x, *f) || (x->kind == ExprKind::integer && f->kind == ExprKind::integer && f->integer > 1 &&
                                      x->integer % f->integer == 0);
    });
    if (same == left.end()) return nullptr;
    const bool literal = (*same)->kind == ExprKind::integer && f->kind == ExprKind::integer;
    *same = integer_literal(literal ? (*same)->integer / f->integer : 1);
  }
  ExprPtr out = integer_literal(1);
  for (const ExprPtr& f : left) out = product_of(out, f);
  return out;
}

}  // namespace

ExprPtr divided_exactly(const ExprPtr& e, const ExprPtr& divisor) {
  if (same_integer(*e, *divisor)) return integer_literal(1);
  ExprPtr out = integer_literal(0);
  for (const ExprPtr& t : terms_of(e)) {
    const ExprPtr part = term_divided(t, divisor);
    if (!part) return nullptr;
    out = sum_of(out, part);
  }
  return out;
}

}  // namespace ww::op::gradient
