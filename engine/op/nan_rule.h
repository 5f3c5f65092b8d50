// SPDX-License-Identifier: Apache-2.0
// How an op treats NaN: the line "//@ nan: WORD" above its spec.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include "base/describe.h"
#include "op/spec.h"

namespace ww::op {

enum class NanRule : std::uint8_t {
  unsaid,     // as propagate (like PyTorch), but not enforced for max, min and other choices (gate/distributions.h)
  propagate,  // NaN goes through everything, also through max, min and clamp
  ignore,     // max, min and clamp take their other operand; of NaN alone, any value will do
  any,        // inputs hold no NaN, and where NaN comes out any value will do
};
constexpr auto names_of(NanRule) {
  using enum NanRule;
  return std::to_array<Enumerator<NanRule>>(
      {{unsaid, "unsaid"}, {propagate, "propagate"}, {ignore, "ignore"}, {any, "any"}});
}

inline constexpr std::string_view nan_key = "nan";                 // of the directive
std::optional<NanRule> nan_rule_from_word(std::string_view word);  // "unsaid" is not a word of the directive
NanRule nan_rule_of(const Spec& spec);

}  // namespace ww::op
