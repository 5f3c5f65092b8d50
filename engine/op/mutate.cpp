// SPDX-License-Identifier: Apache-2.0
#include "op/mutate.h"
#include <algorithm>
#include <map>
#include "op/factors.h"
#include "op/parse.h"
#include "op/recurrence.h"
#include "op/walk.h"

namespace ww::op {
namespace {

struct Change {
  Mutation kind;
  ExprPtr to;
};
using Changes = std::vector<Change>;

// `to` in the place of `from`: nodes above rely on its type. Null: it has no place there.
ExprPtr fitted(const Expr& from, const ExprPtr& to) {
  if (!to || from.type == to->type) return to;
  if (from.type != Type::real || to->type != Type::integer) return nullptr;
  return as_real(to);
}

ExprPtr call_of(const Expr& like, const std::string& name, std::vector<ExprPtr> args) {
  auto e = std::make_shared<Expr>(like);
  e->kind = ExprKind::call;
  e->name = name;
  e->indices.clear();
  e->args = std::move(args);
  return e;
}

ExprPtr with_binary(const Expr& e, BinaryOp op) {
  auto out = std::make_shared<Expr>(e);
  out->binary = op;
  return out;
}

ExprPtr with_args(const Expr& e, std::vector<ExprPtr> args) {
  auto out = std::make_shared<Expr>(e);
  out->args = std::move(args);
  return out;
}

ExprPtr plus(const ExprPtr& e, std::int64_t n) { return binary_of(BinaryOp::add, e, integer_literal(n)); }

void of_binary(const Expr& e, Changes& out) {
  using B = BinaryOp;
  static const std::map<B, std::vector<B>> others = {{B::add, {B::sub, B::mul}},
                                                     {B::sub, {B::add}},
                                                     {B::mul, {B::add}},
                                                     {B::div, {B::mul}},
                                                     {B::mod, {B::sub}},
                                                     {B::lt, {B::le, B::gt}},
                                                     {B::le, {B::lt, B::ge}},
                                                     {B::gt, {B::ge, B::lt}},
                                                     {B::ge, {B::gt, B::le}},
                                                     {B::eq, {B::ne, B::le}},
                                                     {B::ne, {B::eq, B::lt}},
                                                     {B::logical_and, {B::logical_or}},
                                                     {B::logical_or, {B::logical_and}}};
  const bool compares = e.binary >= B::lt && e.binary <= B::ne;
  if (!compares)
    for (const ExprPtr& a : e.args) out.push_back({Mutation::dropped, a});
  if (const auto at = others.find(e.binary); at != others.end())
    for (const B op : at->second) out.push_back({Mutation::replaced, with_binary(e, op)});
  if (e.binary == B::sub || e.binary == B::div || e.binary == B::pow)
    out.push_back({Mutation::swapped, with_args(e, {e.args[1], e.args[0]})});
}

void of_call(const Expr& e, Changes& out) {
  static const std::map<std::string, std::vector<std::string>> others = {{"exp", {"exp2", "expm1"}},
                                                                         {"exp2", {"exp"}},
                                                                         {"expm1", {"exp"}},
                                                                         {"log", {"log2", "log1p"}},
                                                                         {"log2", {"log"}},
                                                                         {"log10", {"log"}},
                                                                         {"log1p", {"log"}},
                                                                         {"sqrt", {"rsqrt"}},
                                                                         {"rsqrt", {"sqrt"}},
                                                                         {"sin", {"cos"}},
                                                                         {"cos", {"sin"}},
                                                                         {"tan", {"sin"}},
                                                                         {"sinh", {"cosh"}},
                                                                         {"cosh", {"sinh"}},
                                                                         {"tanh", {"erf"}},
                                                                         {"erf", {"tanh"}},
                                                                         {"floor", {"ceil", "round", "trunc"}},
                                                                         {"ceil", {"floor"}},
                                                                         {"round", {"floor", "trunc"}},
                                                                         {"trunc", {"floor"}},
                                                                         {"min", {"max"}},
                                                                         {"max", {"min"}},
                                                                         {"shl", {"shr"}},
                                                                         {"shr", {"shl"}},
                                                                         {"bitand", {"bitor"}},
                                                                         {"bitor", {"bitand"}},
                                                                         {"bitxor", {"bitor"}}};
  if (e.name != "isnan" && e.name != "isinf")
    for (const ExprPtr& a : e.args) out.push_back({Mutation::dropped, a});
  if (e.name == "clamp") {
    out.push_back({Mutation::dropped, call_of(e, "max", {e.args[0], e.args[1]})});
    out.push_back({Mutation::dropped, call_of(e, "min", {e.args[0], e.args[2]})});
  }
  if (const auto at = others.find(e.name); at != others.end())
    for (const std::string& name : at->second) out.push_back({Mutation::replaced, call_of(e, name, e.args)});
}

// The term at the first value of each index; null where that may be outside the range.
ExprPtr first_term(const Expr& e) {
  std::map<std::string, ExprPtr> first;
  for (const Index& i : e.indices) first[i.name] = substitute(i.lo, first);
  return substitute(e.args[0], first);
}

ExprPtr count_of(const Expr& e) {
  ExprPtr count;
  for (const Index& i : e.indices) {
    const ExprPtr extent = binary_of(BinaryOp::sub, i.hi, i.lo);
    count = count ? binary_of(BinaryOp::mul, count, extent) : extent;
  }
  return count;
}

void of_reduction(const Expr& e, Changes& out) {
  using R = ReduceOp;
  static const std::map<R, R> others = {{R::sum, R::max}, {R::prod, R::sum},      {R::max, R::min},
                                        {R::min, R::max}, {R::argmax, R::argmin}, {R::argmin, R::argmax},
                                        {R::any, R::all}, {R::all, R::any}};
  auto other = std::make_shared<Expr>(e);
  other->reduce = others.at(e.reduce);
  out.push_back({Mutation::replaced, other});
  for (std::size_t i = 0; i < e.indices.size(); ++i)
    for (const bool front : {true, false}) {
      auto cut = std::make_shared<Expr>(e);
      Index& index = cut->indices[i];
      (front ? index.lo : index.hi) = plus(front ? index.lo : index.hi, front ? 1 : -1);
      index.given = true;
      out.push_back({Mutation::cut, cut});
    }
  if (e.args.size() > 1) out.push_back({Mutation::dropped, with_args(e, {e.args[0]})});
  if (e.reduce == R::sum) {
    out.push_back({Mutation::expected, e.type == Type::real ? real_literal(0) : integer_literal(0)});
    out.push_back({Mutation::expected, count_of(e)});
    out.push_back({Mutation::expected, binary_of(BinaryOp::mul, first_term(e), count_of(e))});
  } else if (e.reduce == R::argmax || e.reduce == R::argmin) {
    out.push_back({Mutation::expected, e.indices[0].lo});
  } else {
    out.push_back({Mutation::expected, first_term(e)});
  }
}

void of_access(const Spec& spec, const Expr& e, bool padded, Changes& out) {
  const Param* p = find_param(spec, e.name);
  for (std::size_t i = 0; i < e.args.size(); ++i) {
    const auto with = [&](Mutation kind, ExprPtr subscript) {
      std::vector<ExprPtr> args = e.args;
      args[i] = std::move(subscript);
      out.push_back({kind, with_args(e, std::move(args))});
    };
    if (i > 0) {
      std::vector<ExprPtr> args = e.args;
      std::swap(args[i - 1], args[i]);
      out.push_back({Mutation::swapped, with_args(e, std::move(args))});
    }
    const ExprPtr &s = e.args[i], up = plus(s, 1), down = plus(s, -1);
    if (s->type != Type::integer || !p || p->shape.size() != e.args.size()) continue;
    with(Mutation::moved, padded ? up : call_of(*up, "min", {up, plus(p->shape[i], -1)}));
    with(Mutation::moved, padded ? down : call_of(*down, "max", {down, integer_literal(0)}));
    if (!free_indices(*s).empty()) with(Mutation::first_only, integer_literal(0));
  }
}

ExprPtr default_of(const Spec& spec, const std::string& constant) {
  const auto at = std::ranges::find(spec.constants, constant, &Constant::name);
  return at == spec.constants.end() ? nullptr : at->value;
}

void of_number(const Spec& spec, const ExprPtr& p, Changes& out) {
  const Expr& e = *p;
  switch (e.kind) {
    case ExprKind::integer:
      out.push_back({Mutation::moved, integer_literal(e.integer + 1)});
      out.push_back({Mutation::moved, integer_literal(e.integer - 1)});
      return;
    case ExprKind::real:
      if (e.real != e.real || e.real - e.real != 0) return;
      out.push_back({Mutation::moved, real_literal(e.real == 0 ? 1e-3 : e.real * 1.01)});
      out.push_back({Mutation::moved, real_literal(e.real == 0 ? 1 : e.real * 2)});
      return;
    case ExprKind::boolean: {
      auto other = std::make_shared<Expr>(e);
      other->integer = !e.integer;
      out.push_back({Mutation::moved, other});
      return;
    }
    default: break;
  }
  if (e.kind != ExprKind::name || e.role == Role::index) return;
  if (e.type == Type::integer) {
    out.push_back({Mutation::moved, plus(p, 1)});
    out.push_back({Mutation::moved, plus(p, -1)});
  } else {
    out.push_back({Mutation::moved, binary_of(BinaryOp::mul, p, real_literal(1.01))});
  }
  if (const ExprPtr usual = e.role == Role::constant ? default_of(spec, e.name) : nullptr)
    out.push_back({Mutation::replaced, usual});
}

void of_others(const Expr& e, Changes& out) {
  if (e.kind == ExprKind::unary) out.push_back({Mutation::dropped, e.args[0]});
  if (e.kind == ExprKind::select) {
    out.push_back({Mutation::dropped, e.args[1]});
    out.push_back({Mutation::dropped, e.args[2]});
    out.push_back({Mutation::swapped, with_args(e, {e.args[0], e.args[2], e.args[1]})});
  }
  if (e.kind == ExprKind::cast && e.cast != DType::boolean) out.push_back({Mutation::dropped, e.args[0]});
}

// A copy of the tree with the node at the end of `path` replaced. Ranges come before arguments, as in children_of().
std::vector<ExprPtr> children_of(const Expr& e) {
  std::vector<ExprPtr> all;
  for (const Index& i : e.indices) {
    all.push_back(i.lo);
    all.push_back(i.hi);
  }
  all.insert(all.end(), e.args.begin(), e.args.end());
  return all;
}

ExprPtr replaced_at(const ExprPtr& e, const std::vector<std::size_t>& path, std::size_t depth, const ExprPtr& by) {
  if (depth == path.size()) return by;
  auto copy = std::make_shared<Expr>(*e);
  std::size_t at = path[depth];
  if (at < 2 * e->indices.size()) {
    Index& index = copy->indices[at / 2];
    ExprPtr& end = at % 2 == 0 ? index.lo : index.hi;
    end = replaced_at(end, path, depth + 1, by);
    index.given = true;
  } else {
    ExprPtr& arg = copy->args[at - 2 * e->indices.size()];
    arg = replaced_at(arg, path, depth + 1, by);
  }
  return copy;
}

class Mutator {
 public:
  explicit Mutator(const Spec& spec) : spec_(spec), steps_(!recurrences_of(spec).empty()) {}

  std::vector<Mutant> run() {
    for (at_ = 0; at_ < spec_.equations.size(); ++at_) visit(spec_.equations[at_].value, false);
    return std::move(all_);
  }

 private:
  void visit(const ExprPtr& e, bool padded) {
    Changes changes;
    switch (e->kind) {
      case ExprKind::binary: of_binary(*e, changes); break;
      case ExprKind::call: of_call(*e, changes); break;
      case ExprKind::reduce: of_reduction(*e, changes); break;
      case ExprKind::access: of_access(spec_, *e, padded, changes); break;
      case ExprKind::unary:
      case ExprKind::select:
      case ExprKind::cast: of_others(*e, changes); break;
      default: of_number(spec_, e, changes);
    }
    for (const Change& c : changes) add(*e, c);
    const std::vector<ExprPtr> children = children_of(*e);
    for (std::size_t i = 0; i < children.size(); ++i) {
      if (i < 2 * e->indices.size() && !e->indices[i / 2].given) continue;  // follows from shapes
      path_.push_back(i);
      visit(children[i], e->kind == ExprKind::padded && i == 0);
      path_.pop_back();
    }
  }

  void add(const Expr& before, const Change& change) {
    const ExprPtr to = fitted(before, change.to);
    if (!to) return;
    Mutant m{change.kind, spec_.equations[at_].target, print(before), print(*change.to), spec_};
    if (m.before == m.after) return;
    m.spec.equations[at_].value = replaced_at(spec_.equations[at_].value, path_, 0, to);
    if (steps_) {  // what a step may read of others, only the checker knows
      m.spec.text = print(m.spec);
      ParseOutcome checked = parse(m.spec.text);
      if (!checked) return;
      m.spec = std::move(*checked.spec);
    }
    all_.push_back(std::move(m));
  }

  const Spec& spec_;
  const bool steps_;  // it has recurrences
  std::size_t at_ = 0;
  std::vector<std::size_t> path_;
  std::vector<Mutant> all_;
};

}  // namespace

std::vector<Mutant> mutants_of(const Spec& spec, std::size_t most) {
  std::vector<Mutant> all = Mutator(spec).run();
  if (all.size() <= most) return all;
  std::vector<Mutant> some;
  for (std::size_t i = 0; i < most; ++i) some.push_back(std::move(all[i * all.size() / most]));
  return some;
}

}  // namespace ww::op
