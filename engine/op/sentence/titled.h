// SPDX-License-Identifier: Apache-2.0
// A formula with a title: "SwiGLU: silu(x @ W1) * (x @ W2)", "square matrix multiplication (C = A * B)",
// "matrix-vector product y_i = sum_j A_ij x_j", "x * sigmoid(x) (swish)". The formula decides; where the title is an op
// that computes something else, it is asked which is meant.
#pragma once
#include <optional>
#include <string_view>
#include "op/sentence/chained.h"

namespace ww::op {

// Nothing where the sentence is not a title with a formula.
std::optional<Understanding> read_titled(const Library& library, std::string_view sentence, const ReadPart& formula,
                                         const ReadPart& ops);

// "swish (x * sigmoid(x))": what is in brackets is what the op in front computes, not its operand.
bool is_title_of(std::string_view sentence, const ReadPart& formula, const ReadPart& ops);

}  // namespace ww::op
