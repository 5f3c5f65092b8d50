// SPDX-License-Identifier: Apache-2.0
#include "search/program.h"
#include <algorithm>
#include "op/parse.h"
#include "op/walk.h"
#include "search/recurrence.h"
#include "search/terms.h"

namespace ww::search {

using op::BinaryOp;
using op::ExprKind;
using op::ReduceOp;

std::int64_t Program::estimate(const ExprPtr& expr, std::int64_t fallback) const {
  const auto value = op::eval_integer(*expr, [&](const std::string& name) -> std::optional<std::int64_t> {
    if (auto it = binding.symbols.find(name); it != binding.symbols.end()) return it->second;
    if (auto it = binding.constants.find(name); it != binding.constants.end())
      return static_cast<std::int64_t>(it->second);
    return std::nullopt;
  });
  return value ? *value : fallback;
}

std::int64_t Program::estimate(const std::vector<Index>& domain) const {
  std::int64_t product = 1;
  for (const Index& i : domain) {
    std::int64_t n = estimate(extent(i), -1);
    if (n < 0) n = std::max<std::int64_t>(estimate(i.hi, 64) / 2, 1);  // half of a triangle, or unknown
    constexpr std::int64_t most = std::int64_t{1} << 50;
    n = std::max<std::int64_t>(n, 1);
    if (n > most / product) return most;
    product *= n;
  }
  return product;
}

namespace {

using Scope = std::vector<Index>;

std::vector<ExprPtr> plain_subscripts(const std::vector<Index>& indices) {
  std::vector<ExprPtr> at;
  for (const Index& i : indices) at.push_back(op::name_of(i.name, op::Role::index));
  return at;
}

// sum(k) a * b / n  ->  sum(k) (a * b) / n, where n does not depend on k: the division happens once, and a sum of
//                       products is
// recognised as one. Rounding: one division by n instead of many.
ExprPtr take_invariants_out(const ExprPtr& e) {
  return op::rewrite(e, [](const Expr& x) -> ExprPtr {
    if (x.kind != ExprKind::reduce || x.reduce != ReduceOp::sum || x.type != op::Type::real) return nullptr;
    auto sum = std::make_shared<Expr>(x);
    for (ExprPtr& a : sum->args) a = take_invariants_out(a);
    const std::set<std::string> bound = names_of(x.indices);
    Factors in, out;
    const Factors all = factors_of(sum->args[0]);
    for (const ExprPtr& f : all.over) (uses_any(*f, bound) ? in : out).over.push_back(f);
    for (const ExprPtr& f : all.under) (uses_any(*f, bound) ? in : out).under.push_back(f);
    if ((out.over.empty() && out.under.empty()) || in.over.empty()) return sum;
    ExprPtr body = product_of(in.over);
    if (body->type != op::Type::real) return sum;
    for (const ExprPtr& d : in.under) body = op::binary_of(BinaryOp::div, body, d);
    sum->args[0] = body;
    ExprPtr result = sum;
    for (const ExprPtr& f : out.over) result = op::binary_of(BinaryOp::mul, f, result);
    for (const ExprPtr& d : out.under) result = op::binary_of(BinaryOp::div, result, d);
    return result;
  });
}

// An output that later equations read: they read a temporary of full precision instead, of which the output is a copy.
void split_read_outputs(Program& p) {
  for (std::size_t i = 0; i < p.equations.size(); ++i) {
    const std::string name = p.equations[i].target;
    if (p.tensor(name).storage != Storage::output) continue;
    bool read = false, carried = false;
    for (std::size_t j = 0; j < p.equations.size(); ++j)
      if (reads(*p.equations[j].value, name)) (j > i ? read : carried) = true;
    const DType dtype = p.tensor(name).dtype;
    const bool exact = dtype == DType::i64 || dtype == DType::f64 || (dtype == DType::f32 && !p.f64);
    if (!read && (!carried || exact)) continue;  // a recurrence reads its earlier steps where it wrote them
    std::string fresh = name + "_value";
    while (p.tensors.count(fresh)) fresh += "_";
    Tensor t = p.tensor(name);
    t.name = fresh;
    t.storage = Storage::temp;
    if (is_real(t.dtype)) t.dtype = DType::f64;
    if (carried && is_integer(t.dtype)) t.dtype = DType::i64;
    p.tensors[fresh] = t;
    p.equations[i].target = fresh;
    for (std::size_t j = 0; j < p.equations.size(); ++j)
      p.equations[j].value = op::rewrite(p.equations[j].value, [&](const Expr& x) -> ExprPtr {
        if (x.kind != ExprKind::access || x.name != name) return nullptr;
        return op::access_of(fresh, x.args, x.type);
      });
    Equation copy = p.equations[i];
    copy.target = name;
    copy.value = op::access_of(fresh, copy.at, op::type_of(t.dtype));
    p.equations.push_back(copy);
  }
}

class Hoister {
 public:
  Hoister(Program& p, const Equation& eq) : p_(p), eq_(eq) {}
  // Reductions that depend on fewer indices than surround them become temporaries, inner ones first.
  ExprPtr run(const ExprPtr& e, Scope& scope) {
    if (e->kind == ExprKind::select || e->kind == ExprKind::padded ||
        (e->kind == ExprKind::binary && (e->binary == BinaryOp::logical_and || e->binary == BinaryOp::logical_or)))
      return e;  // evaluated only where a condition allows
    auto copy = std::make_shared<Expr>(*e);
    if (e->kind == ExprKind::reduce) {
      const std::size_t before = scope.size();
      scope.insert(scope.end(), e->indices.begin(), e->indices.end());
      if (copy->args.size() == 1) copy->args[0] = run(e->args[0], scope);
      scope.resize(before);
      return hoist(copy, scope);
    }
    for (ExprPtr& a : copy->args) a = run(a, scope);
    return copy;
  }
  std::vector<Equation> made;

 private:
  ExprPtr hoist(const ExprPtr& reduce, const Scope& scope) {
    const auto free = op::free_indices(*reduce);
    Scope own;
    for (const Index& i : scope)
      if (std::find(free.begin(), free.end(), i.name) != free.end()) own.push_back(i);
    if (own.size() == scope.size() || !rectangular(own)) return reduce;
    for (const Index& i : own)
      if (!from_zero(i) || !op::free_indices(*i.hi).empty() || !op::tensors_read(*i.hi).empty()) return reduce;
    const std::string text = op::print(*reduce);
    const std::string key = text + "|" + op::print(*extent(own));
    auto known = known_.find(key);
    if (known == known_.end()) {
      std::string name = eq_.target + "_" + reduce_word(reduce->reduce);
      while (p_.tensors.count(name)) name += "_";
      Tensor t;
      t.name = name;
      t.storage = Storage::temp;
      t.dtype = reduce->type == op::Type::real      ? DType::f64
                : reduce->type == op::Type::integer ? DType::i64
                                                    : DType::boolean;
      for (const Index& i : own) t.shape.push_back(i.hi);
      p_.tensors[name] = t;
      made.push_back({name, own, plain_subscripts(own), reduce});
      known = known_.emplace(key, name).first;
    }
    return op::access_of(known->second, plain_subscripts(own), reduce->type);
  }
  static std::string reduce_word(ReduceOp op) {
    switch (op) {
      case ReduceOp::sum: return "sum";
      case ReduceOp::prod: return "prod";
      case ReduceOp::max: return "max";
      case ReduceOp::min: return "min";
      case ReduceOp::argmax: return "argmax";
      case ReduceOp::argmin: return "argmin";
      case ReduceOp::any: return "any";
      case ReduceOp::all: return "all";
    }
    return "part";
  }
  Program& p_;
  const Equation& eq_;
  std::map<std::string, std::string> known_;
};

void hoist_reductions(Program& p) {
  std::vector<Equation> out;
  for (Equation& eq : p.equations) {
    Hoister hoister(p, eq);
    Scope scope = eq.indices;
    ExprPtr value = hoister.run(eq.value, scope);
    for (Equation& made : hoister.made) out.push_back(std::move(made));
    eq.value = value;
    out.push_back(eq);
  }
  p.equations = std::move(out);
}

struct Use {
  std::size_t depth = 0;  // loops around the access
  bool padded = false;
};

void find_uses(const Expr& e, const std::string& name, std::size_t depth, bool padded, std::vector<Use>& out) {
  if (e.kind == ExprKind::access && e.name == name) out.push_back({depth, padded});
  const std::size_t inner = depth + (e.kind == ExprKind::reduce ? e.indices.size() : 0);
  for (std::size_t i = 0; i < e.args.size(); ++i)
    find_uses(*e.args[i], name, inner, e.kind == ExprKind::padded && i == 0, out);
}

bool cheap(const Expr& e) {
  int nodes = 0, costly = 0;
  op::for_each(e, [&](const Expr& x) {
    if (x.kind == ExprKind::access || x.kind == ExprKind::binary || x.kind == ExprKind::select) ++nodes;
    if (x.kind == ExprKind::call && x.name != "abs" && x.name != "min" && x.name != "max" && x.name != "clamp")
      ++costly;
    if (x.kind == ExprKind::binary && x.type == op::Type::real &&
        (x.binary == BinaryOp::div || x.binary == BinaryOp::pow || x.binary == BinaryOp::mod))
      ++costly;
  });
  return nodes <= 7 && costly == 0;
}

std::size_t terms_of(const Expr& e) {
  std::size_t terms = 0;
  op::for_each(e, [&](const Expr&) { ++terms; });
  return terms;
}

Status check_budget(const Program& p, const std::stop_token& stop) {
  if (stop.stop_requested()) return fail(ww::Code::cancelled, "cancelled");
  std::size_t terms = 0;
  for (const Equation& eq : p.equations) terms += terms_of(*eq.value);
  if (terms <= max_terms) return {};
  return fail(ww::Code::unsupported, "the search does not take on this op: its equations have " +
                                         std::to_string(terms) + " terms, more than its budget of " +
                                         std::to_string(max_terms));
}

// Map temporaries move into their readers when that repeats no costly work: each is cheap, or no reader looks at it
// more often than it has elements. A term that would be repeated at length stays a temporary, which its readers share:
// x1 = x0 + x0 * x0, x2 = x1 + x1 * x1, … would triple with each step.
Status inline_maps(Program& p, const std::stop_token& stop) {
  constexpr std::size_t repeated_terms = 256;
  for (std::size_t i = 0; i < p.equations.size();) {
    if (stop.stop_requested()) return fail(ww::Code::cancelled, "cancelled");
    const Equation eq = p.equations[i];
    bool ok = p.tensor(eq.target).storage == Storage::temp && !has_reduce(*eq.value);
    for (std::size_t j = 0; ok && j <= i; ++j) ok = !reads(*p.equations[j].value, eq.target);  // no recurrence
    for (std::size_t d = 0; ok && d < eq.at.size(); ++d) ok = is_name(*eq.at[d], eq.indices[d].name);
    std::vector<Use> uses;
    for (std::size_t j = i + 1; ok && j < p.equations.size(); ++j)
      find_uses(*p.equations[j].value, eq.target, p.equations[j].indices.size(), false, uses);
    const bool is_cheap = cheap(*eq.value);
    for (const Use& u : uses) ok = ok && !u.padded && (is_cheap || u.depth <= eq.indices.size());
    ok = ok && uses.size() <= (is_cheap ? 8u : 4u);
    ok = ok && (uses.size() < 2 || (uses.size() - 1) * terms_of(*eq.value) <= repeated_terms);
    if (!ok) {
      ++i;
      continue;
    }
    for (std::size_t j = i + 1; j < p.equations.size(); ++j) {
      const std::function<ExprPtr(const Expr&)> change = [&](const Expr& x) -> ExprPtr {
        if (x.kind != ExprKind::access || x.name != eq.target) return nullptr;
        std::map<std::string, ExprPtr> names;
        for (std::size_t d = 0; d < eq.indices.size(); ++d) names[eq.indices[d].name] = op::rewrite(x.args[d], change);
        return op::substitute(eq.value, names);
      };
      p.equations[j].value = op::rewrite(p.equations[j].value, change);
    }
    p.tensors.erase(eq.target);
    p.equations.erase(p.equations.begin() + static_cast<std::ptrdiff_t>(i));
  }
  return {};
}

// y[n, k, h] that reads t[n, k / D], with k over G * D: k is replaced by g * D + d, so that k / D is g and k % D is d.
bool split_one(Program& p, Equation& eq) {
  for (std::size_t d = 0; d < eq.indices.size(); ++d) {
    const Index k = eq.indices[d];
    if (!from_zero(k)) continue;
    ExprPtr divisor;
    op::for_each(*eq.value, [&](const Expr& x) {
      if (x.kind != ExprKind::binary || x.binary != BinaryOp::div || x.type != op::Type::integer || divisor) return;
      if (is_name(*x.args[0], k.name) && op::free_indices(*x.args[1]).empty()) divisor = x.args[1];
    });
    if (!divisor) continue;
    // The extent as a product with the divisor as a factor.
    std::vector<ExprPtr> factors = multiplicands(k.hi);
    const auto at = std::find_if(factors.begin(), factors.end(), [&](const ExprPtr& f) { return same(f, divisor); });
    if (at == factors.end() || factors.size() < 2) continue;
    factors.erase(at);
    ExprPtr outer = op::integer_literal(1);
    for (const ExprPtr& f : factors) outer = mul(outer, f);
    std::set<std::string> taken = names_of(p);
    for (const Index& i : eq.indices) taken.insert(i.name);
    op::for_each(*eq.value, [&](const Expr& x) {
      for (const Index& i : x.indices) taken.insert(i.name);
    });
    const auto fresh = [&](std::string name) {
      while (!taken.insert(name).second) name += "_";
      return name;
    };
    Index group{fresh(k.name + "_group"), op::integer_literal(0), outer, true, {}};
    Index member{fresh(k.name + "_in"), op::integer_literal(0), divisor, true, {}};
    const ExprPtr g = op::name_of(group.name, op::Role::index), m = op::name_of(member.name, op::Role::index);
    const ExprPtr whole = add(mul(g, divisor), m);
    const std::function<ExprPtr(const Expr&)> change = [&](const Expr& x) -> ExprPtr {
      if (x.kind == ExprKind::binary && x.type == op::Type::integer && is_name(*x.args[0], k.name) &&
          same(x.args[1], divisor)) {
        if (x.binary == BinaryOp::div) return g;
        if (x.binary == BinaryOp::mod) return m;
      }
      return is_name(x, k.name) ? whole : nullptr;
    };
    eq.value = op::rewrite(eq.value, change);
    for (ExprPtr& a : eq.at) a = op::rewrite(a, change);
    eq.indices[d] = group;
    eq.indices.insert(eq.indices.begin() + static_cast<std::ptrdiff_t>(d) + 1, member);
    return true;
  }
  return false;
}

}  // namespace

Result<Program> make_program(const op::Spec& spec, const op::Binding& binding, const std::stop_token& stop) {
  Program p;
  p.spec = spec;
  const auto resolved = WW_TRY(op::resolve(spec, binding));
  p.binding.symbols = resolved.symbols;
  for (const op::ResolvedConstant& c : resolved.constants)
    p.binding.constants[c.name] = c.type == op::Type::integer ? static_cast<double>(c.integer) : c.real;
  const auto take = [&](const std::vector<op::Param>& params, Storage storage) {
    for (const op::Param& param : params) {
      p.tensors[param.name] = {param.name, param.dtype, param.shape, storage};
      if (storage != Storage::temp && param.dtype == DType::f64) p.f64 = true;
    }
  };
  take(spec.inputs, Storage::input);
  take(spec.outputs, Storage::output);
  take(spec.temporaries, Storage::temp);
  for (const op::Equation& e : spec.equations)
    p.equations.push_back({e.target, e.indices, plain_subscripts(e.indices), e.value});
  WW_TRY(check_budget(p, stop));
  split_read_outputs(p);
  for (Equation& eq : p.equations) eq.value = take_invariants_out(eq.value);
  hoist_reductions(p);
  order_recurrences(p);
  WW_TRY(inline_maps(p, stop));
  WW_TRY(check_budget(p, stop));
  for (Equation& eq : p.equations) {
    eq.value = take_invariants_out(eq.value);
    for (int i = 0; i < 2 && split_one(p, eq); ++i) {}
  }
  for (auto& [name, t] : p.tensors) {
    if (t.storage == Storage::temp && is_real(t.dtype)) t.dtype = p.f64 ? DType::f64 : DType::f32;
    std::int64_t count = 1;
    for (const ExprPtr& s : t.shape) count *= std::max<std::int64_t>(p.estimate(s, 1), 1);
    if (count >= (std::int64_t{1} << 31)) p.wide = true;
  }
  return p;
}

}  // namespace ww::search
