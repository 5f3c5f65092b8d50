// SPDX-License-Identifier: Apache-2.0
#include "gate/reference.h"
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <set>
#include "base/hash.h"
#include "evidence/verdict_json.h"
#include "gate/distributions.h"
#include "op/nan_rule.h"
#include "op/parse.h"
#include "op/ties.h"
#include "op/work.h"

namespace ww::gate {
namespace {

bool adds_up(const op::Expr& e) {
  return e.kind == op::ExprKind::reduce ||
         std::any_of(e.args.begin(), e.args.end(), [](const op::ExprPtr& a) { return adds_up(*a); });
}

// What is infinite or NaN though the inputs are finite overflowed, or divided by zero. Where an op adds terms up, an
// honest kernel may have another infinity or NaN, as terms overflow f32 before they overflow f64: nothing is known.
void forget_overflow(const op::Spec& spec, std::map<std::string, op::ReferenceTensor>& outputs) {
  if (std::none_of(spec.equations.begin(), spec.equations.end(),
                   [](const op::Equation& e) { return adds_up(*e.value); }))
    return;
  for (auto& [name, t] : outputs)
    for (std::size_t i = 0; i < t.value.size() && i < t.bound.size(); ++i)
      if (!std::isfinite(t.value[i])) t.value[i] = 0, t.bound[i] = std::numeric_limits<double>::infinity();
}

// Where a line of a softmax or the like is masked entirely, its maximum is -infinity, and the spec gives NaN. Honest
// kernels give zero or NaN or another value there: only a spec that says "nan: propagate" is held to it.
std::map<std::string, std::int64_t> forget_masked(const op::Spec& spec,
                                                  std::map<std::string, op::ReferenceTensor>& outputs) {
  std::map<std::string, std::int64_t> forgotten;
  if (op::nan_rule_of(spec) == op::NanRule::propagate) return forgotten;
  for (auto& [name, t] : outputs)
    for (std::size_t i = 0; i < t.value.size() && i < t.bound.size(); ++i) {
      if (!std::isnan(t.value[i])) continue;
      t.value[i] = 0, t.bound[i] = std::numeric_limits<double>::infinity();
      ++forgotten[name];
    }
  return forgotten;
}

// Where a spec asks for NaN itself, but does not say how its other choices treat it, honest kernels give what either
// rule gives: only what both give is compared.
Status forget_unsaid(const op::Spec& spec, const InputSet& set, const Reference& reference,
                     const op::EvaluateOptions& options, std::map<std::string, op::ReferenceTensor>& outputs) {
  if (op::nan_rule_of(spec) != op::NanRule::unsaid || !asks_for_nonfinite(spec)) return {};
  constexpr double infinity = std::numeric_limits<double>::infinity();
  op::Spec other = spec;
  other.directives.emplace(std::string(op::nan_key), enum_name(op::NanRule::ignore));
  const auto ignoring = WW_TRY(op::evaluate(other, set.binding, reference.inputs, options));
  for (auto& [name, t] : outputs) {
    const op::ReferenceTensor& o = ignoring.at(name);
    if (!o.bound.empty() && t.bound.empty()) t.bound.assign(t.integer.size(), 0);
    for (std::size_t i = 0; i < t.value.size(); ++i) {
      const bool same = t.value[i] == o.value[i] || (std::isnan(t.value[i]) && std::isnan(o.value[i]));
      if (!same || !std::isfinite(o.bound[i])) t.value[i] = 0, t.bound[i] = infinity;
    }
    for (std::size_t i = 0; i < t.integer.size() && t.integer != o.integer; ++i) {
      if (t.bound.empty()) t.bound.assign(t.integer.size(), 0);
      if (t.integer[i] != o.integer[i]) t.bound[i] = infinity;
    }
  }
  return {};
}

// Of level rows, whose scores may be too large for a bound: an element that moving all of them together does not change
// has the bound that it has near 0, if nothing overflows.
Status bound_level(const op::Spec& spec, const InputSet& set, const Reference& reference, op::EvaluateOptions options,
                   std::map<std::string, op::ReferenceTensor>& outputs) {
  const auto bounded = [](const op::ReferenceTensor& t) {
    return std::ranges::all_of(t.bound, [](double b) { return std::isfinite(b); });
  };
  if (std::ranges::all_of(outputs, [&](const auto& o) { return bounded(o.second); })) return {};
  InputSet near = set;
  near.distribution = op::Distribution::level_near;
  const auto near_inputs = WW_TRY(make_inputs(spec, near));
  const auto at_one = WW_TRY(op::evaluate(spec, set.binding, near_inputs, options));
  options.rounds = false;
  options.headroom = 0x1p8;
  const auto exact = WW_TRY(op::evaluate(spec, set.binding, reference.inputs, options));
  for (auto& [name, t] : outputs) {
    const op::ReferenceTensor &n = at_one.at(name), &e = exact.at(name);
    for (std::size_t i = 0; i < t.value.size(); ++i) {
      if (std::isfinite(t.bound[i]) || !std::isfinite(e.bound[i]) || !std::isfinite(n.bound[i])) continue;
      if (std::abs(e.value[i] - n.value[i]) <= n.bound[i]) t.value[i] = n.value[i], t.bound[i] = n.bound[i];
    }
  }
  return {};
}

bool reads_elements(const op::Expr& e) {
  return e.kind == op::ExprKind::access ||
         std::any_of(e.args.begin(), e.args.end(), [](const op::ExprPtr& a) { return reads_elements(*a); });
}

// Whether the value is an element of an input of this type, zero, or a choice of such by subscripts alone. `signs`: or
// the negative of one.
bool moves(const op::Spec& spec, const op::Expr& e, DType dtype, bool signs) {
  using K = op::ExprKind;
  if (signs && e.kind == K::unary && e.unary == op::UnaryOp::negate) return moves(spec, *e.args[0], dtype, signs);
  const auto holds = [&](const op::Param& p) { return p.name == e.name && p.dtype == dtype; };
  if (e.kind == K::access) return std::any_of(spec.inputs.begin(), spec.inputs.end(), holds);
  if (e.kind == K::integer) return e.integer == 0;
  if (e.kind == K::real) return e.real == 0;
  if (e.kind == K::padded) return moves(spec, *e.args[0], dtype, signs) && moves(spec, *e.args[1], dtype, signs);
  return e.kind == K::select && !reads_elements(*e.args[0]) && moves(spec, *e.args[1], dtype, signs) &&
         moves(spec, *e.args[2], dtype, signs);
}

void mark_moved(const op::Spec& spec, std::map<std::string, op::ReferenceTensor>& outputs) {
  for (const op::Equation& e : spec.equations) {
    const auto t = outputs.find(e.target);
    if (t == outputs.end() || !is_real(t->second.dtype)) continue;
    t->second.signed_zeros = moves(spec, *e.value, t->second.dtype, true);
    if (!moves(spec, *e.value, t->second.dtype, false)) continue;
    t->second.moved = true;
    std::fill(t->second.bound.begin(), t->second.bound.end(), 0.0);
  }
}

}  // namespace

Result<std::map<std::string, op::HostTensor>> make_inputs(const op::Spec& spec, const InputSet& set) {
  std::map<std::string, op::HostTensor> inputs;
  int ordinal = 0;
  const bool masks = set.distribution == op::Distribution::masked;
  const std::set<std::string> masked = masks ? masked_inputs(spec) : std::set<std::string>();
  const bool ties = set.distribution == op::Distribution::ties;
  const auto lines = ties ? op::lines_of(spec, set.binding) : std::map<std::string, op::Line>();
  for (const op::Param& p : spec.inputs) {
    const auto shape = WW_TRY(op::shape_of(spec, p, set.binding));
    const auto domain = WW_TRY(op::domain_of(spec, p, set.binding));
    op::HostTensor t;
    t.dtype = p.dtype;
    t.shape = shape;
    const std::int64_t count = op::element_count(shape);
    t.bytes.resize(static_cast<std::size_t>(count) * dtype_size(p.dtype));
    const op::Distribution own = masks && !masked.contains(p.name) ? op::Distribution::normal : set.distribution;
    op::fill_input(own, set.seed, ordinal, p.dtype, domain, count, t.bytes.data(), shape.empty() ? 1 : shape.back(),
                   set.planted);
    if (const auto line = lines.find(p.name); line != lines.end())
      op::lay_ties(set.seed, ordinal, p.dtype, domain, count, line->second, t.bytes.data());
    ++ordinal;
    inputs.emplace(p.name, std::move(t));
  }
  return inputs;
}

double headroom_of(op::Distribution d, const std::map<std::string, op::HostTensor>& inputs) {
  if (d != op::Distribution::scaled) return 1;
  std::int64_t most = 1;
  for (const auto& [name, t] : inputs) most = std::max(most, op::element_count(t.shape));
  return std::max(0x1p8, 0x1p4 * static_cast<double>(most));
}

std::optional<std::map<std::string, op::ReferenceTensor>> ordinary_outputs(const op::Spec& spec, const op::Binding& b,
                                                                           int threads, const std::stop_token& stop) {
  if (!op::has_elements(spec, b)) return {};
  const auto inputs = make_inputs(spec, {b, op::Distribution::normal, 0});
  if (!inputs) return {};
  op::EvaluateOptions options;
  options.bounds = false;
  options.threads = threads;
  options.stop = stop;
  auto outputs = op::evaluate(spec, b, *inputs, options);
  return outputs ? std::optional(std::move(*outputs)) : std::nullopt;
}

Result<std::shared_ptr<const Reference>> make_reference(const op::Spec& spec, const InputSet& set, int threads,
                                                        std::stop_token stop) {
  auto reference = std::make_shared<Reference>();
  reference->set = set;
  auto inputs = WW_TRY(make_inputs(spec, set));
  reference->inputs = std::move(inputs);
  op::EvaluateOptions options;
  options.threads = threads;
  options.stop = stop;
  options.precision = set.precision;
  options.headroom = headroom_of(set.distribution, reference->inputs);
  auto outputs = WW_TRY(op::evaluate(spec, set.binding, reference->inputs, options));
  if (set.distribution == op::Distribution::masked)
    reference->masked = forget_masked(spec, outputs);
  else if (!op::holds_infinities(set.distribution))
    forget_overflow(spec, outputs);
  else
    WW_TRY(forget_unsaid(spec, set, *reference, options, outputs));
  if (set.distribution == op::Distribution::level_high || set.distribution == op::Distribution::level_low)
    WW_TRY(bound_level(spec, set, *reference, options, outputs));
  if (set.precision == op::Precision::usual && op::depends_on_precision(spec)) {
    options.precision = op::Precision::strict;
    auto strict = WW_TRY(op::evaluate(spec, set.binding, reference->inputs, options));
    for (auto& [name, t] : outputs) t.strict = std::move(strict.at(name).bound);
  }
  mark_moved(spec, outputs);
  reference->outputs = std::move(outputs);
  for (const auto& [name, t] : reference->inputs) reference->bytes += t.bytes.size();
  for (const auto& [name, t] : reference->outputs)
    reference->bytes += (t.value.size() + t.bound.size() + t.strict.size() + t.integer.size()) * 8;
  return std::shared_ptr<const Reference>(std::move(reference));
}

Result<std::shared_ptr<const Reference>> ReferenceCache::get(const op::Spec& spec, const InputSet& set, int threads,
                                                             std::stop_token stop) {
  Hasher hasher;
  hasher.field(spec.text)
      .field(binding_to_json(set.binding))
      .field(op::distribution_name(set.distribution))
      .field(std::to_string(set.seed))
      .field(enum_name(set.precision));
  for (const double v : set.planted) hasher.field(std::to_string(std::bit_cast<std::uint64_t>(v)));
  const std::string key = hasher.hex();
  {
    std::lock_guard lock(mutex_);
    if (const auto at = index_.find(key); at != index_.end()) {
      entries_.splice(entries_.begin(), entries_, at->second);
      ++hits_;
      return at->second->reference;
    }
  }
  auto made = make_reference(spec, set, threads, stop);
  if (!made) return made;
  std::lock_guard lock(mutex_);
  if (index_.count(key) || (*made)->bytes > limit_)
    return made;  // another thread was first, or it would displace everything
  entries_.push_front({key, *made});
  index_[key] = entries_.begin();
  bytes_ += (*made)->bytes;
  while (bytes_ > limit_) {
    bytes_ -= entries_.back().reference->bytes;
    index_.erase(entries_.back().key);
    entries_.pop_back();
  }
  return made;
}

Result<std::vector<Case>> ReferenceCache::cases(const op::Spec& spec, const op::Binding& binding,
                                                const CaseOptions& options) {
  Hasher hasher;
  hasher.field(spec.text)
      .field(binding_to_json(binding))
      .field(std::to_string(options.default_limit))
      .field(std::to_string(options.case_limit));
  const std::string key = hasher.hex();
  {
    std::lock_guard lock(mutex_);
    for (const auto& [known, cases] : cases_)
      if (known == key) return cases;
  }
  Result<std::vector<Case>> made = derive_cases(spec, binding, options);
  if (!made) return made;
  std::lock_guard lock(mutex_);
  cases_.emplace_front(key, *made);
  if (cases_.size() > 16) cases_.pop_back();
  return made;
}

std::size_t ReferenceCache::bytes() const {
  std::lock_guard lock(mutex_);
  return bytes_;
}

std::size_t ReferenceCache::hits() const {
  std::lock_guard lock(mutex_);
  return hits_;
}

}  // namespace ww::gate
