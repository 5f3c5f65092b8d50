// SPDX-License-Identifier: Apache-2.0
#include "op/sentence/steps.h"
#include <algorithm>
#include <set>
#include <string>
#include <vector>
#include "op/sentence/phrasebook_words.h"
#include "op/sentence/rewriting.h"

namespace ww::op {
namespace {

using phrases::Token;

constexpr std::size_t most_clauses = 8, longest_result = 600;

// The text between commas and "then", and between "and" where `at_and`.
std::vector<std::string> clauses_of(std::string_view sentence, bool at_and) {
  const std::vector<Token> tokens = phrases::tokenise(sentence);
  std::vector<std::string> out;
  int depth = 0;
  std::size_t begin = 0;
  const auto cut = [&](std::size_t end, std::size_t next) {
    if (end > begin)
      out.emplace_back(sentence.substr(tokens[begin].span.begin, tokens[end - 1].span.end - tokens[begin].span.begin));
    begin = next;
  };
  const auto is = [&](std::size_t i, std::string_view text) { return i < tokens.size() && tokens[i].text == text; };
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (is(i, "(") || is(i, "[")) ++depth;
    if (is(i, ")") || is(i, "]")) --depth;
    if (depth > 0) continue;
    std::size_t next = i;
    if (is(next, ",") || is(next, ";") || is(next, ">") || is(next, "→")) ++next;
    if (is(next, "and") && (at_and || next > i || is(next + 1, "then"))) ++next;
    if (is(next, "then") || is(next, "finally")) ++next;
    if (is(next, "followed") && is(next + 1, "by")) next += 2;
    if (next == i) continue;
    cut(i, next);
    i = next - 1;
  }
  std::size_t end = tokens.size();
  if (end > begin && is(end - 1, ".")) --end;
  cut(end, end);
  return out;
}

class Steps {
 public:
  explicit Steps(const Library& library) : library_(library) {}

  // False: the step is not known, or does not fit the ones before.
  bool add(const std::string& step) {
    const std::optional<std::string> rule = matching_rule(library_, library_.vocabulary().tables().steps, step);
    if (!rule) return false;
    std::string_view text = *rule;
    const auto marked = [&](std::string_view mark) {
      if (!text.starts_with(mark)) return false;
      text.remove_prefix(mark.size());
      return true;
    };
    const bool first = marked("first: "), rows = marked("row: "), reduces = marked("reduce: ");
    if ((first && !result_.empty()) || (rows && reduced_)) return false;
    reduced_ = reduced_ || reduces;
    return put(std::string(text));
  }
  // Whether a name that the sentence gives is one of those given here.
  bool clashes(const std::vector<Token>& tokens) const {
    return std::any_of(tokens.begin(), tokens.end(), [&](const Token& t) { return names_.count(t.text) != 0; });
  }
  std::string formula() const { return equations_ + (equations_.empty() ? "" : "y = ") + result_ + facts_; }

 private:
  // The rule's formula with the result so far and names for new tensors.
  bool put(std::string text) {
    if (const std::size_t colon = text.rfind(": "); colon != std::string::npos) {  // "..., V: 128x64"
      const std::size_t comma = text.rfind(", ", colon);
      facts_ += text.substr(comma);
      text.resize(comma);
    }
    if (result_.empty() && text.find('%') != std::string::npos) {
      result_ = "x";
      names_.insert(result_);
    }
    const bool twice = std::count(text.begin(), text.end(), '%') > 1;
    if (twice && result_.size() > 1) {
      const std::string name = "t" + std::to_string(++temporaries_);
      equations_ += name + " = " + result_ + "; ";
      result_ = *names_.insert(name).first;
      names_.insert("y");
    }
    std::string out;
    for (const char c : text) out += c == '%' ? result_ : c == '&' ? fresh() : std::string(1, c);
    result_ = std::move(out);
    return formula().size() <= longest_result;
  }
  std::string fresh() { return *names_.insert(std::string(1, static_cast<char>('c' + tensors_++))).first; }

  const Library& library_;
  std::string equations_, result_, facts_;
  std::set<std::string> names_;
  bool reduced_ = false;
  int temporaries_ = 0, tensors_ = 0;
};

}  // namespace

static std::optional<Edited> as_formula(const Library& library, std::string_view sentence, bool at_and) {
  const std::vector<std::string> steps = clauses_of(sentence, at_and);
  if (steps.size() < 2 || steps.size() > most_clauses) return std::nullopt;
  Steps out(library);
  for (const std::string& step : steps)
    if (!out.add(step)) return std::nullopt;
  if (out.clashes(phrases::tokenise(sentence))) return std::nullopt;
  return Edited(sentence,
                {{{0, sentence.size()}, out.formula(), "steps, each of the result before: " + out.formula()}});
}

std::optional<Edited> steps_as_formula(const Library& library, std::string_view sentence) {
  auto out = as_formula(library, sentence, false);
  return out ? std::move(out) : as_formula(library, sentence, true);
}

}  // namespace ww::op
