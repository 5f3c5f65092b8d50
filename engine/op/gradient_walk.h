// SPDX-License-Identifier: Apache-2.0
// The derivatives of one equation by the elements that it reads.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>
#include "op/gradient.h"
#include "op/gradient_invert.h"

namespace ww::op::gradient {

struct Differentiation {
  std::function<bool(const Expr&)> depends;      // whether the value depends on what is differentiated by
  ExprPtr incoming;                              // the gradient of the equation's element
  ExprPtr itself;                                // the equation's element
  std::function<ExprPtr(const Expr&)> in_range;  // whether a read's positions are within its tensor
  ExprPtr ties;                                  // of a maximum or minimum: how many terms are equal to it; else null
};

// The shares of all reads whose value matters, those of one element under the same conditions as one.
std::variant<std::vector<Share>, NoGradient> differentiate(const Equation& equation, const Differentiation& with,
                                                           Fresh& fresh);

}  // namespace ww::op::gradient
