// SPDX-License-Identifier: Apache-2.0
#include "op/gradient_walk.h"
#include <cmath>
#include <numbers>
#include "op/functions.h"
#include "op/gradient_build.h"
#include "op/parse.h"
#include "op/walk.h"

namespace ww::op::gradient {
namespace {

using Reason = NoGradient::Reason;

ExprPtr number(double value) { return real_literal(value); }
ExprPtr whole(std::int64_t value) { return integer_literal(value); }
ExprPtr squared(const ExprPtr& a) { return binary_of(BinaryOp::pow, a, whole(2)); }
ExprPtr negated_condition(const ExprPtr& c) { return unary_of(UnaryOp::logical_not, c); }

ExprPtr compared(BinaryOp op, const ExprPtr& a, const ExprPtr& b) { return binary_of(op, a, b); }

// c * f'(a) of a function of one argument; `value`: f(a). Null: no such function.
ExprPtr through(Fn fn, const ExprPtr& c, const ExprPtr& a, const ExprPtr& value) {
  switch (fn) {
    case Fn::exp: return product_of(c, value);
    case Fn::exp2: return product_of(product_of(c, value), number(std::numbers::ln2));
    case Fn::expm1: return product_of(c, call_of("exp", {a}));
    case Fn::log: return quotient_of(c, a);
    case Fn::log2: return quotient_of(c, product_of(a, number(std::numbers::ln2)));
    case Fn::log10: return quotient_of(c, product_of(a, number(std::numbers::ln10)));
    case Fn::log1p: return quotient_of(c, sum_of(whole(1), a));
    case Fn::sqrt: return quotient_of(product_of(c, number(0.5)), value);
    case Fn::rsqrt: return quotient_of(product_of(product_of(c, number(-0.5)), value), a);
    case Fn::sin: return product_of(c, call_of("cos", {a}));
    case Fn::cos: return negation_of(product_of(c, call_of("sin", {a})));
    case Fn::tan: return product_of(c, sum_of(whole(1), squared(value)));
    case Fn::atan: return quotient_of(c, sum_of(whole(1), squared(a)));
    case Fn::sinh: return product_of(c, call_of("cosh", {a}));
    case Fn::cosh: return product_of(c, call_of("sinh", {a}));
    case Fn::tanh: return product_of(c, difference_of(whole(1), squared(value)));
    case Fn::erf:
      return product_of(product_of(c, number(2 * std::numbers::inv_sqrtpi)), call_of("exp", {negation_of(squared(a))}));
    case Fn::abs: return product_of(c, call_of("sign", {a}));
    default: return nullptr;
  }
}

bool is_step(Fn fn) {  // its derivative is 0 wherever there is one
  return fn == Fn::sign || fn == Fn::floor || fn == Fn::ceil || fn == Fn::round || fn == Fn::trunc;
}

class Walk {
 public:
  Walk(const Equation& equation, const Differentiation& with, Fresh& fresh)
      : equation_(equation), with_(with), fresh_(fresh), loops_(equation.indices) {}

  std::variant<std::vector<Share>, NoGradient> run() {
    const Expr& root = *equation_.value;
    const bool extreme =
        root.kind == ExprKind::reduce && (root.reduce == ReduceOp::max || root.reduce == ReduceOp::min);
    if (extreme)
      extreme_term(equation_.value);
    else
      visit(equation_.value, with_.incoming);
    if (refused_) return *refused_;
    merge();
    return std::move(shares_);
  }

 private:
  void refuse(Reason reason, const Expr& at) {
    if (!refused_) refused_ = NoGradient{reason, equation_.target, print(at)};
  }

  // The value of `e`, which is the element of the left side if it is the whole right side.
  ExprPtr value_of(const ExprPtr& e) const { return e == equation_.value ? with_.itself : e; }

  template <class Body>
  void under(const ExprPtr& condition, const Body& body) {
    if (condition) conditions_.push_back(condition);
    body();
    if (condition) conditions_.pop_back();
  }

  // Runs `body` on the reduction's term, whose indices have new names.
  template <class Body>
  void inside(const Expr& reduction, const Body& body) {
    std::map<std::string, ExprPtr> names;
    const std::size_t outer = loops_.size();
    for (const Index& i : reduction.indices) {
      Index copy = i;
      copy.lo = substitute(i.lo, names);
      copy.hi = substitute(i.hi, names);
      copy.name = fresh_.name(i.name);
      names[i.name] = name_of(copy.name, Role::index);
      loops_.push_back(std::move(copy));
    }
    const ExprPtr condition = reduction.args.size() > 1 ? substitute(reduction.args[1], names) : nullptr;
    under(condition, [&] { body(substitute(reduction.args[0], names)); });
    loops_.resize(outer);
  }

  void extreme_term(const ExprPtr& e) {
    inside(*e, [&](const ExprPtr& term) {
      under(compared(BinaryOp::eq, term, with_.itself), [&] { visit(term, quotient_of(with_.incoming, with_.ties)); });
    });
  }

  // `c`: the gradient of the value of `e`.
  void visit(const ExprPtr& e, const ExprPtr& c) {
    if (refused_ || is_number(*c, 0) || !with_.depends(*e)) return;
    switch (e->kind) {
      case ExprKind::access: shares_.push_back({e->name, e->args, loops_, conditions_, c}); return;
      case ExprKind::padded: return padded(e, c);
      case ExprKind::unary: return visit(e->args[0], negation_of(c));
      case ExprKind::binary: return binary(e, c);
      case ExprKind::select:
        under(e->args[0], [&] { visit(e->args[1], c); });
        under(negated_condition(e->args[0]), [&] { visit(e->args[2], c); });
        return;
      case ExprKind::call: return call(e, c);
      case ExprKind::cast:
        if (type_of(e->cast) == Type::real) return visit(e->args[0], c);
        return refuse(Reason::rounding, *e);
      case ExprKind::reduce: return reduce(e, c);
      case ExprKind::integer:
      case ExprKind::real:
      case ExprKind::boolean:
      case ExprKind::name: return;
    }
  }

  void padded(const ExprPtr& e, const ExprPtr& c) {
    visit(e->args[0], c);  // the positions of elements are in range
    if (with_.depends(*e->args[1]))
      under(negated_condition(with_.in_range(*e->args[0])), [&] { visit(e->args[1], c); });
  }

  void reduce(const ExprPtr& e, const ExprPtr& c) {
    switch (e->reduce) {
      case ReduceOp::sum: return inside(*e, [&](const ExprPtr& term) { visit(term, c); });
      case ReduceOp::prod: return refuse(Reason::product, *e);
      case ReduceOp::max:
      case ReduceOp::min: return refuse(Reason::extreme, *e);
      case ReduceOp::argmax:
      case ReduceOp::argmin: return refuse(Reason::argmax, *e);
      case ReduceOp::any:
      case ReduceOp::all: return;
    }
  }

  void binary(const ExprPtr& e, const ExprPtr& c) {
    const ExprPtr &a = e->args[0], &b = e->args[1];
    const bool integers = e->type == Type::integer;
    switch (e->binary) {
      case BinaryOp::add:
      case BinaryOp::sub: visit(a, c); return visit(b, e->binary == BinaryOp::add ? c : negation_of(c));
      case BinaryOp::mul: visit(a, product_of(c, b)); return visit(b, product_of(c, a));
      case BinaryOp::div:
        if (integers) return refuse(Reason::rounding, *e);
        visit(a, quotient_of(c, b));
        if (with_.depends(*b)) visit(b, negation_of(quotient_of(product_of(c, value_of(e)), b)));
        return;
      case BinaryOp::mod:
        if (integers) return refuse(Reason::rounding, *e);
        visit(a, c);
        if (with_.depends(*b)) visit(b, negation_of(product_of(c, call_of("floor", {quotient_of(a, b)}))));
        return;
      case BinaryOp::pow: return power(e, a, b, c);
      default: return;
    }
  }

  void power(const ExprPtr& e, const ExprPtr& a, const ExprPtr& b, const ExprPtr& c) {
    if (with_.depends(*a)) {
      std::int64_t n = 0;
      if (integer_value(*b, &n)) {
        if (n == 0) return;
        const ExprPtr lower = n == 1 ? ExprPtr(whole(1)) : n == 2 ? a : binary_of(BinaryOp::pow, a, whole(n - 1));
        visit(a, product_of(product_of(c, whole(n)), lower));
      } else {
        const ExprPtr slope = product_of(product_of(c, b), call_of("pow", {a, difference_of(b, whole(1))}));
        under(compared(BinaryOp::ne, b, whole(0)), [&] { visit(a, slope); });
      }
    }
    if (with_.depends(*b))
      under(binary_of(BinaryOp::logical_or, compared(BinaryOp::ne, a, whole(0)), compared(BinaryOp::lt, b, whole(0))),
            [&] { visit(b, product_of(product_of(c, value_of(e)), call_of("log", {a}))); });
  }

  void call(const ExprPtr& e, const ExprPtr& c) {
    const std::optional<Fn> fn = fn_from_name(e->name);
    if (!fn || e->type == Type::boolean || is_step(*fn)) return;
    const ExprPtr& a = e->args[0];
    if (const ExprPtr slope = through(*fn, c, a, value_of(e))) return visit(a, slope);
    switch (*fn) {
      case Fn::pow: return power(e, a, e->args[1], c);
      case Fn::atan2: {
        const ExprPtr& b = e->args[1];
        const ExprPtr square = sum_of(squared(a), squared(b));
        visit(a, quotient_of(product_of(c, b), square));
        return visit(b, negation_of(quotient_of(product_of(c, a), square)));
      }
      case Fn::min:
      case Fn::max: {
        const ExprPtr& b = e->args[1];
        larger(*fn == Fn::max, a, b, c);
        return larger(*fn == Fn::max, b, a, c);
      }
      case Fn::clamp: return clamped(a, e->args[1], e->args[2], c);
      default: return refuse(Reason::rounding, *e);  // of integers
    }
  }

  // What max(a, b) or min(a, b) hands to `a`.
  void larger(bool max, const ExprPtr& a, const ExprPtr& b, const ExprPtr& c) {
    if (!with_.depends(*a)) return;
    if (is_number(*b, 0) && takes_magnitude(*a)) {  // (a + |a|) / 2: the kinks of both may cancel
      const ExprPtr sign = call_of("sign", {a});
      return visit(
          a, product_of(product_of(c, number(0.5)), max ? sum_of(whole(1), sign) : difference_of(whole(1), sign)));
    }
    const BinaryOp strictly = max ? BinaryOp::gt : BinaryOp::lt, loosely = max ? BinaryOp::ge : BinaryOp::le;
    if (is_number(*b, 0)) return under(compared(strictly, a, b), [&] { visit(a, c); });
    if (tensors_read(*b).empty()) return under(compared(loosely, a, b), [&] { visit(a, c); });
    under(compared(strictly, a, b), [&] { visit(a, c); });
    under(compared(BinaryOp::eq, a, b), [&] { visit(a, product_of(c, number(0.5))); });
  }

  bool takes_magnitude(const Expr& a) const {
    bool found = false;
    const std::string text = print(a);
    for_each(*equation_.value, [&](const Expr& e) {
      found = found || (e.kind == ExprKind::call && e.name == "abs" && print(*e.args[0]) == text);
    });
    return found;
  }

  void clamped(const ExprPtr& a, const ExprPtr& lo, const ExprPtr& hi, const ExprPtr& c) {
    const ExprPtr above = compared(BinaryOp::ge, a, lo), below = compared(BinaryOp::le, a, hi);
    under(above, [&] { under(below, [&] { visit(a, c); }); });
    const ExprPtr ordered = compared(BinaryOp::le, lo, hi);
    under(ordered, [&] { under(compared(BinaryOp::lt, a, lo), [&] { visit(lo, c); }); });
    under(binary_of(BinaryOp::logical_or, compared(BinaryOp::gt, a, hi), compared(BinaryOp::gt, lo, hi)),
          [&] { visit(hi, c); });
  }

  static bool same_list(const std::vector<ExprPtr>& a, const std::vector<ExprPtr>& b, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i)
      if (a[i] != b[i] && print(*a[i]) != print(*b[i])) return false;
    return true;
  }
  static bool same_element(const Share& a, const Share& b) {
    if (a.tensor != b.tensor || a.loops.size() != b.loops.size()) return false;
    for (std::size_t i = 0; i < a.loops.size(); ++i)
      if (a.loops[i].name != b.loops[i].name) return false;
    return same_list(a.subscripts, b.subscripts, a.subscripts.size());
  }
  static bool opposite(const Expr& a, const Expr& b) {
    const auto negates = [](const Expr& x, const Expr& y) {
      return x.kind == ExprKind::unary && x.unary == UnaryOp::logical_not && x.args[0].get() == &y;
    };
    return negates(a, b) || negates(b, a);
  }

  bool merge_two(Share& a, const Share& b) {
    const std::size_t count = a.conditions.size();
    if (!same_element(a, b) || b.conditions.size() != count) return false;
    if (same_list(a.conditions, b.conditions, count)) {
      a.factor = sum_of(a.factor, b.factor);
      return true;
    }
    if (!same_list(a.conditions, b.conditions, count - 1)) return false;
    const ExprPtr x = a.conditions.back(), y = b.conditions.back();
    if (!opposite(*x, *y)) return false;
    const bool first = x->kind != ExprKind::unary;
    a.factor = first ? select_of(x, a.factor, b.factor) : select_of(y, b.factor, a.factor);
    a.conditions.pop_back();
    return true;
  }

  void merge() {
    for (std::size_t i = 0; i < shares_.size(); ++i)
      for (std::size_t k = i + 1; k < shares_.size();) {
        if (!merge_two(shares_[i], shares_[k])) {
          ++k;
          continue;
        }
        shares_.erase(shares_.begin() + static_cast<std::ptrdiff_t>(k));
        k = i + 1;
      }
  }

  const Equation& equation_;
  const Differentiation& with_;
  Fresh& fresh_;
  std::vector<Index> loops_;
  std::vector<ExprPtr> conditions_;
  std::vector<Share> shares_;
  std::optional<NoGradient> refused_;
};

}  // namespace

std::variant<std::vector<Share>, NoGradient> differentiate(const Equation& equation, const Differentiation& with,
                                                           Fresh& fresh) {
  return Walk(equation, with, fresh).run();
}

}  // namespace ww::op::gradient
