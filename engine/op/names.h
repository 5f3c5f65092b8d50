// SPDX-License-Identifier: Apache-2.0
// Suggestions for mistyped names.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>
#include "op/spec.h"

namespace ww::op {

std::size_t edit_distance(std::string_view a, std::string_view b);  // with transpositions of neighbours as one step
std::size_t least_edit_distance(std::string_view a, std::string_view b);  // at least so much, found in one pass
// The candidate nearest to `word`, if near enough to be a typo (a third of the letters); empty if none is.
std::string nearest_name(std::string_view word, const std::vector<std::string>& candidates);
// "did you mean 'gamma'?" or empty.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates);

std::string_view reduce_name(ReduceOp op);  // "sum", …
std::optional<ReduceOp> reduce_from_name(std::string_view name);
std::string_view binary_symbol(BinaryOp op);  // "+", …
std::string_view type_name(Type type);        // "boolean", "integer", "real"

// The keywords for the rules, in canonical order: {"sorted", "distinct"}.
std::vector<std::string_view> rule_words(const ValueRules& rules);
// The member that a keyword sets; null: not such a keyword.
bool ValueRules::*rule_of(std::string_view word);

}  // namespace ww::op
