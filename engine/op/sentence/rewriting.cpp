// SPDX-License-Identifier: Apache-2.0
#include "op/sentence/rewriting.h"
#include <algorithm>
#include <cctype>
#include <functional>
#include "op/sentence/phrasebook_words.h"

namespace ww::op {
namespace {

using phrases::Token;

using formula::RulePart;
using formula::RuleParts;
using PartKind = RulePart::Kind;

class Matcher {
 public:
  Matcher(const Library& library, const formula::Rules& rules, std::string_view sentence,
          const std::vector<Token>& tokens)
      : library_(library), rules_(rules), sentence_(sentence), tokens_(tokens) {}

  // The end of the rule's words at `at`; 0 if they do not match.
  std::size_t match(const formula::Rule& rule, std::size_t at) {
    slots.clear();
    shapes_.clear();
    if (steps_ > most_steps) return 0;
    std::size_t end = 0;
    const bool found = run(rule.parts, 0, at, [&](std::size_t to) {
      end = to;
      return to > at;
    });
    return found ? end : 0;
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
    for (const std::string& shape : shapes_)
      if (!out.empty() && out.find(shape) == std::string::npos)
        out += (out.find_first_of("*/=([") == std::string::npos ? " " : ", x ") + shape;
    return out;
  }

  std::vector<std::string> slots;

 private:
  using Then = std::function<bool(std::size_t)>;
  static constexpr std::size_t none = static_cast<std::size_t>(-1);
  static constexpr std::size_t most_steps = 20000;  // per sentence

  const std::string& text(std::size_t i) const {
    static const std::string nothing;
    return i < tokens_.size() ? tokens_[i].text : nothing;
  }
  std::string written(std::size_t from, std::size_t to) const {
    return std::string(sentence_.substr(tokens_[from].span.begin, tokens_[to - 1].span.end - tokens_[from].span.begin));
  }
  bool number(std::size_t i) const { return i < tokens_.size() && tokens_[i].kind == Token::Kind::number; }

  // Whether parts[i] and the later ones match at `at`, and `then` holds at their end. Greedy.
  bool run(const RuleParts& parts, std::size_t i, std::size_t at, const Then& then) {
    if (++steps_ > most_steps) return false;
    if (i == parts.size()) return then(at);
    const RulePart& p = parts[i];
    const auto next = [&](std::size_t to) {
      return (p.repeated && to > at && run(parts, i, to, then)) || run(parts, i + 1, to, then);
    };
    const std::size_t held = slots.size();
    if (one(p, at, next)) return true;
    slots.resize(held);
    return p.optional && run(parts, i + 1, at, then);
  }

  template <typename Next>
  bool one(const RulePart& p, std::size_t at, const Next& next) {
    if (p.kind == PartKind::begin) return at == 0 && next(at);
    if (p.kind == PartKind::end) return at == tokens_.size() && next(at);
    if (p.kind == PartKind::present) return holds(p.words) && next(at);
    if (p.kind == PartKind::group) {
      const std::size_t slot = slots.size();
      if (p.slot) slots.emplace_back();
      const Then after = [&](std::size_t to) {
        if (p.slot) slots[slot] = to > at ? written(at, to) : std::string();
        return next(to);
      };
      for (const RuleParts& alternative : rules_.group(p.group)) {
        if (run(alternative, 0, at, after)) return true;
        slots.resize(slot + (p.slot ? 1 : 0));
      }
      return false;
    }
    if (p.kind == PartKind::word) {
      const std::size_t end = word(p.words, at);
      return end != none && next(end);
    }
    if (text(at) == "the" && p.kind != PartKind::any_word) ++at;
    const std::size_t end = slot_end(p.kind, at);
    if (end == none) return false;
    if (p.slot) slots.push_back(written(at, end));
    if (p.slot || p.kind != PartKind::shape) return next(end);
    shapes_.push_back(written(at, end));
    if (next(end)) return true;
    shapes_.pop_back();
    return false;
  }

  bool holds(const std::vector<std::string>& words) const {
    return std::any_of(tokens_.begin(), tokens_.end(), [&](const Token& t) { return is_one(t.text, words); });
  }
  static bool is_one(const std::string& text, const std::vector<std::string>& words) {
    return std::find(words.begin(), words.end(), text) != words.end();
  }

  std::size_t word(const std::vector<std::string>& words, std::size_t at) const {
    if (at < tokens_.size() && is_one(tokens_[at].text, words)) return at + 1;
    return text(at) == "the" && at + 1 < tokens_.size() && is_one(tokens_[at + 1].text, words) ? at + 2 : none;
  }

  std::size_t slot_end(PartKind kind, std::size_t at) const {
    if (kind == PartKind::number && number(at) && !(text(at + 1) == "x" && number(at + 2))) return at + 1;
    if (kind == PartKind::shape) return shape(at);
    if (kind == PartKind::name && is_name(at)) return at + 1;
    if (kind == PartKind::ident && is_ident(at)) return at + 1;
    if (kind == PartKind::any_word && at < tokens_.size() && tokens_[at].kind == Token::Kind::word) return at + 1;
    if (kind == PartKind::size) return number(at) ? at + 1 : size_name(at);
    return none;
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

  // A letter, or a word without another meaning.
  bool is_name(std::size_t i) const {
    if (i >= tokens_.size() || tokens_[i].kind != Token::Kind::word) return false;
    if (tokens_[i].text.size() == 1) return std::isalpha(static_cast<unsigned char>(tokens_[i].text[0])) != 0;
    return library_.vocabulary().match(tokens_, i).entries == nullptr;
  }
  // A letter, "mat2", or a word for a tensor in formulas.
  bool is_ident(std::size_t i) const {
    if (i >= tokens_.size()) return false;
    const std::vector<std::string>& known = library_.vocabulary().tables().tensors;
    const std::string& own = tokens_[i].text;
    const auto is = [&](const std::string& k) {  // "scores" is folded to "score"
      return k == own || (k.size() == own.size() + 1 && k.back() == 's' && k.starts_with(own));
    };
    if (std::any_of(known.begin(), known.end(), is)) return true;
    return is_name(i) && (text(i).size() == 1 || std::isdigit(static_cast<unsigned char>(text(i).back())));
  }
  std::size_t size_name(std::size_t i) const {
    if (i >= tokens_.size() || tokens_[i].kind != Token::Kind::word || tokens_[i].text.size() != 1) return none;
    return std::isalpha(static_cast<unsigned char>(tokens_[i].text[0])) ? i + 1 : none;
  }

  const Library& library_;
  const formula::Rules& rules_;
  std::string_view sentence_;
  const std::vector<Token>& tokens_;
  std::size_t steps_ = 0;
  std::vector<std::string> shapes_;  // in the match, outside slots
};

// "94_MSELoss": where the name begins; 0 if there is no number.
std::size_t behind_task_number(std::string_view sentence) {
  std::size_t i = 0;
  while (i < sentence.size() && std::isdigit(static_cast<unsigned char>(sentence[i]))) ++i;
  const bool name = i > 0 && i < 5 && i + 1 < sentence.size() && sentence[i] == '_' &&
                    std::isalpha(static_cast<unsigned char>(sentence[i + 1]));
  return name ? i + 1 : 0;
}

// Splits the unknown word "GlobalAvgPool" into the known phrase "Global Avg Pool".
std::optional<std::string> camel_parts(const Library& library, std::string_view written) {
  std::string apart;
  for (std::size_t i = 0; i < written.size(); ++i) {
    const auto upper = [&](std::size_t k) { return std::isupper(static_cast<unsigned char>(written[k])) != 0; };
    const auto lower = [&](std::size_t k) { return std::islower(static_cast<unsigned char>(written[k])) != 0; };
    if (i > 0 && upper(i) && lower(i - 1)) apart += ' ';
    apart += written[i];
  }
  if (apart.size() == written.size()) return std::nullopt;
  const std::vector<Token> tokens = phrases::tokenise(apart);
  for (std::size_t at = 0; at < tokens.size();) {
    const phrases::Match m = library.vocabulary().match(tokens, at);
    if (!m.entries) return std::nullopt;
    at += m.count;
  }
  return apart;
}

// "3x3 convolution, same padding" of stride 1: the padding that keeps the size, if there is one odd window.
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

// Applies the longest rule at each position, from the beginning.
struct Found {
  std::size_t end = 0;
  const formula::Rule* rule = nullptr;
  std::string text;
};
Found longest_at(const formula::Rules& rules, Matcher& matcher, const std::vector<Token>& tokens, std::size_t at) {
  Found best;
  const std::size_t word = tokens[at].text == "the" && at + 1 < tokens.size() ? at + 1 : at;
  for (const std::uint32_t i : rules.beginning_with(tokens[word].text)) {
    const formula::Rule& rule = rules.rules()[i];
    const std::size_t end = matcher.match(rule, at);
    if (end > best.end) best = {end, &rule, matcher.filled(rule.text)};
  }
  return best;
}

constexpr std::size_t most_tokens = 400;

// The text for `span`, apart from the words around it: "conv2d, bias" is not "conv2dthen bias".
std::string apart(std::string_view sentence, Span span, std::string text) {
  const auto in_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; };
  if (text.empty()) return text;
  if (span.begin > 0 && in_word(sentence[span.begin - 1]) && in_word(text.front())) text.insert(0, 1, ' ');
  if (span.end < sentence.size() && in_word(sentence[span.end]) && in_word(text.back())) text += ' ';
  return text;
}

}  // namespace

std::optional<Framed> framed(const Library& library, std::string_view sentence) {
  const std::vector<Token> tokens = phrases::tokenise(sentence);
  const formula::Rules& rules = library.vocabulary().tables().frames;
  if (tokens.size() > most_tokens || rules.rules().empty()) return std::nullopt;
  Matcher matcher(library, rules, sentence, tokens);
  std::vector<Edited::Edit> edits;
  std::vector<std::string> inputs, results;
  for (std::size_t at = 0; at < tokens.size();) {
    const Found found = longest_at(rules, matcher, tokens, at);
    if (!found.rule) {
      ++at;
      continue;
    }
    const Span span{tokens[at].span.begin, tokens[found.end - 1].span.end};
    using Says = formula::Rule::Says;
    if (found.rule->says == Says::words) {
      edits.push_back({span, found.text, "known words that change nothing"});
    } else {
      (found.rule->says == Says::inputs ? inputs : results).push_back(found.text);
      // The text before and behind is not to be read as one formula.
      const bool between = at > 0 && found.end < tokens.size();
      edits.push_back(
          {span, between ? "," : "", found.rule->says == Says::inputs ? "what the inputs are" : "what the result is"});
    }
    at = found.end;
  }
  if (edits.empty()) return std::nullopt;
  return Framed{Edited(sentence, std::move(edits)), std::move(inputs), std::move(results)};
}

std::optional<Filled> filled_in(const Library& library, std::string_view sentence) {
  const std::vector<Token> tokens = phrases::tokenise(sentence);
  const formula::Rules& rules = library.vocabulary().tables().blanks;
  if (tokens.size() > most_tokens || rules.rules().empty()) return std::nullopt;
  Matcher matcher(library, rules, sentence, tokens);
  std::vector<Edited::Edit> edits;
  std::vector<std::string> texts;
  for (std::size_t at = 0; at < tokens.size();) {
    const Found found = longest_at(rules, matcher, tokens, at);
    if (found.rule) {
      texts.push_back(found.text);
      edits.push_back({{tokens[at].span.begin, tokens[found.end - 1].span.end}, found.text, {}});
    }
    at = found.rule ? found.end : at + 1;
  }
  if (edits.empty()) return std::nullopt;
  return Filled{Edited(sentence, std::move(edits)).text(), std::move(texts)};
}

std::optional<Edited> rewritten(const Library& library, std::string_view sentence) {
  const std::vector<Token> tokens = phrases::tokenise(sentence);
  const formula::Rules& rules = library.vocabulary().tables().rewrites;
  if (tokens.size() > most_tokens || rules.rules().empty()) return std::nullopt;
  Matcher matcher(library, rules, sentence, tokens);
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
    const Found found = longest_at(rules, matcher, tokens, at);
    if (!found.rule) {
      const Span span = tokens[at].span;
      if (tokens[at].kind == Token::Kind::word && !library.vocabulary().match(tokens, at).entries)
        if (auto parts = camel_parts(library, sentence.substr(span.begin, span.end - span.begin)))
          edits.push_back({span, std::move(*parts), {}});
      ++at;
      continue;
    }
    const Span span{tokens[at].span.begin, tokens[found.end - 1].span.end};
    edits.push_back({span, apart(sentence, span, found.text), "known words that change nothing"});
    at = found.end;
  }
  if (edits.empty()) return std::nullopt;
  return Edited(sentence, std::move(edits));
}

std::optional<std::string> matching_rule(const Library& library, const formula::Rules& rules, std::string_view words) {
  const std::vector<Token> tokens = phrases::tokenise(words);
  if (tokens.empty() || tokens.size() > most_tokens) return std::nullopt;
  Matcher matcher(library, rules, words, tokens);
  const std::size_t word = tokens[0].text == "the" && tokens.size() > 1 ? 1 : 0;
  for (const std::uint32_t i : rules.beginning_with(tokens[word].text)) {
    const formula::Rule& rule = rules.rules()[i];
    if (matcher.match(rule, 0) == tokens.size()) return matcher.filled(rule.text);
  }
  return std::nullopt;
}

std::optional<RuleAt> rule_at(const Library& library, const formula::Rules& rules, std::string_view sentence,
                              const std::vector<Token>& tokens, std::size_t at) {
  if (tokens.size() > most_tokens) return std::nullopt;
  Matcher matcher(library, rules, sentence, tokens);
  Found found = longest_at(rules, matcher, tokens, at);
  if (!found.rule) return std::nullopt;
  return RuleAt{found.end, std::move(found.text)};
}

}  // namespace ww::op
