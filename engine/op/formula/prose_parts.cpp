// SPDX-License-Identifier: Apache-2.0
#include "op/formula/prose_parts.h"

namespace ww::op::formula::prose {

ProsePhrases phrases_of(const Tables& tables, const std::vector<TextToken>& tokens) {
  ProsePhrases out(tokens.size());
  for (std::size_t at = 0; at < tokens.size(); ++at) {
    std::string key;
    std::size_t words = 0;
    for (std::size_t i = at; i < tokens.size() && words < 6; ++i) {
      if (tokens[i].text == "the" && i > at) continue;
      key += (key.empty() ? "" : " ") + tokens[i].text;
      ++words;
      const auto found = tables.arithmetic.find(key);
      if (found == tables.arithmetic.end()) continue;
      for (const ProseWord& w : found->second) out[at].push_back({w.kind, {w.value, i + 1}});
    }
  }
  return out;
}

Part put(std::string_view formula, const Part& p) {
  Part out = p;
  const std::size_t at = formula.find('$');
  const bool call = at > 0 && formula[at - 1] == '(';
  out.text = formula;
  out.text.replace(at, 1, call ? p.text : wrapped(p, whole_level));
  out.level = call                                     ? whole_level
              : formula.find('^') != std::string::npos ? power_level
              : formula == "$"                         ? p.level
              : formula.find('-') == 0                 ? sum_level
                                                       : product_level;
  if (formula == "$") return p;
  out.number.reset();
  out.name = false;
  return out;
}

}  // namespace ww::op::formula::prose
