// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include "op/parse.h"
#include "op/transform.h"
#include "op/walk.h"

namespace ww::op {
namespace {

bool of_sizes(const Expr& e) {  // N, R * C
  if (e.kind == ExprKind::name) return e.role == Role::symbol;
  return e.kind == ExprKind::binary && e.binary == BinaryOp::mul && of_sizes(*e.args[0]) && of_sizes(*e.args[1]);
}

// `e` without its division by sizes, and where `terms` is set with the terms of its sum in place of the sum, whose
// indices go there. Null where `e` is made in another way.
ExprPtr undivided(const ExprPtr& e, bool& divided, std::vector<Index>* terms, bool& summed) {
  const auto with = [&](std::size_t at, ExprPtr arg) -> ExprPtr {
    if (!arg) return arg;
    auto copy = std::make_shared<Expr>(*e);
    copy->args[at] = std::move(arg);
    return copy;
  };
  if (e->kind == ExprKind::binary && e->binary == BinaryOp::div && of_sizes(*e->args[1]) && !divided) {
    divided = true;
    return undivided(e->args[0], divided, terms, summed);
  }
  if (e->kind == ExprKind::unary) return with(0, undivided(e->args[0], divided, terms, summed));
  if (e->kind == ExprKind::binary && e->binary == BinaryOp::mul) {
    const std::size_t factor = e->args[0]->kind == ExprKind::real ? 0 : 1;
    if (e->args[factor]->kind != ExprKind::real && e->args[factor]->kind != ExprKind::name) return nullptr;
    return with(1 - factor, undivided(e->args[1 - factor], divided, terms, summed));
  }
  if (e->kind != ExprKind::reduce || e->reduce != ReduceOp::sum || e->args.size() != 1) return nullptr;
  const Expr& body = *e->args[0];  // sum(r, c) x[r, c] / (R * C) divides within
  summed = true;
  ExprPtr inner = e->args[0];
  if (!divided && body.kind == ExprKind::binary && body.binary == BinaryOp::div && of_sizes(*body.args[1])) {
    divided = true;
    inner = body.args[0];
  }
  if (terms) {
    *terms = e->indices;
    return inner;
  }
  return with(0, inner);
}

}  // namespace

Result<Spec> with_reduction(const Spec& loss, LossReduction how) {
  const auto no = [&] {
    return fail(Code::invalid_argument, "'" + loss.name + "' is no mean over elements, so it has no other reduction");
  };
  if (loss.outputs.size() != 1 || !loss.outputs[0].shape.empty()) return no();
  Spec out = loss;
  const auto last = std::find_if(out.equations.begin(), out.equations.end(),
                                 [&](const Equation& e) { return e.target == loss.outputs[0].name; });
  if (last == out.equations.end()) return no();
  bool divided = false, summed = false;
  std::vector<Index> terms;
  ExprPtr value = undivided(last->value, divided, how == LossReduction::none ? &terms : nullptr, summed);
  if (!value || !divided || !summed) return no();
  last->value = std::move(value);
  if (how == LossReduction::none) {
    last->indices = terms;
    for (const Index& i : terms) out.outputs[0].shape.push_back(i.hi);
  }
  out.directives.erase("torch");
  out.directives.erase("summary");
  out.directives.emplace("summary",
                         how == LossReduction::sum ? loss.name + " as a sum." : loss.name + " of each element.");
  return parse_spec(print(out), loss.name);
}

}  // namespace ww::op
