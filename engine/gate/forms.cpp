// SPDX-License-Identifier: Apache-2.0
#include "gate/forms.h"
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include "gate/distributions.h"
#include "op/forms.h"

namespace ww::gate {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// Whether products of elements may exceed the range of f32, or are infinite.
bool may_overflow(op::Distribution d) {
  using D = op::Distribution;
  constexpr std::array far = {D::mixed,   D::huge,    D::special, D::nonfinite, D::infinite,   D::one_sided, D::lowest,
                              D::highest, D::planted, D::binades, D::scaled,    D::level_high, D::level_low};
  return std::ranges::find(far, d) != far.end();
}

void widen(op::ReferenceTensor& t, const op::ReferenceTensor& form, bool overflows) {
  const std::size_t n = std::max(t.value.size(), t.integer.size());
  const bool real = is_real(t.dtype);
  if (form.bound.empty()) return;  // integers, all of them exact
  if (t.bound.empty()) t.bound.assign(n, 0);
  const double most = real && !overflows ? largest_finite(t.dtype) / 2 : infinity;
  for (std::size_t i = 0; i < n; ++i) {
    if (!std::isfinite(t.bound[i]) || (real && std::isnan(t.value[i]))) continue;
    if (real && std::isinf(t.value[i])) {  // differences of infinities are NaN
      if (std::isnan(form.value[i])) t.bound[i] = infinity;
      continue;
    }
    const double apart =
        real ? std::fabs(form.value[i] - t.value[i]) : std::fabs(static_cast<double>(form.integer[i] - t.integer[i]));
    // No number where a form has none in f64 either: the root of a difference that rounding made negative.
    t.bound[i] = std::max(t.bound[i], std::isfinite(apart) ? std::min(form.bound[i] + apart, most) : most);
  }
}

}  // namespace

Result<std::optional<ReferenceOutputs>> with_forms(const op::Spec& spec, const Reference& reference, int threads,
                                                   std::stop_token stop) {
  const Result<op::Work> work = op::work_of(spec, reference.set.binding);
  if (!work || work->flops > most_form_flops) return std::nullopt;
  std::optional<ReferenceOutputs> all;
  const auto add = [&](op::Form form) -> Status {
    const std::optional<op::Spec> other = op::in_form(spec, form);
    if (!other) return {};
    op::EvaluateOptions options;
    options.threads = threads;
    options.stop = stop;
    options.precision = reference.set.precision;
    options.running = form == op::Form::expanded && !sums_exponentials(spec);
    options.headroom = headroom_of(reference.set.distribution, reference.inputs);
    const auto outputs = op::evaluate(*other, reference.set.binding, reference.inputs, options);
    if (!outputs) return outputs.error().code == Code::cancelled ? Status(fail(outputs.error())) : Status();
    if (!all) all = reference.outputs;
    for (auto& [name, t] : *all)
      if (!t.moved) widen(t, outputs->at(name), may_overflow(reference.set.distribution));
    return {};
  };
  WW_TRY(add(op::Form::summed));
  if (reference.set.precision == op::Precision::strict) return all;
  const ReferenceOutputs strict = all ? *all : reference.outputs;
  WW_TRY(add(op::Form::expanded));
  if (!all) return all;
  for (auto& [name, t] : *all)
    if (is_real(t.dtype) && t.strict.empty()) t.strict = strict.at(name).bound;
  return all;
}

}  // namespace ww::gate
