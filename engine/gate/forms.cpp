// SPDX-License-Identifier: Apache-2.0
#include "gate/forms.h"
#include <algorithm>
#include <cmath>
#include <limits>
#include "op/forms.h"

namespace ww::gate {
namespace {

constexpr double most_flops = 1e9;  // forms are evaluated term by term
constexpr double infinity = std::numeric_limits<double>::infinity();

void widen(op::ReferenceTensor& t, const op::ReferenceTensor& form) {
  const std::size_t n = std::max(t.value.size(), t.integer.size());
  if (form.bound.empty()) return;  // integers, all of them exact
  if (t.bound.empty()) t.bound.assign(n, 0);
  const double most = is_real(t.dtype) ? largest_finite(t.dtype) / 2 : infinity;
  for (std::size_t i = 0; i < n; ++i) {
    if (!std::isfinite(t.bound[i])) continue;
    const double apart = is_real(t.dtype) ? std::fabs(form.value[i] - t.value[i])
                                          : std::fabs(static_cast<double>(form.integer[i] - t.integer[i]));
    if (std::isnan(apart)) continue;  // both are infinite or NaN, or the form has an overflow of its own
    t.bound[i] = std::max(t.bound[i], std::min(form.bound[i] + apart, most));
  }
}

}  // namespace

Result<std::optional<ReferenceOutputs>> with_forms(const op::Spec& spec, const Reference& reference, int threads,
                                                   std::stop_token stop) {
  const Result<op::Work> work = op::work_of(spec, reference.set.binding);
  if (!work || work->flops > most_flops) return std::nullopt;
  std::optional<ReferenceOutputs> all;
  const auto add = [&](op::Form form) -> Status {
    const std::optional<op::Spec> other = op::in_form(spec, form);
    if (!other) return {};
    op::EvaluateOptions options;
    options.threads = threads;
    options.stop = stop;
    options.precision = reference.set.precision;
    const auto outputs = op::evaluate(*other, reference.set.binding, reference.inputs, options);
    if (!outputs) return outputs.error().code == Code::cancelled ? Status(fail(outputs.error())) : Status();
    if (!all) all = reference.outputs;
    for (auto& [name, t] : *all)
      if (!t.moved) widen(t, outputs->at(name));
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
