// SPDX-License-Identifier: Apache-2.0
#include "op/formula/reading.h"
#include <algorithm>
#include <cctype>
#include <set>
#include "base/ascii.h"
#include "op/formula/chains.h"

namespace ww::op::formula {
namespace {

constexpr std::size_t longest_formula = 4000;

// "ij,jk->ik", alone or in einsum(...): the statement, and where it ends. `named`: behind the word "einsum", where it
// may have spaces and no indices behind the arrow.
std::optional<Statement> einsum_in(std::string_view text, std::size_t begin, const Names& names, bool named) {
  const auto letter = [](char c) { return c >= 'a' && c <= 'z'; };
  if (begin < text.size() && (text[begin] == '\'' || text[begin] == '"')) {  // einsum 'ij,ij->i'
    auto inner = einsum_in(text, begin + 1, names, named);
    if (!inner || inner->next >= text.size() || text[inner->next] != text[begin]) return std::nullopt;
    ++inner->next;
    return inner;
  }
  std::size_t i = begin;
  bool comma = false;
  const auto part = [&](char c) { return letter(c) || c == ',' || (named && c == ' '); };
  for (; i < text.size() && part(text[i]); ++i) comma = comma || text[i] == ',';
  const bool bare = text.substr(i, 2) == "->" && i > begin && (comma || named || i - begin <= 6);
  if (bare) {
    std::size_t end = i + 2;
    if (named && end + 1 < text.size() && text[end] == ' ' && letter(text[end + 1])) ++end;
    while (end < text.size() && letter(text[end])) ++end;
    if (end == i + 2 && !named) return std::nullopt;
    Statement out = einsum_statement(std::string(text.substr(begin, end - begin)), {}, {begin, end});
    out.next = end;
    return out;
  }
  auto call = parse_statement(text, begin, names);
  if (!call || call->value.kind != Node::Kind::call || call->value.text != "einsum" || call->value.args.empty() ||
      call->value.args[0].kind != Node::Kind::word)
    return std::nullopt;
  std::vector<std::string> tensors;
  for (std::size_t k = 1; k < call->value.args.size(); ++k) tensors.push_back(call->value.args[k].text);
  Statement out = einsum_statement(call->value.args[0].text, tensors, call->span);
  out.next = call->next;
  return out;
}

// "batch_matmul einsum ij,jk->ik": the word in front of the letters.
std::size_t behind_word(std::string_view text, std::size_t begin, std::string_view word) {
  if (text.substr(begin, word.size()) != word) return begin;
  std::size_t i = begin + word.size();
  while (i < text.size() && (text[i] == ' ' || text[i] == ':')) ++i;
  return i;
}

// "square-root", "nt-xent", "smooth-l1", "z-score": one word, not a difference.
bool has_hyphen(const Tables& tables, std::string_view formula) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  const auto part = [&](char c) { return letter(c) || (c >= '0' && c <= '9'); };
  for (std::size_t at = formula.find('-'); at != std::string_view::npos; at = formula.find('-', at + 1)) {
    std::size_t left = 0, right = 0;
    while (left < at && part(formula[at - 1 - left])) ++left;
    while (at + 1 + right < formula.size() && part(formula[at + 1 + right])) ++right;
    const bool letters = left > 0 && letter(formula[at - left]) && right > 0 && letter(formula[at + 1]);
    const bool call = at + 1 + right < formula.size() && formula[at + 1 + right] == '(';
    if (letters && !call && ((left >= 2 && right >= 3) || (left >= 4 && right >= 2))) return true;
    if (letters && left >= 3 && right >= 3) return true;
    const std::string behind(formula.substr(at + 1, right));
    if (letters && !call && left == 1 && tables.hyphenated.count(ascii_lower(behind))) return true;
  }
  return false;
}

// "matmul (64, 32) x (32, 16)": an op and a shape, no call.
bool is_shape_behind_op(std::string_view sentence, const Statement& s) {
  const Node* first = &s.value;
  while (first->kind == Node::Kind::binary) first = &first->args[0];
  const Node& call = *first;
  if (call.kind != Node::Kind::call || call.exact || !call.named.empty() || call.args.size() < 2) return false;
  const bool sizes = std::all_of(call.args.begin(), call.args.end(),
                                 [](const Node& a) { return a.kind == Node::Kind::number && a.number >= 1; });
  const bool letters = std::all_of(call.args.begin(), call.args.end(), [](const Node& a) {
    return a.kind == Node::Kind::name && a.text.size() == 1 && a.text[0] < 'a';
  });
  const std::size_t bracket = sentence.find('(', s.span.begin);
  if (letters && bracket != std::string_view::npos && bracket > 0 && sentence[bracket - 1] == ' ') {
    const std::string_view rest = sentence.substr(std::min(s.next, sentence.size()));  // "matmul (M, K) by (K, N)"
    for (const std::string_view joint : {"by (", "and (", "times (", "x ("})
      if (rest.starts_with(joint)) return true;
  }
  return sizes && bracket != std::string_view::npos && bracket > 0 && sentence[bracket - 1] == ' ';
}

// Products of two names with this sign instead of '*'.
void with_sign(Node& n, const std::string& sign) {
  const auto name = [](const Node& x) {
    return x.kind == Node::Kind::name || (x.kind == Node::Kind::transpose && x.args[0].kind == Node::Kind::name);
  };
  if (n.kind == Node::Kind::binary && n.text == "*" && name(n.args[0]) && name(n.args[1])) n.text = sign;
  for (Node& a : n.args) with_sign(a, sign);
}

// The sentence with "element by element" and with "of matrices" in place of the signs that may mean either.
void offer_products(std::string_view sentence, Lowered& out) {
  if (out.unclear.empty()) return;
  static constexpr std::string_view signs[] = {"·", "⋅", "×", "∘", "*", "\\cdot", "\\times", "\\circ"};
  std::vector<Option> options;
  for (const auto& [sign, difference] : {std::pair("⊙", "element by element"), std::pair("@", "matrix product")}) {
    std::string text(sentence);
    for (auto span = out.unclear.rbegin(); span != out.unclear.rend(); ++span) {
      if (span->begin == span->end) text.insert(span->begin, " " + std::string(sign) + " ");  // no sign is written
      for (std::string_view written : signs) {
        const std::size_t at = text.find(written, span->begin);
        if (at == std::string::npos || at >= span->end) continue;
        text.replace(at, written.size(), " " + std::string(sign) + " ");
        break;
      }
    }
    options.push_back({text, difference});
  }
  out.options.insert(out.options.begin(), options.begin(), options.end());
}

// "C = A * B for A 128x64 and B 64x256": the only product that the given shapes fit. Nothing where both or none does.
std::optional<Lowered> product_that_fits(const Library& library, const Tables& tables, const Names& names,
                                         const Statement& s, const Facts& facts, const Lowered& open) {
  if (open.spec || open.unclear.empty() || facts.shapes.size() < 2) return std::nullopt;
  std::optional<Lowered> out;
  for (const char* sign : {"⊙", "@"}) {
    Statement one = s;
    with_sign(one.value, sign);
    Lowered lowered = lower(library, tables, names, one, facts);
    if (!lowered.spec) continue;
    if (out) return std::nullopt;
    out = std::move(lowered);
  }
  return out;
}

// Those that differ in the same way are made together: A^2 x + B^2 y.
void offer_insertions(std::string_view sentence, Lowered& out) {
  std::vector<Insertion> left = out.insertions;
  while (!left.empty()) {
    const std::string difference = left.front().difference;
    std::string text(sentence);
    std::stable_sort(left.begin(), left.end(), [](const Insertion& a, const Insertion& b) { return a.at > b.at; });
    for (const Insertion& i : left)
      if (i.difference == difference) text.replace(i.at, i.size, i.text);
    out.options.push_back({text, difference});
    std::erase_if(left, [&](const Insertion& i) { return i.difference == difference; });
  }
}

struct Found {
  Statement statement;
  std::size_t begin = 0;
};

std::optional<Found> find_statement(const Library& library, const Names& names, std::string_view sentence,
                                    const std::vector<phrases::Token>& tokens) {
  for (std::size_t at = 0, words = 0; at < tokens.size(); at += words) {
    std::size_t begin = at == 0 ? 0 : tokens[at].span.begin;
    while (begin < sentence.size() && (sentence[begin] == ' ' || sentence[begin] == '$')) ++begin;
    const std::size_t named = behind_word(sentence, begin, "einsum");
    for (const std::size_t from : {begin, named})
      if (auto e = einsum_in(sentence, from, names, from > begin)) return Found{std::move(*e), begin};
    auto s = parse_statement(sentence, begin, names);
    if (s && (is_shape_behind_op(sentence, *s) || is_abbreviation(library, sentence, *s))) return std::nullopt;
    const bool cut = s && s->value.kind == Node::Kind::negate &&  // "q-learning" without its letter
                     library.vocabulary().tables().hyphenated.count(s->value.args[0].text);
    if (s && s->operators > 0 && !cut &&
        !has_hyphen(library.vocabulary().tables(), sentence.substr(begin, s->next - begin)))
      return Found{std::move(*s), begin};
    words = tokens[at].text == ":" ? 1 : lead(library, tokens, at);
    const bool factor = words == 1 && at + 1 < tokens.size() && tokens[at + 1].text == "(" &&
                        sentence.substr(tokens[at].span.begin, 1) == "A";  // A (B + C)
    if (words == 0 || factor) break;
  }
  return std::nullopt;
}

void formula_words(std::string_view sentence, const Statement& s, std::size_t begin, std::vector<Word>& words) {
  Word w;
  std::size_t end = s.span.end > begin ? s.span.end : s.next;
  while (end > begin && sentence[end - 1] == ' ') --end;
  w.span = {begin, end};
  w.meaning = Meaning::op;
  w.text = std::string(sentence.substr(begin, end - begin));
  w.reading = s.indexed ? "a formula in index notation" : "a formula";
  words.push_back(std::move(w));
}

// The tokens of the pattern, without those that the tail reads.
void pattern_words(std::string_view sentence, const std::vector<phrases::Token>& tokens, const Phrase& phrase,
                   std::vector<Word>& words) {
  for (std::size_t i = phrase.from; i < phrase.to;) {
    const auto in_rest = [&](std::size_t k) {
      return std::any_of(phrase.rest.begin(), phrase.rest.end(),
                         [&](const auto& r) { return k >= r.first && k < r.second; });
    };
    std::size_t end = i;
    while (end < phrase.to && !in_rest(end)) ++end;
    if (end > i) {
      const Span span{tokens[i].span.begin, tokens[end - 1].span.end};
      words.push_back({span, Meaning::op, std::string(sentence.substr(span.begin, span.end - span.begin)),
                       "the formula " + phrase.formula});
    }
    i = end + 1;
  }
}

void settle(Reading& out, Tail& tail) {
  out.words.insert(out.words.end(), tail.words.begin(), tail.words.end());
  std::stable_sort(out.words.begin(), out.words.end(),
                   [](const Word& a, const Word& b) { return a.span.begin < b.span.begin; });
  out.unknown = tail.unknown;
  if (!tail.question.empty()) {
    out.lowered.spec.reset();
    out.lowered.question = tail.question;
  }
}

}  // namespace

void lead_words(std::string_view sentence, const std::vector<phrases::Token>& tokens, std::size_t end,
                std::vector<Word>& words) {
  for (const phrases::Token& t : tokens) {
    if (t.span.end > end) break;
    if (t.kind == phrases::Token::Kind::symbol) continue;
    words.push_back(
        {t.span, Meaning::filler, std::string(sentence.substr(t.span.begin, t.span.end - t.span.begin)), {}});
  }
}

namespace {

void tensor_names(const Node& n, std::set<std::string>& out) {
  if (n.kind == Node::Kind::name) out.insert(n.text);
  for (const Node& a : n.args) tensor_names(a, out);
}

// Whether a word only says that there is a tensor: "logits", "activations"; not "mask" or "bias".
bool is_plain_noun(const Library& library, const std::string& word) {
  const std::vector<phrases::Token> tokens = phrases::tokenise(word);
  const phrases::Match m = library.vocabulary().match(tokens, 0);
  return m.entries && m.count == tokens.size() && std::any_of(m.entries->begin(), m.entries->end(), [](const auto& e) {
           return e.sort == phrases::Sort::filler;
         });
}

// "softmax with temperature 0.5 on logits [16, 1000]": the noun is the only tensor of the formula, which the words do
// not name.
void noun_for_tensor(const Library& library, const std::vector<phrases::Token>& tokens, const Node& formula,
                     Facts& facts) {
  std::set<std::string> names;
  tensor_names(formula, names);
  if (names.size() != 1 || facts.shapes.size() != 1) return;
  const std::string own = *names.begin(), noun = facts.shapes.begin()->first;
  const bool named = std::any_of(tokens.begin(), tokens.end(), [&](const auto& t) { return t.text == own; });
  if (named || noun.size() < 3 || !is_plain_noun(library, noun)) return;
  const Shape shape = facts.shapes.begin()->second;
  facts.shapes = {{own, shape}};
}

// "cosine matrix": all words of the pattern are the name of an op that takes more tensors than its formula has.
bool is_name(const Library& library, const Names& names, const std::vector<phrases::Token>& tokens,
             const Phrase& phrase) {
  const phrases::Match m = library.vocabulary().match(tokens, phrase.from);
  if (!m.entries || m.count < 2 || m.count < phrase.to - phrase.from) return false;
  std::set<std::string> tensors;
  if (const auto s = parse_statement(phrase.formula, 0, names)) tensor_names(s->value, tensors);
  return std::any_of(m.entries->begin(), m.entries->end(), [&](const phrases::Entry& e) {
    return e.sort == phrases::Sort::op && library.ops()[e.op].spec.inputs.size() > tensors.size();
  });
}

// Words that stand for a formula. Nothing where something beside them is not understood.
std::optional<Reading> read_phrase(const Library& library, const Tables& tables, const Names& names,
                                   std::string_view sentence, const std::vector<phrases::Token>& tokens,
                                   const Phrase& phrase) {
  Tail tail;
  for (const auto& [from, to] : phrase.rest) read_tail(library, tables, sentence, tokens, from, to, tail);
  if (tail.names_op || !tail.unknown.empty()) return std::nullopt;
  const auto s = parse_statement(phrase.formula, 0, names);
  if (!s || s->next < phrase.formula.size()) return std::nullopt;
  noun_for_tensor(library, tokens, s->value, tail.facts);
  name_product_sizes(*s, tail.facts);
  Reading out;
  out.lowered = lower(library, tables, names, *s, tail.facts);
  lead_words(sentence, tokens, tokens[phrase.from].span.begin, out.words);
  pattern_words(sentence, tokens, phrase, out.words);
  settle(out, tail);
  return out;
}

// Arithmetic in words that may be read in several ways.
void ask_which(std::string_view sentence, const std::vector<phrases::Token>& tokens, const Prose& prose, Reading& out) {
  const std::size_t from = tokens[prose.from].span.begin, to = tokens[prose.to - 1].span.end;
  out.lowered = {};
  out.lowered.question =
      "'" + std::string(sentence.substr(from, to - from)) + "' can be read in several ways; which formula is meant?";
  for (const std::string& formula : prose.formulas)
    out.lowered.options.push_back({formula + std::string(sentence.substr(to)), formula});
}

std::string written(std::string_view sentence, Span span) {
  return std::string(sentence.substr(span.begin, span.end - span.begin));
}

void rename(Node& n, const std::vector<std::string>& names) {
  if (n.kind == Node::Kind::name) n.text = names[static_cast<std::size_t>(n.text[0] - 'a')];
  for (Node& a : n.args) rename(a, names);
}
std::size_t count_names(const Node& n) {
  std::size_t out = n.kind == Node::Kind::name ? 1 : 0;
  for (const Node& a : n.args) out += count_names(a);
  return out;
}
// "ij,jk->ik with A 64x32 and B 32x16": the operands are A and B.
void name_operands(Statement& s, const Facts& facts, std::string_view sentence,
                   const std::vector<phrases::Token>& tokens, std::size_t from) {
  std::vector<std::string> names;
  for (std::size_t i = from; i < tokens.size(); ++i) {
    const std::string name = written(sentence, tokens[i].span);
    const bool said = facts.shapes.count(name) || facts.ranks.count(name) || facts.tensors.count(name);
    if (said && std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  if (names.size() == count_names(s.value)) return rename(s.value, names);
  std::vector<std::string> upper;  // "ij,jk->ik with b=16": b is a size
  for (std::size_t i = 0; i < count_names(s.value); ++i) upper.emplace_back(1, static_cast<char>('A' + i));
  const bool taken = std::any_of(facts.values.begin(), facts.values.end(), [&](const auto& v) {
    return v.first.size() == 1 && static_cast<std::size_t>(v.first[0] - 'a') < upper.size();
  });
  if (taken) rename(s.value, upper);
}

// Whose calls these are, where words beside them say it.
std::string library_said(const std::vector<phrases::Token>& tokens) {
  bool torch = false, numpy = false;
  for (const phrases::Token& t : tokens) {
    torch = torch || t.text == "torch" || t.text == "pytorch";
    numpy = numpy || t.text == "numpy" || t.text == "np";
  }
  return torch == numpy ? "" : torch ? "torch" : "np";
}

bool is_punctuation(std::string_view text) {
  static constexpr std::string_view signs[] = {"，", "。", "；",     "：",     "！",     "？",    "、",
                                               "）", "‘",  "’",      "“",      "”",      "»",     "…",
                                               "–",  "—",  "\u2009", "\u200a", "\u200b", "\u202f"};
  while (!text.empty()) {
    const auto sign =
        std::find_if(std::begin(signs), std::end(signs), [&](std::string_view s) { return text.starts_with(s); });
    if (sign == std::end(signs)) return false;
    text.remove_prefix(sign->size());
  }
  return true;
}

// "x∂", which would end at the x: the sign that no formula has is part of the request.
std::optional<Reading> broken_sign(std::string_view sentence, const std::vector<phrases::Token>& tokens,
                                   std::size_t begin, const Statement& s) {
  std::size_t end = s.next;
  while (end < sentence.size() && static_cast<unsigned char>(sentence[end]) >= 0x80) ++end;
  const std::string_view rest = sentence.substr(s.next, end - s.next);
  const bool glued = s.next > 0 && sentence[s.next - 1] != ' ';
  const bool sign = glued && rest.starts_with("\xE2\x80");  // †, ′: spaces for the words' tokens
  const bool straddles = sign || std::any_of(tokens.begin(), tokens.end(), [&](const phrases::Token& t) {
                           return t.span.begin < s.next && t.span.end > s.next;
                         });
  if (!straddles || rest.empty() || is_punctuation(rest)) return std::nullopt;
  Reading out;
  lead_words(sentence, tokens, begin, out.words);
  out.words.push_back({{begin, s.next}, Meaning::op, written(sentence, {begin, s.next}), "a formula"});
  out.words.push_back({{s.next, end}, Meaning::unknown, std::string(rest), "not known"});
  out.lowered.question = "It is not clear what '" + std::string(rest) + "' means in the formula.";
  return out;
}

// "x + 2ab", which would end at the 2: the rest of the word is part of the request.
std::optional<Reading> broken_word(std::string_view sentence, const std::vector<phrases::Token>& tokens,
                                   std::size_t behind, std::size_t begin, const Statement& s) {
  const auto in_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; };
  std::size_t end = s.next;
  const bool straddles = std::any_of(tokens.begin(), tokens.end(), [&](const phrases::Token& t) {  // ηkm behind η
    return t.span.begin < s.next && t.span.end > s.next;
  });
  if (end == 0 || end >= sentence.size() || !(in_word(sentence[end - 1]) || straddles)) return std::nullopt;
  while (end < sentence.size() && in_word(sentence[end])) ++end;
  if (end == s.next) return std::nullopt;
  Reading out;
  lead_words(sentence, tokens, begin, out.words);
  const std::string rest(sentence.substr(s.next, end - s.next));
  Word formula{{begin, s.next}, Meaning::op, std::string(sentence.substr(begin, s.next - begin)), "a formula"};
  out.words.push_back(std::move(formula));
  out.words.push_back({{s.next, end}, Meaning::unknown, rest, "not known"});
  for (std::size_t i = behind; i < tokens.size(); ++i)
    if (tokens[i].span.begin >= end && tokens[i].kind != TextKind::symbol)
      out.words.push_back({tokens[i].span, Meaning::unknown, written(sentence, tokens[i].span), "not known"});
  out.lowered.question = "It is not clear what '" + rest + "' means behind the number; write '*' between the factors.";
  std::string product(sentence.substr(0, s.next));
  for (const char c : rest) product += std::string("*") + c;
  const bool divided = sentence.substr(0, s.next).find('/') != std::string_view::npos;  // by how much of it?
  if (rest.size() <= 4 && !divided)
    out.lowered.options.push_back({product + std::string(sentence.substr(end)), "a product"});
  return out;
}

// "\bar{x}" alone: a name, which asks for nothing.
std::optional<Reading> lone_name(const Library& library, const Tables& tables, const Names& names,
                                 std::string_view sentence, const std::vector<phrases::Token>& tokens) {
  const std::size_t begin = sentence.find_first_not_of(" $");
  if (begin == std::string_view::npos || sentence[begin] != '\\') return std::nullopt;
  const auto s = parse_statement(sentence, begin, names);
  if (!s || s->operators > 0 || s->value.kind != Node::Kind::name || !s->target.empty()) return std::nullopt;
  if (s->next < sentence.size() && sentence.find_first_not_of(" $.", s->next) != std::string_view::npos)
    return std::nullopt;
  Reading out;
  lead_words(sentence, tokens, begin, out.words);
  out.words.push_back({{begin, s->next}, Meaning::op, written(sentence, {begin, s->next}), "a name"});
  out.lowered = lower(library, tables, names, *s, {});
  if (out.lowered.spec) {
    out.lowered.spec.reset();
    out.lowered.question = "'" + s->value.text + "' alone is the name of a tensor; what is to be computed from it?";
  }
  offer_insertions(sentence, out.lowered);
  return out;
}

}  // namespace

namespace {

// Words to which the sentence gives a value or a shape, as in "scale = 0.05" and "out: [4, 8]": names of its formula.
std::set<std::string> given_names(std::string_view sentence) {
  std::set<std::string> out;
  const auto in_name = [&](std::size_t i) {
    return i < sentence.size() && (sentence[i] == '_' || std::isalnum(static_cast<unsigned char>(sentence[i])));
  };
  for (std::size_t i = 0; i < sentence.size();) {
    std::size_t end = i;
    while (in_name(end)) ++end;
    if (end == i) {
      ++i;
      continue;
    }
    std::size_t at = sentence.find_first_not_of(' ', end);
    if (at != std::string_view::npos && (sentence[at] == '=' || sentence.substr(at, 3) == "is ")) {
      at = sentence.find_first_not_of(" -", at + (sentence[at] == '=' ? 1 : 2));
      if (at != std::string_view::npos && std::isdigit(static_cast<unsigned char>(sentence[at])))
        out.insert(std::string(sentence.substr(i, end - i)));
    }
    i = end;
  }
  return out;
}

}  // namespace

std::optional<Reading> read_formula(const Library& library, std::string_view sentence) {
  const Tables& tables = library.vocabulary().tables();
  Names names = names_for(library, tables);
  names.is_word = [known = names.is_word, given = given_names(sentence)](const std::string& name) {
    return !given.count(name) && known(name);
  };
  const std::vector<phrases::Token> tokens = phrases::tokenise(sentence);
  if (sentence.size() > longest_formula || tokens.empty()) return std::nullopt;
  if (auto name = lone_name(library, tables, names, sentence, tokens)) return name;
  Reading out;
  Tail tail;
  if (auto found = find_statement(library, names, sentence, tokens)) {
    Statement& s = found->statement;
    std::size_t from = 0;
    while (from < tokens.size() && tokens[from].span.begin < s.next) ++from;
    if (auto broken = broken_word(sentence, tokens, from, found->begin, s)) return broken;
    if (auto broken = broken_sign(sentence, tokens, found->begin, s)) return broken;
    if (s.problem.empty()) {
      read_tail(library, tables, sentence, tokens, from, tokens.size(), tail);
      if (s.unnamed) name_operands(s, tail.facts, sentence, tokens, from);
      if (!tail.names_op && (s.signs || tail.unknown.empty())) {
        lead_words(sentence, tokens, found->begin, out.words);
        formula_words(sentence, s, found->begin, out.words);
        tail.facts.library = library_said(tokens);
        name_product_sizes(s, tail.facts);
        out.lowered = lower(library, tables, names, s, tail.facts);
        if (auto fitting = product_that_fits(library, tables, names, s, tail.facts, out.lowered))
          out.lowered = std::move(*fitting);
        offer_products(sentence, out.lowered);
        offer_insertions(sentence, out.lowered);
        settle(out, tail);
        return out;
      }
    } else if (s.operators >= 2 || s.indexed) {
      out.lowered.question = s.problem;
      lead_words(sentence, tokens, sentence.size(), out.words);
      return out;
    }
    tail = {};
  }
  const bool call =
      tokens.size() > 1 && tokens[1].text == "." &&
      names.is_namespace(std::string(sentence.substr(tokens[0].span.begin, tokens[0].span.end - tokens[0].span.begin)));
  if (call) return std::nullopt;  // its arguments are no words
  if (auto phrase = match_pattern(library, tables, tokens, sentence);
      phrase && !is_name(library, names, tokens, *phrase))
    if (auto read = read_phrase(library, tables, names, sentence, tokens, *phrase)) return read;
  if (auto prose = read_prose(library, tables, tokens, sentence)) {
    Phrase phrase{prose->formulas[0], prose->from, prose->to, {{prose->to, tokens.size()}}};
    auto read = read_phrase(library, tables, names, sentence, tokens, phrase);
    if (read && prose->formulas.size() > 1) ask_which(sentence, tokens, *prose, *read);
    return read;
  }
  return std::nullopt;
}

std::vector<Span> formulas_in(const Library& library, std::string_view sentence) {
  constexpr std::size_t longest = 1000, most = 4;
  std::vector<Span> out;
  if (sentence.size() > longest || sentence.find_first_of("=*/^@+|(") == std::string_view::npos) return out;
  const Names names = names_for(library, library.vocabulary().tables());
  std::size_t covered = 0;  // a formula within one that was found is no other one
  for (const phrases::Token& t : phrases::tokenise(sentence)) {
    const std::size_t begin = t.span.begin;
    const bool starts = begin == 0 || std::string_view(" ,:;(").find(sentence[begin - 1]) != std::string_view::npos;
    if (!starts || begin < covered) continue;
    const auto s = parse_statement(sentence, begin, names);
    if (!s || !s->problem.empty() || !s->signs || s->operators < 1 || s->next <= begin) continue;
    const std::string_view text = sentence.substr(begin, s->next - begin);
    if (has_hyphen(library.vocabulary().tables(), text) || is_shape_behind_op(sentence, *s)) continue;
    const bool sign =
        text.find_first_of("=*^@|") != std::string_view::npos || text.find_first_of("/+(") != std::string_view::npos;
    if (!sign) continue;
    out.push_back({begin, s->next});
    covered = s->next;
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const Span& a, const Span& b) { return a.end - a.begin > b.end - b.begin; });
  if (out.size() > most) out.resize(most);
  return out;
}

}  // namespace ww::op::formula
