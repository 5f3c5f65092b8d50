// SPDX-License-Identifier: Apache-2.0
#include "op/sentence/inner_first.h"
#include <algorithm>
#include <map>
#include <set>
#include <vector>
#include "op/sentence/word_at.h"

namespace ww::op {
namespace {

using phrases::Token;
using phrases::word_at;
using InnerWords = std::vector<Token>;

struct InnerPart {
  std::size_t from = 0, to = 0;  // tokens
  std::string text;
};

// "row", "column-wise", "each row's", "per column", "last axis": the words and "row", "column", "last" or "first".
std::optional<InnerPart> axis_at(const InnerWords& words, std::size_t at) {
  std::size_t i = at;
  while (word_at(words, i, {"the", "all"})) ++i;
  if (word_at(words, i, {"last", "first"}) && word_at(words, i + 1, {"axis", "dim", "dimension"}))
    return InnerPart{at, i + 2, words[i].text};
  if (word_at(words, i, {"each", "every", "per"})) ++i;
  std::string axis;
  if (word_at(words, i, {"row", "rowwise"})) axis = "row";
  if (word_at(words, i, {"column", "col", "columnwise", "colwise"})) axis = "column";
  if (axis.empty()) return std::nullopt;
  ++i;
  if (word_at(words, i, {"wise"})) ++i;
  if (word_at(words, i, {"'", "’"})) ++i;
  if (word_at(words, i, {"s"})) ++i;
  return InnerPart{at, i, axis};
}

std::optional<InnerPart> statistic_at(const InnerWords& words, std::size_t at) {
  static const std::map<std::string, std::string> names = {{"sum", "sum"},           {"total", "sum"},
                                                           {"mean", "mean"},         {"average", "mean"},
                                                           {"avg", "mean"},          {"max", "maximum"},
                                                           {"maximum", "maximum"},   {"maxima", "maximum"},
                                                           {"min", "minimum"},       {"minimum", "minimum"},
                                                           {"minima", "minimum"},    {"var", "variance"},
                                                           {"variance", "variance"}, {"std", "std"},
                                                           {"stddev", "std"},        {"norm", "norm"},
                                                           {"product", "product"},   {"prod", "product"},
                                                           {"argmax", "argmax"},     {"argmin", "argmin"},
                                                           {"maxe", "maximum"},      {"logsumexp", "logsumexp"}};
  if (word_at(words, at, {"standard"}) && word_at(words, at + 1, {"deviation"})) return InnerPart{at, at + 2, "std"};
  if (word_at(words, at, {"l1", "l2", "euclidean"}) && word_at(words, at + 1, {"norm"}))
    return InnerPart{at, at + 2, words[at].text == "l1" ? "l1 norm" : "l2 norm"};
  if (at >= words.size()) return std::nullopt;
  const auto own = names.find(words[at].text);
  if (own == names.end()) return std::nullopt;
  return InnerPart{at, at + 1, own->second};
}

// The longest name of an op that ends in front of token `end`.
std::optional<InnerPart> op_before(const Library& library, const InnerWords& words, std::string_view sentence,
                                   std::size_t end) {
  static const std::map<std::string, std::string> others = {
      {"largest", "max"}, {"biggest", "max"}, {"highest", "max"}, {"greatest", "max"}, {"smallest", "min"},
      {"lowest", "min"},  {"least", "min"},   {"total", "sum"},   {"norm", "norm"}};
  constexpr std::size_t most_words = 5;
  for (std::size_t from = end > most_words ? end - most_words : 0; from < end; ++from) {
    const phrases::Match m = library.vocabulary().match(words, from);
    const bool op = from + m.count == end && m.entry(phrases::Sort::op);
    if (!op || word_at(words, from, {"the"})) continue;
    const std::size_t begin = words[from].span.begin;
    return InnerPart{from, end, std::string(sentence.substr(begin, words[end - 1].span.end - begin))};
  }
  if (const auto own = others.find(words[end - 1].text); own != others.end())
    return InnerPart{end - 1, end, own->second};
  if (end > 1 && word_at(words, end - 1, {"value", "element", "entry"}))
    return op_before(library, words, sentence, end - 1);
  return std::nullopt;
}

// Whether nothing but a request stands in front: "compute the".
bool only_asks(const InnerWords& words, std::size_t end) {
  static const std::set<std::string> asking = {
      "compute",   "calculate", "find",  "get",   "give", "return", "output", "take", "evaluate",
      "determine", "what",      "is",    "me",    "u",    "please", "want",   "need", "i",
      "the",       "show",      "print", "write", "a",    "an",     "kernel", "for",  "that",
      "cuda",      "to",        "gpu",   "can",   "you",  "report"};
  return std::all_of(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(end),
                     [&](const Token& t) { return asking.count(t.text) != 0; });
}

// Where the tensor that the statistic is of ends: a joining word or the end of the text.
std::size_t subject_end(const InnerWords& words, std::size_t at) {
  while (at < words.size()) {
    if (word_at(words, at, {"then", "followed", "next"})) return at;
    if (word_at(words, at, {",", "and"}) && word_at(words, at + 1, {"then", "followed", "next", "finally", "apply"}))
      return at;
    if (word_at(words, at, {","}) && word_at(words, at + 1, {"and"}) && word_at(words, at + 2, {"then"})) return at;
    ++at;
  }
  return at;
}

// What may stand behind the statistic: its tensor, or nothing.
bool ends_there(const Library& library, const InnerWords& words, std::size_t at) {
  if (at >= words.size() || words[at].kind != Token::Kind::word) return true;
  if (word_at(words, at,
              {"of", "in", "for", "on", "from", "over", "across", "along", "then", "followed", "next", "and", "x"}))
    return true;
  const phrases::Match m = library.vocabulary().match(words, at);
  return m.entries && !m.entry(phrases::Sort::op);
}

}  // namespace

std::optional<InnerFirst> inner_first(const Library& library, std::string_view sentence) {
  constexpr std::size_t longest = 400;
  if (sentence.size() > longest || sentence.find_first_of("=@$\\[]{}") != std::string_view::npos) return std::nullopt;
  const InnerWords words = phrases::tokenise(sentence);
  for (std::size_t of = 1; of < words.size(); ++of) {
    const bool joined = word_at(words, of, {"of"});
    const std::size_t begin = joined ? of + 1 : of;
    const auto axis = axis_at(words, begin);
    const auto inner = axis ? statistic_at(words, axis->to) : std::nullopt;
    if (!inner || !ends_there(library, words, inner->to)) continue;
    auto outer = op_before(library, words, sentence, of);
    const bool verb = !joined && word_at(words, of - 1,
                                         {"take", "taking", "flip", "reverse", "gather", "roll", "shift", "scale",
                                          "sort", "normalize", "permute", "swap"});
    if (verb && !outer) outer = InnerPart{of - 1, of, words[of - 1].text};
    const bool adjective = joined || verb ||
                           word_at(words, of - 1,
                                   {"maximum", "minimum", "mean", "average", "largest", "smallest", "highest", "lowest",
                                    "biggest", "greatest"});
    if (!outer || !adjective) continue;
    InnerFirst out;
    const bool line = axis->text == "row" || axis->text == "column";
    out.statistic = line ? axis->text + " " + inner->text : inner->text + " over the " + axis->text + " dimension";
    const bool take = verb && word_at(words, of - 1, {"take", "taking"});  // nothing is done with them
    std::string then = take ? std::string() : ", then " + outer->text;
    std::size_t front = outer->from;
    while (front > 0 && word_at(words, front - 1, {"the"})) --front;
    while (front > 1 && word_at(words, front - 1, {"of"})) {  // "the root of the maximum of the column sums"
      const auto more = op_before(library, words, sentence, front - 1);
      if (!more) break;
      then += ", then " + more->text;
      front = more->from;
      while (front > 0 && word_at(words, front - 1, {"the"})) --front;
    }
    const bool asks = only_asks(words, front), behind = front > 0 && word_at(words, front - 1, {"then", ",", ":"});
    const std::size_t end = subject_end(words, inner->to);
    const bool more = std::any_of(words.begin() + static_cast<std::ptrdiff_t>(inner->to),
                                  words.begin() + static_cast<std::ptrdiff_t>(end), [](const Token& t) {
                                    static const std::set<std::string> joins = {"and",     "plus", "minus", "times",
                                                                                "divided", "with", "or"};
                                    return joins.count(t.text) != 0;
                                  });
    if (more || !(asks || behind)) return out;
    const std::size_t from = asks ? 0 : words[front].span.begin, to = words[inner->to - 1].span.end;
    const std::size_t stop = end < words.size() ? words[end].span.begin : sentence.size();
    const std::string subject(sentence.substr(to, stop - to));
    const std::string gap = end < words.size() && words[end].text != "," ? " " : "";
    std::string text = out.statistic + subject;
    while (!text.empty() && (text.back() == ' ' || text.back() == '.')) text.pop_back();
    out.chain.emplace(sentence, std::vector<Edited::Edit>{{{from, stop}, text + then + gap, "as " + text + then}});
    return out;
  }
  return std::nullopt;
}

}  // namespace ww::op
