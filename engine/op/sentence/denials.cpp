// SPDX-License-Identifier: Apache-2.0
#include "op/sentence/denials.h"
#include <algorithm>
#include <set>
#include <string>
#include <vector>
#include "op/parse.h"
#include "op/sentence/word_at.h"

namespace ww::op {
namespace {

using phrases::Token;
using phrases::word_at;
using DenialWords = std::vector<Token>;

// "no", "without" stand in front of what they deny, "disabled" and "= False" behind it.
bool denies_ahead(const DenialWords& words, std::size_t i) {
  static const std::set<std::string> denials = {"no",       "without",   "lacking", "not",      "non",     "omit",
                                                "omitting", "excluding", "exclude", "skipping", "disable", "disabling",
                                                "never",    "lack",      "sans",    "anti"};
  return word_at(words, i, denials);
}
bool denies_behind(const DenialWords& words, std::size_t i) {
  return word_at(words, i, {"disabled", "off", "omitted", "excluded", "removed", "absent"}) ||
         (word_at(words, i, {"false"}) && i > 0);
}
bool is_small_word(const DenialWords& words, std::size_t i) {
  return word_at(words, i, {"the", "a", "an", "any", "use", "using", "apply", "applying", "with", "of", "is", "="});
}
bool ends_phrase(const DenialWords& words, std::size_t i) {
  return i >= words.size() || words[i].kind != Token::Kind::word ||
         word_at(words, i, {"then", "and", "but", "or", "of", "for", "on", "with", "without", "followed", "x"});
}

struct Denial {
  Span sign;                     // "without"
  std::string instead;           // in its place, where what it denies is said: "with"
  std::vector<Span> phrases;     // with what is denied, the shortest first
  std::set<std::string> denied;  // its words
  std::string written;           // "causal mask"
  bool absent = true;            // what is meant is the sentence without it; not for "anti-causal"
};

Denial denied_ahead(std::string_view sentence, const DenialWords& words, std::size_t at) {
  constexpr std::size_t most_words = 4;
  Denial out;
  std::size_t front = at, from = at + 1;
  while (front > 0 && word_at(words, front - 1, {"with", "and", "but", "has", "have", "using", "is"})) --front;
  while (is_small_word(words, from)) ++from;
  if (ends_phrase(words, from)) return out;
  const bool with = word_at(words, at, {"without", "lacking", "lack", "omitting", "excluding", "sans"});
  out.sign = {words[at].span.begin, words[at + 1].span.begin};
  out.instead = with ? "with " : "";
  out.absent = words[at].text != "anti";
  for (std::size_t to = from; to < from + most_words && !ends_phrase(words, to); ++to) {
    out.phrases.push_back({words[front].span.begin, words[to].span.end});
    out.denied.insert(words[to].text);
    out.written = std::string(sentence.substr(words[from].span.begin, words[to].span.end - words[from].span.begin));
    if (to + 1 < words.size() && sentence.substr(words[to].span.end, 1) == ",") break;
  }
  return out;
}

Denial denied_behind(std::string_view sentence, const DenialWords& words, std::size_t at) {
  constexpr std::size_t most_words = 4;
  Denial out;
  std::size_t end = at;
  while (end > 0 && word_at(words, end - 1, {"=", ":", "is", "set", "to", "turned", "switched"})) --end;
  if (end == 0 || (words[at].text == "false" && !word_at(words, end, {"=", ":"}))) return out;
  out.sign = {words[end].span.begin, words[at].span.end};
  if (words[at].text == "false" && words[end].text == "=") out.instead = "=True";
  for (std::size_t from = end; from-- > 0 && from + most_words >= end && words[from].kind == Token::Kind::word &&
                               !word_at(words, from, {"then", "and", "but", "with"});) {
    std::size_t front = from;
    while (front > 0 && word_at(words, front - 1, {"with", "and", "but", "the", "a"})) --front;
    out.phrases.push_back({words[front].span.begin, words[at].span.end});
    out.denied.insert(words[from].text);
    out.written =
        std::string(sentence.substr(words[from].span.begin, words[end - 1].span.end - words[from].span.begin));
  }
  return out;
}

std::vector<Denial> denials_in(std::string_view sentence, const DenialWords& words) {
  constexpr std::size_t most = 3;
  std::vector<Denial> out;
  for (std::size_t i = 0; i < words.size() && out.size() < most; ++i) {
    Denial d;
    if (denies_ahead(words, i) && i + 1 < words.size()) d = denied_ahead(sentence, words, i);
    if (denies_behind(words, i)) d = denied_behind(sentence, words, i);
    if (!d.phrases.empty()) out.push_back(std::move(d));
  }
  return out;
}

// Whether all words of what is denied change nothing: "not in place".
bool says_nothing(const Library& library, const std::string& written) {
  const DenialWords words = phrases::tokenise(written);
  for (std::size_t at = 0; at < words.size();) {
    const phrases::Match m = library.vocabulary().match(words, at);
    if (!m.entry(phrases::Sort::filler)) return false;
    at += m.count;
  }
  return true;
}

// Whether a choice has what is denied: an input of that name, or a word without a denial beside it.
bool keeps_denied(const Denial& d, const Choice& choice) {
  if (std::any_of(choice.spec.inputs.begin(), choice.spec.inputs.end(),
                  [&](const Param& p) { return p.name.size() > 2 && d.denied.count(phrases::fold(p.name)) != 0; }))
    return true;
  const DenialWords words = phrases::tokenise(choice.sentence);
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (!d.denied.count(words[i].text) || is_small_word(words, i)) continue;
    bool denied = false;
    for (std::size_t k = i > 3 ? i - 3 : 0; k < i; ++k) denied = denied || denies_ahead(words, k);
    for (std::size_t k = i + 1; k < words.size() && k < i + 4; ++k) denied = denied || denies_behind(words, k);
    if (!denied) return true;
  }
  return false;
}

bool in_reading(const Denial& d, const Understanding& u) {
  return std::any_of(u.words.begin(), u.words.end(), [&](const Word& w) {
    if (w.meaning != Meaning::op) return false;
    const DenialWords own = phrases::tokenise(w.text);
    return std::any_of(own.begin(), own.end(), [&](const Token& t) { return d.denied.count(t.text) != 0; });
  });
}

// The denial is read as a word that changes nothing, what it denies as an op.
bool reads_denied(const Denial& d, const Understanding& out) {
  const Word* op = nullptr;
  bool sign = false;
  for (const Word& w : out.words) {
    if (w.span.begin >= d.phrases[0].end || w.span.end <= d.sign.begin) continue;
    if (w.meaning == Meaning::op && w.reading.starts_with("the op ")) op = &w;
    if (w.meaning == Meaning::filler && w.span.begin <= d.sign.begin && w.span.end >= d.sign.begin + 2) {
      const DenialWords own = phrases::tokenise(w.text);
      sign = sign || (own.size() == 1 && (denies_ahead(own, 0) || word_at(own, 0, {"false"})));
    }
  }
  if (op && sign && in_reading(d, out)) return true;
  return std::any_of(out.words.begin(), out.words.end(), [&](const Word& w) {  // both in one phrase put otherwise
    if (w.span.begin > d.sign.begin || w.span.end < d.phrases[0].end) return false;
    return std::any_of(d.denied.begin(), d.denied.end(), [&](const std::string& name) {
      const std::size_t at = w.reading.find("; the op " + name);
      return at != std::string::npos && w.reading.substr(at + 9 + name.size()).find_first_not_of(",;") != 0;
    });
  });
}

// "causal attention without a mask"
bool contradicts(const Denial& d, const DenialWords& words) {
  if (!d.denied.count("mask") && !d.denied.count("masking")) return false;
  for (std::size_t i = 0; i < words.size(); ++i)
    if (word_at(words, i, {"causal", "masked"}) && !d.denied.count(words[i].text) &&
        !(i > 0 && denies_ahead(words, i - 1)))
      return true;
  return false;
}

// "adam without bias": no op here that may have one.
bool has_no_bias(const Library& library, const Denial& d, const Understanding& out) {
  if (d.written != "bias" && d.written != "biases") return false;
  bool op = false, bias = false;
  for (const Word& w : out.words) {
    if (w.meaning != Meaning::op) continue;
    if (!w.reading.starts_with("the op ")) return false;  // a formula
    const std::string name = w.reading.substr(7, w.reading.find(',') - 7);
    const LibraryOp* own = library.find(name);
    if (!own) return false;
    op = true;
    bias = bias || (own->family != "map" && own->family != "row-reduction" && own->family != "reduction");
  }
  return op && !bias;
}

// The reading is the same with what is denied, but another without those words.
bool keeps_it(const Denial& d, std::string_view sentence, const ReadAny& read, const Understanding& out) {
  const std::string own = print(*out.spec);
  const Understanding affirmed = read(with_span_as(sentence, d.sign, d.instead));
  if (!affirmed.spec || print(*affirmed.spec) != own) return false;
  for (auto phrase = d.phrases.rbegin(); phrase != d.phrases.rend(); ++phrase) {
    const Understanding without = read(with_span_as(sentence, *phrase, ""));
    if (without.spec) return print(*without.spec) != own;
  }
  return true;
}

// The sentence with "without" in place of another denial, else the sentence without what is denied.
void offer_without(const Library& library, const Denial& d, std::string_view sentence, const ReadAny& read,
                   Understanding& out) {
  if (!d.absent) return;
  const std::string plain = with_span_as(sentence, d.phrases.back(), "without " + d.written);
  if (d.instead != "with ") {
    const ReadAny checked = [&](const std::string& text) {
      Understanding u = read(text);
      check_denials(library, text, read, u);
      return u;
    };
    add_choice(checked, plain, "without " + d.written, out);
  }
  for (auto phrase = d.phrases.rbegin(); out.choices.empty() && phrase != d.phrases.rend(); ++phrase) {
    add_choice(read, with_span_as(sentence, *phrase, ""), "without " + d.written, out);
    std::erase_if(out.choices, [&](const Choice& c) { return keeps_denied(d, c); });
  }
}

void take_back_choices(const Library& library, const Denial& d, std::string_view sentence, const ReadAny& read,
                       Understanding& out) {
  std::erase_if(out.choices, [&](const Choice& c) { return keeps_denied(d, c); });
  if (!out.choices.empty() || out.outcome != Outcome::question) return;
  offer_without(library, d, sentence, read, out);
  if (out.choices.empty()) out.outcome = Outcome::refusal;
}

void ask_about_denial(const Library& library, const Denial& d, std::string_view sentence, const ReadAny& read,
                      Understanding& out) {
  const std::string own = print(*out.spec);
  ask_instead(out, "It is not clear what is left out by denying " + in_quotes(d.written) + ".");
  offer_without(library, d, sentence, read, out);
  std::erase_if(out.choices, [&](const Choice& c) { return print(c.spec) == own; });
  settle_outcome(out);
}

}  // namespace

void check_denials(const Library& library, std::string_view sentence, const ReadAny& read, Understanding& out) {
  constexpr std::size_t longest = 400;
  if (sentence.size() > longest) return;
  const DenialWords words = phrases::tokenise(sentence);
  for (const Denial& d : denials_in(sentence, words)) {
    if (!out.spec)
      take_back_choices(library, d, sentence, read, out);
    else if (!says_nothing(library, d.written) && (reads_denied(d, out) || contradicts(d, words) ||
                                                   has_no_bias(library, d, out) || keeps_it(d, sentence, read, out)))
      ask_about_denial(library, d, sentence, read, out);
  }
}

}  // namespace ww::op
