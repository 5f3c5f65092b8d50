// SPDX-License-Identifier: Apache-2.0
#include "search/terms.h"
#include <algorithm>
#include "op/walk.h"

namespace ww::search {

using op::BinaryOp;
using op::ExprKind;

bool is_integer(const ExprPtr& e, std::int64_t value) {
  std::int64_t v = 0;
  return op::integer_value(*e, &v) && v == value;
}
bool is_index(const Expr& e) { return e.kind == ExprKind::name && e.role == op::Role::index; }
bool is_name(const Expr& e, const std::string& name) { return e.kind == ExprKind::name && e.name == name; }

ExprPtr add(ExprPtr a, ExprPtr b) {
  if (is_integer(a, 0)) return b;
  if (is_integer(b, 0)) return a;
  return op::binary_of(BinaryOp::add, std::move(a), std::move(b));
}

ExprPtr sub(ExprPtr a, ExprPtr b) {
  if (is_integer(b, 0)) return a;
  return op::binary_of(BinaryOp::sub, std::move(a), std::move(b));
}

ExprPtr mul(ExprPtr a, ExprPtr b) {
  if (is_integer(a, 0)) return a;
  if (is_integer(b, 0)) return b;
  if (is_integer(a, 1)) return b;
  if (is_integer(b, 1)) return a;
  return op::binary_of(BinaryOp::mul, std::move(a), std::move(b));
}

ExprPtr simplified(const ExprPtr& e) {
  if (e->kind != ExprKind::binary || e->type != op::Type::integer) return e;
  const ExprPtr a = simplified(e->args[0]), b = simplified(e->args[1]);
  switch (e->binary) {
    case BinaryOp::add: return add(a, b);
    case BinaryOp::sub: return sub(a, b);
    case BinaryOp::mul: return mul(a, b);
    default: return op::binary_of(e->binary, a, b);
  }
}

ExprPtr extent(const Index& index) { return sub(index.hi, index.lo); }

ExprPtr extent(const std::vector<Index>& domain) {
  ExprPtr product = op::integer_literal(1);
  for (const Index& i : domain) product = mul(product, extent(i));
  return product;
}

bool from_zero(const Index& index) { return is_integer(index.lo, 0); }
bool same(const ExprPtr& a, const ExprPtr& b) { return a == b || op::same_integer(*a, *b); }
bool same_range(const Index& a, const Index& b) { return same(a.lo, b.lo) && same(a.hi, b.hi); }

bool same_domain(const std::vector<Index>& a, const std::vector<Index>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), same_range);
}

bool rectangular(const std::vector<Index>& domain) {
  const std::set<std::string> names = names_of(domain);
  return std::all_of(domain.begin(), domain.end(),
                     [&](const Index& i) { return !uses_any(*i.lo, names) && !uses_any(*i.hi, names); });
}

bool uses(const Expr& e, const std::string& index) {
  const auto free = op::free_indices(e);
  return std::find(free.begin(), free.end(), index) != free.end();
}

bool uses_any(const Expr& e, const std::set<std::string>& indices) {
  for (const std::string& name : op::free_indices(e))
    if (indices.count(name)) return true;
  return false;
}

bool reads(const Expr& e, const std::string& tensor) { return !accesses(e, tensor).empty(); }

bool reads_any(const Expr& e, const std::set<std::string>& tensors) {
  for (const std::string& name : op::tensors_read(e))
    if (tensors.count(name)) return true;
  return false;
}

bool has_reduce(const Expr& e) { return !outer_reductions(e).empty(); }

static void collect_outer(const Expr& e, std::vector<const Expr*>& out) {
  if (e.kind == ExprKind::reduce) {
    out.push_back(&e);
    return;
  }
  for (const ExprPtr& a : e.args) collect_outer(*a, out);
}

std::vector<const Expr*> outer_reductions(const Expr& e) {
  std::vector<const Expr*> out;
  collect_outer(e, out);
  return out;
}

std::vector<const Expr*> accesses(const Expr& e, const std::string& tensor) {
  std::vector<const Expr*> out;
  op::for_each(e, [&](const Expr& x) {
    if (x.kind == ExprKind::access && x.name == tensor) out.push_back(&x);
  });
  return out;
}

static void split(const ExprPtr& e, bool inverse, Factors& out) {
  if (e->kind == ExprKind::binary && e->type == op::Type::real &&
      (e->binary == BinaryOp::mul || e->binary == BinaryOp::div)) {
    split(e->args[0], inverse, out);
    split(e->args[1], inverse != (e->binary == BinaryOp::div), out);
    return;
  }
  (inverse ? out.under : out.over).push_back(e);
}

Factors factors_of(const ExprPtr& e) {
  Factors out;
  split(e, false, out);
  return out;
}

std::vector<ExprPtr> multiplicands(const ExprPtr& e) {
  if (e->kind != ExprKind::binary || e->binary != BinaryOp::mul) return {e};
  std::vector<ExprPtr> out = multiplicands(e->args[0]);
  const std::vector<ExprPtr> right = multiplicands(e->args[1]);
  out.insert(out.end(), right.begin(), right.end());
  return out;
}

ExprPtr product_of(const std::vector<ExprPtr>& factors) {
  if (factors.empty()) return op::real_literal(1.0);
  ExprPtr product = factors[0];
  for (std::size_t i = 1; i < factors.size(); ++i) product = op::binary_of(BinaryOp::mul, product, factors[i]);
  return product;
}

std::set<std::string> names_of(const Program& program) {
  std::set<std::string> out(program.spec.symbols.begin(), program.spec.symbols.end());
  for (const auto& [name, t] : program.tensors) out.insert(name);
  for (const op::Constant& c : program.spec.constants) out.insert(c.name);
  return out;
}

std::set<std::string> names_of(const std::vector<Index>& domain) {
  std::set<std::string> out;
  for (const Index& i : domain) out.insert(i.name);
  return out;
}

ExprPtr rename_indices(const ExprPtr& e, const std::map<std::string, std::string>& names) {
  if (!e || names.empty()) return e;
  return op::rewrite(e, [&](const Expr& x) -> ExprPtr {
    if (is_index(x)) {
      const auto found = names.find(x.name);
      return found == names.end() ? nullptr : op::name_of(found->second, op::Role::index, x.type);
    }
    if (x.kind != ExprKind::reduce) return nullptr;
    auto copy = std::make_shared<Expr>(x);
    for (Index& i : copy->indices) {
      const auto found = names.find(i.name);
      if (found != names.end()) i.name = found->second;
      i.lo = rename_indices(i.lo, names);
      i.hi = rename_indices(i.hi, names);
    }
    for (ExprPtr& a : copy->args) a = rename_indices(a, names);
    return copy;
  });
}

}  // namespace ww::search
