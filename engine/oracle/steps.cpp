// SPDX-License-Identifier: Apache-2.0
#include "oracle/steps.h"
#include <algorithm>
#include <set>
#include "op/recurrence.h"
#include "op/walk.h"

namespace ww::oracle {

using op::Expr;
using op::ExprKind;
using op::ExprPtr;

bool reads_tensors(const Expr& e) { return !op::tensors_read(e).empty(); }
bool shapes_alone(const Expr& e) { return op::free_indices(e).empty() && !reads_tensors(e); }

namespace {

using Scope = std::map<std::string, op::Index>;

// The ranges of every reduction's own indices join the scope; those that depend on others do not.
void enter(const Expr& reduction, Scope& scope) {
  for (const op::Index& i : reduction.indices) {
    if (shapes_alone(*i.lo) && shapes_alone(*i.hi))
      scope[i.name] = i;
    else
      scope.erase(i.name);
  }
}

class Splitter {
 public:
  explicit Splitter(std::vector<Step>& out) : out_(out) {}

  void split(const std::string& target, const std::vector<op::Index>& indices, const ExprPtr& value) {
    Scope scope;
    for (const op::Index& i : indices) scope[i.name] = i;
    Step step{target, indices, nullptr, nullptr};
    std::set<std::string> all;
    for (const op::Index& i : indices) all.insert(i.name);
    step.value = without_reductions(value, scope, true, all, &step.main);
    find_running(step);
    out_.push_back(std::move(step));
  }

 private:
  // `open`: not inside another reduction, so that this step's kernel may compute one itself.
  ExprPtr without_reductions(const ExprPtr& e, const Scope& scope, bool open, const std::set<std::string>& all,
                             const Expr** main) {
    if (e->args.empty()) return e;
    Scope inner = scope;
    bool is_main = false;
    if (e->kind == ExprKind::reduce) {
      const std::vector<std::string> free = op::free_indices(*e);
      is_main = open && !*main && std::set<std::string>(free.begin(), free.end()) == all;
      const bool regular =
          std::all_of(free.begin(), free.end(), [&](const std::string& n) { return scope.count(n) != 0; });
      if (!is_main && regular) return taken_out(e, free, scope);
      enter(*e, inner);
    }
    auto copy = std::make_shared<Expr>(*e);
    if (is_main) *main = copy.get();
    const bool still_open = open && e->kind != ExprKind::reduce;
    for (ExprPtr& a : copy->args) a = without_reductions(a, inner, still_open, all, main);
    for (op::Index& i : copy->indices) {
      i.lo = without_reductions(i.lo, scope, false, all, main);
      i.hi = without_reductions(i.hi, scope, false, all, main);
    }
    return copy;
  }

  ExprPtr taken_out(const ExprPtr& e, const std::vector<std::string>& free, const Scope& scope) {
    std::vector<op::Index> indices;
    std::vector<ExprPtr> subscripts;
    for (const std::string& n : free) {
      const op::Index& i = scope.at(n);
      indices.push_back(i);
      const ExprPtr name = op::name_of(n, op::Role::index);
      subscripts.push_back(
          i.lo->kind == ExprKind::integer && i.lo->integer == 0 ? name : op::binary_of(op::BinaryOp::sub, name, i.lo));
    }
    const std::string target = "$" + std::to_string(names_++);
    split(target, indices, e);
    return op::access_of(target, std::move(subscripts), e->type);
  }

  static bool moves_with(const Expr& bound, const std::string& index) {
    const ExprPtr at_zero = op::substitute(std::make_shared<Expr>(bound), {{index, op::integer_literal(0)}});
    return op::same_integer(bound, *op::binary_of(op::BinaryOp::add, op::name_of(index, op::Role::index), at_zero));
  }

  // sum(j in 0..c + 1), prod(j in c..C): one end is fixed, the other moves with an index that the terms do not use.
  static void find_running(Step& step) {
    const Expr* e = step.main;
    if (!e || e->indices.size() != 1 || e->type != op::Type::real) return;
    if (e->reduce != op::ReduceOp::sum && e->reduce != op::ReduceOp::prod && e->reduce != op::ReduceOp::max &&
        e->reduce != op::ReduceOp::min)
      return;
    const op::Index& j = e->indices[0];
    if (reads_tensors(*j.lo) || reads_tensors(*j.hi)) return;
    const std::vector<std::string> lo = op::free_indices(*j.lo), hi = op::free_indices(*j.hi);
    std::string moving;
    if (lo.empty() && hi.size() == 1 && moves_with(*j.hi, hi[0]))
      moving = hi[0];
    else if (hi.empty() && lo.size() == 1 && moves_with(*j.lo, lo[0]))
      moving = lo[0];
    else
      return;
    for (const ExprPtr& a : e->args) {
      const std::vector<std::string> used = op::free_indices(*a);
      if (std::find(used.begin(), used.end(), moving) != used.end()) return;
    }
    step.backward = hi.empty();
    for (std::size_t k = 0; k < step.indices.size(); ++k)
      if (step.indices[k].name == moving) step.moving = static_cast<int>(k);
  }

  std::vector<Step>& out_;
  int names_ = 0;
};

}  // namespace

std::vector<Step> steps_of(const op::Spec& spec) {
  std::vector<Step> out;
  Splitter splitter(out);
  const std::vector<op::Recurrence> recurrences = op::recurrences_of(spec);
  for (std::size_t i = 0; i < spec.equations.size(); ++i) {
    const op::Recurrence* own = op::recurrence_with(recurrences, i);
    if (!own) {
      splitter.split(spec.equations[i].target, spec.equations[i].indices, spec.equations[i].value);
      continue;
    }
    const int r = static_cast<int>(own - recurrences.data());
    for (std::size_t m = 0; m < own->members.size(); ++m) {
      const op::Equation& e = spec.equations[own->members[m]];
      out.push_back({e.target, e.indices, e.value, nullptr, -1, own->backward, r, own->carried[m]});
    }
    i += own->members.size() - 1;
  }
  return out;
}

}  // namespace ww::oracle
