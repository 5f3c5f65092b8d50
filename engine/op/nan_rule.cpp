// SPDX-License-Identifier: Apache-2.0
#include "op/nan_rule.h"

namespace ww::op {

std::optional<NanRule> nan_rule_from_word(std::string_view word) {
  const std::optional<NanRule> rule = enum_from_name<NanRule>(word);
  return rule == NanRule::unsaid ? std::nullopt : rule;
}

NanRule nan_rule_of(const Spec& spec) {
  const auto said = spec.directives.find(std::string(nan_key));
  return said == spec.directives.end() ? NanRule::unsaid : nan_rule_from_word(said->second).value_or(NanRule::unsaid);
}

}  // namespace ww::op
