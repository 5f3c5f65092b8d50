// SPDX-License-Identifier: Apache-2.0
#include "op/gradient_prepare.h"
#include <algorithm>
#include <map>
#include <numeric>
#include "op/agreement.h"
#include "op/gradient_build.h"
#include "op/names.h"
#include "op/parse.h"
#include "op/syntax.h"
#include "op/walk.h"
#include "op/work.h"

namespace ww::op::gradient {

bool value_depends(const Expr& e, const TensorSet& tensors) {
  const auto any_from = [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last && i < e.args.size(); ++i)
      if (value_depends(*e.args[i], tensors)) return true;
    return false;
  };
  if (e.type == Type::boolean) return false;
  switch (e.kind) {
    case ExprKind::access: return tensors.contains(e.name);
    case ExprKind::select: return any_from(1, 3);
    case ExprKind::reduce: return any_from(0, 1);
    default: return any_from(0, e.args.size());
  }
}

TensorSet dependents(const Spec& spec, const TensorSet& roots) {
  TensorSet out = roots;
  for (std::size_t before = 0; before != out.size();) {  // recurrences read what follows them
    before = out.size();
    for (const Equation& e : spec.equations)
      if (value_depends(*e.value, out)) out.insert(e.target);
  }
  return out;
}

std::string untaken(const std::string& base, std::set<std::string>& taken) {
  std::string name = base;
  for (int n = 2; taken.contains(name) || !syntax::reserved_as(name).empty(); ++n)
    name = base + "_" + std::to_string(n);
  taken.insert(name);
  return name;
}

std::set<std::string> all_names(const Spec& spec) {
  std::set<std::string> out(spec.symbols.begin(), spec.symbols.end());
  for (const std::vector<Param>* list : {&spec.inputs, &spec.outputs, &spec.temporaries})
    for (const Param& p : *list) out.insert(p.name);
  for (const Constant& c : spec.constants) out.insert(c.name);
  for (const Equation& e : spec.equations) {
    for (const Index& i : e.indices) out.insert(i.name);
    for_each(*e.value, [&](const Expr& x) {
      for (const Index& i : x.indices) out.insert(i.name);
    });
  }
  return out;
}

namespace {

bool is_extreme(const Expr& e) {
  return e.kind == ExprKind::reduce && (e.reduce == ReduceOp::max || e.reduce == ReduceOp::min);
}

class Lifter {
 public:
  Lifter(const Spec& spec, const TensorSet& dependent) : dependent_(dependent), spec_(spec), taken_(all_names(spec)) {}

  Spec run() {
    Spec out = spec_;
    out.equations.clear();
    for (const Equation& e : spec_.equations) {
      Equation copy = e;
      scope_.clear();
      enter(copy.indices);
      target_ = e.target;
      lifted_.clear();
      copy.value = lift_root(e.value);
      if (!lifted_.empty())
        for (Index& i : copy.indices) i.given = true;
      out.equations.insert(out.equations.end(), lifted_.begin(), lifted_.end());
      out.equations.push_back(std::move(copy));
    }
    return out;
  }

 private:
  struct At {
    bool linear = false;   // the equation's value is linear in the expression
    bool guarded = false;  // under a condition
  };

  void enter(const std::vector<Index>& indices) {
    for (const Index& i : indices) scope_[i.name] = i;
  }
  bool depends(const Expr& e) const { return value_depends(e, dependent_); }

  ExprPtr lift_root(const ExprPtr& e) {
    if (is_extreme(*e)) return within(e, {false, e->args.size() > 1});
    return lift(e, {true, false});
  }

  // The reduction itself with its term changed.
  ExprPtr within(const ExprPtr& e, At at) {
    const std::map<std::string, Index> outer = scope_;
    enter(e->indices);
    const ExprPtr term = lift(e->args[0], at);
    scope_ = outer;
    if (term == e->args[0]) return e;
    auto copy = std::make_shared<Expr>(*e);
    copy->args[0] = term;
    for (Index& i : copy->indices) i.given = true;
    return copy;
  }

  ExprPtr lift(const ExprPtr& e, At at) {
    if (!depends(*e) || e->args.empty() || e->kind == ExprKind::access || e->kind == ExprKind::padded) return e;
    if (e->kind == ExprKind::reduce) {
      const bool stays = e->reduce == ReduceOp::sum ? at.linear : !is_extreme(*e);
      if (!stays && can_stand_alone(*e, at.guarded)) return apart(e);
      return within(e, {at.linear && e->reduce == ReduceOp::sum, at.guarded || e->args.size() > 1});
    }
    auto copy = std::make_shared<Expr>(*e);
    bool changed = false;
    for (std::size_t i = e->kind == ExprKind::select ? 1 : 0; i < e->args.size(); ++i) {
      copy->args[i] = lift(e->args[i], {at.linear && linear_operand(*e, i), at.guarded || e->kind == ExprKind::select});
      changed = changed || copy->args[i] != e->args[i];
    }
    return changed ? ExprPtr(copy) : e;
  }

  bool linear_operand(const Expr& e, std::size_t i) const {
    if (e.kind == ExprKind::unary || e.kind == ExprKind::select || e.kind == ExprKind::cast) return true;
    if (e.kind != ExprKind::binary) return false;
    if (e.binary == BinaryOp::add || e.binary == BinaryOp::sub) return true;
    if (e.binary == BinaryOp::mul) return !depends(*e.args[1 - i]);
    return e.binary == BinaryOp::div && i == 0 && !depends(*e.args[1]);
  }

  // Whether the reduction has a value for all values of its indices, which count from 0.
  bool can_stand_alone(const Expr& e, bool guarded) const {
    for (const std::string& name : free_indices(e)) {
      const auto found = scope_.find(name);
      if (found == scope_.end() || !is_number(*found->second.lo, 0)) return false;
      if (!free_indices(*found->second.hi).empty() || !tensors_read(*found->second.hi).empty()) return false;
    }
    bool plain = true;
    for_each(e, [&](const Expr& x) {
      if (x.kind == ExprKind::access)
        for (const ExprPtr& s : x.args) plain = plain && s->kind == ExprKind::name;
    });
    return plain || !guarded;
  }

  ExprPtr apart(const ExprPtr& e) {
    Equation own;
    own.target = untaken(target_ + "_" + std::string(reduce_name(e->reduce)), taken_);
    std::vector<ExprPtr> position;
    for (const std::string& name : free_indices(*e)) {
      Index i = scope_.at(name);
      i.given = true;
      own.indices.push_back(i);
      position.push_back(name_of(name, Role::index));
    }
    own.value = lift_root(e);
    lifted_.push_back(own);
    return access_of(own.target, std::move(position), e->type);
  }

  const TensorSet& dependent_;
  const Spec& spec_;
  std::set<std::string> taken_;
  std::map<std::string, Index> scope_;
  std::vector<Equation> lifted_;
  std::string target_;
};

constexpr double most_steps = 2e6;  // of the evaluator, for trying out

}  // namespace

Result<Spec> with_reductions_apart(const Spec& spec, const TensorSet& dependent) {
  return parse_spec(print(Lifter(spec, dependent).run()), spec.name);
}

bool cancels_out(const Spec& spec, const Equation& equation) {
  const Param* tensor = find_param(spec, equation.target);
  const bool temporary = std::any_of(spec.temporaries.begin(), spec.temporaries.end(),
                                     [&](const Param& p) { return p.name == equation.target; });
  if (!tensor || !temporary || !is_extreme(*equation.value)) return false;
  std::set<std::string> taken = all_names(spec);
  Spec plain = spec;
  Param shift = *tensor;
  shift.name = untaken(equation.target + "_shift", taken);
  shift.dtype = DType::f64;
  plain.inputs.push_back(shift);
  Spec shifted = plain;
  const std::string base = untaken(equation.target + "_base", taken);
  for (Equation& e : shifted.equations) {
    if (e.target != equation.target) continue;
    e.target = base;
    Equation moved = e;
    moved.target = equation.target;
    std::vector<ExprPtr> position;
    for (Index& i : moved.indices) {
      i.given = true;
      position.push_back(name_of(i.name, Role::index));
    }
    for (Index& i : e.indices) i.given = true;
    moved.value = sum_of(access_of(base, position, Type::real), access_of(shift.name, position, Type::real));
    shifted.equations.push_back(std::move(moved));
    break;
  }
  const auto a = parse_spec(print(plain)), b = parse_spec(print(shifted));
  if (!a || !b) return false;
  const Binding sizes = small_sizes(*a);
  const Result<double> steps = steps_of(*a, sizes);
  if (!steps || *steps > most_steps || !shapes_at(*a, sizes)) return false;
  std::vector<std::size_t> order(a->inputs.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  return result_difference(*a, sizes, *b, sizes, order, Distribution::normal).empty() &&
         result_difference(*a, sizes, *b, sizes, order, Distribution::positive).empty();
}

}  // namespace ww::op::gradient
