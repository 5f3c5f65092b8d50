// SPDX-License-Identifier: Apache-2.0
#include "op/sentence/offers.h"
#include <algorithm>
#include <cctype>
#include <vector>
#include "op/parse.h"
#include "op/sentence/phrasebook_sentence.h"
#include "op/sentence/rewriting.h"

namespace ww::op {

using phrases::Sort;

std::string in_quotes(std::string_view text) {
  std::string out(text.substr(0, 40));
  if (out.size() < text.size()) {
    while (!out.empty() && (static_cast<unsigned char>(out.back()) & 0xC0) == 0x80) out.pop_back();
    if (!out.empty() && static_cast<unsigned char>(out.back()) >= 0xC0) out.pop_back();
    out += "…";
  }
  return "'" + out + "'";
}

std::string with_span_as(std::string_view sentence, Span span, std::string_view with) {
  return std::string(sentence.substr(0, span.begin)).append(with).append(sentence.substr(span.end));
}

void ask_instead(Understanding& out, std::string question) {
  out.spec.reset();
  out.warnings.clear();
  out.choices.clear();
  out.questions = {std::move(question)};
}

void settle_outcome(Understanding& out) { out.outcome = out.choices.empty() ? Outcome::refusal : Outcome::question; }

void add_choice(const ReadAny& read, const std::string& sentence, const std::string& difference, Understanding& out) {
  constexpr std::size_t most_choices = 4;
  static thread_local int depth = 0;  // a choice that raises a question needs no choices
  if (depth > 1 || out.choices.size() >= most_choices) return;
  ++depth;
  Understanding understood = read(sentence);
  --depth;
  if (!understood.spec) return;
  const std::string text = print(*understood.spec);
  for (const Choice& c : out.choices)
    if (print(c.spec) == text) return;
  out.choices.push_back({sentence, difference, std::move(*understood.spec)});
}

namespace {

std::string tidy(const std::string& text) {  // single spaces, no leading or doubled sign
  std::string out;
  for (const char c : text) {
    const bool sign = c == ',' || c == ':' || c == ';';
    if (out.empty() && (c == ' ' || sign)) continue;
    if (sign && out.back() == ' ') out.pop_back();
    if (sign && std::string_view(",:;").find(out.back()) != std::string_view::npos) continue;
    if (c != ' ' || out.back() != ' ') out += c;
  }
  for (bool cut = true; cut;) {  // nor a word that leads to what is left out
    cut = false;
    while (!out.empty() && out.back() == ' ') out.pop_back();
    for (const std::string_view word :
         {" of", " with", " for", " over", " by", " to", " and", " at", " in", " the", " a", " an", ","})
      if (out.ends_with(word)) {
        out.erase(out.size() - word.size());
        cut = true;
      }
  }
  return out;
}

// A word that is written wrongly, and the words that it may stand for, the likeliest first.
struct Slip {
  Span span;
  std::string text;
  std::vector<std::string> near;
};

std::vector<Slip> slips_of(const Library& library, const Understanding& out) {
  std::vector<Slip> slips;
  for (const Word& w : out.words) {
    const std::string word = phrases::fold(w.text);
    if (w.meaning != Meaning::unknown || w.reading == phrases::qualifying || library.vocabulary().has_word(word))
      continue;
    std::vector<std::string> near = library.vocabulary().near(word);
    const bool plural = w.text.ends_with('s') && !word.ends_with('s');
    for (std::string& n : near)
      if (plural && !n.ends_with('s')) n += 's';
    if (!near.empty()) slips.push_back({w.span, w.text, std::move(near)});
  }
  return slips;
}

// "sofmax of a matirx": the sentence with all words corrected, then with the next likely word in one place.
void offer_corrections(const Library& library, std::string_view sentence, const ReadAny& read, Understanding& out) {
  const std::vector<Slip> slips = slips_of(library, out);
  const auto add = [&](std::size_t other, std::size_t by) {
    std::string text(sentence), differences;
    for (std::size_t i = slips.size(); i-- > 0;) {
      const Slip& s = slips[i];
      const std::string& word = s.near[i == other ? by : 0];
      text.replace(s.span.begin, s.span.end - s.span.begin, word);
      differences =
          in_quotes(word) + " instead of " + in_quotes(s.text) + (differences.empty() ? "" : ", ") + differences;
    }
    add_choice(read, text, differences, out);
  };
  if (slips.empty()) return;
  add(slips.size(), 0);
  for (std::size_t i = 0; i < slips.size(); ++i)
    for (std::size_t by = 1; by < slips[i].near.size(); ++by) add(i, by);
}

// The sentence with the unknown words replaced by each of the nearest ops: these words alone, so that sizes between
// them stay, or all from the first to the last.
void offer_nearest(std::string_view sentence, const ReadAny& read, Understanding& out) {
  std::vector<Span> unknown;
  for (const Word& w : out.words)
    if (w.meaning == Meaning::unknown) unknown.push_back(w.span);
  if (unknown.empty() || !out.choices.empty()) return;
  Span lost{unknown.front().begin, unknown.back().end};
  while (lost.begin > 1 && sentence[lost.begin - 1] == '-' &&
         std::isalpha(static_cast<unsigned char>(sentence[lost.begin - 2])))
    lost.begin -= 2;  // "f-score"
  const std::string words(sentence.substr(lost.begin, lost.end - lost.begin));
  std::erase_if(out.nearest, [&](const std::string& name) {
    const std::size_t before = out.choices.size();
    const std::string difference = "the op " + name + " instead of " + in_quotes(words);
    if (unknown.size() > 1) {
      std::string text(sentence);
      for (std::size_t i = unknown.size(); i-- > 1;) text.erase(unknown[i].begin, unknown[i].end - unknown[i].begin);
      text.replace(lost.begin, unknown.front().end - lost.begin, name);
      add_choice(read, tidy(text), difference, out);
    }
    if (out.choices.size() == before) add_choice(read, with_span_as(sentence, lost, name), difference, out);
    return out.choices.size() > before;
  });
}

// "subtracts a value": the sentence with an example in its place.
void offer_examples(const Library& library, std::string_view sentence, const ReadAny& read, Understanding& out) {
  const auto filled = filled_in(library, sentence);
  if (!filled) return;
  std::string text = filled->sentence;
  Understanding understood = read(text);
  if (!understood.spec && understood.choices.empty())
    if (const auto other = rewritten(library, text)) {
      text = other->text();
      understood = read(text);
    }
  std::string difference;
  for (const std::string& e : filled->examples) difference += (difference.empty() ? "" : ", ") + in_quotes(e);
  difference = "for example " + difference;
  if (understood.spec) {
    out.choices.push_back({text, difference, std::move(*understood.spec)});
    return;
  }
  for (Choice& c : understood.choices) out.choices.push_back({c.sentence, difference + ", " + c.difference, c.spec});
}

bool negates(const std::string& word) {
  for (const char* negation :
       {"no", "not", "without", "except", "but", "minus", "less", "only", "kein", "ohne", "sans", "sin"})
    if (phrases::fold(word) == negation) return true;
  return false;
}
// Words and signs without which the rest asks for another thing.
bool inverts(const std::string& word) {
  for (const char* change : {"inverse", "inverted", "reciprocal", "opposite", "<", ">", "<<", ">>", "~"})
    if (word == change || phrases::fold(word) == change) return true;
  return negates(word);
}
bool derives(const std::string& word) {
  const std::string folded = phrases::fold(word);
  return folded == "derivative" || folded == "gradient";
}

// If an op was understood, the sentence without the rest: a spec to start from that names what it lacks. Keeps as many
// sizes, types and axes as possible.
class Rest {
 public:
  Rest(std::string_view sentence, const ReadAny& read, Understanding& out)
      : sentence_(sentence), read_(read), out_(out) {}

  void offer() {
    if (!asks_for_something()) return;
    for (const Word& w : out_.words) {
      const bool unknown = w.meaning == Meaning::unknown;
      const bool unread = w.meaning != Meaning::filler && w.meaning != Meaning::op &&
                          w.meaning != Meaning::composition && w.reading.empty();
      const bool number = w.meaning == Meaning::shape;  // "2^16" has a reading before it has a place
      if (unknown || unread || number) lost_.push_back({w.span, w.text, unknown, true, number});
    }
    if (std::any_of(lost_.begin(), lost_.end(), [](const Part& l) { return inverts(l.text); }))
      return;  // its opposite is not a start
    const bool derived = std::any_of(lost_.begin(), lost_.end(), [](const Part& l) { return derives(l.text); });
    if (lost_.empty() || derived) return clauses();
    const auto unknown = std::count_if(lost_.begin(), lost_.end(), [](const Part& l) { return l.unknown; });
    for (Part& l : lost_) l.out = l.unknown;
    if (unknown > 0 && add()) return;
    for (Part& l : lost_) l.out = true;
    if (!reads()) return clauses();
    put_back();
    add_sizes();
    add();
  }

 private:
  struct Part {
    Span span;
    std::string text;
    bool unknown = false, out = false, number = false;
  };
  static constexpr std::size_t most_tries = 6;

  // What is left of nonsense is no request: "the 7x".
  bool asks_for_something() const {
    return sentence_.find_first_of("+*/^@=(|\\") != std::string_view::npos ||
           std::any_of(out_.words.begin(), out_.words.end(), [](const Word& w) { return w.meaning == Meaning::op; });
  }

  std::string text() const {
    std::string rest(sentence_);
    for (auto l = lost_.rbegin(); l != lost_.rend(); ++l)
      if (l->out) rest.erase(l->span.begin, l->span.end - l->span.begin);
    return tidy(rest);
  }
  bool reads() const { return read_(text()).spec.has_value(); }

  // Restores adjacent words ("stride 2") together, or else one by one.
  void put_back() {
    std::size_t tries = 0;
    for (std::size_t i = 0; i < lost_.size();) {
      std::size_t end = i + 1;
      while (end < lost_.size() && !lost_[i].unknown && !lost_[end].unknown && beside(lost_[end - 1], lost_[end]))
        ++end;
      const auto take = [&](std::size_t from, std::size_t to) {
        if (++tries > most_tries) return false;
        for (std::size_t k = from; k < to; ++k) lost_[k].out = false;
        if (reads()) return true;
        for (std::size_t k = from; k < to; ++k) lost_[k].out = true;
        return false;
      };
      if (!lost_[i].unknown && !take(i, end) && end > i + 1)
        for (std::size_t k = i; k < end; ++k) take(k, k + 1);
      i = end;
    }
  }
  bool beside(const Part& a, const Part& b) const {
    return sentence_.substr(a.span.end, b.span.begin - a.span.end).find_first_not_of(" =") == std::string_view::npos;
  }

  bool add() {
    std::string missing;
    for (const Part& l : lost_)
      if (l.out) missing += (missing.empty() ? "" : " ") + l.text;
    const std::size_t before = out_.choices.size();
    if (!missing.empty()) add_choice(read_, text(), "without " + in_quotes(missing), out_);
    return out_.choices.size() > before;
  }

  // "gather rows of a table by 200 indices": numbers whose noun says nothing, as sizes that the rest has.
  void add_sizes() {
    std::vector<std::string> numbers, other;
    for (std::size_t i = 0; i < lost_.size(); ++i) {
      const Part& l = lost_[i];
      if (!l.out) continue;
      if (l.number && whole(l.text))
        numbers.push_back(l.text);
      else if (i == 0 || !whole(lost_[i - 1].text) || !beside(lost_[i - 1], l))  // else the number's noun
        other.push_back(l.text);
    }
    if (numbers.empty() || numbers.size() > 2) return;
    const std::string rest = text();
    const Understanding base = read_(rest);
    if (!base.spec) return;
    const std::string without = other.empty() ? "" : ", without " + in_quotes(phrases::listed(other, " "));
    std::size_t tries = 0;
    const auto add = [&](const std::string& sizes) {
      if (tries++ < most_tries) add_choice(read_, rest + ", " + sizes, "with " + sizes + without, out_);
    };
    const std::vector<std::string>& symbols = base.spec->symbols;
    if (numbers.size() == 1) {
      add(numbers[0] + " elements");
      for (const std::string& s : symbols) add(s + " = " + numbers[0]);
      return;
    }
    for (const std::string& a : symbols)
      for (const std::string& b : symbols)
        if (a != b) add(a + " = " + numbers[0] + ", " + b + " = " + numbers[1]);
  }
  static bool whole(const std::string& text) {  // "200", "2^16", "1M"; no shape
    return std::isdigit(static_cast<unsigned char>(text[0])) && text.find_first_of("x,.( ") == std::string::npos;
  }

  // Removes the parts between commas that do not fit, last first.
  void clauses() {
    lost_.clear();
    int depth = 0;
    std::size_t begin = 0;
    for (std::size_t i = 0; i <= sentence_.size(); ++i) {
      const char c = i < sentence_.size() ? sentence_[i] : ',';
      if (c == '(' || c == '[' || c == '{') ++depth;
      if (c == ')' || c == ']' || c == '}') --depth;
      if (depth > 0 || (c != ',' && c != ';' && c != ':')) continue;
      const Span span{begin > 0 ? begin - 1 : 0, i};
      lost_.push_back({span, std::string(sentence_.substr(begin, i - begin)), false, false});
      while (!lost_.back().text.empty() && lost_.back().text[0] == ' ') lost_.back().text.erase(0, 1);
      begin = i + 1;
    }
    if (lost_.size() < 2 || lost_.size() > most_tries) return;
    for (std::size_t k = lost_.size(); k-- > 0;) {  // one of them
      if (negates(lost_[k].text.substr(0, lost_[k].text.find(' ')))) continue;
      lost_[k].out = true;
      const bool added = add();
      lost_[k].out = false;
      if (added) return;
    }
    for (std::size_t k = lost_.size(); k-- > 2;) {  // all but the first ones
      for (std::size_t i = 0; i < lost_.size(); ++i) lost_[i].out = i + 1 >= k;
      if (add()) return;
    }
  }

  std::string_view sentence_;
  const ReadAny& read_;
  Understanding& out_;
  std::vector<Part> lost_;
};

// The named op, or the nearest ones, with the given sizes and types.
void offer_start(const ReadAny& read, Understanding& out) {
  std::vector<std::string> names, facts;
  const bool derived = std::any_of(out.words.begin(), out.words.end(),
                                   [](const Word& w) { return w.meaning == Meaning::unknown && derives(w.text); });
  for (const Word& w : out.words) {
    if (!derived && w.meaning == Meaning::op && names.size() < 2 && w.text.size() > 2) names.push_back(w.text);
    const bool number = w.meaning == Meaning::shape && w.reading.empty() &&
                        w.text.find_first_not_of("0123456789.e-") == std::string::npos;  // it may be anything
    if (!number && (w.meaning == Meaning::shape || w.meaning == Meaning::dtype || w.meaning == Meaning::axis))
      facts.push_back(w.text);
  }
  for (const std::string& name : out.nearest) names.push_back(name);
  const std::string all = phrases::listed(facts, " ");
  for (const std::string& name : names) {
    if (out.choices.size() >= 2) return;
    const std::size_t before = out.choices.size();
    const auto difference = [&](const std::string& with) {
      return name + " alone" + (with.empty() ? "" : ", " + with);
    };
    if (!facts.empty()) add_choice(read, name + " " + all, difference(all), out);
    for (std::size_t k = 0; k < facts.size() && k < 2 && out.choices.size() == before; ++k)
      add_choice(read, name + " " + facts[k], difference(facts[k]), out);
    if (out.choices.size() == before) add_choice(read, name, difference({}), out);
  }
}

// "the max, not the argmax, of each row", "gelu instead of relu": offers the sentence without the excluded part.
void offer_positive(const Library& library, std::string_view sentence, const ReadAny& read, Understanding& out) {
  const std::vector<phrases::Token> tokens = phrases::tokenise(sentence);
  const auto is = [&](std::size_t i, std::string_view word) { return i < tokens.size() && tokens[i].text == word; };
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const bool instead = is(i, "instead") && is(i + 1, "of");
    if (!instead && !is(i, "not")) continue;
    std::size_t end = i + (instead ? 2 : 1), begin = i;
    while (is(end, "a") || is(end, "an") || is(end, "the")) ++end;
    const phrases::Match m = library.vocabulary().match(tokens, end);
    if (!m.entry(Sort::op) && !m.entry(Sort::axis)) continue;
    end += m.count;
    if (is(end, "but") || (is(end, ",") && begin > 0)) ++end;
    if (begin > 0 && is(begin - 1, ",")) --begin;
    std::string rest(sentence);
    const std::size_t from = tokens[begin].span.begin, to = tokens[end - 1].span.end;
    rest.erase(from, to - from);
    return add_choice(read, rest, "without " + in_quotes(sentence.substr(from, to - from)), out);
  }
}

}  // namespace

void offer(const Library& library, std::string_view sentence, const ReadAny& reader, Understanding& out) {
  constexpr std::ptrdiff_t most_ops = 16;
  if (std::count_if(out.words.begin(), out.words.end(), [](const Word& w) { return w.meaning == Meaning::op; }) >
      most_ops)
    return;
  // A question should not take longer than the reading: fewer attempts for a long text.
  const std::size_t most_reads = std::clamp<std::size_t>(1000 / (sentence.size() + 1), 3, 9);
  std::size_t reads = 0;
  const ReadAny read = [&](const std::string& text) { return ++reads > most_reads ? Understanding() : reader(text); };
  offer_examples(library, sentence, read, out);
  if (out.choices.empty()) offer_corrections(library, sentence, read, out);
  if (out.choices.empty()) offer_positive(library, sentence, read, out);
  if (out.choices.empty()) Rest(sentence, read, out).offer();
  if (sentence.find('\\') != std::string_view::npos) return;  // an op by the name of a sign lacks what is below it
  const bool negated = std::any_of(out.words.begin(), out.words.end(),
                                   [](const Word& w) { return w.meaning == Meaning::unknown && inverts(w.text); });
  if (negated) return;  // an op alone is the opposite
  reads = std::min(reads, most_reads - 2);
  const bool named = std::any_of(out.words.begin(), out.words.end(),
                                 [](const Word& w) { return w.meaning == Meaning::op && w.text.size() > 3; });
  if (out.choices.empty() && !named) offer_nearest(sentence, read, out);
  if (out.choices.empty()) offer_start(read, out);
}

}  // namespace ww::op
