// SPDX-License-Identifier: Apache-2.0
// A formula with a title: "SwiGLU: silu(x @ W1) * (x @ W2)", "square matrix multiplication (C = A * B)",
// "matrix-vector product y_i = sum_j A_ij x_j", "x * sigmoid(x) (swish)". The formula decides; if the title is an op
// that computes something else, a question asks which is meant.
#pragma once
#include <optional>
#include <string_view>
#include "op/sentence/chained.h"

namespace ww::op {

// Empty unless the sentence is a title with a formula.
std::optional<Understanding> read_titled(const Library& library, std::string_view sentence, const ReadPart& formula,
                                         const ReadPart& ops);

// "swish (x * sigmoid(x))": the brackets hold what the op computes, not its operand.
bool is_title_of(std::string_view sentence, const ReadPart& formula, const ReadPart& ops);

}  // namespace ww::op
