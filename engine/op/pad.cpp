// SPDX-License-Identifier: Apache-2.0
#include <set>
#include "op/checker.h"
#include "op/parse.h"
#include "op/recurrence.h"
#include "op/walk.h"

namespace ww::op {
namespace {

class PadSpeller {
 public:
  explicit PadSpeller(const Spec& spec) : spec_(spec) {}

  void enter(const std::vector<Index>& indices) {
    for (const Index& i : indices) scope_[i.name] = i;
  }

  ExprPtr expr(const ExprPtr& e) {
    if (!e) return e;
    const std::map<std::string, Index> outer = scope_;
    auto copy = std::make_shared<Expr>(*e);
    for (Index& i : copy->indices) {
      i.lo = expr(i.lo);
      i.hi = expr(i.hi);
    }
    enter(copy->indices);
    bool changed = false;
    for (std::size_t k = 0; k < copy->args.size(); ++k) {
      copy->args[k] = expr(e->args[k]);
      changed = changed || copy->args[k] != e->args[k];
    }
    scope_ = outer;
    if (copy->kind == ExprKind::padded && copy->args[0]->kind != ExprKind::access) return spelled(*copy);
    return changed ? copy : e;
  }

 private:
  ExprPtr spelled(const Expr& pad) {
    conditions_.clear();
    said_.clear();
    reads(*pad.args[0]);
    ExprPtr all;
    for (const ExprPtr& c : conditions_) all = all ? binary_of(BinaryOp::logical_and, all, c) : c;
    if (!all) return pad.args[0];
    auto out = std::make_shared<Expr>(pad);
    out->kind = ExprKind::select;
    out->args = {all, pad.args[0], pad.args[1]};
    return out;
  }

  void reads(const Expr& e) {
    if (e.kind == ExprKind::padded) return;
    if (e.kind == ExprKind::access)
      if (const Param* p = find_param(spec_, e.name))
        for (std::size_t d = 0; d < e.args.size() && d < p->shape.size(); ++d) in_range(e.args[d], p->shape[d]);
    for (const ExprPtr& a : e.args) reads(*a);
  }

  void in_range(const ExprPtr& subscript, const ExprPtr& extent) {
    std::string name;
    bool inner = false;  // an index of a reduction inside the padded expression
    for_each(*subscript, [&](const Expr& x) {
      if (x.kind != ExprKind::name || x.role != Role::index) return;
      name = x.name;
      inner = inner || !scope_.contains(x.name);
    });
    if (inner) return;
    std::int64_t shift = 0, lo = 0;
    const bool plain = !name.empty() && shift_of(*subscript, name, &shift);
    if (!plain || !integer_value(*scope_.at(name).lo, &lo) || lo + shift < 0)
      add(binary_of(BinaryOp::ge, subscript, integer_literal(0)));
    if (!plain || shift > 0 || !same_integer(*scope_.at(name).hi, *extent))
      add(binary_of(BinaryOp::lt, subscript, extent));
  }

  void add(const ExprPtr& condition) {
    if (said_.insert(print(*condition)).second) conditions_.push_back(condition);
  }

  const Spec& spec_;
  std::map<std::string, Index> scope_;
  std::vector<ExprPtr> conditions_;
  std::set<std::string> said_;
};

}  // namespace

ExprPtr pads_spelled_out(const Spec& spec, const Equation& equation) {
  PadSpeller speller(spec);
  speller.enter(equation.indices);
  return speller.expr(equation.value);
}

}  // namespace ww::op
