// SPDX-License-Identifier: Apache-2.0
// Numbers of several words: "twenty four", "two hundred fifty six", "1.5 million".
#include <cmath>
#include "op/sentence/phrasebook_words.h"

namespace ww::op::phrases {
namespace {

// The value of one number word; 0 if it is not one.
double value_of_word(const Vocabulary& vocabulary, const std::vector<Token>& tokens, std::size_t at) {
  if (at >= tokens.size() || tokens[at].kind != Token::Kind::word) return 0;
  const std::vector<Token> alone = {tokens[at]};
  const Match m = vocabulary.match(alone, 0);
  const Entry* number = m.entry(Sort::number);
  return number ? std::stod(number->value) : 0;
}

}  // namespace

NumberWords number_words(const Vocabulary& vocabulary, const std::vector<Token>& tokens, std::size_t at) {
  NumberWords out;
  double total = 0, part = 0, largest = 0;  // largest: of the words that closed a part
  double step = 0;                          // of the previous word: what follows must be smaller
  std::size_t i = at;
  if (i < tokens.size() && tokens[i].kind == Token::Kind::number) {
    part = tokens[i++].number;
    step = 1;
    out.digits = true;
  }
  // "one thousand and twenty four", but not "one hundred and two hundred".
  const auto joined = [&](std::size_t word) {
    if (step < 100 || tokens[word].text != "and" || out.digits) return false;
    std::size_t k = word + 1;
    for (; k < tokens.size(); ++k) {
      const double v = value_of_word(vocabulary, tokens, k);
      if (v == 0) break;
      if (v >= 100) return false;
    }
    return k > word + 1;
  };
  for (; i < tokens.size(); ++i) {
    if (joined(i)) ++i;
    const double v = value_of_word(vocabulary, tokens, i);
    if (v == 0) break;
    if (v >= 100) {
      const bool first = i == at, bare = !first && part == 0;
      if ((v == 100 && (bare || part >= 100)) || (!bare && total > 0 && v >= largest)) break;
      if (v == 100)
        part = first ? v : part * v;
      else if (bare)
        total *= v;  // "a million million"
      else
        total += (first ? 1 : part) * v, part = 0, largest = v;
    } else {
      const bool open = i == at || step >= 100 || (step >= 20 && v < 10);
      if (!open || (out.digits && step == 1)) break;
      part += v;
    }
    step = v >= 100 || (v >= 20 && std::fmod(v, 10) == 0) ? v : 1;
  }
  out.count = i - at;
  out.value = total + part;
  return out;
}

double unit_of_count(double count, int steps) {
  const bool decimal = (count >= 5 && std::fmod(count, 5) == 0) || count != std::floor(count);
  return std::pow(decimal ? 1000.0 : 1024.0, steps);
}

}  // namespace ww::op::phrases
