// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include "base/ascii.h"
#include "op/sentence/notation.h"
#include "op/sentence/phrasebook_words.h"

namespace ww::op {

std::optional<Edited::Edit> groups_of_channels(std::string_view sentence) {
  constexpr double most = 1 << 20;
  const std::vector<phrases::Token> tokens = phrases::tokenise(sentence);
  const auto is = [&](std::size_t i, std::string_view text) { return i < tokens.size() && tokens[i].text == text; };
  const auto count = [&](std::size_t i) {
    return i < tokens.size() && tokens[i].kind == phrases::Token::Kind::number && tokens[i].number >= 1 &&
           tokens[i].number <= most;
  };
  for (std::size_t i = 0; i + 4 < tokens.size(); ++i) {
    const bool joined = is(i + 2, "of") || is(i + 2, "with");
    if (!count(i) || !is(i + 1, "group") || !joined || !count(i + 3) || !is(i + 4, "channel")) continue;
    std::size_t end = i + 5;
    if (is(end, "each")) ++end;
    const auto groups = static_cast<std::int64_t>(tokens[i].number);
    const auto all = groups * static_cast<std::int64_t>(tokens[i + 3].number);
    return Edited::Edit{{tokens[i].span.begin, tokens[end - 1].span.end},
                        std::to_string(all) + " channels in " + std::to_string(groups) + " groups",
                        {}};
  }
  return std::nullopt;
}

bool has_sizes(const Spec& spec, const std::vector<std::pair<std::string, std::int64_t>>& sizes) {
  return std::all_of(sizes.begin(), sizes.end(), [&](const auto& given) {
    const auto named = [&](const std::string& n) { return ascii_lower(n) == ascii_lower(given.first); };
    for (const auto& [name, value] : spec.defaults)
      if (named(name)) return value == given.second;
    return std::any_of(spec.constants.begin(), spec.constants.end(),
                       [&](const Constant& c) { return named(c.name); }) ||
           std::any_of(spec.defaults.begin(), spec.defaults.end(),
                       [&](const auto& d) { return d.second == given.second; });
  });
}

}  // namespace ww::op
