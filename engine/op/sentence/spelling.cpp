// SPDX-License-Identifier: Apache-2.0
// Words of the vocabulary that a word with typing errors may stand for.
#include <algorithm>
#include "op/names.h"
#include "op/sentence/phrasebook_words.h"

namespace ww::op::phrases {

bool is_slip(std::string_view word, std::string_view other) {
  static constexpr std::string_view rows[] = {"qwertyuiop", "asdfghjkl", "zxcvbnm"};
  const auto place = [](char c) -> std::pair<int, int> {
    for (int row = 0; row < 3; ++row)
      if (const std::size_t at = rows[row].find(c); at != std::string_view::npos) return {row, static_cast<int>(at)};
    return {-9, -9};
  };
  if (word.size() != other.size()) return false;
  std::vector<std::size_t> differ;
  for (std::size_t i = 0; i < word.size(); ++i)
    if (word[i] != other[i]) differ.push_back(i);
  if (differ.size() == 2)
    return differ[1] == differ[0] + 1 && word[differ[0]] == other[differ[1]] && word[differ[1]] == other[differ[0]];
  if (differ.size() != 1) return false;
  const auto [row, at] = place(word[differ[0]]);
  const auto [row2, at2] = place(other[differ[0]]);
  return std::abs(row - row2) <= 1 && std::abs(at - at2) <= 2;
}

std::vector<std::string> Vocabulary::near(const std::string& word) const {
  constexpr std::size_t short_word = 5;  // whose letters say less
  if (word.size() < 4 || word.size() > 30) return {};
  const std::size_t most = word.size() < 7 ? 1 : 2;
  struct Found {
    std::size_t distance, phrases;
    std::string word;
  };
  std::vector<Found> found;
  for (const auto& [known, phrases] : words_) {
    // A typing error seldom affects the first letter.
    if (known.size() < 3 || (known[0] != word[0] && known[0] != word[1])) continue;
    const std::size_t longer = std::max(known.size(), word.size()), shorter = std::min(known.size(), word.size());
    if (longer - shorter > most) continue;
    if (longer == shorter && longer <= short_word && !is_slip(word, known)) continue;
    const std::size_t distance = edit_distance(word, known);
    if (distance <= most) found.push_back({distance, phrases, known});
  }
  std::ranges::sort(found, [](const Found& a, const Found& b) {
    if (a.distance != b.distance) return a.distance < b.distance;
    return a.phrases != b.phrases ? a.phrases > b.phrases : a.word < b.word;
  });
  std::vector<std::string> out;
  for (std::size_t i = 0; i < found.size() && i < 4; ++i) out.push_back(found[i].word);
  return out;
}

}  // namespace ww::op::phrases
