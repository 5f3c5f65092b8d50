// SPDX-License-Identifier: Apache-2.0
// What words behind a formula say of its tensors (resources/phrasebook/tails.txt): "x is 2-D", "one value per column".
#pragma once
#include <optional>
#include <string>
#include <vector>
#include "op/formula/reading.h"

namespace ww::op::formula {

struct TensorFact {
  enum class Kind : std::uint8_t {
    rank,
    shape,
    counts,
    tensor,
    nothing,
    same,
    row,
    column,
    zero_outside,
    inside,
    wrap,
    start,
    rows
  };
  Kind kind = Kind::tensor;
  int rank = 0;
  std::vector<std::string> names;  // as formulas have them; none: all tensors
  std::size_t end = 0;             // a token
};
// The fact that begins at tokens[at] and ends in front of tokens[to].
std::optional<TensorFact> tensor_fact(const Library& library, std::string_view sentence,
                                      const std::vector<TextToken>& tokens, std::size_t at, std::size_t to);

}  // namespace ww::op::formula
