// SPDX-License-Identifier: Apache-2.0
#include "op/sentence/said_statistics.h"
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>
#include "op/sentence/phrasebook_words.h"

namespace ww::op {
namespace {

using phrases::Token;

// mean, var, std, max, min, sum, norm; empty: no statistic.
std::string statistic(const std::string& word) {
  static const std::map<std::string, std::string> words = {
      {"mean", "mean"},  {"average", "mean"}, {"avg", "mean"},   {"mu", "mean"},   {"var", "var"},  {"variance", "var"},
      {"sigma2", "var"}, {"std", "std"},      {"stddev", "std"}, {"sigma", "std"}, {"max", "max"},  {"maximum", "max"},
      {"min", "min"},    {"minimum", "min"},  {"sum", "sum"},    {"total", "sum"}, {"norm", "norm"}};
  const auto at = words.find(word);
  return at == words.end() ? std::string() : at->second;
}

std::string of_subject(const std::string& how, const std::string& subject, const std::string& along) {
  if (how == "norm") return "sqrt(sum(" + subject + "^2" + along + "))";
  const bool spread = how == "std" || how == "var";
  return how + "(" + subject + along + (spread ? ", correction=0)" : ")");
}

// What the words say: which statistics, and the dimension that all of them are taken along.
class Said {
 public:
  Said(const std::vector<Token>& tokens, std::size_t from, std::size_t to) : tokens_(tokens), at_(from), to_(to) {}

  bool run() {
    while (at_ < to_)
      if (!word()) return false;
    return !named.empty() && along.size() == 1;
  }
  // The name for a word of the formula, "variance" for var; empty: none.
  std::string name_of(const std::string& word) const {
    if (named.count(word)) return word;
    const std::string how = statistic(word);
    for (const auto& [name, own] : named)
      if (!how.empty() && own == how && statistic(name) == how) return name;
    return {};
  }
  std::map<std::string, std::string> named;  // mu: mean
  std::set<std::string> along;               // ", dim=-1, keepdim=True"

 private:
  std::string text(std::size_t ahead = 0) const {
    return at_ + ahead < to_ ? tokens_[at_ + ahead].text : std::string();
  }
  bool dimension(const std::string& d) { return along.insert(", dim=" + d + ", keepdim=True"), true; }

  bool word() {
    static const std::set<std::string> links = {
        "is",  "are",        "the",  "being", "taken",  "computed", "calculated", "of",   "over",   "along", "in",
        "for", "per",        "by",   "at",    "across", "with",     "both",       "each", "every",  "and",   ",",
        "all", "respective", "wise", "where", "its",    "here",     "row",        "col",  "column", "a",     "="};
    const std::string word = text();
    if (word == "l2" || word == "euclidean") return text(1) == "norm" && (++at_, true);
    if (word == "standard" && text(1) == "deviation") return name("std", "std", 2);
    if (word.size() == 1 && word != "a" && (text(1) == "=" || text(1) == "is")) return definition(word);
    if (const std::string how = statistic(word); !how.empty()) {
      if (text(1) == "=" || text(1) == "is") return definition(word);
      return name(word, how, 1);
    }
    if (word == "dim" || word == "axis" || word == "dimension") return numbered();
    if (word == "last" || word == "first") {
      const std::string next = text(1);
      if (next != "dim" && next != "axis" && next != "dimension") return false;
      at_ += 2;
      return dimension(word == "last" ? "-1" : "0");
    }
    if (!links.count(word)) return false;
    if (word == "row") dimension("-1");
    if (word == "column" || word == "col") dimension("-2");
    ++at_;
    return true;
  }
  bool numbered() {
    const std::size_t sign = text(1) == "=" ? 2 : 1, minus = text(sign) == "-" ? 1 : 0;
    if (at_ + sign + minus >= to_ || tokens_[at_ + sign + minus].kind != Token::Kind::number) return false;
    std::string number;
    for (std::size_t i = sign; i <= sign + minus; ++i) number += text(i);
    at_ += sign + minus + 1;
    return dimension(number);
  }
  // "m is the mean", "norm = the l2 norm": the statistic stands behind the name.
  bool definition(const std::string& word) {
    std::size_t i = 2;
    const auto skipped = [&] {
      const std::string w = text(i);
      return w == "the" || w == "its" || w == "row" || w == "column" || w == "l2" || w == "euclidean";
    };
    while (skipped()) {
      if (text(i) == "row") dimension("-1");
      if (text(i) == "column") dimension("-2");
      ++i;
    }
    std::string how = statistic(text(i));
    if (how.empty() && text(i) == "standard" && text(i + 1) == "deviation") how = "std", ++i;
    const std::string own = statistic(word);
    if (how.empty() && own.empty()) return false;
    if (how.empty()) return name(word, own, 2);
    return name(word, how, i + 1);
  }
  bool name(const std::string& word, const std::string& how, std::size_t length) {
    const auto [at, fresh] = named.emplace(word, how);
    at_ += length;
    return fresh || at->second == how;
  }

  const std::vector<Token>& tokens_;
  std::size_t at_ = 0, to_ = 0;
};

// The formula with the statistics in place of their names; nothing where it has others, or none.
std::optional<std::string> formula_with(std::string_view sentence, const std::vector<Token>& tokens, std::size_t from,
                                        std::size_t to, const Said& said) {
  static const std::set<std::string> functions = {"eps",   "epsilon", "gamma", "beta", "alpha", "sqrt",
                                                  "rsqrt", "exp",     "log",   "abs",  "out"};
  static const std::string signs = "+-*/()=^";
  const auto text = [&](std::size_t i) { return i < to ? tokens[i].text : std::string(); };
  std::string subject;
  std::set<std::string> used;
  bool sign = false;
  for (std::size_t i = from; i < to; ++i) {
    const std::string& word = tokens[i].text;
    if (tokens[i].kind == Token::Kind::symbol) {
      if (word.size() != 1 || signs.find(word[0]) == std::string::npos) return std::nullopt;
      sign = sign || word != "=";
      continue;
    }
    if (tokens[i].kind == Token::Kind::number) continue;
    if (const std::string name = said.name_of(word); !name.empty() && text(i + 1) != "(") {
      used.insert(name);
    } else if (word.size() == 1 && text(i + 1) != "(") {
      if (!(i == from && text(i + 1) == "=") && (subject.empty() || word == "x")) subject = word;
    } else if (!functions.count(word)) {
      return std::nullopt;
    }
  }
  if (subject.empty() || !sign || used.size() != said.named.size()) return std::nullopt;
  std::string out;
  std::size_t end = tokens[from].span.begin;
  for (std::size_t i = from; i < to; ++i) {
    out += sentence.substr(end, tokens[i].span.begin - end);
    const std::string name = text(i + 1) == "(" ? std::string() : said.name_of(tokens[i].text);
    out += name.empty() ? std::string(sentence.substr(tokens[i].span.begin, tokens[i].span.end - tokens[i].span.begin))
                        : of_subject(said.named.at(name), subject, *said.along.begin());
    end = tokens[i].span.end;
  }
  return out;
}

}  // namespace

std::optional<Edited> with_said_statistics(std::string_view sentence) {
  constexpr std::size_t longest = 160;
  if (sentence.size() > longest) return std::nullopt;
  std::vector<Token> tokens = phrases::tokenise(sentence);
  while (!tokens.empty() && tokens.back().text == ".") tokens.pop_back();
  for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {  // sigma2
    if (tokens[i].text != "sigma" || tokens[i + 1].text != "2" || tokens[i].span.end != tokens[i + 1].span.begin)
      continue;
    tokens[i].text = "sigma2";
    tokens[i].span.end = tokens[i + 1].span.end;
    tokens.erase(tokens.begin() + static_cast<std::ptrdiff_t>(i) + 1);
  }
  static const std::set<std::string> joints = {",", ";", "where", "with", "then", ":", "and"};
  std::optional<std::string> formula;
  for (std::size_t begin = 1; begin < tokens.size() && !formula; ++begin) {
    if (!joints.count(tokens[begin].text)) continue;
    std::size_t end = begin;
    while (end < tokens.size() && joints.count(tokens[end].text)) ++end;
    Said behind(tokens, end, tokens.size()), before(tokens, 0, begin);
    if (behind.run()) formula = formula_with(sentence, tokens, 0, begin, behind);
    if (!formula && before.run()) formula = formula_with(sentence, tokens, end, tokens.size(), before);
    begin = end;
  }
  if (!formula) return std::nullopt;
  return Edited(sentence, {{{0, sentence.size()}, *formula, "as a formula: " + *formula}});
}

}  // namespace ww::op
