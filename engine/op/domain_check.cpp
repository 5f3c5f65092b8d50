// SPDX-License-Identifier: Apache-2.0
#include "op/domain_check.h"
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include "op/inputs.h"
#include "op/parse.h"
#include "op/walk.h"

namespace ww::op {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// What an expression can be.
struct Extent {
  double lo = -infinity, hi = infinity;
  bool nonzero = false;  // never 0, whatever lo and hi are
  bool drawn = false;    // depends on elements of inputs
  bool holds_zero() const { return !nonzero && lo <= 0 && hi >= 0; }
  bool above_zero() const { return lo > 0 || (lo == 0 && nonzero); }
};

Extent exactly(double v) { return {v, v, v != 0, false}; }
Extent between(double lo, double hi) { return {lo, hi, lo > 0 || hi < 0, false}; }

Extent either(const Extent& a, const Extent& b) {
  return {std::min(a.lo, b.lo), std::max(a.hi, b.hi), !a.holds_zero() && !b.holds_zero(), a.drawn || b.drawn};
}
Extent negated(const Extent& a) { return {-a.hi, -a.lo, a.nonzero, a.drawn}; }

Extent sum_of(const Extent& a, const Extent& b) {
  Extent out{a.lo + b.lo, a.hi + b.hi, false, a.drawn || b.drawn};
  if (std::isnan(out.lo)) out.lo = -infinity;
  if (std::isnan(out.hi)) out.hi = infinity;
  const bool above = a.lo >= 0 && b.lo >= 0 && (a.above_zero() || b.above_zero());
  const bool below = a.hi <= 0 && b.hi <= 0 && (!a.holds_zero() || !b.holds_zero());
  out.nonzero = above || below || out.lo > 0 || out.hi < 0;
  return out;
}

double times(double a, double b) { return a == 0 || b == 0 ? 0 : a * b; }
Extent product_of(const Extent& a, const Extent& b) {
  const double ends[] = {times(a.lo, b.lo), times(a.lo, b.hi), times(a.hi, b.lo), times(a.hi, b.hi)};
  return {*std::min_element(ends, ends + 4), *std::max_element(ends, ends + 4), !a.holds_zero() && !b.holds_zero(),
          a.drawn || b.drawn};
}
// 1 / a. Beside zero anything is possible on its side.
Extent inverse_of(const Extent& a) {
  if (a.lo > 0 || a.hi < 0) return {1 / a.hi, 1 / a.lo, true, a.drawn};
  if (a.lo >= 0) return {std::isinf(a.hi) ? 0 : 1 / a.hi, infinity, true, a.drawn};
  if (a.hi <= 0) return {-infinity, std::isinf(a.lo) ? 0 : 1 / a.lo, true, a.drawn};
  return {-infinity, infinity, true, a.drawn};
}

bool is_whole(const Extent& e) { return e.lo == e.hi && std::floor(e.lo) == e.lo; }

class Walker {
 public:
  explicit Walker(const Spec& spec) : spec_(spec) {
    if (const auto known = resolve(spec, {}))
      for (const ResolvedConstant& c : known->constants) constants_[c.name] = c.real;
    for (const Param& p : spec.inputs) tensors_[p.name] = input(p);
  }

  std::vector<DomainFinding> run() {
    for (const Equation& e : spec_.equations) {
      for (const Index& i : e.indices) begin(i);
      tensors_.emplace(e.target, Extent{-infinity, infinity, false, true});  // of a recurrence, while it is read
      const Extent value = of(e.value);
      tensors_[e.target] = value;
      overflow(e);
    }
    return std::move(findings_);
  }

 private:
  Extent input(const Param& p) const {
    Extent out;
    if (p.dtype == DType::boolean || is_unsigned(p.dtype)) out = {0, infinity, false, true};
    if (p.lo)
      if (const auto domain = domain_of(spec_, p, {})) out = between(domain->lo, domain->hi);
    // Its size is not known: a domain of whole numbers from a constant on.
    if (std::int64_t lo = 0; p.lo && std::isinf(out.lo) && integer_value(*p.lo, &lo))
      out = between(static_cast<double>(lo), infinity);
    if (p.rules.positive) out = {0, out.hi, true, true};
    out.drawn = true;
    return out;
  }

  void begin(const Index& i) {
    const Extent lo = i.lo ? of(i.lo) : Extent(), hi = i.hi ? of(i.hi) : Extent();
    indices_[i.name] = between(lo.lo, hi.hi - 1);
  }

  void find(DomainFinding::Of of, const Expr& where, const Expr& argument, bool end, double least = 0) {
    DomainFinding f{of, op::print(where), op::print(argument), least, end, {}};
    if (std::find(findings_.begin(), findings_.end(), f) == findings_.end()) findings_.push_back(std::move(f));
  }

  // With what a condition around it says.
  Extent of(const ExprPtr& e) {
    Extent out = plain(e);
    for (const auto& [text, said] : said_)
      if (text == op::print(*e)) {
        out.lo = std::max(out.lo, said.lo);
        out.hi = std::min(out.hi, said.hi);
        out.nonzero = out.nonzero || said.nonzero || out.lo > 0 || out.hi < 0;
      }
    return out;
  }

  Extent plain(const ExprPtr& p) {
    const Expr& e = *p;
    switch (e.kind) {
      case ExprKind::integer: return exactly(static_cast<double>(e.integer));
      case ExprKind::real: return exactly(e.real);
      case ExprKind::boolean: return between(0, 1);
      case ExprKind::name: return name(e);
      case ExprKind::access: return access(e);
      case ExprKind::padded: return either(of(e.args[0]), of(e.args[1]));
      case ExprKind::unary: return e.unary == UnaryOp::negate ? negated(of(e.args[0])) : truth({e.args[0]});
      case ExprKind::binary: return binary(e);
      case ExprKind::select: return select(e);
      case ExprKind::call: return call(e);
      case ExprKind::cast: {
        Extent a = of(e.args[0]);
        if (is_integer(e.cast) && e.args[0]->type == Type::real) a.nonzero = a.lo >= 1 || a.hi <= -1;
        return e.cast == DType::boolean ? Extent{0, 1, a.nonzero, a.drawn} : a;
      }
      case ExprKind::reduce: return reduce(e);
    }
    return {};
  }

  Extent name(const Expr& e) const {
    if (e.role == Role::symbol) return between(1, infinity);
    if (e.role == Role::index) {
      const auto i = indices_.find(e.name);
      return i == indices_.end() ? Extent() : i->second;
    }
    const auto c = constants_.find(e.name);
    return c == constants_.end() ? Extent() : exactly(c->second);
  }

  Extent access(const Expr& e) {
    for (const ExprPtr& a : e.args) of(a);
    const auto t = tensors_.find(e.name);
    return t == tensors_.end() ? Extent{-infinity, infinity, false, true} : t->second;
  }

  Extent truth(const std::vector<ExprPtr>& args) {
    bool drawn = false;
    for (const ExprPtr& a : args) drawn = of(a).drawn || drawn;
    return {0, 1, false, drawn};
  }

  Extent binary(const Expr& e) {
    const ExprPtr &x = e.args[0], &y = e.args[1];
    const Extent a = of(x), b = of(y);
    switch (e.binary) {
      case BinaryOp::add: return sum_of(a, b);
      case BinaryOp::sub: return sum_of(a, negated(b));
      case BinaryOp::mul:
        if (op::print(*x) == op::print(*y)) return power(a, exactly(2));
        return product_of(a, b);
      case BinaryOp::div: {
        const bool nought =
            (y->kind == ExprKind::integer && y->integer == 0) || (y->kind == ExprKind::real && y->real == 0);
        if (nought || (b.drawn && b.holds_zero())) find(DomainFinding::Of::divisor, e, *y, true);
        const Extent usual = b.drawn || b.lo < 0 ? b : Extent{b.lo, b.hi, true, false};  // sizes fit the spec
        Extent out = product_of(a, inverse_of(usual));
        if (e.type == Type::integer) out.lo = std::min(out.lo, std::floor(out.lo)), out.nonzero = false;
        return out;
      }
      case BinaryOp::mod: return b.above_zero() ? Extent{0, b.hi, false, a.drawn || b.drawn} : Extent();
      case BinaryOp::pow:
        if (a.drawn && a.lo < 0 && !is_whole(b) && y->type != Type::integer)
          find(DomainFinding::Of::power, e, *x, false);
        return power(a, b);
      default: return {0, 1, false, a.drawn || b.drawn};
    }
  }

  static Extent power(const Extent& a, const Extent& b) {
    const bool drawn = a.drawn || b.drawn;
    if (is_whole(b) && std::fmod(b.lo, 2) == 0) {
      const double far = std::max(std::fabs(a.lo), std::fabs(a.hi)), near = a.lo > 0 ? a.lo : a.hi < 0 ? -a.hi : 0;
      if (b.lo >= 0) return {std::pow(near, b.lo), std::pow(far, b.lo), !a.holds_zero() || b.lo == 0, drawn};
      return {0, infinity, true, drawn};
    }
    if (a.lo >= 0) return {a.lo >= 1 && b.lo >= 0 ? 1.0 : 0.0, infinity, !a.holds_zero(), drawn};
    return {-infinity, infinity, !a.holds_zero(), drawn};
  }

  // What the condition says of one expression, while `then` runs: x > 0, x != 0, and several of these.
  template <class Then>
  Extent under(const Expr& condition, bool holds, const Then& then) {
    const std::size_t before = said_.size();
    say(condition, holds);
    const Extent out = then();
    said_.resize(before);
    return out;
  }
  void say(const Expr& c, bool holds) {
    if (c.kind == ExprKind::unary && c.unary == UnaryOp::logical_not) return say(*c.args[0], !holds);
    if (c.kind != ExprKind::binary) return;
    if (c.binary == (holds ? BinaryOp::logical_and : BinaryOp::logical_or)) {
      say(*c.args[0], holds);
      return say(*c.args[1], holds);
    }
    for (const bool swapped : {false, true}) {
      const Expr &of_what = *c.args[swapped ? 1 : 0], &limit = *c.args[swapped ? 0 : 1];
      double v = 0;
      if (!value(limit, &v)) continue;
      const bool greater = (c.binary == BinaryOp::gt || c.binary == BinaryOp::ge) != swapped,
                 less = (c.binary == BinaryOp::lt || c.binary == BinaryOp::le) != swapped,
                 ordered = c.binary >= BinaryOp::lt && c.binary <= BinaryOp::ge,
                 strict = (c.binary == BinaryOp::gt || c.binary == BinaryOp::lt) == holds;
      Extent said;
      if (ordered && greater == holds && less != holds) said.lo = v;
      if (ordered && less == holds && greater != holds) said.hi = v;
      if (ordered) said.nonzero = v == 0 && strict;
      if (c.binary == (holds ? BinaryOp::ne : BinaryOp::eq)) said.nonzero = v == 0;
      if (c.binary == (holds ? BinaryOp::eq : BinaryOp::ne)) said = exactly(v);
      said_.emplace_back(op::print(of_what), said);
    }
  }
  bool value(const Expr& e, double* v) const {
    if (e.kind == ExprKind::integer) return *v = static_cast<double>(e.integer), true;
    if (e.kind == ExprKind::real) return *v = e.real, true;
    if (e.kind != ExprKind::name || !constants_.contains(e.name)) return false;
    return *v = constants_.at(e.name), true;
  }

  Extent select(const Expr& e) {
    const bool drawn = of(e.args[0]).drawn;
    Extent out = either(under(*e.args[0], true, [&] { return of(e.args[1]); }),
                        under(*e.args[0], false, [&] { return of(e.args[2]); }));
    out.drawn = out.drawn || drawn;
    return out;
  }

  Extent reduce(const Expr& e) {
    std::map<std::string, Extent> outer = indices_;
    for (const Index& i : e.indices) begin(i);
    const bool some = e.args.size() > 1;
    if (some) of(e.args[1]);
    const Extent a = some ? under(*e.args[1], true, [&] { return of(e.args[0]); }) : of(e.args[0]);
    indices_ = std::move(outer);
    switch (e.reduce) {
      case ReduceOp::sum: {
        const double lo = a.lo < 0 ? -infinity : some ? 0 : a.lo, hi = a.hi > 0 ? infinity : some ? 0 : a.hi;
        return {lo, hi, !some && (a.above_zero() || (a.hi <= 0 && !a.holds_zero())), a.drawn};
      }
      case ReduceOp::prod:
        return {a.lo >= 0 ? 0 : -infinity, a.hi <= 1 && a.lo >= 0 ? 1 : infinity, !a.holds_zero(), a.drawn};
      case ReduceOp::max:
      case ReduceOp::min: return some ? Extent{-infinity, infinity, false, a.drawn} : a;
      case ReduceOp::argmax:
      case ReduceOp::argmin: return {-1, infinity, false, a.drawn};
      default: return {0, 1, false, a.drawn};
    }
  }

  void check_call(const Expr& e, const Extent& a) {
    using Of = DomainFinding::Of;
    if (!a.drawn) return;
    const bool log = e.name == "log" || e.name == "log2" || e.name == "log10";
    const bool end = a.lo == 0 && !a.nonzero;
    if (log && (a.lo < 0 || end)) find(Of::logarithm, e, *e.args[0], end);
    if (e.name == "log1p" && a.lo <= -1) find(Of::logarithm, e, *e.args[0], a.lo == -1, -1);
    if (e.name == "sqrt" && a.lo < 0) find(Of::root, e, *e.args[0], false);
    if (e.name == "rsqrt" && (a.lo < 0 || end)) find(Of::root, e, *e.args[0], end);
    if (e.name == "pow" && e.args.size() == 2 && a.lo < 0 && !is_whole(of(e.args[1])) &&
        e.args[1]->type != Type::integer)
      find(Of::power, e, *e.args[0], false);
  }

  Extent call(const Expr& e) {
    std::vector<Extent> args;
    for (const ExprPtr& a : e.args) args.push_back(of(a));
    const Extent a = args.empty() ? Extent() : args[0], b = args.size() > 1 ? args[1] : Extent();
    check_call(e, a);
    Extent out = range_of(e.name, a, b);
    if (e.name == "clamp" && args.size() == 3)
      out = between(std::clamp(a.lo, args[1].lo, std::max(args[1].lo, args[2].hi)), std::max(args[1].lo, args[2].hi));
    for (const Extent& x : args) out.drawn = out.drawn || x.drawn;
    return out;
  }

  static Extent range_of(const std::string& name, const Extent& a, const Extent& b) {
    if (name == "exp" || name == "exp2") {
      const auto raised = [&](double v) { return name == "exp" ? std::exp(v) : std::exp2(v); };
      return {raised(a.lo), raised(a.hi), true, false};
    }
    if (name == "abs") return {a.lo > 0 ? a.lo : a.hi < 0 ? -a.hi : 0, std::max(-a.lo, a.hi), !a.holds_zero(), false};
    if (name == "sqrt") return {std::sqrt(std::max(a.lo, 0.0)), std::sqrt(std::max(a.hi, 0.0)), !a.holds_zero(), false};
    if (name == "rsqrt") return {0, infinity, true, false};
    if (name == "max")
      return {std::max(a.lo, b.lo), std::max(a.hi, b.hi),
              a.above_zero() || b.above_zero() || (!a.holds_zero() && !b.holds_zero()), false};
    if (name == "min") return {std::min(a.lo, b.lo), std::min(a.hi, b.hi), !a.holds_zero() && !b.holds_zero(), false};
    if (name == "pow") return power(a, b);
    if (name == "tanh" || name == "erf" || name == "sin" || name == "cos") {
      const bool odd = name == "tanh" || name == "erf";
      return {odd && a.lo >= 0 ? 0.0 : -1.0, odd && a.hi <= 0 ? 0.0 : 1.0, odd && !a.holds_zero(), false};
    }
    if (name == "cosh") return {1, infinity, true, false};
    if (name == "log1p" || name == "expm1" || name == "sinh" || name == "atan")
      return {a.lo >= 0 ? 0 : -infinity, a.hi <= 0 ? 0 : infinity, !a.holds_zero(), false};
    if (name == "isnan" || name == "isinf") return between(0, 1);
    if (name == "ceil" || name == "floor" || name == "round" || name == "trunc" || name == "sign")
      return {name == "sign" ? std::max(-1.0, std::min(a.lo, 0.0)) : std::floor(a.lo),
              name == "sign" ? 1 : std::ceil(a.hi), a.lo >= 1 || a.hi <= -1, false};
    return {};
  }

  // An exponential that goes into f16 as it is.
  void overflow(const Equation& e) {
    const Param* p = find_param(spec_, e.target);
    const Expr* v = e.value.get();
    while (v->kind == ExprKind::unary && v->unary == UnaryOp::negate) v = v->args[0].get();
    if (!p || p->dtype != DType::f16 || v->kind != ExprKind::call) return;
    const bool grows =
        v->name == "exp" || v->name == "exp2" || v->name == "expm1" || v->name == "cosh" || v->name == "sinh";
    if (grows && of(v->args[0]).hi > 11) find(DomainFinding::Of::overflow, *v, *v->args[0], false);
  }

  const Spec& spec_;
  std::map<std::string, double> constants_;
  std::map<std::string, Extent> tensors_, indices_;
  std::vector<std::pair<std::string, Extent>> said_;  // by conditions around what is looked at
  std::vector<DomainFinding> findings_;
};

}  // namespace

std::vector<DomainFinding> domain_findings(const Spec& spec) {
  std::vector<DomainFinding> out = Walker(spec).run();
  if (out.empty()) return out;
  for (const Param& p : spec.inputs) {
    if (p.lo || p.rules.positive || p.dtype == DType::boolean) continue;
    Spec settled = spec;
    for (Param& q : settled.inputs)
      if (q.name == p.name) q.rules.positive = true;
    const std::vector<DomainFinding> left = Walker(settled).run();
    for (DomainFinding& f : out)
      if (std::none_of(left.begin(), left.end(), [&](const DomainFinding& g) { return g.where == f.where; }))
        f.inputs.push_back(p.name);
  }
  return out;
}

std::string finding_text(const DomainFinding& f) {
  using Of = DomainFinding::Of;
  const std::string end = f.least < 0 ? "-1" : "0";
  std::string text;
  switch (f.of) {
    case Of::logarithm:
      text = f.where + (f.only_at_the_end ? " is minus infinity where " : " is NaN where ") + f.argument +
             (f.only_at_the_end ? " is " : " is below ") + end;
      break;
    case Of::root:
      text = f.where + (f.only_at_the_end ? " is infinite where " : " is NaN where ") + f.argument +
             (f.only_at_the_end ? " is " : " is below ") + end;
      break;
    case Of::power: text = f.where + " is NaN where " + f.argument + " is below 0"; break;
    case Of::divisor:
      text = f.where + " divides by zero";
      if (f.argument.find_first_not_of("0.") != std::string::npos) text += " where " + f.argument + " is 0";
      break;
    case Of::overflow: text = f.where + " is infinite in f16 where it exceeds 65504"; break;
  }
  if (f.inputs.empty()) return text + ".";
  return text + "; declare '" + f.inputs[0] + "' positive, or give it a range, such as 'in 0.01..1.0'.";
}

}  // namespace ww::op
