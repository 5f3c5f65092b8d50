// SPDX-License-Identifier: Apache-2.0
#include "op/sentence/signals.h"
#include <algorithm>
#include <cctype>
#include <set>
#include <string>
#include <vector>

namespace ww::op {
namespace {

bool names_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }
bool is_figure(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

struct Place {  // "y(t-1)": a name of one letter, perhaps with digits, and places in brackets
  std::string name;
  std::vector<std::string> letters;  // empty for a number
  bool shifted = false;
  std::size_t begin = 0, open = 0, close = 0;
};

// "t", "t-1", "n + 2", "-1"; false: it is none.
bool read_place(std::string_view text, Place& out) {
  std::string plain;
  for (char c : text)
    if (c != ' ') plain += c;
  if (plain.empty()) return false;
  std::size_t i = 0;
  const bool letter = names_letter(plain[0]);
  if (letter) out.letters.emplace_back(1, plain[i++]);
  if (letter && i == plain.size()) return true;
  if (i < plain.size() && (plain[i] == '-' || (letter && plain[i] == '+'))) ++i;
  if (i == plain.size() || !std::all_of(plain.begin() + static_cast<std::ptrdiff_t>(i), plain.end(), is_figure))
    return false;
  out.shifted = out.shifted || letter;
  return true;
}

std::vector<Place> places_of(std::string_view s) {
  std::vector<Place> out;
  for (std::size_t open = s.find('('); open != std::string_view::npos; open = s.find('(', open + 1)) {
    Place p;
    p.open = open;
    p.close = s.find(')', open);
    p.begin = open;
    while (p.begin > 0 && is_figure(s[p.begin - 1])) --p.begin;
    if (p.begin == 0 || !names_letter(s[p.begin - 1])) continue;
    --p.begin;
    if (p.begin > 0 && (names_letter(s[p.begin - 1]) || s[p.begin - 1] == '_' || s[p.begin - 1] == '.')) continue;
    if (p.close == std::string_view::npos) continue;
    p.name = s.substr(p.begin, open - p.begin);
    bool good = true;
    for (std::size_t at = open + 1; good && at <= p.close;) {
      const std::size_t end = std::min(s.find(',', at), p.close);
      good = read_place(s.substr(at, end - at), p);
      at = end + 1;
    }
    if (good) out.push_back(std::move(p));
  }
  return out;
}

}  // namespace

std::optional<Edited> with_places_in_brackets(std::string_view sentence) {
  constexpr std::size_t longest = 400;
  static const std::set<std::string> indices = {"i", "j", "k", "l", "m", "n", "s", "t"};
  if (sentence.size() > longest) return std::nullopt;
  std::vector<Place> places = places_of(sentence);
  if (places.size() < 2) return std::nullopt;
  const Place& target = places[0];
  const std::size_t equals = sentence.find_first_not_of(' ', target.close + 1);
  if (sentence.find_first_not_of(' ') != target.begin || target.letters.empty() || target.shifted ||
      equals == std::string_view::npos || sentence[equals] != '=')
    return std::nullopt;
  const bool shifted = std::any_of(places.begin(), places.end(), [](const Place& p) { return p.shifted; });
  const bool of_indices = std::all_of(target.letters.begin(), target.letters.end(),
                                      [&](const std::string& l) { return indices.count(l) != 0; });
  if (!shifted && !of_indices) return std::nullopt;  // "f(x) = g(x)"
  std::set<std::string> names;
  for (const Place& p : places)
    if (!p.letters.empty()) names.insert(p.name);
  std::vector<Edited::Edit> edits;
  for (const Place& p : places) {
    const bool known = std::all_of(p.letters.begin(), p.letters.end(), [&](const std::string& l) {
      return std::find(target.letters.begin(), target.letters.end(), l) != target.letters.end();
    });
    if (!known || !names.count(p.name)) return std::nullopt;
    const std::size_t comma = p.begin == 0 ? p.begin : sentence.find_last_not_of(' ', p.begin - 1);
    if (p.letters.empty() && comma != std::string_view::npos && sentence[comma] == ',')  // ", y(-1) = 0"
      edits.push_back({{comma, comma + 1}, " with", {}});
    if (p.begin > 0 && is_figure(sentence[p.begin - 1])) edits.push_back({{p.begin, p.begin}, "*", {}});
    edits.push_back({{p.open, p.open + 1}, "[", {}});
    edits.push_back({{p.close, p.close + 1}, "]", {}});
  }
  return Edited(sentence, std::move(edits));
}

}  // namespace ww::op
