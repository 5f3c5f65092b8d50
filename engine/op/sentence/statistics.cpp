// SPDX-License-Identifier: Apache-2.0
#include "op/sentence/statistics.h"
#include <algorithm>
#include <set>
#include "op/sentence/phrasebook_words.h"

namespace ww::op {
namespace {

using phrases::Token;

bool is_statistic(const std::string& word) {
  static const std::set<std::string> words = {"mean", "avg", "min", "max", "sum", "std", "var", "variance"};
  return words.count(word) != 0;
}

// A word that formulas have beside tensors of one letter.
bool belongs_to_formulas(const std::string& word) {
  static const std::set<std::string> words = {"eps",   "epsilon", "gamma", "beta", "alpha", "sqrt",
                                              "rsqrt", "exp",     "log",   "abs",  "out"};
  return word.size() == 1 || words.count(word) != 0 || is_statistic(word);
}

bool is_sign(const std::string& text) {
  return text.size() == 1 && std::string_view("+-*/").find(text[0]) != std::string_view::npos;
}

}  // namespace

std::optional<OpenStatistics> open_statistics(std::string_view sentence) {
  constexpr std::size_t longest = 120;
  if (sentence.size() > longest) return std::nullopt;
  const std::vector<Token> tokens = phrases::tokenise(sentence);
  const auto text = [&](std::size_t i) { return i < tokens.size() ? tokens[i].text : std::string(); };
  const bool assigned = text(1) == "=";
  std::string subject;
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const std::string& word = tokens[i].text;
    if (tokens[i].kind == Token::Kind::symbol) {
      if (!is_sign(word) && word != "(" && word != ")" && word != "=" && word != "^") return std::nullopt;
      continue;
    }
    if (tokens[i].kind == Token::Kind::number) continue;
    if (!belongs_to_formulas(word)) return std::nullopt;
    if (word.size() == 1 && !(assigned && i == 0) && (subject.empty() || word == "x")) subject = word;
    const bool behind = i > 1 && is_sign(text(i - 1));
    const bool in_front = is_sign(text(i + 1)) && (i == 0 || text(i - 1) == "(" || text(i - 1) == "=");
    if (is_statistic(word) && text(i + 1) != "(" && (behind || in_front)) open.push_back(i);
  }
  if (open.empty() || subject.empty()) return std::nullopt;
  const auto with = [&](const auto& words) {
    std::string out(sentence);
    for (auto i = open.rbegin(); i != open.rend(); ++i) {
      const std::string& name = text(*i);
      out.replace(tokens[*i].span.begin, tokens[*i].span.end - tokens[*i].span.begin,
                  words(name == "avg"        ? "mean"
                        : name == "variance" ? "var"
                                             : name));
    }
    return out;
  };
  const auto of = [&](const std::string& name, const std::string& how) {
    const bool spread = name == "std" || name == "var";
    return name + "(" + subject + how + (spread ? ", correction=0)" : ")");
  };
  OpenStatistics out;
  out.question = "Is '" + text(open[0]) + "' that of each row of '" + subject +
                 "', that of all its elements, or a tensor of its own?";
  out.answers = {{with([&](const std::string& n) { return of(n, ", dim=-1, keepdim=True"); }), "of each row"},
                 {with([&](const std::string& n) { return of(n, ""); }), "of all elements"},
                 {with([&](const std::string& n) { return subject + "_" + n; }), "a tensor of its own"}};
  return out;
}

}  // namespace ww::op
