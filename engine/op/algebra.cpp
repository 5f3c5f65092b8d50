// SPDX-License-Identifier: Apache-2.0
// Equality of integer expressions as polynomials over their names; parts that are not polynomial (quotients, calls, …)
// count as names of their own, by their printed text.
#include <algorithm>
#include <map>
#include <optional>
#include "op/parse.h"
#include "op/walk.h"

namespace ww::op {
namespace {

using Monomial = std::vector<std::string>;            // sorted factors
using Polynomial = std::map<Monomial, std::int64_t>;  // without zero coefficients
constexpr std::size_t max_terms = 64;

void drop_zeros(Polynomial& p) {
  std::erase_if(p, [](const auto& term) { return term.second == 0; });
}

std::optional<Polynomial> polynomial(const Expr& e);

Polynomial atom(const Expr& e) { return {{Monomial{print(e)}, 1}}; }

std::optional<Polynomial> combine(const Expr& e) {
  const auto a = polynomial(*e.args[0]);
  const auto b = polynomial(*e.args[1]);
  if (!a || !b) return std::nullopt;
  Polynomial out;
  if (e.binary == BinaryOp::mul) {
    if (a->size() * b->size() > max_terms) return std::nullopt;
    for (const auto& [ma, ca] : *a) {
      for (const auto& [mb, cb] : *b) {
        Monomial m;
        std::merge(ma.begin(), ma.end(), mb.begin(), mb.end(), std::back_inserter(m));
        if (m.size() > 16) return std::nullopt;
        std::int64_t c = 0;
        if (__builtin_mul_overflow(ca, cb, &c) || __builtin_add_overflow(out[m], c, &out[m])) return std::nullopt;
      }
    }
  } else {
    out = *a;
    for (const auto& [m, c] : *b) {
      std::int64_t& at = out[m];
      if (e.binary == BinaryOp::add ? __builtin_add_overflow(at, c, &at) : __builtin_sub_overflow(at, c, &at))
        return std::nullopt;
    }
  }
  drop_zeros(out);
  if (out.size() > max_terms) return std::nullopt;
  return out;
}

std::optional<Polynomial> polynomial(const Expr& e) {
  switch (e.kind) {
    case ExprKind::integer: return e.integer == 0 ? Polynomial{} : Polynomial{{Monomial{}, e.integer}};
    case ExprKind::name: return Polynomial{{Monomial{e.name}, 1}};
    case ExprKind::unary:
      if (e.unary == UnaryOp::negate) {
        auto p = polynomial(*e.args[0]);
        if (!p) return p;
        for (auto& [m, c] : *p)
          if (__builtin_sub_overflow(std::int64_t{0}, c, &c)) return std::nullopt;
        return p;
      }
      return atom(e);
    case ExprKind::binary:
      if (e.binary == BinaryOp::add || e.binary == BinaryOp::sub || e.binary == BinaryOp::mul) return combine(e);
      if (std::int64_t v = 0; integer_value(*e.args[0], &v) && integer_value(*e.args[1], &v)) {
        const auto r = eval_integer(e, [](const std::string&) { return std::nullopt; });
        if (r) return *r == 0 ? Polynomial{} : Polynomial{{Monomial{}, *r}};
      }
      return atom(e);
    default: return atom(e);
  }
}

}  // namespace

bool integer_value(const Expr& expr, std::int64_t* value) {
  if (expr.kind == ExprKind::integer) {
    *value = expr.integer;
    return true;
  }
  bool closed = expr.type == Type::integer;
  for_each(expr, [&](const Expr& e) {
    closed = closed && e.kind != ExprKind::name && e.kind != ExprKind::access && e.kind != ExprKind::reduce &&
             e.type != Type::real;
  });
  if (!closed) return false;
  const auto r = eval_integer(expr, [](const std::string&) { return std::nullopt; });
  if (!r) return false;
  *value = *r;
  return true;
}

bool same_integer(const Expr& a, const Expr& b) {
  const auto pa = polynomial(a);
  const auto pb = polynomial(b);
  if (!pa || !pb) return print(a) == print(b);
  return *pa == *pb;
}

}  // namespace ww::op
