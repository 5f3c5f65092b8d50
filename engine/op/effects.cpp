// SPDX-License-Identifier: Apache-2.0
#include "op/effects.h"
#include <algorithm>
#include <array>
#include <cmath>
#include <list>
#include <map>
#include <optional>
#include "op/agreement.h"
#include "op/parse.h"
#include "op/recurrence.h"
#include "op/walk.h"
#include "op/work.h"

namespace ww::op {
namespace {

constexpr double most_steps_of_trial = 5e5;  // of the evaluator: some milliseconds
constexpr double most_steps_of_trials = 2e8;

// All of them are tried wherever an op is compared.
constexpr std::array trial_sets{Distribution::normal, Distribution::positive, Distribution::uniform, Distribution::ramp,
                                Distribution::large};

bool shows_more_than_rounding(const ReferenceTensor& expected, const ReferenceTensor& actual) {
  const std::size_t count = std::max(expected.value.size(), expected.integer.size());
  for (std::size_t i = 0; i < count; ++i) {
    const double p = expected.value_at(i), q = actual.value_at(i);
    if (p == q || (std::isnan(p) && std::isnan(q))) continue;
    const double bound = i < expected.bound.size() ? expected.bound[i] : 0;
    if (!(std::fabs(p - q) <= bound)) return true;
  }
  return false;
}

// A set of inputs at one of the tried sizes, with the results there.
struct Trial {
  Binding sizes;
  double steps = 0;
  std::map<std::string, HostTensor> inputs;
  std::map<std::string, ReferenceTensor> outputs;
};

class Trials {
 public:
  Trials(const Spec& spec, const std::vector<Binding>& tried) : spec_(spec) {
    for (const Binding& sizes : tried)
      if (const Result<double> steps = steps_of(spec, sizes);
          steps && *steps <= most_steps_of_trial && has_elements(spec, sizes))
        for (const Distribution d : trial_sets) open_.push_back({*steps, &sizes, d});
    // Small ones first, and of one size the sets in their order.
    std::stable_sort(open_.begin(), open_.end(), [](const Open& a, const Open& b) { return a.steps < b.steps; });
  }

  bool any() { return at(0) != nullptr; }

  // Whether some result of `other`, a spec with other equations, differs by more than rounding, or is undefined.
  bool shows(const Spec& other) {
    for (std::size_t i = 0; const Trial* t = at(i); ++i) {
      if ((done_ += t->steps) > most_steps_of_trials) return false;
      EvaluateOptions options;
      options.bounds = false;
      options.threads = 1;
      const auto outputs = evaluate(other, t->sizes, t->inputs, options);
      if (!outputs) return true;
      for (const auto& [name, expected] : t->outputs)
        if (shows_more_than_rounding(expected, outputs->at(name))) return true;
    }
    return false;
  }

 private:
  struct Open {
    double steps = 0;
    const Binding* sizes = nullptr;
    Distribution distribution = Distribution::normal;
  };

  const Trial* at(std::size_t i) {
    while (made_.size() <= i && next_ < open_.size()) make(open_[next_++]);
    return i < made_.size() ? &made_[i] : nullptr;
  }

  void make(const Open& open) {
    if (!shapes_at(spec_, *open.sizes)) return;
    Trial t{*open.sizes, open.steps, {}, {}};
    for (std::size_t i = 0; i < spec_.inputs.size(); ++i)
      t.inputs[spec_.inputs[i].name] = drawn_input(spec_, i, t.sizes, open.distribution);
    EvaluateOptions options;
    options.threads = 1;
    auto outputs = evaluate(spec_, t.sizes, t.inputs, options);
    if (!outputs) return;  // an op whose subscripts depend on values may not be defined there
    t.outputs = std::move(*outputs);
    made_.push_back(std::move(t));
  }

  const Spec& spec_;
  std::vector<Open> open_;
  std::size_t next_ = 0;
  std::vector<Trial> made_;
  double done_ = 0;
};

bool constant_range(const Index& i) {
  std::int64_t v = 0;
  return integer_value(*i.lo, &v) && integer_value(*i.hi, &v);
}

bool is_boolean(const Expr& e) { return e.type == Type::boolean && e.kind != ExprKind::boolean; }

ExprPtr boolean_literal(bool value) {
  auto e = std::make_shared<Expr>();
  e->kind = ExprKind::boolean;
  e->type = Type::boolean;
  e->integer = value;
  return e;
}

class EffectSearch {
 public:
  EffectSearch(const Spec& spec, const std::vector<Binding>& tried)
      : spec_(spec), trials_(spec, tried), steps_(!recurrences_of(spec).empty()) {}

  std::optional<std::vector<Replaceable>> run() {
    if (!trials_.any()) return std::nullopt;
    for (equation_ = 0; equation_ < spec_.equations.size(); ++equation_) {
      const Equation& e = spec_.equations[equation_];
      scope_.assign(e.indices.begin(), e.indices.end());
      visit(e.value, false);
    }
    return std::move(found_);
  }

 private:
  struct Contents {
    bool place = false;      // a size, or an index that runs as far as one
    bool element = false;    // of an input, outside of reductions
    bool reduction = false;  // or a temporary, which may be one
  };

  void look(const Expr& e, bool reduced, Contents& out) const {
    if (e.kind == ExprKind::name) {
      out.place = out.place || e.role == Role::symbol || (e.role == Role::index && is_open(e.name));
      return;
    }
    if (e.kind == ExprKind::access) {
      const bool input = std::ranges::find(spec_.inputs, e.name, &Param::name) != spec_.inputs.end();
      out.element = out.element || (input && !reduced);
      out.reduction = out.reduction || !input;
      return;
    }
    out.reduction = out.reduction || e.kind == ExprKind::reduce;
    for (const Index& i : e.indices) {
      look(*i.lo, reduced, out);
      look(*i.hi, reduced, out);
    }
    for (const ExprPtr& a : e.args) look(*a, reduced || e.kind == ExprKind::reduce, out);
  }

  bool is_open(const std::string& index) const {
    const auto at = std::find_if(scope_.rbegin(), scope_.rend(), [&](const Index& i) { return i.name == index; });
    return at != scope_.rend() && !constant_range(*at);
  }

  static bool reads(const Expr& e) {
    bool found = false;
    for_each(e, [&](const Expr& x) { found = found || x.kind == ExprKind::access; });
    return found;
  }

  // With other sizes, next to those that are tried, and its indices at an end of their ranges.
  ExprPtr standing(const ExprPtr& e, bool first) const {
    std::map<std::string, ExprPtr> sizes;
    for (const std::string& s : spec_.symbols)
      sizes[s] = binary_of(first ? BinaryOp::add : BinaryOp::sub, name_of(s, Role::symbol), integer_literal(1));
    ExprPtr out = substitute(e, sizes);
    for (auto i = scope_.rbegin(); i != scope_.rend(); ++i)  // the range of one may depend on those before it
      out = substitute(out, {{i->name, first ? i->lo : binary_of(BinaryOp::sub, i->hi, integer_literal(1))}});
    return out;
  }

  bool shows(const Expr& part, const ExprPtr& by) {
    Spec other = spec_;
    ExprPtr& value = other.equations[equation_].value;
    value = rewrite(value, [&](const Expr& x) { return &x == &part ? by : nullptr; });
    if (!steps_) return trials_.shows(other);
    ParseOutcome checked = parse(print(other));  // what a step may read of others, only the checker knows
    return !checked || trials_.shows(*checked.spec);
  }

  bool add(const Expr& part, const ExprPtr& by) {
    found_.push_back({print(part), print(*by)});
    return true;
  }

  // Whether the part has no effect; its own parts are then not looked at.
  bool is_replaceable(const ExprPtr& e) {
    Contents has;
    look(*e, false, has);
    if (has.place && !reads(*e)) return is_boolean(*e) ? is_left_out(*e) : is_still(e);
    const bool applied = e->kind == ExprKind::call || (e->kind == ExprKind::binary && e->binary == BinaryOp::pow);
    if (!applied || !has.reduction || has.element || e->type == Type::boolean) return false;
    const ExprPtr none = e->type == Type::real ? real_literal(0) : integer_literal(0);
    return !shows(*e, none) && !shows(*e, of_others(e)) && add(*e, none);
  }

  // What the part makes of other values.
  static ExprPtr of_others(const ExprPtr& e) {
    return rewrite(e, [](const Expr& x) -> ExprPtr {
      if (x.kind != ExprKind::access || x.type == Type::boolean) return nullptr;
      const auto same = std::make_shared<const Expr>(x);
      return binary_of(BinaryOp::sub, x.type == Type::real ? real_literal(3) : integer_literal(3), same);
    });
  }

  bool is_left_out(const Expr& e) {
    for (const bool value : {true, false})
      if (const ExprPtr by = boolean_literal(value); !shows(e, by)) return add(e, by);
    return false;
  }

  bool is_still(const ExprPtr& e) {
    const ExprPtr first = standing(e, true), last = standing(e, false);
    return !shows(*e, first) && !shows(*e, last) && add(*e, first);
  }

  void visit_ends(const Expr& e) {
    for (std::size_t i = 0; i < e.indices.size(); ++i) {
      const Index& index = e.indices[i];
      std::int64_t lo = 0, hi = 0;
      if (!index.given || !integer_value(*index.lo, &lo) || !integer_value(*index.hi, &hi)) continue;
      if (is_dimension(spec_, hi)) continue;
      auto cut = std::make_shared<Expr>(e);
      cut->indices[i].hi = integer_literal(hi - 1);
      if (hi - lo > 1 && !shows(e, cut)) add(e, cut);
    }
  }

  // `dropped`: whether a mutant leaves it out.
  void visit(const ExprPtr& e, bool dropped) {
    if (e->kind == ExprKind::access || (!dropped && is_replaceable(e))) return;
    const std::size_t outer = scope_.size();
    if (e->kind == ExprKind::reduce) visit_ends(*e);
    // The largest or least of more values often cancels: of exponents, their maximum.
    if (e->kind == ExprKind::reduce && e->reduce != ReduceOp::max && e->reduce != ReduceOp::min)
      for (const Index& i : e->indices)
        if (i.given)
          for (const ExprPtr& end : {i.lo, i.hi}) visit(end, false);
    scope_.insert(scope_.end(), e->indices.begin(), e->indices.end());
    const bool joins =
        e->kind == ExprKind::binary && (e->binary == BinaryOp::logical_and || e->binary == BinaryOp::logical_or);
    for (std::size_t i = 0; i < e->args.size(); ++i)
      visit(e->args[i], joins || (e->kind == ExprKind::select && i == 0) || (e->kind == ExprKind::reduce && i == 1));
    scope_.resize(outer);
  }

  const Spec& spec_;
  Trials trials_;
  const bool steps_;  // it has recurrences
  std::size_t equation_ = 0;
  std::vector<Index> scope_;  // outer ones first
  std::vector<Replaceable> found_;
};

}  // namespace

std::optional<std::vector<Replaceable>> without_effect(const Spec& spec, const std::vector<Binding>& tried) {
  return EffectSearch(spec, tried).run();
}

bool is_dimension(const Spec& spec, std::int64_t size) {
  for (const std::vector<Param>* list : {&spec.inputs, &spec.outputs})
    for (const Param& p : *list)
      for (const ExprPtr& dim : p.shape)
        if (std::int64_t v = 0; integer_value(*dim, &v) && v == size) return true;
  return false;
}

}  // namespace ww::op
