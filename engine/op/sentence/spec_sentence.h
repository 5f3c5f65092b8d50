// SPDX-License-Identifier: Apache-2.0
// A spec in words and as a formula, for the person who confirms it. Both are complete: each parses back to the same
// spec; only the sentence keeps its name.
//   softmax takes x[R, C] of f32 and gives y[R, C] of f32: for each r, z[r] is the sum over c of exp(x[r, c]); for each
//   r and c, y[r, c] is exp(x[r, c]) / z[r]; by default, R is 512 and C is 1024.
//   z[r] = sum(c) exp(x[r, c]); y[r, c] = exp(x[r, c]) / z[r] where x: f32[R, C] -> y: f32[R, C] at R = 512, C = 1024
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include "base/result.h"
#include "op/spec.h"

namespace ww::op {

std::string spec_sentence(const Spec& spec);  // one plain sentence; the directives are left out
std::string formula_of(const Spec& spec);     // the equations and what they use, in one line
// Empty if the text is not such a sentence or formula. Error: it is one, but its parts do not fit together.
std::optional<Result<Spec>> parse_sentence(std::string_view text);
std::optional<Result<Spec>> parse_formula(std::string_view text);

}  // namespace ww::op
