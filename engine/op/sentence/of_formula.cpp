// SPDX-License-Identifier: Apache-2.0
#include "op/sentence/of_formula.h"
#include <algorithm>
#include <set>
#include "base/ascii.h"
#include "op/sentence/phrasebook_words.h"

namespace ww::op {
namespace {

using phrases::Token;

// Whether words name one op and nothing beside it: no tensor, no joining word, no number.
bool is_name(std::string_view words) {
  static const std::set<std::string> joins = {"and",   "then",   "plus", "minus",    "times",    "with",    "by",
                                              "after", "from",   "of",   "to",       "add",      "or",      "half",
                                              "twice", "divide", "on",   "followed", "multiply", "subtract"};
  const std::vector<Token> tokens = phrases::tokenise(words);
  return !tokens.empty() && std::all_of(tokens.begin(), tokens.end(), [](const Token& t) {
    return t.kind == Token::Kind::word && (t.text.size() > 1 || t.text == "a") && !joins.count(t.text);
  });
}

bool has_sign(std::string_view text) {
  if (text.find_first_of("+*/^@|") != std::string_view::npos) return true;
  for (const std::string_view sign : {" - ", "·", "²", "√", "ᵀ"})
    if (text.find(sign) != std::string_view::npos) return true;
  const auto capital = [](char c) { return (c >= 'A' && c <= 'Z') || c == ' '; };
  return text.starts_with('-') ||
         (text.size() > 1 && text.size() < 8 && std::all_of(text.begin(), text.end(), capital));
}

bool names_elements(std::string_view words) {
  const std::vector<Token> tokens = phrases::tokenise(words);
  return std::any_of(tokens.begin(), tokens.end(), [](const Token& t) {
    static const std::set<std::string> said = {"row", "column", "col", "all", "total", "global", "rowsum", "rowwise"};
    return said.count(t.text) != 0;
  });
}

// "exp of x + 1": the op of x alone, then the number; empty where the formula is no name and a number.
std::string number_behind(const std::string& op, std::string_view formula) {
  const std::vector<Token> tokens = phrases::tokenise(formula);
  if (tokens.size() != 3 || tokens[0].kind != Token::Kind::word || tokens[2].kind != Token::Kind::number) return {};
  const std::string& sign = tokens[1].text;
  if (sign != "+" && sign != "-") return {};
  const auto written = [&](std::size_t i) {
    return std::string(formula.substr(tokens[i].span.begin, tokens[i].span.end - tokens[i].span.begin));
  };
  return op + " of " + written(0) + ", then " + (sign == "+" ? "add " : "subtract ") + written(2);
}

// Where the words behind a formula may begin, the end of the text first.
std::vector<std::size_t> ends_in(std::string_view text) {
  std::vector<std::size_t> out = {text.size()};
  for (const std::string_view joint : {" over ", " per ", " along ", " for ", " of ", " in ", " across ", " row", ", "})
    if (const std::size_t at = text.find(joint); at != std::string_view::npos && at > 0) out.push_back(at);
  std::sort(out.rbegin(), out.rend());
  return out;
}

}  // namespace

std::vector<OfFormula> ops_of_formulas(std::string_view sentence) {
  constexpr std::size_t longest = 160;
  std::vector<OfFormula> out;
  const std::size_t of = sentence.find(" of ");
  if (sentence.size() > longest || of == std::string_view::npos) return out;
  const std::string op(trimmed(sentence.substr(0, of)));
  const std::string_view rest = trimmed(sentence.substr(of + 4));
  if (!is_name(op)) return out;
  for (const std::size_t end : ends_in(rest)) {
    OfFormula one;
    one.formula = rest.substr(0, end);
    one.first = number_behind(op, one.formula);
    const std::string tail(rest.substr(end));
    if (!has_sign(one.formula)) continue;
    if (tail.starts_with(',')) {
      one.chains = {one.formula + tail + ", then " + op, one.formula + ", then " + op + tail};
    } else {
      one.chains = {one.formula + ", then " + op + tail};
    }
    if (!names_elements(op) && (tail.empty() || tail.starts_with(',')))
      for (const char* each : {" of each row", " of all elements"})
        one.answers.push_back(one.formula + tail + ", then " + op + each);
    out.push_back(std::move(one));
  }
  return out;
}

}  // namespace ww::op
