// SPDX-License-Identifier: Apache-2.0
#include "op/unsigned.h"
#include <limits>
#include "op/walk.h"

namespace ww::op {
namespace {

constexpr std::int64_t top = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();

ExprPtr cast_of(DType to, ExprPtr a) {
  auto e = std::make_shared<Expr>();
  e->kind = ExprKind::cast;
  e->type = type_of(to);
  e->cast = to;
  e->is_u64 = to == DType::u64;
  e->span = a->span;
  e->args = {std::move(a)};
  return e;
}

ExprPtr integer_call(std::string name, std::vector<ExprPtr> args) {
  auto e = std::make_shared<Expr>();
  e->kind = ExprKind::call;
  e->type = Type::integer;
  e->name = std::move(name);
  e->span = args[0]->span;
  e->args = std::move(args);
  return e;
}

ExprPtr integer_select(ExprPtr condition, ExprPtr yes, ExprPtr no) {
  auto e = std::make_shared<Expr>(*select_of(std::move(condition), std::move(yes), std::move(no)));
  e->type = Type::integer;
  return e;
}

// The bits as a signed number.
ExprPtr bits_of(const ExprPtr& e) {
  if (!e->is_u64) return e;
  if (e->kind == ExprKind::integer) return integer_literal(e->integer);
  if (e->kind == ExprKind::cast && e->args[0]->type == Type::integer && !e->args[0]->is_u64) return e->args[0];
  return cast_of(DType::i64, e);
}

ExprPtr half_of(const ExprPtr& e) {
  return integer_call("bitand", {integer_call("shr", {bits_of(e), integer_literal(1)}), integer_literal(most)});
}
ExprPtr last_bit(const ExprPtr& e) { return integer_call("bitand", {bits_of(e), integer_literal(1)}); }
ExprPtr twice(ExprPtr e) { return binary_of(BinaryOp::mul, integer_literal(2), std::move(e)); }
ExprPtr sum(ExprPtr a, ExprPtr b) { return binary_of(BinaryOp::add, std::move(a), std::move(b)); }

// Whether twice a remainder by it has 63 bits.
bool is_small_divisor(const Expr& e) {
  if (e.kind == ExprKind::integer) return !e.is_u64 && e.integer > 0 && e.integer <= most / 2;
  return e.kind == ExprKind::name && e.role == Role::symbol;
}
ExprPtr rest_of_half(const ExprPtr& a, const ExprPtr& b) {
  return sum(twice(binary_of(BinaryOp::mod, half_of(a), b)), last_bit(a));
}

}  // namespace

ExprPtr as_u64(ExprPtr integer) { return integer->is_u64 ? integer : cast_of(DType::u64, std::move(integer)); }

ExprPtr flipped(const ExprPtr& e) {
  if (e->kind == ExprKind::integer) return integer_literal(e->integer ^ top);
  return integer_call("bitxor", {bits_of(e), integer_literal(top)});
}
ExprPtr unflipped(ExprPtr e) { return as_u64(integer_call("bitxor", {std::move(e), integer_literal(top)})); }

ExprPtr u64_shifted_right(const ExprPtr& e, const ExprPtr& count) {
  const auto shifted = [&](ExprPtr mask) {
    return integer_call("bitand", {integer_call("shr", {bits_of(e), count}), std::move(mask)});
  };
  if (count->kind == ExprKind::integer) {
    const std::int64_t n = count->integer;
    if (n == 0) return e;
    return as_u64(n < 0 || n > 63 ? integer_literal(0) : shifted(integer_literal((std::int64_t{1} << (64 - n)) - 1)));
  }
  const ExprPtr inside = binary_of(BinaryOp::logical_and, binary_of(BinaryOp::ge, count, integer_literal(0)),
                                   binary_of(BinaryOp::le, count, integer_literal(63)));
  const ExprPtr filled =
      integer_call("shl", {integer_literal(-1), binary_of(BinaryOp::sub, integer_literal(64), count)});
  return as_u64(
      integer_select(inside, shifted(integer_call("bitxor", {filled, integer_literal(-1)})), integer_literal(0)));
}

ExprPtr u64_quotient(const ExprPtr& a, const ExprPtr& divisor) {
  const ExprPtr b = bits_of(divisor);
  const ExprPtr near = twice(binary_of(BinaryOp::div, half_of(a), b));
  if (is_small_divisor(*divisor)) return as_u64(sum(near, binary_of(BinaryOp::div, rest_of_half(a, b), b)));
  // Short by one at most. A divisor from 2^63 on goes into it once, or not at all.
  const auto one_if_not_below = [&](const ExprPtr& rest) {
    return integer_select(binary_of(BinaryOp::ge, flipped(rest), flipped(b)), integer_literal(1), integer_literal(0));
  };
  const ExprPtr rest = binary_of(BinaryOp::sub, bits_of(a), binary_of(BinaryOp::mul, near, b));
  return as_u64(integer_select(binary_of(BinaryOp::lt, b, integer_literal(0)), one_if_not_below(a),
                               sum(near, one_if_not_below(rest))));
}

ExprPtr u64_remainder(const ExprPtr& a, const ExprPtr& divisor) {
  const ExprPtr b = bits_of(divisor);
  if (is_small_divisor(*divisor)) return as_u64(binary_of(BinaryOp::mod, rest_of_half(a, b), b));
  const ExprPtr whole = binary_of(BinaryOp::mul, bits_of(u64_quotient(a, divisor)), b);
  return as_u64(binary_of(BinaryOp::sub, bits_of(a), whole));
}

ExprPtr real_of_u64(const ExprPtr& e) {
  if (e->kind == ExprKind::integer) return real_literal(static_cast<double>(static_cast<std::uint64_t>(e->integer)));
  const ExprPtr low = cast_of(DType::f64, bits_of(e));
  const ExprPtr high = cast_of(DType::f64, integer_call("bitor", {half_of(e), last_bit(e)}));
  return select_of(binary_of(BinaryOp::ge, bits_of(e), integer_literal(0)), low,
                   binary_of(BinaryOp::mul, integer_literal(2), high));
}

ExprPtr u64_of_real(const ExprPtr& e) {
  const ExprPtr limit = real_literal(0x1p63);
  const ExprPtr above = unflipped(cast_of(DType::i64, binary_of(BinaryOp::sub, e, limit)));
  const ExprPtr below = integer_call("max", {cast_of(DType::i64, e), integer_literal(0)});
  return as_u64(integer_select(binary_of(BinaryOp::ge, e, limit), bits_of(above), below));
}

}  // namespace ww::op
