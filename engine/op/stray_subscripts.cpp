// SPDX-License-Identifier: Apache-2.0
#include "op/stray_subscripts.h"
#include <algorithm>
#include <utility>
#include "op/parse.h"
#include "op/walk.h"

namespace ww::op {
namespace {

const Param* tensor_named(const Spec& spec, const std::string& name) {
  for (const auto* list : {&spec.inputs, &spec.temporaries})
    if (const auto p = std::ranges::find(*list, name, &Param::name); p != list->end()) return &*p;
  return nullptr;
}

bool is_read_in(const Expr& e, const std::string& tensor) {
  const std::vector<std::string> read = tensors_read(e);
  return std::ranges::find(read, tensor) != read.end();
}

// What the values of one input are subscripts of.
struct Target {
  ExprPtr extent;  // of the dimension
  bool padded = false;
};

void find_target(const Spec& spec, const Expr& e, const std::string& input, bool padded, Target& out) {
  if (e.kind == ExprKind::access)
    for (std::size_t i = 0; i < e.args.size(); ++i) {
      if (!is_read_in(*e.args[i], input)) continue;
      const Param* of = tensor_named(spec, e.name);
      if (of && i < of->shape.size() && !out.extent) out.extent = of->shape[i];
      out.padded = out.padded || padded;
    }
  for (std::size_t i = 0; i < e.args.size(); ++i)
    find_target(spec, *e.args[i], input, padded || e.kind == ExprKind::padded, out);
}

ExprPtr with_padding(const ExprPtr& value, const std::string& input) {
  return rewrite(value, [&](const Expr& x) -> ExprPtr {
    if (x.kind != ExprKind::access ||
        std::ranges::none_of(x.args, [&](const ExprPtr& a) { return is_read_in(*a, input); }))
      return nullptr;
    auto pad = std::make_shared<Expr>();
    pad->kind = ExprKind::padded;
    pad->type = x.type;
    pad->args = {std::make_shared<Expr>(x), integer_literal(0)};
    return pad;
  });
}

}  // namespace

std::vector<StraySubscripts> stray_subscripts(const Spec& spec, const std::vector<std::int64_t>& others) {
  std::vector<StraySubscripts> out;
  for (std::size_t i = 0; i < spec.inputs.size(); ++i) {
    const Param& p = spec.inputs[i];
    if (!p.lo || !p.hi) continue;
    Target target;
    for (const Equation& e : spec.equations) find_target(spec, *e.value, p.name, false, target);
    if (!target.extent || target.padded) continue;
    const auto add = [&](const ExprPtr& lo, const ExprPtr& hi, bool within) {
      Spec other = spec;
      other.inputs[i].lo = lo;
      other.inputs[i].hi = hi;
      other.inputs[i].rules = {};
      if (!within)
        for (Equation& e : other.equations) e.value = with_padding(e.value, p.name);
      ParseOutcome read = parse(print(other));
      if (read.spec) out.push_back({p.name, within, std::move(*read.spec)});
    };
    const ExprPtr none = integer_literal(0), &extent = target.extent;
    const bool whole = same_integer(*p.lo, *none) && same_integer(*p.hi, *extent);
    if (!whole || p.rules) add(none, extent, true);
    add(binary_of(BinaryOp::sub, none, extent), none, false);
    add(extent, binary_of(BinaryOp::mul, integer_literal(2), extent), false);
    for (const std::int64_t v : others) add(integer_literal(v), integer_literal(v + 1), false);
  }
  return out;
}

}  // namespace ww::op
