// SPDX-License-Identifier: Apache-2.0
// Where a checked expression has u64 operands: unsigned operations as signed ones, or why they cannot be.
#include <algorithm>
#include "op/checker.h"
#include "op/names.h"
#include "op/unsigned.h"
#include "op/walk.h"

namespace ww::op {
namespace {

// An unsigned value, or one that counts.
bool is_count(const Expr& e) {
  if (e.is_u64 || e.kind == ExprKind::name) return true;
  return e.kind == ExprKind::integer && e.integer >= 0;
}

void make_reals(Expr& e, std::size_t first) {
  for (std::size_t i = first; i < e.args.size(); ++i)
    if (e.args[i]->is_u64) e.args[i] = real_of_u64(e.args[i]);
}

ExprPtr product_of(const ExprPtr& a, std::int64_t times) {
  ExprPtr out = a;
  for (std::int64_t i = 1; i < times; ++i) out = binary_of(BinaryOp::mul, out, a);
  return as_u64(out);
}

}  // namespace

bool Checker::counts(const Expr& e, const std::string& what) {
  for (const ExprPtr& a : e.args) {
    if (is_count(*a)) continue;
    error(a->span, what + " has a u64 on one side, and this is signed", "write u64(…) or i64(…) around one of them");
    return false;
  }
  return true;
}

ExprPtr Checker::with_unsigned(std::shared_ptr<Expr> e) {
  const bool any = std::any_of(e->args.begin(), e->args.end(), [](const ExprPtr& a) { return a->is_u64; });
  if (e->kind == ExprKind::cast && e->cast == DType::u64) {
    const ExprPtr& a = e->args[0];
    if (a->is_u64) return a;
    if (a->type == Type::real) return u64_of_real(a);
    e->is_u64 = true;
    return e;
  }
  if (!any) return e;
  switch (e->kind) {
    case ExprKind::cast:
      if (e->type == Type::real) make_reals(*e, 0);
      return e;
    case ExprKind::unary: e->is_u64 = e->unary == UnaryOp::negate; return e;
    case ExprKind::padded:
    case ExprKind::select:
      if (e->type == Type::real) make_reals(*e, e->kind == ExprKind::select ? 1 : 0);
      e->is_u64 = e->type == Type::integer && any;
      return e;
    case ExprKind::binary: return unsigned_binary(std::move(e));
    case ExprKind::call: return unsigned_call(std::move(e));
    case ExprKind::reduce: return unsigned_reduce(std::move(e));
    default: return e;
  }
}

ExprPtr Checker::unsigned_binary(std::shared_ptr<Expr> e) {
  const ExprPtr a = e->args[0], b = e->args[1];
  if (a->type == Type::real || b->type == Type::real) {
    make_reals(*e, 0);
    return e;
  }
  const std::string sign = "'" + std::string(binary_symbol(e->binary)) + "'";
  switch (e->binary) {
    case BinaryOp::eq:
    case BinaryOp::ne:
    case BinaryOp::logical_and:
    case BinaryOp::logical_or: return e;
    case BinaryOp::add:
    case BinaryOp::sub:
    case BinaryOp::mul: e->is_u64 = true; return e;
    case BinaryOp::pow:
      if (b->kind == ExprKind::integer && b->integer >= 1 && b->integer <= 8) return product_of(a, b->integer);
      error(e->span, "a power of a u64 has an exponent from 1 to 8", "write the product");
      return nullptr;
    case BinaryOp::div: return counts(*e, sign) ? u64_quotient(a, b) : nullptr;
    case BinaryOp::mod: return counts(*e, sign) ? u64_remainder(a, b) : nullptr;
    default:
      if (!counts(*e, sign)) return nullptr;
      e->args = {flipped(a), flipped(b)};
      return e;
  }
}

ExprPtr Checker::unsigned_call(std::shared_ptr<Expr> e) {
  if (e->type != Type::integer ||
      std::any_of(e->args.begin(), e->args.end(), [](const ExprPtr& a) { return a->type == Type::real; })) {
    make_reals(*e, 0);
    return e;
  }
  const std::string& name = e->name;
  const ExprPtr a = e->args[0];
  if (name == "shr") return a->is_u64 ? u64_shifted_right(a, e->args[1]) : e;
  if (name == "shl" || name == "bitand" || name == "bitor" || name == "bitxor") {
    e->is_u64 = name != "shl" || a->is_u64;
    return e;
  }
  if (name == "min" || name == "max" || name == "clamp") {
    if (!counts(*e, "'" + name + "'")) return nullptr;
    for (ExprPtr& x : e->args) x = flipped(x);
    return unflipped(std::move(e));
  }
  if (name == "abs" || name == "floor" || name == "ceil" || name == "round" || name == "trunc") return a;
  error(e->span, "'" + name + "' does not take a u64", "write i64(…) where it stays below 2^63");
  return nullptr;
}

ExprPtr Checker::unsigned_reduce(std::shared_ptr<Expr> e) {
  if (!e->args[0]->is_u64) return e;
  switch (e->reduce) {
    case ReduceOp::sum:
    case ReduceOp::prod: e->is_u64 = true; return e;
    case ReduceOp::argmax:
    case ReduceOp::argmin: e->args[0] = flipped(e->args[0]); return e;
    case ReduceOp::max:
    case ReduceOp::min: e->args[0] = flipped(e->args[0]); return unflipped(std::move(e));
    default: return e;
  }
}

}  // namespace ww::op
