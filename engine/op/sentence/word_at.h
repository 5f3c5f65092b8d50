// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <initializer_list>
#include <set>
#include <string>
#include <string_view>
#include <vector>
#include "op/sentence/phrasebook_words.h"

namespace ww::op::phrases {

// Whether token `i` is there and is one of these folded words.
inline bool word_at(const std::vector<Token>& words, std::size_t i, std::initializer_list<std::string_view> texts) {
  if (i >= words.size()) return false;
  for (const std::string_view text : texts)
    if (words[i].text == text) return true;
  return false;
}
inline bool word_at(const std::vector<Token>& words, std::size_t i, const std::set<std::string>& texts) {
  return i < words.size() && texts.count(words[i].text) != 0;
}

}  // namespace ww::op::phrases
