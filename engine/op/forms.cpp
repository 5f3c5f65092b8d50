// SPDX-License-Identifier: Apache-2.0
#include "op/forms.h"
#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>
#include "op/factors.h"
#include "op/parse.h"
#include "op/recurrence.h"
#include "op/walk.h"

namespace ww::op {
namespace {

constexpr std::size_t most_terms = 16;
constexpr double log2_e = 1.4426950408889634;

struct Term {
  bool negative = false;
  ExprPtr value;
};
using Terms = std::vector<Term>;

bool is_binary(const Expr& e, BinaryOp op) { return e.kind == ExprKind::binary && e.binary == op; }
bool is_negation(const Expr& e) { return e.kind == ExprKind::unary && e.unary == UnaryOp::negate; }
bool is_sum(const Expr& e) { return e.kind == ExprKind::reduce && e.reduce == ReduceOp::sum && e.type == Type::real; }

std::shared_ptr<Expr> copy_of(const Expr& e) { return std::make_shared<Expr>(e); }

ExprPtr call_of(const char* name, ExprPtr arg) {
  auto e = std::make_shared<Expr>();
  e->kind = ExprKind::call;
  e->name = name;
  e->type = Type::real;
  e->args = {std::move(arg)};
  return e;
}

void append(Terms& all, const Terms& more, bool negative) {
  for (const Term& t : more) all.push_back({t.negative != negative, t.value});
}

ExprPtr joined(const Terms& terms) {
  ExprPtr out;
  for (const Term& t : terms) {
    if (out)
      out = binary_of(t.negative ? BinaryOp::sub : BinaryOp::add, out, t.value);
    else
      out = t.negative ? unary_of(UnaryOp::negate, t.value) : t.value;
  }
  return out;
}

// The terms of `e` as a sum of differences and sums alone.
Terms addends_of(const ExprPtr& e) {
  if (e->type != Type::real) return {{false, e}};
  Terms all;
  if (is_negation(*e)) {
    append(all, addends_of(e->args[0]), true);
  } else if (is_binary(*e, BinaryOp::add) || is_binary(*e, BinaryOp::sub)) {
    append(all, addends_of(e->args[0]), false);
    append(all, addends_of(e->args[1]), e->binary == BinaryOp::sub);
  } else {
    all.push_back({false, e});
  }
  return all;
}

Terms expanded(const ExprPtr& e);

ExprPtr expanded_whole(const ExprPtr& e) {
  const Terms terms = expanded(e);
  return terms.size() == 1 && !terms[0].negative ? terms[0].value : joined(terms);
}

// The node itself as it is, with what it is computed from expanded. Conditions stay: they decide by small differences.
ExprPtr expanded_below(const ExprPtr& e) {
  if (e->type != Type::real || e->args.empty() || e->kind == ExprKind::access || e->kind == ExprKind::padded) return e;
  if (e->kind == ExprKind::call && e->name == "exp") {
    Terms terms = expanded(e->args[0]);
    if (terms.size() > 1) {
      for (Term& t : terms) t.value = binary_of(BinaryOp::mul, t.value, real_literal(log2_e));
      return call_of("exp2", joined(terms));
    }
  }
  auto out = copy_of(*e);
  const bool first_stays = e->kind == ExprKind::select;
  const std::size_t count = e->kind == ExprKind::reduce ? 1 : e->args.size();
  for (std::size_t i = first_stays ? 1 : 0; i < count; ++i) out->args[i] = expanded_whole(e->args[i]);
  return out;
}

Terms products_of(const Terms& a, const Terms& b) {
  Terms all;
  for (const Term& x : a)
    for (const Term& y : b) all.push_back({x.negative != y.negative, binary_of(BinaryOp::mul, x.value, y.value)});
  return all;
}

// A product of sums as a sum of products, a sum over differences as a difference of sums.
Terms expanded(const ExprPtr& e) {
  if (e->type != Type::real) return {{false, e}};
  Terms all;
  if (is_negation(*e)) {
    append(all, expanded(e->args[0]), true);
    return all;
  }
  if (is_binary(*e, BinaryOp::add) || is_binary(*e, BinaryOp::sub)) {
    append(all, expanded(e->args[0]), false);
    append(all, expanded(e->args[1]), e->binary == BinaryOp::sub);
    return all;
  }
  if (is_binary(*e, BinaryOp::mul)) {
    const Terms a = expanded(e->args[0]), b = expanded(e->args[1]);
    if (a.size() * b.size() <= most_terms) return products_of(a, b);
    return {{false, binary_of(BinaryOp::mul, joined(a), joined(b))}};
  }
  if (is_binary(*e, BinaryOp::div)) {
    const ExprPtr divisor = expanded_whole(e->args[1]);
    for (const Term& t : expanded(e->args[0])) {
      const ExprPtr above = divisor->type == Type::real ? t.value : as_real(t.value);
      all.push_back({t.negative, binary_of(BinaryOp::div, above, divisor)});
    }
    return all;
  }
  if (is_binary(*e, BinaryOp::pow) && e->args[1]->kind == ExprKind::integer && e->args[1]->integer == 2) {
    const Terms base = expanded(e->args[0]);
    if (base.size() > 1 && base.size() * base.size() <= most_terms) return products_of(base, base);
  }
  if (is_sum(*e)) {
    for (const Term& t : expanded(e->args[0])) {
      auto sum = copy_of(*e);
      sum->args[0] = as_real(t.value);
      all.push_back({t.negative, std::move(sum)});
    }
    return all;
  }
  return {{false, expanded_below(e)}};
}

// The sum in a product of a sum and factors that do not meet its indices, with them inside; null if there is none.
ExprPtr with_factors_inside(const ExprPtr& e) {
  if (is_sum(*e)) return e;
  if (!is_binary(*e, BinaryOp::mul) && !is_binary(*e, BinaryOp::div)) return nullptr;
  for (const std::size_t at : {0, 1}) {
    if (at == 1 && e->binary == BinaryOp::div) break;
    const ExprPtr sum = with_factors_inside(e->args[at]);
    if (!sum) continue;
    const ExprPtr& factor = e->args[1 - at];
    const NameSet names = names_in(*factor);
    if (std::ranges::any_of(sum->indices, [&](const Index& i) { return names.count(i.name) != 0; })) return nullptr;
    auto out = copy_of(*sum);
    out->args[0] = binary_of(e->binary, out->args[0], factor);
    return out;
  }
  return nullptr;
}

// Whether the first index can take one more value without a change to the ranges of the others.
bool can_begin_earlier(const Expr& sum) {
  for (std::size_t k = 1; k < sum.indices.size(); ++k)
    for (const ExprPtr& end : {sum.indices[k].lo, sum.indices[k].hi})
      if (names_in(*end).count(sum.indices[0].name) != 0) return false;
  return true;
}

// The sum with `first` as its first term.
ExprPtr beginning_with(const ExprPtr& first, const Expr& sum) {
  auto out = copy_of(sum);
  Index& index = out->indices[0];
  const ExprPtr before = binary_of(BinaryOp::lt, name_of(index.name, Role::index), index.lo);
  ExprPtr own = first;
  for (std::size_t k = 1; k < sum.indices.size(); ++k)
    own = select_of(binary_of(BinaryOp::eq, name_of(sum.indices[k].name, Role::index), sum.indices[k].lo), own,
                    real_literal(0));
  const ExprPtr term = sum.args.size() > 1 ? select_of(sum.args[1], sum.args[0], real_literal(0)) : sum.args[0];
  out->args = {select_of(before, own, term)};
  index.lo = binary_of(BinaryOp::sub, index.lo, integer_literal(1));
  index.given = true;
  return out;
}

// A sum over the terms, which a kernel may add in any order.
ExprPtr sum_over(const Terms& terms) {
  const std::string number = "$term";
  ExprPtr value;
  for (std::size_t i = terms.size(); i-- > 0;) {
    const ExprPtr own = terms[i].negative ? unary_of(UnaryOp::negate, terms[i].value) : terms[i].value;
    value = value ? select_of(binary_of(BinaryOp::eq, name_of(number, Role::index),
                                        integer_literal(static_cast<std::int64_t>(i))),
                              own, value)
                  : own;
  }
  auto e = std::make_shared<Expr>();
  e->kind = ExprKind::reduce;
  e->type = Type::real;
  e->indices = {{number, integer_literal(0), integer_literal(static_cast<std::int64_t>(terms.size())), true, {}}};
  e->args = {std::move(value)};
  return e;
}

// Null: nothing to join.
ExprPtr joined_sum(const Terms& terms) {
  for (std::size_t at = 0; at < terms.size() && terms.size() > 1; ++at) {
    const ExprPtr sum = with_factors_inside(terms[at].value);
    if (!sum || !can_begin_earlier(*sum)) continue;
    Terms others = terms;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(at));
    // Only a sum that belongs to this element alone begins with what the element adds.
    const NameSet own = names_in(*sum);
    const ExprPtr rest = joined(others);
    if (!std::ranges::includes(own, names_in(*rest))) continue;
    if (std::ranges::any_of(sum->indices, [&](const Index& i) { return names_in(*rest).count(i.name) != 0; })) continue;
    const ExprPtr first = terms[at].negative ? unary_of(UnaryOp::negate, rest) : rest;
    const ExprPtr all = beginning_with(first, *sum);
    return terms[at].negative ? unary_of(UnaryOp::negate, all) : all;
  }
  return terms.size() > 2 ? sum_over(terms) : nullptr;
}

ExprPtr summed(const ExprPtr& e) {
  if (e->args.empty() || e->kind == ExprKind::access || e->kind == ExprKind::padded) return e;
  if (e->type == Type::real) {
    Terms terms = addends_of(e);
    if (terms.size() > 1) {
      for (Term& t : terms) t.value = summed(t.value);
      if (const ExprPtr sum = joined_sum(terms)) return sum;
      return joined(terms);
    }
  }
  auto out = copy_of(*e);
  for (ExprPtr& a : out->args) a = summed(a);
  return out;
}

// `e` with other names for the indices that it uses and binds.
ExprPtr with_indices(const ExprPtr& e, const std::map<std::string, std::string>& names) {
  auto out = copy_of(*e);
  const auto rename = [&](std::string& name) {
    if (const auto to = names.find(name); to != names.end()) name = to->second;
  };
  if (e->kind == ExprKind::name && e->role == Role::index) rename(out->name);
  for (Index& i : out->indices) {
    rename(i.name);
    i.lo = with_indices(i.lo, names);
    i.hi = with_indices(i.hi, names);
  }
  for (ExprPtr& a : out->args) a = with_indices(a, names);
  return out;
}

// Sums that are kept in a temporary of which one equation reads each element once, by name.
std::map<std::string, const Equation*> sums_read_once(const Spec& spec) {
  std::map<std::string, const Equation*> out;
  for (const Equation& e : spec.equations)
    if (std::ranges::any_of(spec.temporaries, [&](const Param& t) { return t.name == e.target; }) && is_sum(*e.value))
      out[e.target] = &e;
  std::map<std::string, int> reads;
  for (const Equation& e : spec.equations)
    for_each(*e.value, [&](const Expr& x) {
      if (x.kind == ExprKind::access && out.count(x.name)) ++reads[x.name];
    });
  std::erase_if(out, [&](const auto& s) { return reads[s.first] != 1; });
  return out;
}

// "t = sum(k) a * b; y = t + c" as "y = (sum(k) a * b) + c".
ExprPtr with_sums(const ExprPtr& e, const std::map<std::string, const Equation*>& sums) {
  return rewrite(e, [&](const Expr& x) -> ExprPtr {
    const auto sum = x.kind == ExprKind::access ? sums.find(x.name) : sums.end();
    if (sum == sums.end()) return nullptr;
    std::map<std::string, std::string> names;
    for_each(*sum->second->value, [&](const Expr& inner) {
      for (const Index& i : inner.indices) names[i.name] = "$" + i.name;
    });
    for (std::size_t i = 0; i < x.args.size(); ++i) {
      if (x.args[i]->kind != ExprKind::name || x.args[i]->role != Role::index) return nullptr;
      names[sum->second->indices[i].name] = x.args[i]->name;
    }
    return with_indices(sum->second->value, names);
  });
}

// Of integers and truths, what they are computed from.
ExprPtr expanded_anywhere(const ExprPtr& e) {
  if (e->type == Type::real) return expanded_whole(e);
  if (e->args.empty() || e->kind == ExprKind::access || e->kind == ExprKind::padded) return e;
  auto out = copy_of(*e);
  for (ExprPtr& a : out->args) a = expanded_anywhere(a);
  return out;
}

}  // namespace

std::optional<Spec> in_form(const Spec& spec, Form form) {
  if (!recurrences_of(spec).empty()) return std::nullopt;
  Spec out = spec;
  out.text.clear();
  bool differs = false;
  const std::map<std::string, const Equation*> sums = sums_read_once(spec);
  for (Equation& e : out.equations) {
    const std::string before = print(*e.value);
    if (const ExprPtr whole = with_sums(e.value, sums); print(*summed(whole)) != print(*whole)) e.value = whole;
    if (form == Form::expanded) e.value = expanded_anywhere(e.value);
    e.value = summed(e.value);
    differs = differs || print(*e.value) != before;
  }
  return differs ? std::optional(std::move(out)) : std::nullopt;
}

}  // namespace ww::op
