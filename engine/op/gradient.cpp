// SPDX-License-Identifier: Apache-2.0
#include "op/fixed_inputs.h"
#include "op/gradient.h"
#include <algorithm>
#include <map>
#include <optional>
#include "op/gradient_build.h"
#include "op/gradient_finish.h"
#include "op/gradient_invert.h"
#include "op/gradient_prepare.h"
#include "op/gradient_walk.h"
#include "op/nan_rule.h"
#include "op/parse.h"
#include "op/recurrence.h"
#include "op/walk.h"

namespace ww::op {
namespace gradient {
namespace {

using Reason = NoGradient::Reason;
using Refusal = std::optional<NoGradient>;

ExprPtr position_in(const std::string& tensor, const std::vector<Index>& indices, Type type = Type::real) {
  std::vector<ExprPtr> at;
  for (const Index& i : indices) at.push_back(name_of(i.name, Role::index));
  return access_of(tensor, std::move(at), type);
}

// The sum of the factor over the loops, under the conditions.
ExprPtr value_of(const Share& share) {
  ExprPtr outside, inside;
  for (const ExprPtr& c : share.conditions) {
    const bool free = !inside && std::none_of(share.loops.begin(), share.loops.end(),
                                              [&](const Index& i) { return mentions(*c, i.name); });
    (free ? outside : inside) = both_of(free ? outside : inside, c);
  }
  std::vector<Index> left = share.loops;
  ExprPtr out = share.factor;
  while (!left.empty()) {  // innermost first: loops whose range no other loop's depends on
    std::vector<Index> level, others;
    for (const Index& i : left) {
      const bool bounds = std::any_of(
          left.begin(), left.end(), [&](const Index& k) { return mentions(*k.lo, i.name) || mentions(*k.hi, i.name); });
      (bounds ? others : level).push_back(i);
    }
    out = reduce_over(ReduceOp::sum, level, inside, out);
    inside = nullptr;
    left = others;
  }
  return outside ? select_of(outside, out, real_literal(0)) : out;
}

class Derivation {
 public:
  Derivation(const Spec& spec, const TensorSet& by) : spec_(spec), by_(by), taken_(all_names(spec)) {}

  Gradient run() {
    dependent_ = dependents(spec_, by_);
    for (const Equation& e : spec_.equations)
      if (dependent_.contains(e.target) && cancels_out(spec_, e)) constant_.insert(e.target);
    forget_constants();
    TensorSet inputs;
    for (const Param& p : spec_.inputs) inputs.insert(p.name);
    for (const Equation& e : spec_.equations)
      if (reads_any(*e.value, inputs)) inputs.insert(e.target);
    data_ = std::move(inputs);
    begin();
    const std::vector<Recurrence> recurrences = recurrences_of(spec_);
    for (std::size_t i = spec_.equations.size(); i-- > 0;)
      if (const Refusal no = through(i, recurrences)) return *no;
    for (const Param& p : spec_.inputs)
      if (by_.contains(p.name)) finish_input(p);
    auto out = finished(std::move(out_), spec_.inputs);
    if (auto* why = std::get_if<std::string>(&out)) return NoGradient{Reason::unprintable, spec_.name, *why};
    return Backward{std::get<Spec>(std::move(out)), std::move(incoming_), std::move(outgoing_)};
  }

 private:
  static bool reads_any(const Expr& e, const TensorSet& tensors) {
    const auto read = tensors_read(e);
    return std::any_of(read.begin(), read.end(), [&](const std::string& t) { return tensors.contains(t); });
  }

  // Without what depends through maxima that cancel out alone.
  void forget_constants() {
    TensorSet left = by_;
    for (const Equation& e : spec_.equations)
      if (!constant_.contains(e.target) && value_depends(*e.value, left)) left.insert(e.target);
    for (const Recurrence& r : recurrences_of(spec_))
      for (const std::size_t m : r.members)
        if (dependent_.contains(spec_.equations[m].target)) left.insert(spec_.equations[m].target);
    dependent_ = std::move(left);
  }

  void begin() {
    out_.name = spec_.name + "_backward";
    out_.inputs = spec_.inputs;
    out_.constants = spec_.constants;
    out_.defaults = spec_.defaults;
    out_.equations = spec_.equations;
    if (const auto nan = spec_.directives.find(std::string(nan_key)); nan != spec_.directives.end())
      out_.directives.insert(*nan);
    for (const Param& p : spec_.outputs) {
      if (type_of(p.dtype) != Type::real) continue;
      Param incoming = p;
      incoming.name = untaken("d" + p.name, taken_);
      incoming_[p.name] = incoming.name;
      out_.inputs.push_back(std::move(incoming));
    }
    for (const Param& p : spec_.inputs)
      if (by_.contains(p.name)) outgoing_[p.name] = untaken("d" + p.name, taken_);
  }

  // The indices of a tensor's gradient.
  const std::vector<Index>& element(const std::string& tensor) {
    const auto [at, added] = elements_.try_emplace(tensor);
    if (!added) return at->second;
    const Param& p = *find_param(spec_, tensor);
    const Equation* own = find_equation(spec_, tensor);
    std::vector<std::string> bases = own ? std::vector<std::string>() : names_in_reads(tensor, p.shape.size());
    for (std::size_t d = 0; d < p.shape.size(); ++d) {
      Index i;
      i.name = fresh_.name(own ? own->indices[d].name : bases[d]);
      i.lo = integer_literal(0);
      i.hi = p.shape[d];
      at->second.push_back(std::move(i));
    }
    return at->second;
  }

  // What the op's own reads call the dimensions of an input.
  std::vector<std::string> names_in_reads(const std::string& tensor, std::size_t rank) const {
    std::vector<std::string> out(rank);
    const auto free = [&](const std::string& name) { return std::find(out.begin(), out.end(), name) == out.end(); };
    for (const Equation& e : spec_.equations)
      for_each(*e.value, [&](const Expr& x) {
        if (x.kind != ExprKind::access || x.name != tensor) return;
        for (std::size_t d = 0; d < rank; ++d)
          for (const std::string& name : free_indices(*x.args[d]))
            if (out[d].empty() && free(name)) out[d] = name;
      });
    for (std::size_t d = 0; d < rank; ++d)
      if (out[d].empty()) out[d] = "i" + std::to_string(d);
    return out;
  }

  ExprPtr gathered(const std::string& tensor) const {
    const auto found = sums_.find(tensor);
    return found == sums_.end() ? ExprPtr(real_literal(0)) : found->second;
  }

  void define(const std::string& target, const std::vector<Index>& indices, ExprPtr value) {
    Equation e;
    e.target = target;
    e.indices = indices;
    e.value = std::move(value);
    out_.equations.push_back(std::move(e));
  }

  void finish_input(const Param& p) {
    Param out = p;
    out.name = outgoing_.at(p.name);
    out.lo = out.hi = nullptr;
    out.rules = {};
    out_.outputs.push_back(out);
    const std::vector<Index> indices = element(p.name);
    define(out.name, indices, gathered(p.name));
  }

  // The tensor that holds the gradient of the equation's left side; empty: nothing reaches it.
  std::string gradient_tensor(const Equation& e) {
    const auto incoming = incoming_.find(e.target);
    const bool read = sums_.contains(e.target);
    if (!read) return incoming == incoming_.end() ? std::string() : incoming->second;
    const std::vector<Index> indices = element(e.target);
    ExprPtr value = gathered(e.target);
    if (incoming != incoming_.end()) value = sum_of(position_in(incoming->second, indices), value);
    const std::string name = untaken("d" + e.target, taken_);
    define(name, indices, std::move(value));
    return name;
  }

  // The tensor that counts the terms equal to the extreme.
  std::string count_of_ties(const Equation& e, const ExprPtr& itself) {
    const Expr& extreme = *e.value;
    const ExprPtr equal = binary_of(BinaryOp::eq, extreme.args[0], itself);
    const std::string name = untaken(e.target + "_ties", taken_);
    const ExprPtr asked = extreme.args.size() > 1 ? both_of(extreme.args[1], equal) : equal;
    define(name, e.indices, reduce_over(ReduceOp::sum, extreme.indices, asked, integer_literal(1)));
    return name;
  }

  Refusal through(std::size_t number, const std::vector<Recurrence>& recurrences) {
    const Equation& e = spec_.equations[number];
    if (!dependent_.contains(e.target)) return std::nullopt;
    const bool recurs = recurrence_with(recurrences, number) != nullptr;
    const bool reached = sums_.contains(e.target) || incoming_.contains(e.target);
    if (recurs && reached) return NoGradient{Reason::recurrence, e.target, {}};
    const std::string gradient = gradient_tensor(e);
    if (gradient.empty()) return std::nullopt;
    Differentiation with;
    with.depends = [this](const Expr& x) { return value_depends(x, dependent_); };
    with.in_range = [this](const Expr& read) { return in_range(read); };
    with.incoming = position_in(gradient, e.indices);
    with.itself = position_in(e.target, e.indices, e.value->type);
    if (e.value->kind == ExprKind::reduce && (e.value->reduce == ReduceOp::max || e.value->reduce == ReduceOp::min))
      with.ties = position_in(count_of_ties(e, with.itself), e.indices, Type::integer);
    auto shares = differentiate(e, with, fresh_);
    if (const auto* no = std::get_if<NoGradient>(&shares)) return *no;
    for (Share& s : std::get<std::vector<Share>>(shares))
      if (Refusal no = add(e, std::move(s))) return no;
    return std::nullopt;
  }

  Refusal add(const Equation& from, Share share) {
    const std::string read = print(*access_of(share.tensor, share.subscripts, Type::real));
    const bool found =
        invert(share, element(share.tensor), spec_, fresh_, [this](const Expr& x) { return reads_any(x, data_); });
    if (!found) return NoGradient{Reason::scatter, from.target, read};
    const ExprPtr value = value_of(share);
    const auto [at, added] = sums_.try_emplace(share.tensor, value);
    if (!added) at->second = sum_of(at->second, value);
    return std::nullopt;
  }

  ExprPtr in_range(const Expr& read) const {
    const Param& p = *find_param(spec_, read.name);
    ExprPtr out;
    for (std::size_t d = 0; d < p.shape.size(); ++d) {
      out = both_of(out, binary_of(BinaryOp::ge, read.args[d], integer_literal(0)));
      out = both_of(out, binary_of(BinaryOp::lt, read.args[d], p.shape[d]));
    }
    return out ? out : binary_of(BinaryOp::eq, integer_literal(0), integer_literal(0));
  }

  const Spec& spec_;
  const TensorSet& by_;
  std::set<std::string> taken_;
  TensorSet dependent_, constant_, data_;
  Fresh fresh_;
  Spec out_;
  std::map<std::string, std::string> incoming_, outgoing_;  // names of gradients by outputs and inputs
  std::map<std::string, std::vector<Index>> elements_;
  std::map<std::string, ExprPtr> sums_;  // what has been handed to each tensor so far
};

}  // namespace
}  // namespace gradient

Gradient gradient_of(const Spec& spec, const std::vector<std::string>& inputs) {
  using Reason = NoGradient::Reason;
  gradient::TensorSet by;
  const auto real = [](const Param& p) { return type_of(p.dtype) == Type::real; };
  for (const std::string& name : inputs) {
    const auto p = std::find_if(spec.inputs.begin(), spec.inputs.end(), [&](const Param& x) { return x.name == name; });
    if (p == spec.inputs.end()) return NoGradient{Reason::unknown_input, name, {}};
    if (!real(*p)) return NoGradient{Reason::whole_input, name, {}};
    by.insert(name);
  }
  if (inputs.empty())
    for (const Param& p : spec.inputs)
      if (real(p) && !has_fixed_value(spec, p.name)) by.insert(p.name);
  if (by.empty()) return NoGradient{Reason::no_input, {}, {}};
  if (std::none_of(spec.outputs.begin(), spec.outputs.end(), real)) return NoGradient{Reason::no_output, {}, {}};
  const Result<Spec> apart = gradient::with_reductions_apart(spec, gradient::dependents(spec, by));
  if (!apart) return NoGradient{Reason::unprintable, spec.name, apart.error().message};
  Gradient out = gradient::Derivation(*apart, by).run();
  if (auto* backward = std::get_if<Backward>(&out)) keep_fixed_values(spec, backward->spec);
  return out;
}

std::string explain(const NoGradient& refusal, const Spec& spec) {
  using Reason = NoGradient::Reason;
  const std::string op = "'" + spec.name + "'", tensor = "'" + refusal.tensor + "'";
  const std::string equation = "the equation of " + tensor + " in " + op;
  switch (refusal.reason) {
    case Reason::unknown_input: return op + " has no input " + tensor;
    case Reason::whole_input:
      return "the input " + tensor + " of " + op + " does not hold reals, so it has no gradient";
    case Reason::no_input: return "no input of " + op + " holds reals, so there is nothing to differentiate by";
    case Reason::no_output: return "no output of " + op + " holds reals, so there is nothing to differentiate";
    case Reason::recurrence:
      return equation + " needs its own earlier steps, and gradients of recurrences are not derived";
    case Reason::scatter:
      return equation + " reads " + refusal.read +
             " at positions that depend on an input; the gradient is a scatter, which is not derived";
    case Reason::argmax: return equation + " computes with the position of an extreme, which has no derivative";
    case Reason::product: return equation + " is a product over an index, whose gradient is not derived";
    case Reason::rounding: return equation + " makes reals whole (" + refusal.read + "), which has no derivative";
    case Reason::extreme:
      return equation + " has an extreme inside an expression (" + refusal.read +
             ") that depends on another index; "
             "give it an equation of its own";
    case Reason::unprintable: return "the gradient of " + op + " cannot be written as a spec: " + refusal.read;
  }
  return {};
}

}  // namespace ww::op
