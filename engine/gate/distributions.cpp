// SPDX-License-Identifier: Apache-2.0
#include "gate/distributions.h"
#include <algorithm>
#include <array>
#include "op/nan_rule.h"
#include "op/recurrence.h"
#include "op/ties.h"
#include "op/walk.h"

namespace ww::gate {
namespace {

bool smooth(const op::Expr& e) {
  using K = op::ExprKind;
  if (e.kind == K::padded || e.kind == K::select || e.kind == K::cast || e.kind == K::boolean) return false;
  if (e.kind == K::reduce && (e.reduce != op::ReduceOp::sum || e.args.size() > 1)) return false;
  if (e.kind == K::reduce && std::any_of(e.indices.begin(), e.indices.end(), [](const auto& i) { return i.given; }))
    return false;
  if (e.kind == K::unary && e.unary != op::UnaryOp::negate) return false;
  if (e.kind == K::binary && e.binary > op::BinaryOp::pow) return false;
  if (e.kind == K::binary && e.binary == op::BinaryOp::mod) return false;
  if (e.kind == K::call) {
    constexpr std::array known = {"exp", "expm1", "log", "log1p", "sqrt", "rsqrt", "tanh", "erf", "abs"};
    if (std::find(known.begin(), known.end(), e.name) == known.end()) return false;
  }
  return std::all_of(e.args.begin(), e.args.end(), [](const op::ExprPtr& a) { return smooth(*a); });
}

bool has_elements(const op::Expr& e) {
  return e.kind == op::ExprKind::access ||
         std::any_of(e.args.begin(), e.args.end(), [](const op::ExprPtr& a) { return has_elements(*a); });
}

bool moves_and_chooses(const op::Expr& e) {
  using K = op::ExprKind;
  using B = op::BinaryOp;
  if (e.kind == K::cast) return false;
  if (e.kind == K::reduce && e.reduce == op::ReduceOp::prod) return false;
  if (e.kind == K::binary && (e.binary == B::mul || e.binary == B::div) && has_elements(*e.args[1]) &&
      (e.binary == B::div || has_elements(*e.args[0])))
    return false;
  if (e.kind == K::binary && (e.binary == B::mod || e.binary == B::pow) && has_elements(e)) return false;
  if (e.kind == K::call && has_elements(e)) {
    constexpr std::array known = {"abs", "max", "min"};
    if (std::find(known.begin(), known.end(), e.name) == known.end()) return false;
  }
  return std::all_of(e.args.begin(), e.args.end(), [](const op::ExprPtr& a) { return moves_and_chooses(*a); });
}

bool only_moves_and_chooses(const op::Spec& spec) {
  return std::ranges::all_of(spec.equations, [](const op::Equation& e) { return moves_and_chooses(*e.value); });
}

// Whether arithmetic may take elements beyond the range of their type.
bool computes(const op::Expr& e) {
  return (e.kind == op::ExprKind::binary && e.binary <= op::BinaryOp::pow && has_elements(e)) ||
         std::ranges::any_of(e.args, [](const op::ExprPtr& a) { return computes(*a); });
}

bool only_selects(const op::Spec& spec) {
  return only_moves_and_chooses(spec) &&
         std::ranges::none_of(spec.equations, [](const op::Equation& e) { return computes(*e.value); });
}

// Sums of elements: infinities of both signs make NaN.
bool adds(const op::Expr& e) {
  using K = op::ExprKind;
  if (e.kind == K::reduce && e.reduce == op::ReduceOp::sum) return true;
  if (e.kind == K::binary && (e.binary == op::BinaryOp::add || e.binary == op::BinaryOp::sub) &&
      has_elements(*e.args[0]) && has_elements(*e.args[1]))
    return true;
  return std::any_of(e.args.begin(), e.args.end(), [](const op::ExprPtr& a) { return adds(*a); });
}

bool adds_elements(const op::Spec& spec) {
  return std::ranges::any_of(spec.equations, [](const op::Equation& e) { return adds(*e.value); });
}

// Where NaN may come out in two ways.
bool compares(const op::Expr& e) {
  using K = op::ExprKind;
  if (e.kind == K::reduce && e.reduce != op::ReduceOp::sum) return true;
  if (e.kind == K::call && (e.name == "max" || e.name == "min") && has_elements(e)) return true;
  if (e.kind == K::binary && e.binary >= op::BinaryOp::lt && e.binary <= op::BinaryOp::ne && has_elements(e))
    return true;
  return std::any_of(e.args.begin(), e.args.end(), [](const op::ExprPtr& a) { return compares(*a); });
}

// An output that is the difference of two extremes: it overflows where an honest kernel's does.
bool is_range(const op::Spec& spec, const op::Equation& e) {
  const auto extreme = [](const op::Expr& x) {
    return x.kind == op::ExprKind::reduce && (x.reduce == op::ReduceOp::max || x.reduce == op::ReduceOp::min) &&
           !adds(*x.args[0]);
  };
  return e.value->kind == op::ExprKind::binary && e.value->binary == op::BinaryOp::sub && extreme(*e.value->args[0]) &&
         extreme(*e.value->args[1]) &&
         std::ranges::any_of(spec.outputs, [&](const op::Param& p) { return p.name == e.target; });
}

bool calls_one_of(const op::Spec& spec, std::initializer_list<std::string_view> functions) {
  bool found = false;
  for (const op::Equation& e : spec.equations)
    op::for_each(*e.value, [&](const op::Expr& x) {
      found = found || (x.kind == op::ExprKind::call && std::ranges::count(functions, x.name) > 0);
    });
  return found;
}

// Extremes of elements, of which a kernel must begin with the type's least or largest value.
bool takes_extremes(const op::Spec& spec) {
  const bool carries = !op::recurrences_of(spec).empty();
  bool found = false;
  for (const op::Equation& e : spec.equations)
    op::for_each(*e.value, [&](const op::Expr& x) {
      using R = op::ReduceOp;
      found = found || (x.kind == op::ExprKind::reduce &&
                        (x.reduce == R::max || x.reduce == R::min || x.reduce == R::argmax || x.reduce == R::argmin));
      found = found || (carries && x.kind == op::ExprKind::call && (x.name == "max" || x.name == "min"));
    });
  return found;
}

bool divides_by_elements(const op::Spec& spec) {
  bool found = false;
  for (const op::Equation& e : spec.equations)
    op::for_each(*e.value, [&](const op::Expr& x) {
      found = found || (x.kind == op::ExprKind::binary && x.binary == op::BinaryOp::div && has_elements(*x.args[1]));
    });
  return found;
}

bool takes_exponentials(const op::Spec& spec) { return calls_one_of(spec, {"exp", "exp2"}); }

bool selects_by_integers(const op::Spec& spec) {
  bool selects = false;
  for (const op::Equation& e : spec.equations)
    op::for_each(*e.value, [&](const op::Expr& x) {
      selects = selects || (x.kind == op::ExprKind::reduce &&
                            std::ranges::any_of(x.args, [](const op::ExprPtr& a) { return compares(*a); }));
    });
  return selects && std::ranges::any_of(spec.inputs, [](const op::Param& p) { return !is_real(p.dtype); });
}

bool counts(const op::Expr& e) {
  using K = op::ExprKind;
  if (e.kind == K::reduce && e.reduce == op::ReduceOp::sum && compares(*e.args[0])) {
    const op::Expr& term = e.args[0]->kind == K::cast ? *e.args[0]->args[0] : *e.args[0];
    if (term.kind != K::select || (!has_elements(*term.args[1]) && !has_elements(*term.args[2]))) return true;
  }
  return std::ranges::any_of(e.args, [](const op::ExprPtr& a) { return counts(*a); });
}

// Adds the inputs of which -infinity makes the value -infinity.
void reaching(const op::Spec& spec, const op::Expr& e, std::set<std::string>& out) {
  using K = op::ExprKind;
  using B = op::BinaryOp;
  switch (e.kind) {
    case K::access: {
      if (const op::Equation* before = op::find_equation(spec, e.name)) return reaching(spec, *before->value, out);
      const op::Param* p = op::find_param(spec, e.name);
      if (p && is_real(p->dtype) && !p->lo && !p->rules) out.insert(e.name);
      return;
    }
    case K::padded:
    case K::cast: return reaching(spec, *e.args[0], out);
    case K::select: reaching(spec, *e.args[1], out); return reaching(spec, *e.args[2], out);
    case K::binary:
      if (e.binary == B::add || e.binary == B::sub || (e.binary == B::div && !has_elements(*e.args[1])) ||
          (e.binary == B::mul && !has_elements(*e.args[1])))
        reaching(spec, *e.args[0], out);
      if (e.binary == B::add || (e.binary == B::mul && !has_elements(*e.args[0]))) reaching(spec, *e.args[1], out);
      return;
    default: return;
  }
}

}  // namespace

std::set<std::string> masked_inputs(const op::Spec& spec) {
  std::set<std::string> out;
  if (!takes_exponentials(spec) || !op::recurrences_of(spec).empty()) return out;
  for (const op::Equation& e : spec.equations)
    op::for_each(*e.value, [&](const op::Expr& x) {
      if (x.kind == op::ExprKind::reduce && x.reduce == op::ReduceOp::max) reaching(spec, *x.args[0], out);
    });
  return out;
}

bool lets_infinite(const op::Spec& spec) {
  const auto holds = [](const op::Param& p) { return is_real(p.dtype) && !p.lo && !p.rules; };
  const auto any = [&](auto* of) {
    return std::any_of(spec.equations.begin(), spec.equations.end(),
                       [&](const op::Equation& e) { return of(*e.value); });
  };
  return !(any(adds) && any(compares)) && std::any_of(spec.inputs.begin(), spec.inputs.end(), holds) &&
         std::all_of(spec.outputs.begin(), spec.outputs.end(), [](const op::Param& p) { return is_real(p.dtype); }) &&
         only_moves_and_chooses(spec);
}

bool counts_elements(const op::Spec& spec) {
  return std::ranges::any_of(spec.equations, [](const op::Equation& e) { return counts(*e.value); });
}

bool sums_exponentials(const op::Spec& spec) { return adds_elements(spec) && takes_exponentials(spec); }

bool takes_indices(const op::Spec& spec) {
  return std::ranges::any_of(spec.inputs, [](const op::Param& p) { return !is_real(p.dtype) && (p.lo || p.rules); });
}

bool sums_after_extremes(const op::Spec& spec) { return adds_elements(spec) && takes_extremes(spec); }

bool asks_for_nonfinite(const op::Spec& spec) { return calls_one_of(spec, {"isnan", "isinf"}); }

bool lets_nonfinite(const op::Spec& spec) {
  const op::NanRule rule = op::nan_rule_of(spec);
  if (rule == op::NanRule::any) return false;
  const auto real = [](const op::Param& p) { return is_real(p.dtype) && !p.lo && !p.rules; };
  if (asks_for_nonfinite(spec)) return std::any_of(spec.inputs.begin(), spec.inputs.end(), real);
  if (!std::all_of(spec.outputs.begin(), spec.outputs.end(), [](const op::Param& p) { return is_real(p.dtype); }))
    return false;
  if (rule != op::NanRule::unsaid) return std::any_of(spec.inputs.begin(), spec.inputs.end(), real);
  return std::all_of(spec.inputs.begin(), spec.inputs.end(), real) &&
         std::all_of(spec.equations.begin(), spec.equations.end(),
                     [](const op::Equation& e) { return smooth(*e.value); });
}

std::vector<op::Distribution> distributions_for(const op::Spec& spec, bool host, bool planted) {
  using D = op::Distribution;
  std::vector<D> all = {D::normal, D::large, D::ramp};
  if (host) {
    if (op::chooses_position(spec)) {
      all[1] = D::ties;
      all.insert(all.end(), {D::large, D::ties});
    }
    if (planted) all.push_back(D::planted);
    all.insert(all.end(), {D::rows, D::few, D::mixed, D::special, D::shifted, D::uniform, D::tiny, D::huge, D::sampled,
                           D::shared, D::rows, D::constant, D::pixels});
    // Twice, so that a case with more elements than threads in a row has one.
    if (!masked_inputs(spec).empty()) all.insert(std::ranges::find(all, D::tiny), D::masked);
    const bool sums = adds_elements(spec);
    all.push_back(sums ? D::scaled : D::binades);
    if (sums) all.push_back(D::narrow);
    if (selects_by_integers(spec)) all.push_back(D::crowded);
    if (counts_elements(spec)) all.push_back(D::saturated);
    if (sums_exponentials(spec)) all.insert(all.end(), {D::tail, D::edges});
    if (lets_nonfinite(spec))
      all.push_back(D::nonfinite);
    else if (lets_infinite(spec))
      all.push_back(D::infinite);
    // Not where elements are added: an honest sum may overflow before it is divided.
    const bool ranges = std::ranges::all_of(
        spec.equations, [&](const op::Equation& e) { return is_range(spec, e) || !adds(*e.value); });
    const bool extremes = ranges && takes_extremes(spec);
    if (extremes || (!sums && (only_selects(spec) || divides_by_elements(spec)))) all.push_back(D::one_sided);
    if (extremes) all.push_back(D::nonpositive);
    if (extremes && lets_infinite(spec)) all.insert(all.end(), {D::lowest, D::highest});
    if (!masked_inputs(spec).empty()) all.push_back(D::masked);
    all.insert(all.end(), {D::leading, D::positive});
    if (asks_for_nonfinite(spec) && lets_nonfinite(spec)) all.push_back(D::signalling);
  } else {
    all.insert(all.end(), {D::uniform, D::positive, D::constant, D::normal});
  }
  return all;
}

std::optional<op::Distribution> large_distribution(const op::Spec& spec) {
  if (op::chooses_position(spec)) return op::Distribution::ties;
  if (selects_by_integers(spec)) return op::Distribution::crowded;
  if (counts_elements(spec)) return op::Distribution::saturated;
  if (sums_exponentials(spec)) return op::Distribution::tail;
  const bool bytes = std::ranges::any_of(spec.inputs, [](const op::Param& p) {
    return !is_real(p.dtype) && p.dtype != DType::boolean && dtype_size(p.dtype) == 1;
  });
  return bytes && adds_elements(spec) ? std::optional(op::Distribution::crowded) : std::nullopt;
}

op::Distribution distribution_for(const std::vector<op::Distribution>& all, int ordinal, int set, int sets) {
  constexpr std::size_t fixed = 3;
  const auto at = static_cast<std::size_t>(std::max(0, set));
  if (at < std::min<std::size_t>(fixed, sets < 3 ? 1 : fixed)) return all[at];
  const std::size_t later = all.size() - fixed, each = static_cast<std::size_t>(std::max(1, sets < 3 ? 1 : sets - 3));
  return all[fixed + (static_cast<std::size_t>(ordinal) * each + at) % later];
}

}  // namespace ww::gate
