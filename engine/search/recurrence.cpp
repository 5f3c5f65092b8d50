// SPDX-License-Identifier: Apache-2.0
#include "search/recurrence.h"
#include <algorithm>
#include <map>
#include <set>
#include "op/walk.h"
#include "search/terms.h"

namespace ww::search {

using op::BinaryOp;
using op::ExprKind;

namespace {

std::vector<op::RecurrenceMember> members_of(const Program& program) {
  std::vector<op::RecurrenceMember> out;
  for (const Equation& e : program.equations) out.push_back({&e.target, &e.indices, e.value.get()});
  return out;
}

// For each member the dimension that has the row index, when it is dimension `d` of the first member; empty: elements
// with different values of that index depend on one another.
class Rows {
 public:
  Rows(const Program& program, const op::Recurrence& r) : program_(program), r_(r) {}

  std::vector<std::size_t> from(std::size_t d) const {
    std::vector<std::optional<std::size_t>> at(r_.members.size());
    at[0] = d;
    for (std::size_t round = 0; round < r_.members.size(); ++round)
      for (std::size_t m = 0; m < at.size(); ++m)
        if (at[m]) spread(m, at);
    std::vector<std::size_t> out;
    for (std::size_t m = 0; m < at.size(); ++m) {
      if (!at[m] || *at[m] == r_.carried[m] || !fits(m, at)) return {};
      out.push_back(*at[m]);
    }
    return out;
  }

 private:
  const Equation& equation(std::size_t m) const { return program_.equations[r_.members[m]]; }

  void spread(std::size_t m, std::vector<std::optional<std::size_t>>& at) const {
    const std::string& name = equation(m).indices[*at[m]].name;
    for (std::size_t of = 0; of < at.size(); ++of)
      for (const Expr* access : accesses(*equation(m).value, equation(of).target))
        for (std::size_t k = 0; k < access->args.size() && !at[of]; ++k)
          if (is_index(*access->args[k]) && access->args[k]->name == name) at[of] = k;
  }
  bool fits(std::size_t m, const std::vector<std::optional<std::size_t>>& at) const {
    const Index& own = equation(m).indices[*at[m]];
    if (!rectangular({own}) || !same_range(own, equation(0).indices[*at[0]])) return false;
    for (std::size_t of = 0; of < at.size(); ++of)
      for (const Expr* access : accesses(*equation(m).value, equation(of).target))
        if (!at[of] || !is_name(*access->args[*at[of]], own.name)) return false;
    return true;
  }

  const Program& program_;
  const op::Recurrence& r_;
};

std::set<std::string> taken_names(const Program& program, const op::Recurrence& r) {
  std::set<std::string> out = names_of(program);
  for (const std::size_t m : r.members) {
    for (const Index& i : program.equations[m].indices) out.insert(i.name);
    op::for_each(*program.equations[m].value, [&](const Expr& x) {
      for (const Index& i : x.indices) out.insert(i.name);
    });
  }
  return out;
}

ExprPtr times(const ExprPtr& a, const ExprPtr& b) {
  if (a->kind == ExprKind::real && a->real == 1) return b;
  if (b->kind == ExprKind::real && b->real == 1) return a;
  if (a->kind == ExprKind::real && a->real == 0) return a;
  return op::binary_of(BinaryOp::mul, a, b);
}
ExprPtr plus(const ExprPtr& a, const ExprPtr& b, BinaryOp op) {
  if (b->kind == ExprKind::real && b->real == 0) return a;
  if (a->kind == ExprKind::real && a->real == 0) return op == BinaryOp::add ? b : op::unary_of(op::UnaryOp::negate, b);
  return op::binary_of(op, a, b);
}

class Affine {
 public:
  explicit Affine(const Group& group) : equation_(group.equations[0]), group_(group) {
    for (std::size_t d = 0; d < equation_.indices.size(); ++d)
      if (equation_.indices[d].name == group.carried) along_ = d;
  }

  std::optional<AffineStep> of(const ExprPtr& e) const {
    if (!reads(*e, equation_.target)) return free(e);
    if (e->type != op::Type::real) return std::nullopt;
    switch (e->kind) {
      case ExprKind::access: return before(*e);
      case ExprKind::padded: return padded(*e);
      case ExprKind::select: {
        if (reads(*e->args[0], equation_.target)) return std::nullopt;
        const auto yes = of(e->args[1]), no = of(e->args[2]);
        if (!yes || !no) return std::nullopt;
        return AffineStep{chosen(e->args[0], yes->factor, no->factor), chosen(e->args[0], yes->term, no->term)};
      }
      case ExprKind::unary: {
        const auto a = of(e->args[0]);
        if (!a) return std::nullopt;
        return AffineStep{op::unary_of(op::UnaryOp::negate, a->factor), op::unary_of(op::UnaryOp::negate, a->term)};
      }
      case ExprKind::binary: return binary(*e);
      default: return std::nullopt;
    }
  }

 private:
  static AffineStep free(const ExprPtr& e) { return {op::real_literal(0), e}; }
  static ExprPtr chosen(const ExprPtr& condition, const ExprPtr& yes, const ExprPtr& no) {
    if (yes->kind == ExprKind::real && no->kind == ExprKind::real && yes->real == no->real) return yes;
    return op::select_of(condition, yes, no);
  }
  // The element one step before this one, and no other.
  std::optional<AffineStep> before(const Expr& access) const {
    for (std::size_t d = 0; d < access.args.size(); ++d) {
      std::int64_t shift = 0;
      if (d != along_ && !is_name(*access.args[d], equation_.indices[d].name)) return std::nullopt;
      if (d == along_ &&
          (!op::shift_of(*access.args[d], group_.carried, &shift) || shift != (group_.backward ? 1 : -1)))
        return std::nullopt;
    }
    return AffineStep{op::real_literal(1), op::real_literal(0)};
  }
  std::optional<AffineStep> padded(const Expr& e) const {
    const auto inside = before(*e.args[0]);
    if (!inside || reads(*e.args[1], equation_.target)) return std::nullopt;
    const Index& steps = equation_.indices[along_];
    const ExprPtr first = group_.backward ? sub(steps.hi, op::integer_literal(1)) : steps.lo;
    const ExprPtr begins = op::binary_of(BinaryOp::eq, op::name_of(group_.carried, op::Role::index), first);
    return AffineStep{chosen(begins, op::real_literal(0), inside->factor), chosen(begins, e.args[1], inside->term)};
  }
  std::optional<AffineStep> binary(const Expr& e) const {
    const auto a = of(e.args[0]), b = of(e.args[1]);
    if (!a || !b) return std::nullopt;
    const bool reads_a = reads(*e.args[0], equation_.target), reads_b = reads(*e.args[1], equation_.target);
    switch (e.binary) {
      case BinaryOp::add:
      case BinaryOp::sub: return AffineStep{plus(a->factor, b->factor, e.binary), plus(a->term, b->term, e.binary)};
      case BinaryOp::mul:
        if (reads_a && reads_b) return std::nullopt;
        if (reads_a) return AffineStep{times(a->factor, e.args[1]), times(a->term, e.args[1])};
        return AffineStep{times(b->factor, e.args[0]), times(b->term, e.args[0])};
      case BinaryOp::div:
        if (reads_b) return std::nullopt;
        return AffineStep{op::binary_of(BinaryOp::div, a->factor, e.args[1]),
                          op::binary_of(BinaryOp::div, a->term, e.args[1])};
      default: return std::nullopt;
    }
  }

  const Equation& equation_;
  const Group& group_;
  std::size_t along_ = 0;
};

}  // namespace

std::vector<op::Recurrence> recurrences_of(const Program& program) { return op::recurrences_of(members_of(program)); }

void order_recurrences(Program& program) {
  const auto recurrences = recurrences_of(program);
  if (recurrences.empty()) return;
  std::vector<Equation> ordered;
  for (const std::vector<std::size_t>& component : op::components_of(members_of(program))) {
    const op::Recurrence* own = op::recurrence_with(recurrences, component.front());
    for (const std::size_t i : own ? own->members : component) ordered.push_back(program.equations[i]);
  }
  program.equations = std::move(ordered);
}

Group recurrence_group(const Program& program, const op::Recurrence& r) {
  Group g;
  g.kind = Kind::recurrence;
  g.backward = r.backward;
  std::set<std::string> taken = taken_names(program, r);
  std::vector<std::map<std::string, std::string>> renaming(r.members.size());
  const auto equation = [&](std::size_t m) -> const Equation& { return program.equations[r.members[m]]; };
  // One name for the index in all members: the first's, unless another loop of some member has it.
  const auto unite = [&](const std::vector<std::size_t>& at) {
    std::string name = equation(0).indices[at[0]].name;
    bool same_everywhere = true;
    for (std::size_t m = 0; m < at.size(); ++m)
      same_everywhere = same_everywhere && equation(m).indices[at[m]].name == name;
    const std::string stem = name;
    for (int n = 2; !same_everywhere && taken.count(name); ++n) name = stem + std::to_string(n);
    taken.insert(name);
    for (std::size_t m = 0; m < at.size(); ++m)
      if (equation(m).indices[at[m]].name != name) renaming[m][equation(m).indices[at[m]].name] = name;
    return name;
  };
  g.carried = unite(r.carried);
  std::set<std::string> rows;
  for (std::size_t d = 0; d < equation(0).indices.size(); ++d)
    if (const auto at = Rows(program, r).from(d); !at.empty()) rows.insert(unite(at));
  for (std::size_t m = 0; m < r.members.size(); ++m) {
    Equation eq = equation(m);
    for (Index& i : eq.indices)
      if (const auto it = renaming[m].find(i.name); it != renaming[m].end()) i.name = it->second;
    for (ExprPtr& a : eq.at) a = rename_indices(a, renaming[m]);
    eq.value = rename_indices(eq.value, renaming[m]);
    g.equations.push_back(std::move(eq));
  }
  for (const Index& i : g.equations.front().indices)
    if (rows.count(i.name)) g.rows.push_back(i);
  return g;
}

std::optional<AffineStep> affine_step(const Group& group) {
  if (group.equations.size() != 1 || group.equations[0].value->type != op::Type::real ||
      group.equations[0].indices.size() != group.rows.size() + 1)
    return std::nullopt;
  return Affine(group).of(group.equations[0].value);
}

}  // namespace ww::search
