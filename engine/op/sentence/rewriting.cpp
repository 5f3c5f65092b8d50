// SPDX-License-Identifier: Apache-2.0
#include "op/sentence/rewriting.h"
#include <algorithm>
#include <cctype>
#include "op/sentence/phrasebook_words.h"

namespace ww::op {
namespace {

using phrases::Token;

class Matcher {
 public:
  Matcher(const Library& library, std::string_view sentence, const std::vector<Token>& tokens)
      : library_(library), sentence_(sentence), tokens_(tokens) {}

  // The end of the rule's words at `at`; 0 where they do not stand there.
  std::size_t match(const formula::Rewrite& rule, std::size_t at) {
    slots.clear();
    const std::size_t from = at;
    for (const std::string& part : rule.words) {
      if (part == "^") {
        if (at != 0) return 0;
        continue;
      }
      if (part.starts_with("{with:")) {
        if (!holds(std::string_view(part).substr(6, part.size() - 7))) return 0;
        continue;
      }
      if (part == "$") {
        if (at != tokens_.size()) return 0;
        continue;
      }
      std::size_t next = none;
      if (part[0] == '{')
        next = slot(part, at);
      else
        next = word(part, at);
      if (next == none) return 0;
      at = next;
    }
    return at > from ? at : 0;
  }

  std::string filled(const std::string& text) const {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
      const std::size_t n = text[i] == '$' && i + 1 < text.size() ? static_cast<std::size_t>(text[i + 1] - '1') : none;
      if (n < slots.size()) {
        out += slots[n];
        ++i;
      } else {
        out += text[i];
      }
    }
    return out;
  }

  std::vector<std::string> slots;

 private:
  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  const std::string& text(std::size_t i) const {
    static const std::string nothing;
    return i < tokens_.size() ? tokens_[i].text : nothing;
  }
  std::string written(std::size_t from, std::size_t to) const {
    return std::string(sentence_.substr(tokens_[from].span.begin, tokens_[to - 1].span.end - tokens_[from].span.begin));
  }
  bool number(std::size_t i) const { return i < tokens_.size() && tokens_[i].kind == Token::Kind::number; }

  bool holds(std::string_view words) const {
    for (const std::string& w : phrases::split_list(words, '/')) {
      const std::string word = phrases::fold(w);
      if (std::any_of(tokens_.begin(), tokens_.end(), [&](const Token& t) { return t.text == word; })) return true;
    }
    return false;
  }

  std::size_t word(std::string_view part, std::size_t at) const {
    const bool optional = part[0] == '?';
    if (optional) part.remove_prefix(1);
    for (std::size_t i = at; i <= at + 1; ++i) {
      if (i < tokens_.size())
        for (const std::string& w : phrases::split_list(part, '/'))
          if (tokens_[i].text == w) return i + 1;
      if (text(i) != "the") break;  // passed over
    }
    return optional ? at : none;
  }

  std::size_t slot(const std::string& part, std::size_t at) {
    std::size_t end = none;
    if (text(at) == "the" && part != "{w}") ++at;
    if (part == "{n}" && number(at) && !(text(at + 1) == "x" && number(at + 2))) end = at + 1;
    if (part == "{shape}") end = shape(at);
    if (part == "{name}" && is_name(at)) end = at + 1;
    if (part == "{w}" && at < tokens_.size() && tokens_[at].kind == Token::Kind::word) end = at + 1;
    if (part == "{size}") end = number(at) ? at + 1 : size_name(at);
    if (end != none) slots.push_back(written(at, end));
    return end;
  }

  // 128x256 or [128, 256] or (B, T, D)
  std::size_t shape(std::size_t at) const {
    std::size_t i = at;
    if (text(i) == "(" || text(i) == "[") {
      for (++i; i < tokens_.size() && i < at + 20; ++i) {
        if (text(i) == ")" || text(i) == "]") return i > at + 1 ? i + 1 : none;
        if (tokens_[i].kind == Token::Kind::symbol && text(i) != ",") return none;
      }
      return none;
    }
    if (!number(i)) return none;
    while ((text(i + 1) == "x" || text(i + 1) == "by") && number(i + 2)) i += 2;
    return i > at ? i + 1 : none;
  }

  // A letter, or a word that says nothing else.
  bool is_name(std::size_t i) const {
    if (i >= tokens_.size() || tokens_[i].kind != Token::Kind::word) return false;
    if (tokens_[i].text.size() == 1) return std::isalpha(static_cast<unsigned char>(tokens_[i].text[0])) != 0;
    return library_.vocabulary().match(tokens_, i).entries == nullptr;
  }
  std::size_t size_name(std::size_t i) const {
    if (i >= tokens_.size() || tokens_[i].kind != Token::Kind::word || tokens_[i].text.size() != 1) return none;
    return std::isalpha(static_cast<unsigned char>(tokens_[i].text[0])) ? i + 1 : none;
  }

  const Library& library_;
  std::string_view sentence_;
  const std::vector<Token>& tokens_;
};

// "94_MSELoss": where the name begins; 0 where there is no number.
std::size_t behind_task_number(std::string_view sentence) {
  std::size_t i = 0;
  while (i < sentence.size() && std::isdigit(static_cast<unsigned char>(sentence[i]))) ++i;
  const bool name = i > 0 && i < 5 && i + 1 < sentence.size() && sentence[i] == '_' &&
                    std::isalpha(static_cast<unsigned char>(sentence[i + 1]));
  return name ? i + 1 : 0;
}

// "3x3 convolution, same padding" of stride 1: the padding that keeps the size, where one odd window is named.
std::optional<Edited::Edit> same_padding(const std::vector<Token>& tokens) {
  const auto is = [&](std::size_t i, std::string_view text) { return i < tokens.size() && tokens[i].text == text; };
  std::size_t from = tokens.size(), to = 0, window = 0;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (is(i, "stride") || is(i, "strided") || is(i, "dilation") || is(i, "dilated")) return std::nullopt;
    if (is(i, "same") && is(i + 1, "padding")) from = i, to = i + 2;
    if (is(i, "padding") && is(i + 1, "=") && is(i + 2, "same")) from = i, to = i + 3;
    if (is(i, "padding") && is(i + 1, "same")) from = i, to = i + 2;
    const auto number = [&](std::size_t k) { return k < tokens.size() && tokens[k].kind == Token::Kind::number; };
    std::size_t at = tokens.size();
    if (number(i) && is(i + 1, "x") && number(i + 2) && tokens[i].number == tokens[i + 2].number && !is(i + 3, "x") &&
        !(i > 0 && is(i - 1, "x")))
      at = i;
    if (is(i, "kernel")) at = number(i + 1) ? i + 1 : is(i + 1, "size") && number(i + 2) ? i + 2 : at;
    if (at == tokens.size() || tokens[at].number > 11) continue;
    const auto size = static_cast<std::size_t>(tokens[at].number);
    if (size % 2 == 0 || (window > 0 && window != size)) return std::nullopt;
    window = size;
  }
  if (to == 0 || window == 0) return std::nullopt;
  return Edited::Edit{
      {tokens[from].span.begin, tokens[to - 1].span.end}, "padding " + std::to_string((window - 1) / 2), {}};
}

}  // namespace

std::optional<Edited> rewritten(const Library& library, std::string_view sentence) {
  constexpr std::size_t most_tokens = 400;
  const std::vector<Token> tokens = phrases::tokenise(sentence);
  const std::vector<formula::Rewrite>& rules = library.vocabulary().tables().rewrites;
  if (tokens.size() > most_tokens || rules.empty()) return std::nullopt;
  Matcher matcher(library, sentence, tokens);
  std::vector<Edited::Edit> edits;
  const std::optional<Edited::Edit> same = same_padding(tokens);
  const std::size_t number = behind_task_number(sentence);
  if (number > 0) edits.push_back({{0, number}, {}, "the number of a task"});
  for (std::size_t at = 0; at < tokens.size();) {
    if (tokens[at].span.begin < number) {
      ++at;
      continue;
    }
    if (same && tokens[at].span.begin >= same->span.begin && tokens[at].span.begin < same->span.end) {
      if (tokens[at].span.begin == same->span.begin) edits.push_back(*same);
      ++at;
      continue;
    }
    std::size_t best = 0;
    std::string text;
    for (const formula::Rewrite& rule : rules) {
      const std::size_t end = matcher.match(rule, at);
      if (end <= best) continue;
      best = end;
      text = matcher.filled(rule.text);
    }
    if (best == 0) {
      ++at;
      continue;
    }
    const Span span{tokens[at].span.begin, tokens[best - 1].span.end};
    edits.push_back({span, text, "known words that change nothing"});
    at = best;
  }
  if (edits.empty()) return std::nullopt;
  return Edited(sentence, std::move(edits));
}

}  // namespace ww::op
