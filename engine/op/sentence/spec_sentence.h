// SPDX-License-Identifier: Apache-2.0
// A spec in words and as a formula, for the person who has to confirm it. The sentence is complete: parse_sentence()
// gives the same spec again.
//   softmax takes x[R, C] of f32 and gives y[R, C] of f32: for each r, z[r] is the sum over c of exp(x[r, c]); for each
//   r and c, y[r, c] is exp(x[r, c]) / z[r]; by default, R is 512 and C is 1024.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include "base/result.h"
#include "op/spec.h"

namespace ww::op {

std::string spec_sentence(const Spec& spec);  // one plain sentence; the directives are left out
std::string formula_of(const Spec& spec);     // the equations in one line: "z[r] = …; y[r, c] = …"
// Nothing where the text is no such sentence; an error where it is one and its parts do not fit together.
std::optional<Result<Spec>> parse_sentence(std::string_view text);

}  // namespace ww::op
