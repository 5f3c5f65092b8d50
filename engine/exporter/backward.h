// SPDX-License-Identifier: Apache-2.0
// Whether a kernel computes the gradients of another one's op, so that a package can register both for autograd.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <variant>
#include "base/describe.h"
#include "op/gradient.h"
#include "op/spec.h"

namespace ww::exporter {

// Why a spec is not the backward of another: the first difference from the gradients that the engine derives.
struct NotBackward {
  enum class Reason : std::uint8_t {
    no_gradient,    // the op has none: `detail` says why
    no_output,      // no output is a gradient of the op; `wanted`: those that could be
    extra_output,   // `name` is no gradient of the op
    missing_input,  // the gradients need the input `wanted`
    extra_input,    // the gradients do not need the input `name`
    other_tensor,   // `detail` in the spec is `wanted` in the derived one
    other_value,    // the constant `name` is `detail` instead of `wanted`
    equations,      // they are not the derived ones
  };
  Reason reason = Reason::no_gradient;
  std::string name, detail, wanted;
};

constexpr auto names_of(NotBackward::Reason) {
  using enum NotBackward::Reason;
  return std::to_array<Enumerator<NotBackward::Reason>>({{no_gradient, "no_gradient"},
                                                         {no_output, "no_output"},
                                                         {extra_output, "extra_output"},
                                                         {missing_input, "missing_input"},
                                                         {extra_input, "extra_input"},
                                                         {other_tensor, "other_tensor"},
                                                         {other_value, "other_value"},
                                                         {equations, "equations"}});
}

struct Asked {  // of a kernel: the op and its constants
  op::Spec spec;
  op::Binding binding;
};

// Whether two specs differ at most in their names, their directives and their default sizes.
bool same_equations(const op::Spec& a, const op::Spec& b);

// `backward` may give the gradients of some inputs only. Names of ops and default sizes do not matter.
std::variant<op::Backward, NotBackward> fit_backward(const Asked& forward, const Asked& backward);

std::string explain(const NotBackward& why);  // a clause: "its spec has no input dy: f32[R, C]"

}  // namespace ww::exporter
