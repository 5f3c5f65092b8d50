// SPDX-License-Identifier: Apache-2.0
// Each subscript gives an equation `subscript == position`, which is solved for one of the loops where that can be done
// exactly: x, a*x + b, mixed radix (a*x + y with y below a), quotients and remainders. What cannot be solved stays as a
// condition of the sum.
#include "op/gradient_invert.h"
#include <algorithm>
#include "op/gradient_build.h"
#include "op/parse.h"
#include "op/walk.h"

namespace ww::op::gradient {

std::string Fresh::name(const std::string& base) { return base_of(base) + fresh_mark + std::to_string(++count_); }

std::string base_of(const std::string& name) { return name.substr(0, name.find(fresh_mark)); }

namespace {

struct Equality {
  ExprPtr left, right;
};

bool is_op(const Expr& e, BinaryOp op) {
  return e.kind == ExprKind::binary && e.binary == op && e.type == Type::integer;
}

class Inverter {
 public:
  Inverter(Share& share, const std::vector<Index>& element, const Spec& spec, Fresh& fresh)
      : share_(share), spec_(spec), fresh_(fresh), known_(element) {
    for (std::size_t d = 0; d < element.size(); ++d)
      open_.push_back({share.subscripts[d], name_of(element[d].name, Role::index)});
  }

  // Leaves what it could not solve in open().
  void run() {
    name_element();
    using Step = bool (Inverter::*)(const Equality&);
    constexpr Step steps[] = {&Inverter::plain,   &Inverter::radix,     &Inverter::quotient,
                              &Inverter::shifted, &Inverter::remainder, &Inverter::scaled};
    while (std::any_of(std::begin(steps), std::end(steps), [&](Step step) { return any_open(step); })) {}
    while (equal_condition()) {}
    share_.subscripts.clear();
    for (const Index& i : known_) share_.subscripts.push_back(name_of(i.name, Role::index));
  }

  const std::vector<Equality>& open() const { return open_; }
  std::size_t guards() const { return guards_; }

 private:
  // Other reads of the same element.
  void name_element() {
    std::vector<std::string> written;
    std::vector<ExprPtr> element;
    for (const ExprPtr& s : share_.subscripts) written.push_back(print(*s));
    for (const Index& i : known_) element.push_back(name_of(i.name, Role::index));
    change_all([&](const ExprPtr& whole) {
      return rewrite(whole, [&](const Expr& e) -> ExprPtr {
        if (e.kind != ExprKind::access || e.name != share_.tensor) return nullptr;
        for (std::size_t d = 0; d < e.args.size(); ++d)
          if (print(*e.args[d]) != written[d]) return nullptr;
        return access_of(e.name, element, e.type);
      });
    });
  }

  template <class Step>
  bool any_open(Step step) {
    for (std::size_t i = 0; i < open_.size(); ++i) {
      const Equality e = open_[i];
      open_.erase(open_.begin() + static_cast<std::ptrdiff_t>(i));
      if ((this->*step)(e)) return true;
      open_.insert(open_.begin() + static_cast<std::ptrdiff_t>(i), e);
    }
    return false;
  }

  Index* loop(const Expr& e) {
    if (e.kind != ExprKind::name) return nullptr;
    return loop(e.name);
  }
  Index* loop(const std::string& name) {
    for (Index& i : share_.loops)
      if (i.name == name) return &i;
    return nullptr;
  }
  bool loop_free(const Expr& e) {
    return std::none_of(share_.loops.begin(), share_.loops.end(), [&](const Index& i) { return mentions(e, i.name); });
  }

  bool plain(const Equality& e) {
    if (!loop(*e.left) || mentions(*e.right, e.left->name)) return false;
    eliminate(e.left->name, e.right);
    return true;
  }

  bool shifted(const Equality& e) {
    for (const Index& i : share_.loops) {
      const auto l = linear_in(e.left, i.name);
      if (!l || mentions(*e.right, i.name)) continue;
      const bool up = is_number(*l->factor, 1);
      if (!up && !is_number(*l->factor, -1)) continue;
      const std::string name = i.name;
      eliminate(name, up ? difference_of(e.right, l->rest) : difference_of(l->rest, e.right));
      return true;
    }
    return false;
  }

  bool scaled(const Equality& e) {
    for (const Index& i : share_.loops) {
      const auto l = linear_in(e.left, i.name);
      if (!l || mentions(*e.right, i.name) || is_number(*l->factor, 0) || !positive(*l->factor)) continue;
      const std::string name = i.name;
      const ExprPtr rest = difference_of(e.right, l->rest), factor = l->factor;
      guard(binary_of(BinaryOp::eq, remainder_of(rest, factor), integer_literal(0)));
      eliminate(name, quotient_of(rest, factor));
      return true;
    }
    return false;
  }

  // a*x + y, where y counts to a: y is the remainder, and the rest goes on with the quotient.
  bool radix(const Equality& e) {
    const std::vector<ExprPtr> terms = terms_of(e.left);
    for (std::size_t i = 0; i < terms.size(); ++i) {
      const Index* unit = loop(*terms[i]);
      if (!unit || !is_number(*unit->lo, 0) || !loop_free(*unit->hi) || mentions(*e.right, unit->name)) continue;
      std::vector<ExprPtr> high, rest;
      for (std::size_t k = 0; k < terms.size(); ++k)
        if (k != i) (loop_free(*terms[k]) ? rest : high).push_back(terms[k]);
      const ExprPtr base = unit->hi, above = high.empty() ? nullptr : divided_exactly(total_of(high), base);
      if (!above || mentions(*above, unit->name)) continue;
      const ExprPtr position = difference_of(e.right, total_of(rest));
      const std::string name = unit->name;
      open_.push_back({above, quotient_of(position, base)});
      eliminate(name, remainder_of(position, base));
      return true;
    }
    return false;
  }

  // An equality `left == right` in which +-node is a term: what the node has to be.
  struct Single {
    ExprPtr node, value;
  };
  std::vector<Single> singles(const Equality& e, BinaryOp op) {
    std::vector<Single> out;
    const std::vector<ExprPtr> terms = terms_of(e.left);
    for (std::size_t i = 0; i < terms.size(); ++i) {
      const bool minus = terms[i]->kind == ExprKind::unary;
      const ExprPtr& node = minus ? terms[i]->args[0] : terms[i];
      if (!is_op(*node, op) || loop_free(*node) || !loop_free(*node->args[1]) || !positive(*node->args[1])) continue;
      std::vector<ExprPtr> rest = terms;
      rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(i));
      const ExprPtr others = total_of(rest);
      out.push_back({node, minus ? difference_of(others, e.right) : difference_of(e.right, others)});
    }
    return out;
  }

  // x / a == v: x = a*v + k for all k below a.
  bool quotient(const Equality& e) {
    for (const Single& s : singles(e, BinaryOp::div)) {
      const ExprPtr numerator = s.node->args[0], divisor = s.node->args[1];
      for (const Index& i : share_.loops) {
        const auto l = linear_in(numerator, i.name);
        if (!l || mentions(*s.value, i.name)) continue;
        const bool up = is_number(*l->factor, 1);
        if (!up && !is_number(*l->factor, -1)) continue;
        const std::string name = i.name;
        const Index k = new_loop(name, divisor);
        const ExprPtr below = name_of(k.name, Role::index);
        split(numerator, divisor, s.value, below);
        const ExprPtr whole = sum_of(product_of(s.value, divisor), below);
        eliminate(name, up ? difference_of(whole, l->rest) : difference_of(l->rest, whole));
        return true;
      }
    }
    return false;
  }

  // x % a == v: one x if x counts to a, else x = a*m + v for all m.
  bool remainder(const Equality& e) {
    for (const Single& s : singles(e, BinaryOp::mod)) {
      const ExprPtr numerator = s.node->args[0], divisor = s.node->args[1];
      for (const Index& i : share_.loops) {
        const auto l = linear_in(numerator, i.name);
        if (!l || mentions(*s.value, i.name) || !is_number(*i.lo, 0)) continue;
        const bool up = is_number(*l->factor, 1);
        if (!up && !is_number(*l->factor, -1)) continue;
        const std::string name = i.name;
        const ExprPtr hi = i.hi;
        if (same_integer(*hi, *divisor)) {
          within(s.value, integer_literal(0), divisor);
          const ExprPtr turned = up ? difference_of(s.value, l->rest) : difference_of(l->rest, s.value);
          eliminate(name, remainder_of(turned, divisor));
          return true;
        }
        const ExprPtr rounds = loop_free(*hi) ? divided_exactly(hi, divisor) : nullptr;
        if (!up || !is_number(*l->rest, 0) || !rounds) continue;
        within(s.value, integer_literal(0), divisor);
        const ExprPtr m = name_of(new_loop(name, rounds).name, Role::index);
        split(numerator, divisor, m, s.value);
        eliminate(name, sum_of(product_of(m, divisor), s.value));
        return true;
      }
    }
    return false;
  }

  // A condition of the reads themselves, `k == 0`.
  bool equal_condition() {
    for (std::size_t c = guards_; c < share_.conditions.size(); ++c) {
      const ExprPtr condition = share_.conditions[c];
      if (condition->kind != ExprKind::binary || condition->binary != BinaryOp::eq) continue;
      for (const int side : {0, 1}) {
        const ExprPtr &a = condition->args[side], &b = condition->args[1 - side];
        if (!loop(*a) || b->type != Type::integer || mentions(*b, a->name)) continue;
        share_.conditions.erase(share_.conditions.begin() + static_cast<std::ptrdiff_t>(c));
        if (!tensors_read(*b).empty()) {  // to be read only under the conditions before
          share_.conditions.insert(share_.conditions.begin() + static_cast<std::ptrdiff_t>(c), condition);
          break;
        }
        const std::string name = a->name;
        eliminate(name, b);
        return true;
      }
    }
    return false;
  }

  Index new_loop(const std::string& base, const ExprPtr& hi) {
    Index k;
    k.name = fresh_.name(base);
    k.lo = integer_literal(0);
    k.hi = hi;
    share_.loops.push_back(k);
    return k;
  }

  template <class Change>
  void change_all(const Change& change) {
    for (Equality& e : open_) e = {change(e.left), change(e.right)};
    for (ExprPtr& c : share_.conditions) c = change(c);
    for (Index& i : share_.loops) {
      i.lo = change(i.lo);
      i.hi = change(i.hi);
    }
    share_.factor = change(share_.factor);
  }

  // Writes numerator / divisor and numerator % divisor as what they are known to be.
  void split(const ExprPtr& numerator, const ExprPtr& divisor, const ExprPtr& high, const ExprPtr& low) {
    change_all([&](const ExprPtr& whole) {
      return rewrite(whole, [&](const Expr& e) -> ExprPtr {
        if (!is_op(e, BinaryOp::div) && !is_op(e, BinaryOp::mod)) return nullptr;
        if (!same_integer(*e.args[0], *numerator) || !same_integer(*e.args[1], *divisor)) return nullptr;
        return e.binary == BinaryOp::div ? high : low;
      });
    });
  }

  void eliminate(const std::string& name, const ExprPtr& value) {
    const Index gone = *loop(name);
    std::erase_if(share_.loops, [&](const Index& i) { return i.name == name; });
    change_all([&](const ExprPtr& e) { return mentions(*e, name) ? substitute(e, {{name, value}}) : e; });
    within(value, gone.lo, gone.hi);
  }

  void within(const ExprPtr& value, const ExprPtr& lo, const ExprPtr& hi) {
    if (!is_number(*lo, 0) || !nonnegative(*value)) guard(binary_of(BinaryOp::ge, value, lo));
    if (!below(value, hi)) guard(binary_of(BinaryOp::lt, value, hi));
  }
  void guard(const ExprPtr& condition) {
    share_.conditions.insert(share_.conditions.begin() + static_cast<std::ptrdiff_t>(guards_++), condition);
  }

  const Index* ranged(const Expr& e) {
    if (e.kind != ExprKind::name) return nullptr;
    for (const std::vector<Index>* list : {&known_, &share_.loops})
      for (const Index& i : *list)
        if (i.name == e.name) return &i;
    return nullptr;
  }

  // Sizes, and constants whose value is a positive number. (Overrides that change the sign leave no elements.)
  bool positive(const Expr& e) {
    if (e.kind == ExprKind::integer) return e.integer > 0;
    if (is_op(e, BinaryOp::mul)) return positive(*e.args[0]) && positive(*e.args[1]);
    if (is_op(e, BinaryOp::add)) return positive(*e.args[0]) && nonnegative(*e.args[1]);
    if (e.kind != ExprKind::name || e.role == Role::index) return extent_of_input(e);
    if (e.role == Role::symbol) return true;
    const auto c = std::find_if(spec_.constants.begin(), spec_.constants.end(),
                                [&](const Constant& x) { return x.name == e.name; });
    return c != spec_.constants.end() && c->type == Type::integer && positive(*c->value);
  }
  // W - kernel + 1, where a tensor has so many elements: without any there is nothing to compute.
  bool extent_of_input(const Expr& e) {
    if (e.type != Type::integer || e.kind == ExprKind::name) return false;
    for (const std::vector<Param>* list : {&spec_.inputs, &spec_.outputs, &spec_.temporaries})
      for (const Param& p : *list)
        for (const ExprPtr& dim : p.shape)
          if (same_integer(*dim, e) || divided_exactly(dim, std::make_shared<Expr>(e))) return true;
    return false;
  }

  bool nonnegative(const Expr& e) {
    if (e.kind == ExprKind::integer) return e.integer >= 0;
    if (const Index* i = ranged(e)) return nonnegative(*i->lo);
    if (is_op(e, BinaryOp::add) || is_op(e, BinaryOp::mul)) return nonnegative(*e.args[0]) && nonnegative(*e.args[1]);
    if (is_op(e, BinaryOp::div)) return nonnegative(*e.args[0]) && positive(*e.args[1]);
    if (is_op(e, BinaryOp::mod)) return positive(*e.args[1]);
    return positive(e);
  }

  // Whether e < limit is known.
  bool below(const ExprPtr& e, const ExprPtr& limit) {
    if (e->kind == ExprKind::integer && e->integer == 0) return positive(*limit);
    if (const Index* i = ranged(*e)) return same_integer(*i->hi, *limit);
    if (is_op(*e, BinaryOp::mod) && positive(*e->args[1]) && same_integer(*e->args[1], *limit)) return true;
    if (is_op(*e, BinaryOp::div) && positive(*e->args[1])) return below(e->args[0], product_of(limit, e->args[1]));
    const std::vector<ExprPtr> terms = terms_of(e);
    if (terms.size() < 2) return false;
    for (std::size_t i = 0; i < terms.size(); ++i) {  // a*u + k
      const Index* k = ranged(*terms[i]);
      const ExprPtr unit = k                                                                 ? k->hi
                           : is_op(*terms[i], BinaryOp::mod) && positive(*terms[i]->args[1]) ? terms[i]->args[1]
                                                                                             : nullptr;
      if (!unit) continue;
      std::vector<ExprPtr> rest = terms;
      rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(i));
      const ExprPtr high = divided_exactly(total_of(rest), unit), top = divided_exactly(limit, unit);
      if (high && top && below(high, top)) return true;
    }
    return false;
  }

  Share& share_;
  const Spec& spec_;
  Fresh& fresh_;
  std::vector<Index> known_;  // the element's indices with their ranges
  std::vector<Equality> open_;
  std::size_t guards_ = 0;  // conditions that the solution added, before the others
};

}  // namespace

bool invert(Share& share, const std::vector<Index>& element, const Spec& spec, Fresh& fresh,
            const std::function<bool(const Expr&)>& is_data) {
  Inverter inverter(share, element, spec, fresh);
  inverter.run();
  std::size_t at = inverter.guards();
  for (const Equality& e : inverter.open()) {
    const bool searched =
        std::any_of(share.loops.begin(), share.loops.end(), [&](const Index& i) { return mentions(*e.left, i.name); });
    if (searched && is_data(*e.left)) return false;
    if (e.left->type == Type::integer && same_integer(*e.left, *e.right)) continue;
    share.conditions.insert(share.conditions.begin() + static_cast<std::ptrdiff_t>(at++),
                            binary_of(BinaryOp::eq, e.left, e.right));
  }
  return true;
}

}  // namespace ww::op::gradient
