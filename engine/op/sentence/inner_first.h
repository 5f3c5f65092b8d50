// SPDX-License-Identifier: Apache-2.0
// An op of the statistics of rows or columns: "the maximum of the column sums".
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include "op/sentence/edited.h"

namespace ww::op {

struct InnerFirst {
  std::optional<Edited> chain;  // "column sum of a 64x128 matrix, then max"; nothing: it is open what the op is of
  std::string statistic;        // "column sum"
};
// Nothing where the sentence has no such words.
std::optional<InnerFirst> inner_first(const Library& library, std::string_view sentence);

}  // namespace ww::op
