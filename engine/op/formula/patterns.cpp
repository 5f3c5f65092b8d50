// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>
#include "op/formula/reading.h"

namespace ww::op::formula {
namespace {

using phrases::Entry;
using phrases::Sort;
using phrases::split_list;

struct Operands {
  std::vector<std::string> names;
  std::size_t count = 0;
};

class Matcher {
 public:
  Matcher(const Library& library, const std::vector<TextToken>& tokens, std::string_view sentence)
      : library_(library), tokens_(tokens), sentence_(sentence) {}

  // The end of the pattern at `at`, or 0.
  std::size_t match(const Pattern& pattern, std::size_t at) {
    operands = {};
    numbers.clear();
    rest.clear();
    for (const std::string& part : pattern.words) {
      std::size_t next = at;
      if (part == "{operands}")
        next = take_operands(at);
      else if (part == "{each}")
        next = take_each(at);
      else if (part == "{n}")
        next = take_number(at);
      else if (part == "{shape}")
        next = take_shape(at);
      else if (part == "{matrices}")
        next = take_matrices(at);
      else
        next = take_word(part, at);
      if (next == none) return 0;
      at = next;
    }
    return at;
  }
  Operands operands;
  std::vector<std::string> numbers;
  std::vector<std::pair<std::size_t, std::size_t>> rest;

 private:
  static constexpr std::size_t none = static_cast<std::size_t>(-1);
  bool is(std::size_t i, std::string_view word) const { return i < tokens_.size() && tokens_[i].text == word; }

  std::size_t take_word(std::string_view part, std::size_t from) const {
    std::size_t at = from;
    if (part != "the" && is(at, "the")) ++at;
    const bool optional = part[0] == '?';
    if (optional) part.remove_prefix(1);
    for (const std::string& word : split_list(part, '/'))
      if (at < tokens_.size() && tokens_[at].text == phrases::fold(word)) return at + 1;
    return optional ? from : none;
  }
  std::size_t take_number(std::size_t at) {
    if (at >= tokens_.size() || tokens_[at].kind != TextKind::number) return none;
    static const std::set<std::string> counted = {"x",     "by",    "float",  "double", "half", "element",
                                                  "entry", "value", "number", "item",   "int"};
    if (at + 1 < tokens_.size() &&
        (counted.count(tokens_[at + 1].text) || phrases::is_tensor_noun(tokens_[at + 1].text)))
      return none;  // "add 1024 floats"
    char buffer[40];
    numbers.emplace_back(buffer, std::to_chars(buffer, buffer + sizeof buffer, tokens_[at].number).ptr);
    return at + 1;
  }
  // 128x256 or [128, 256], left to the tail.
  std::size_t take_shape(std::size_t at) {
    std::size_t i = at;
    if (is(i, "[") || is(i, "(")) {
      while (i < tokens_.size() && !is(i, "]") && !is(i, ")")) ++i;
      if (i == tokens_.size()) return none;
      ++i;
    } else {
      if (i >= tokens_.size() || tokens_[i].kind != TextKind::number) return none;
      while (i + 2 < tokens_.size() && is(i + 1, "x") && tokens_[i + 2].kind == TextKind::number) i += 2;
      if (i == at) return none;
      ++i;
    }
    rest.emplace_back(at, i);
    return i;
  }
  std::size_t take_matrices(std::size_t at) {
    const std::size_t end = take_operands(at);
    if (end == none || operands.count != 2 || rest.empty()) return none;
    const std::string& noun = tokens_[rest.back().second - 1].text;
    return noun == "matrix" || noun == "matrice" ? end : none;
  }

  // "of each element", "of a tensor", "of x", "every element"; may be absent.
  std::size_t take_each(std::size_t at) {
    std::size_t i = at;
    static const std::set<std::string> links = {"of", "to", "by", "from", "de"};
    static const std::set<std::string> all = {"each",  "every", "all",   "the",    "a",    "an",
                                              "jedem", "jede",  "jeder", "chaque", "cada", "jedes"};
    while (i < tokens_.size() && links.count(tokens_[i].text)) ++i;
    std::size_t j = i;
    while (j < tokens_.size() && all.count(tokens_[j].text)) ++j;
    if (j > i && j < tokens_.size()) {
      const std::string& noun = tokens_[j].text;
      static const std::set<std::string> elements = {"element", "entry",    "value",    "number", "item",
                                                     "élément", "elemento", "elemente", "pixel"};
      if (elements.count(noun)) return of_tensor(j + 1);
      if (phrases::is_tensor_noun(noun)) {
        rest.emplace_back(j, j + 1);  // a vector has one dimension
        return j + 1;
      }
    }
    if (is(i, "x") || is(i, "elementwise")) return i + 1;
    return at;
  }

  // "(each element) of the input"
  std::size_t of_tensor(std::size_t at) const {
    std::size_t i = at;
    if (!is(i, "of") && !is(i, "in")) return at;
    for (++i; is(i, "the") || is(i, "a") || is(i, "an");) ++i;
    return i < tokens_.size() && (phrases::is_tensor_noun(tokens_[i].text) || tokens_[i].text == "x") ? i + 1 : at;
  }

  bool is_name(std::size_t i) const {
    if (i >= tokens_.size() || tokens_[i].kind != TextKind::word) return false;
    return tokens_[i].text.size() == 1 && tokens_[i].text[0] >= 'a' && tokens_[i].text[0] <= 'z';
  }
  std::string name_at(std::size_t i) const {
    return std::string(sentence_.substr(tokens_[i].span.begin, tokens_[i].span.end - tokens_[i].span.begin));
  }
  // "a and b", "a, b and c", "A by B"
  std::size_t take_names(std::size_t at) {
    std::vector<std::string> names;
    std::size_t i = at;
    bool plus = false, other = false;
    while (is_name(i)) {
      names.push_back(name_at(i));
      ++i;
      (is(i, "plus") ? plus : other) |= is_name(i + 1);
      if (is(i, ",") && (is_name(i + 1) || is(i + 1, "and"))) {
        ++i;
        if (is(i, "and")) ++i;
      } else if ((is(i, "and") || is(i, "by") || is(i, "with") || is(i, "plus") || is(i, "to") || is(i, "und")) &&
                 is_name(i + 1)) {
        ++i;
      } else {
        break;
      }
    }
    if (names.size() < 2 || (plus && other)) return none;  // "the square of a and b plus c"
    operands.names = names;
    operands.count = names.size();
    return i;
  }

  std::size_t counted(std::size_t at) const {
    if (at >= tokens_.size()) return 0;
    if (tokens_[at].kind == TextKind::number && tokens_[at].number >= 2 && tokens_[at].number <= 8 &&
        tokens_[at].number == std::floor(tokens_[at].number) && !is(at + 1, "x") && !is(at + 1, "by"))
      return static_cast<std::size_t>(tokens_[at].number);
    const phrases::Match m = library_.vocabulary().match(tokens_, at);
    if (m.entries && m.count == 1)
      for (const Entry& e : *m.entries)
        if (e.sort == Sort::number && e.value.size() == 1) return static_cast<std::size_t>(e.value[0] - '0');
    return 0;
  }

  std::size_t take_operands(std::size_t at) {
    std::size_t i = at;
    while (is(i, "of") || is(i, "between") || is(i, "the") || is(i, "von") || is(i, "de") || is(i, "together") ||
           is(i, "entre"))
      ++i;
    if (const std::size_t end = take_names(i); end != none) return end;
    const std::size_t count = counted(i);
    if (count < 2) return none;
    std::size_t noun = i + 1;
    static const std::set<std::string> links = {"to",  "from", "with", "each",  "every",
                                                "the", "all",  "and",  "times", "then"};  // "add 2 to the matrix"
    while (noun < tokens_.size() && noun < i + 14 && !phrases::is_tensor_noun(tokens_[noun].text) &&
           !links.count(tokens_[noun].text))
      ++noun;
    if (noun >= tokens_.size() || !phrases::is_tensor_noun(tokens_[noun].text)) return none;
    operands.count = count;
    rest.emplace_back(i + 1, noun + 1);
    std::size_t end = noun + 1;
    if ((is(end, "and") || is(end, "with") || is(end, "plus")) && (counted(end + 1) > 0 || is(end + 1, "a")) &&
        !is_name(end + 1))
      return none;  // "three arrays and two vectors"
    Operands kept = operands;
    if (const std::size_t named = take_names(end); named != none && operands.count == count) return named;
    operands = kept;
    return end;
  }

  const Library& library_;
  const std::vector<TextToken>& tokens_;
  std::string_view sentence_;
};

std::string joined(const std::vector<std::string>& names, std::string_view sign) {
  std::string out;
  for (const std::string& n : names) out += (out.empty() ? "" : std::string(sign)) + n;
  return out;
}
std::string nested(const std::vector<std::string>& names, const std::string& function) {
  std::string out = names[0];
  for (std::size_t i = 1; i < names.size(); ++i) out = function + "(" + out + ", " + names[i] + ")";
  return out;
}

// The formula with its operands; empty where it needs another number of them.
std::string filled(std::string formula, const Matcher& m) {
  std::vector<std::string> names = m.operands.names;
  for (std::size_t i = names.size(); i < m.operands.count; ++i) names.emplace_back(1, static_cast<char>('a' + i));
  const bool any = formula.find('{') != std::string::npos;
  if (!any && !names.empty() && names.size() != 2) return {};
  const auto put = [&](const std::string& what, const std::string& with) {
    for (std::size_t at = 0; (at = formula.find(what, at)) != std::string::npos; at += with.size())
      formula.replace(at, what.size(), with);
  };
  if (!names.empty()) {
    put("{+}", joined(names, " + "));
    put("{*}", joined(names, " * "));
    put("{max}", nested(names, "max"));
    put("{min}", nested(names, "min"));
    put("{count}", std::to_string(names.size()));
    put("$1", names[0]);
    if (names.size() > 1) put("$2", names[1]);
  }
  for (std::size_t i = 0; i < m.numbers.size(); ++i)
    put(i == 0 ? "$n" : i == 1 ? "$m" : "$k", m.numbers[i][0] == '-' ? "(" + m.numbers[i] + ")" : m.numbers[i]);
  return formula;
}

}  // namespace

std::size_t lead(const Library& library, const std::vector<TextToken>& tokens, std::size_t at) {
  const phrases::Match m = library.vocabulary().match(tokens, at);
  const bool filler = m.entries && std::any_of(m.entries->begin(), m.entries->end(),
                                               [](const Entry& e) { return e.sort == Sort::filler; });
  return filler ? m.count : 0;
}

std::optional<Phrase> match_pattern(const Library& library, const Tables& tables, const std::vector<TextToken>& tokens,
                                    std::string_view sentence) {
  Matcher matcher(library, tokens, sentence);
  std::optional<Phrase> best;
  for (std::size_t at = 0, words = 0; at < tokens.size(); at += words) {
    for (const Pattern& p : tables.patterns) {
      const std::size_t end = matcher.match(p, at);
      if (end == 0 || (best && best->to >= end)) continue;
      const std::string formula = filled(p.formula, matcher);
      if (formula.empty()) continue;
      best = Phrase{formula, at, end, matcher.rest};
      best->rest.emplace_back(end, tokens.size());
    }
    words = lead(library, tokens, at);
    if (best || words == 0) break;
  }
  return best;
}

}  // namespace ww::op::formula
