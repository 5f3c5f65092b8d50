// SPDX-License-Identifier: Apache-2.0
// The same spec as other arithmetic: what honest kernels compute in the place of what it says. In f64 its values are
// the same; the bounds of a form hold the roundings of kernels that compute it.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include "base/describe.h"
#include "op/spec.h"

namespace ww::op {

enum class Form : std::uint8_t {
  summed,    // what is added to a sum is one of its terms, as in kernels that begin their sums with a bias
  expanded,  // products of sums term by term, as in E[x^2] - E[x]^2, x s - m s and exp2(x log2(e) - m log2(e)); summed
};
constexpr auto names_of(Form) {
  using enum Form;
  return std::to_array<Enumerator<Form>>({{summed, "summed"}, {expanded, "expanded"}});
}

// Nothing: the form is the spec itself, or the spec has recurrences, whose bounds hold other orders anyway. The result
// has no text.
std::optional<Spec> in_form(const Spec& spec, Form form);

}  // namespace ww::op
