// SPDX-License-Identifier: Apache-2.0
#include "search/groups.h"
#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include "op/walk.h"
#include "search/recurrence.h"
#include "search/terms.h"

namespace ww::search {

using op::ExprKind;

std::string_view kind_name(Kind kind) {
  static constexpr std::string_view names[] = {"map",  "transpose",   "rows",   "columns",   "full",
                                               "scan", "contraction", "window", "recurrence"};
  return names[static_cast<int>(kind)];
}

std::vector<Index> Group::inner(const Equation& eq) const {
  const std::set<std::string> row_names = names_of(rows);
  std::vector<Index> out;
  for (const Index& i : eq.indices)
    if (!row_names.count(i.name)) out.push_back(i);
  return out;
}

bool Group::pointwise() const {
  return std::all_of(equations.begin(), equations.end(),
                     [&](const Equation& eq) { return eq.indices.size() == rows.size(); });
}

namespace {

// Loops of a list of equations, joined where one equation reads another's element by it.
class Unifier {
 public:
  explicit Unifier(const Program& p, std::vector<Equation> equations) : p_(p), equations_(std::move(equations)) {}

  Group run() {
    for (std::size_t e = 0; e < equations_.size(); ++e) declare(e);
    parent_.resize(vars_.size());
    std::iota(parent_.begin(), parent_.end(), 0);
    for (std::size_t e = 0; e < equations_.size(); ++e) link_reads(e);
    link_domains();
    return build();
  }

 private:
  struct Var {
    std::size_t eq;
    std::string name;
    Index range;
    bool left = false, reduced = false, broken = false;
    std::size_t position = 0;  // on the left side
  };

  std::size_t var(std::size_t e, const std::string& name) const { return ids_.at({e, name}); }
  void add_var(std::size_t e, const Index& i, bool left, std::size_t position) {
    const auto [it, fresh] = ids_.emplace(std::make_pair(e, i.name), vars_.size());
    if (fresh)
      vars_.push_back({e, i.name, i, left, !left, false, position});
    else if (!left)
      vars_[it->second].reduced = true;
  }
  void declare(std::size_t e) {
    const Equation& eq = equations_[e];
    for (std::size_t d = 0; d < eq.indices.size(); ++d) add_var(e, eq.indices[d], true, d);
    op::for_each(*eq.value, [&](const Expr& x) {
      for (const Index& i : x.indices) add_var(e, i, false, 0);
    });
  }
  std::size_t root(std::size_t v) const {
    while (parent_[v] != v) v = parent_[v];
    return v;
  }
  // False, and nothing done, when it would make two loops of one equation the same.
  bool unite(std::size_t a, std::size_t b) {
    const std::size_t ra = root(a), rb = root(b);
    if (ra == rb) return true;
    std::set<std::size_t> eqs;
    for (std::size_t v = 0; v < vars_.size(); ++v)
      if ((root(v) == ra || root(v) == rb) && !eqs.insert(vars_[v].eq).second) return false;
    parent_[std::max(ra, rb)] = std::min(ra, rb);
    return true;
  }
  void link_reads(std::size_t e) {
    bool linked = false;
    for (std::size_t s = 0; s < e; ++s) {
      const Equation& source = equations_[s];
      for (const Expr* access : accesses(*equations_[e].value, source.target)) {
        linked = true;
        for (std::size_t d = 0; d < access->args.size(); ++d) {
          if (!is_index(*source.at[d])) continue;
          const std::size_t defined = var(s, source.at[d]->name);
          if (!is_index(*access->args[d]) || !unite(defined, var(e, access->args[d]->name)))
            vars_[defined].broken = true;
        }
      }
    }
    if (linked || e == 0) return;
    // Independent of the others: rows are matched in order while their ranges agree.
    const Equation &first = equations_[0], &own = equations_[e];
    for (std::size_t d = 0; d < std::min(first.indices.size(), own.indices.size()); ++d) {
      if (!same_range(first.indices[d], own.indices[d])) break;
      unite(var(0, first.indices[d].name), var(e, own.indices[d].name));
    }
  }
  // The inner loops of different equations over equal ranges become the same loop by name, so that equal reads look
  // equal.
  void link_domains() {
    std::vector<std::pair<std::size_t, std::vector<Index>>> domains;
    for (std::size_t e = 0; e < equations_.size(); ++e) {
      for (const Expr* r : outer_reductions(*equations_[e].value)) domains.emplace_back(e, r->indices);
      std::vector<Index> inner;
      for (const Index& i : equations_[e].indices) {
        bool shared = equations_.size() > 1;
        for (std::size_t o = 0; o < equations_.size() && shared; ++o) {
          bool here = false;
          for (std::size_t v = 0; v < vars_.size(); ++v)
            here = here || (vars_[v].eq == o && vars_[v].left && root(v) == root(var(e, i.name)));
          shared = here;
        }
        if (!shared) inner.push_back(i);
      }
      if (!inner.empty()) domains.emplace_back(e, inner);
    }
    for (std::size_t a = 0; a < domains.size(); ++a)
      for (std::size_t b = a + 1; b < domains.size(); ++b) {
        if (domains[a].first == domains[b].first || !same_domain(domains[a].second, domains[b].second)) continue;
        for (std::size_t i = 0; i < domains[a].second.size(); ++i)
          unite(var(domains[a].first, domains[a].second[i].name), var(domains[b].first, domains[b].second[i].name));
      }
  }
  bool is_row(std::size_t r) const {
    std::set<std::size_t> eqs;
    const Var* first = nullptr;
    for (std::size_t v = 0; v < vars_.size(); ++v) {
      if (root(v) != r) continue;
      if (!vars_[v].left || vars_[v].reduced || vars_[v].broken) return false;
      if (first && !same_range(first->range, vars_[v].range)) return false;
      if (!first) first = &vars_[v];
      eqs.insert(vars_[v].eq);
    }
    return first && eqs.size() == equations_.size() && op::free_indices(*first->range.lo).empty() &&
           op::free_indices(*first->range.hi).empty() && op::tensors_read(*first->range.hi).empty();
  }
  Group build() {
    std::set<std::string> taken = names_of(p_);
    std::map<std::size_t, std::string> names;  // by class
    for (std::size_t e = equations_.size(); e-- > 0;)
      for (std::size_t v = 0; v < vars_.size(); ++v) {
        if (vars_[v].eq != e || names.count(root(v))) continue;
        std::string name = vars_[v].name;
        for (int n = 2; taken.count(name); ++n) name = vars_[v].name + std::to_string(n);
        taken.insert(name);
        names[root(v)] = name;
      }
    Group g;
    for (std::size_t e = 0; e < equations_.size(); ++e) {
      std::map<std::string, std::string> renaming;
      for (std::size_t v = 0; v < vars_.size(); ++v)
        if (vars_[v].eq == e && names[root(v)] != vars_[v].name) renaming[vars_[v].name] = names[root(v)];
      Equation eq = equations_[e];
      for (Index& i : eq.indices) {
        if (const auto it = renaming.find(i.name); it != renaming.end()) i.name = it->second;
        i.lo = rename_indices(i.lo, renaming);
        i.hi = rename_indices(i.hi, renaming);
      }
      for (ExprPtr& a : eq.at) a = rename_indices(a, renaming);
      eq.value = rename_indices(eq.value, renaming);
      g.equations.push_back(std::move(eq));
    }
    for (const Index& i : g.equations.back().indices) {
      const std::size_t last = equations_.size() - 1;
      for (std::size_t v = 0; v < vars_.size(); ++v)
        if (vars_[v].eq == last && names[root(v)] == i.name && is_row(root(v))) g.rows.push_back(i);
    }
    return g;
  }

  const Program& p_;
  std::vector<Equation> equations_;
  std::vector<Var> vars_;
  std::map<std::pair<std::size_t, std::string>, std::size_t> ids_;
  std::vector<std::size_t> parent_;
};

bool any_reduction(const Group& g) {
  return std::any_of(g.equations.begin(), g.equations.end(), [](const Equation& eq) { return has_reduce(*eq.value); });
}

bool may_fuse(const Group& g, Fusion fusion) {
  if (fusion == Fusion::none) return false;
  if (g.pointwise() && !g.rows.empty()) return true;
  if (g.rows.empty() || !any_reduction(g)) return false;
  if (fusion == Fusion::all) return true;
  for (const Equation& eq : g.equations)
    if (contraction_of(eq) || scan_of(eq)) return false;
  return true;
}

bool window_access(const Equation& eq, const Expr& reduce) {
  const std::set<std::string> out = names_of(eq.indices), in = names_of(reduce.indices);
  bool found = false;
  op::for_each(*reduce.args[0], [&](const Expr& x) {
    if (x.kind != ExprKind::access) return;
    for (const ExprPtr& s : x.args) found = found || (!is_index(*s) && uses_any(*s, out) && uses_any(*s, in));
  });
  return found;
}

// Does some input's contiguous dimension follow the rows and not the reduction?
bool strided(const Group& g, const Expr& reduce) {
  const std::set<std::string> in = names_of(reduce.indices);
  bool across = false, along = false;
  op::for_each(*reduce.args[0], [&](const Expr& x) {
    if (x.kind != ExprKind::access || x.args.empty()) return;
    bool varies = false;
    for (const ExprPtr& s : x.args) varies = varies || uses_any(*s, in);
    if (!varies) return;
    if (uses_any(*x.args.back(), in))
      along = true;
    else if (!g.rows.empty() && uses(*x.args.back(), g.rows.back().name))
      across = true;
  });
  return across && !along;
}

// A map that reads an input whose last subscript is an output index other than the last.
bool reorders(const Equation& eq) {
  if (eq.indices.size() < 2) return false;
  bool found = false;
  const std::string last = eq.indices.back().name;
  op::for_each(*eq.value, [&](const Expr& x) {
    if (x.kind != ExprKind::access || x.args.size() < 2) return;
    bool plain = true, has_last = false;
    for (const ExprPtr& s : x.args) {
      plain = plain && is_index(*s);
      has_last = has_last || is_name(*s, last);
    }
    found = found || (plain && has_last && !is_name(*x.args.back(), last));
  });
  return found;
}

Kind classify(const Group& g) {
  if (!any_reduction(g)) {
    if (g.equations.size() == 1 && reorders(g.equations[0])) return Kind::transpose;
    return Kind::map;
  }
  if (!g.pointwise()) return Kind::rows;
  for (const Equation& eq : g.equations)
    if (contraction_of(eq)) return Kind::contraction;
  if (scan_of(g.equations[0])) {
    bool others = false;
    for (std::size_t e = 1; e < g.equations.size(); ++e) others = others || has_reduce(*g.equations[e].value);
    if (!others) return Kind::scan;
  }
  int reductions = 0;
  const Expr* only = nullptr;
  const Equation* owner = nullptr;
  for (const Equation& eq : g.equations)
    for (const Expr* r : outer_reductions(*eq.value)) {
      ++reductions;
      only = r;
      owner = &eq;
    }
  if (reductions == 1 && rectangular(only->indices) && !has_reduce(*only->args[0])) {
    if (g.rows.empty()) return Kind::full;
    if (window_access(*owner, *only)) return Kind::window;
    if (strided(g, *only)) return Kind::columns;
  }
  return Kind::rows;
}

}  // namespace

std::vector<Group> group_equations(const Program& program, Fusion fusion) {
  std::vector<Group> groups;
  std::vector<Equation> current;
  Group accepted;
  const auto flush = [&] {
    if (current.empty()) return;
    accepted.kind = classify(accepted);
    groups.push_back(accepted);
    current.clear();
  };
  const std::vector<op::Recurrence> recurrences = recurrences_of(program);
  for (std::size_t e = 0; e < program.equations.size(); ++e) {
    if (const op::Recurrence* own = op::recurrence_with(recurrences, e)) {
      flush();
      groups.push_back(recurrence_group(program, *own));
      e += own->members.size() - 1;
      continue;
    }
    const Equation& eq = program.equations[e];
    std::vector<Equation> longer = current;
    longer.push_back(eq);
    Group g = Unifier(program, longer).run();
    if (!current.empty() && !may_fuse(g, fusion)) {
      flush();
      longer = {eq};
      g = Unifier(program, longer).run();
    }
    current = std::move(longer);
    accepted = std::move(g);
  }
  flush();
  return groups;
}

std::optional<Contraction> contraction_of(const Equation& eq) {
  const auto reductions = outer_reductions(*eq.value);
  if (reductions.size() != 1) return std::nullopt;
  const Expr& r = *reductions[0];
  if (r.reduce == op::ReduceOp::argmax || r.reduce == op::ReduceOp::argmin || has_reduce(*r.args[0]) ||
      r.args[0]->type == op::Type::boolean)
    return std::nullopt;
  std::set<std::string> out = names_of(eq.indices);
  const std::set<std::string> in = names_of(r.indices);
  // Operands: the subexpressions of the body that read tensors and leave some output index out, as large as possible.
  std::vector<ExprPtr> operands;
  const auto misses = [&](const Expr& e) {
    for (const std::string& o : out)
      if (!uses(e, o)) return true;
    return false;
  };
  const std::function<void(const ExprPtr&)> visit = [&](const ExprPtr& e) {
    if (op::tensors_read(*e).empty()) return;
    if (misses(*e) || e->kind == ExprKind::access || e->kind == ExprKind::padded) {
      operands.push_back(e);
      return;
    }
    for (const ExprPtr& a : e->args) visit(a);
  };
  visit(r.args[0]);
  if (operands.size() < 2) return std::nullopt;
  const auto free_out = [&](const Expr& e) {
    std::set<std::string> s;
    for (const std::string& o : out)
      if (uses(e, o)) s.insert(o);
    return s;
  };
  Contraction c;
  c.reduce = &r;
  const std::set<std::string> left = free_out(*operands[0]);
  std::set<std::string> right;
  for (const ExprPtr& o : operands) {
    if (!uses_any(*o, in)) return std::nullopt;
    const std::set<std::string> f = free_out(*o);
    if (f == left) {
      c.left.push_back(o);
    } else if (right.empty() || f == right) {
      right = f;
      c.right.push_back(o);
    } else {
      return std::nullopt;
    }
  }
  for (const Index& i : eq.indices) {
    const bool l = left.count(i.name) != 0, r2 = right.count(i.name) != 0;
    (l && r2 ? c.batch : r2 ? c.n : c.m).push_back(i);
  }
  c.k = r.indices;
  if (c.m.empty() || c.n.empty() || c.right.empty()) return std::nullopt;
  // The side whose index is the output's contiguous one is the right one.
  const std::string last = eq.indices.back().name;
  if (std::any_of(c.m.begin(), c.m.end(), [&](const Index& i) { return i.name == last; })) {
    std::swap(c.m, c.n);
    std::swap(c.left, c.right);
  }
  return c;
}

std::optional<Scan> scan_of(const Equation& eq) {
  const auto reductions = outer_reductions(*eq.value);
  if (reductions.size() != 1) return std::nullopt;
  const Expr& r = *reductions[0];
  using op::ReduceOp;
  if (r.indices.size() != 1 || has_reduce(*r.args[0])) return std::nullopt;
  if (r.reduce != ReduceOp::sum && r.reduce != ReduceOp::prod && r.reduce != ReduceOp::max && r.reduce != ReduceOp::min)
    return std::nullopt;
  const Index& k = r.indices[0];
  for (const Index& i : eq.indices) {
    if (!from_zero(i) || !op::free_indices(*i.hi).empty()) continue;
    const ExprPtr at = op::name_of(i.name, op::Role::index), next = add(at, op::integer_literal(1));
    const bool fixed = !uses(*r.args[0], i.name);
    if (!fixed) continue;
    Scan s;
    s.reduce = &r;
    s.position = i.name;
    s.along = {k.name, i.lo, i.hi, true, {}};
    if (r.args.size() == 1 || !uses(*r.args[1], i.name)) {
      const bool lo0 = is_integer(k.lo, 0), top = same(k.hi, i.hi);
      if (lo0 && same(k.hi, next)) return s;
      s.exclusive = true;
      if (lo0 && same(k.hi, at)) return s;
      s.reverse = true;
      if (top && same(k.lo, next)) return s;
      s.exclusive = false;
      if (top && same(k.lo, at)) return s;
      continue;
    }
    // sum(k : k <= i): the condition alone decides.
    const Expr& c = *r.args[1];
    if (!same(k.lo, i.lo) || !same(k.hi, i.hi) || c.kind != ExprKind::binary || !is_index(*c.args[0]) ||
        !is_index(*c.args[1]))
      continue;
    const bool forward = c.args[0]->name == k.name && c.args[1]->name == i.name,
               backward = c.args[1]->name == k.name && c.args[0]->name == i.name;
    if (!forward && !backward) continue;
    const auto op = c.binary;
    const bool less = op == op::BinaryOp::lt || op == op::BinaryOp::le,
               greater = op == op::BinaryOp::gt || op == op::BinaryOp::ge;
    if (!less && !greater) continue;
    s.exclusive = op == op::BinaryOp::lt || op == op::BinaryOp::gt;
    s.reverse = forward ? greater : less;
    return s;
  }
  return std::nullopt;
}

}  // namespace ww::search
