// SPDX-License-Identifier: Apache-2.0
#include "op/sentence/several.h"
#include <algorithm>
#include <set>
#include "base/ascii.h"
#include "base/name_chars.h"
#include "base/plural.h"
#include "op/formula/reading.h"
#include "op/parse.h"
#include "op/sentence/phrasebook_sentence.h"
#include "op/syntax.h"
#include "op/transform.h"

namespace ww::op {
namespace {

using formula::Statement;
using phrases::Item;

// The results of the pieces of the sentence, side by side.
struct Pieces {
  std::vector<Spec> specs;
  std::vector<std::string> names;  // of the results; empty: the ops' names
};

void finish(Understanding& out, const Pieces& pieces) {
  std::set<std::string> texts;
  for (const Spec& s : pieces.specs)
    if (!texts.insert(print(s)).second && pieces.names.empty()) {  // "sum and sum of squares of each row"
      out.questions.emplace_back(
          "One result is asked for twice; write formulas, such as 'sum(x, dim=1), sum(x^2, dim=1)'.");
      return;
    }
  auto all = beside(pieces.specs, pieces.names);
  if (all)
    out.spec = plain(std::move(*all));
  else
    out.questions.push_back("The results do not fit side by side: " + all.error().message + ".");
}

// Adds the words of a piece's own part, which begins in the piece at `from` and in the sentence at `at`.
void take_words(const Understanding& piece, Span own, std::size_t at, std::vector<Word>& words) {
  for (Word w : piece.words) {
    if (w.span.begin < own.begin || w.span.end > own.end) continue;
    w.span = {w.span.begin - own.begin + at, w.span.end - own.begin + at};
    words.push_back(std::move(w));
  }
}

bool holds(const std::vector<phrases::Entry>& entries, phrases::Sort sort) {
  return std::ranges::find(entries, sort, &phrases::Entry::sort) != entries.end();
}

// ---- formulas ----

struct Piece {
  std::string target, text;                            // text: the right side as written
  Span span;                                           // with the target
  bool indexed = false, call = false, update = false;  // update: "m -= g", or "m = 0.9 * m + g"
};

class Formulas {
 public:
  Formulas(const Library& library, std::string_view sentence, const ReadOne& read)
      : library_(library),
        sentence_(sentence),
        read_(read),
        names_(formula::names_for(library, library.vocabulary().tables())) {
    for (std::size_t i = 0; i + 1 < sentence.size(); ++i) {  // a name that the sentence defines is not a word
      if (!is_letter(sentence[i]) || (i > 0 && in_name(sentence[i - 1]))) continue;
      std::size_t end = i;
      while (end < sentence.size() && in_name(sentence[end])) ++end;
      const std::size_t sign = past_spaces(end);
      if (sign + 1 < sentence.size() && sentence[sign] == '=' && sentence[sign + 1] != '=')
        defined_.emplace(sentence.substr(i, end - i));
    }
    names_.is_word = [this, word = names_.is_word](const std::string& name) {
      return defined_.count(name) == 0 && word(name);
    };
  }
  Formulas(const Formulas&) = delete;
  Formulas& operator=(const Formulas&) = delete;

  // The formulas may follow introductory words.
  std::optional<Understanding> run() {
    const std::vector<phrases::Token> tokens = phrases::tokenise(sentence_);
    for (std::size_t at = 0, words = 0; at < tokens.size(); at += words) {
      pieces_.clear();
      if (auto out = run_from(tokens[at].span.begin)) return out;
      words = tokens[at].text == ":" ? 1 : formula::lead(library_, tokens, at);
      if (words == 0) break;
    }
    return std::nullopt;
  }

 private:
  std::optional<Understanding> run_from(std::size_t at) {
    begin_ = at;
    const std::vector<std::string> targets = target_list(at);
    const bool number = at < sentence_.size() && sentence_[at] >= '0' && sentence_[at] <= '9';
    if (!targets.empty()) return number && is_op(targets[0]) ? std::nullopt : assigned(targets, at);
    bool named = false, open = false;
    for (;;) {
      auto p = piece(at);
      if (!p) break;
      (p->target.empty() ? open : named) = true;
      at = p->span.end;
      pieces_.push_back(std::move(*p));
      const std::size_t next = separator(at);
      if (next == at || !piece(next)) break;
      at = next;
    }
    const bool shorthand = pieces_.size() == 1 && is_shorthand(pieces_[0]);
    if ((pieces_.size() < 2 && !shorthand) || (named && open)) return std::nullopt;
    return together(at);
  }
  // "p -= 0.1 * g"
  bool is_shorthand(const Piece& p) const {
    const std::size_t sign = past_spaces(p.span.begin + p.target.size());
    return sign + 1 < sentence_.size() && sentence_[sign] != '=' && sentence_[sign + 1] == '=';
  }

  std::size_t past_spaces(std::size_t at) const {
    while (at < sentence_.size() && (sentence_[at] == ' ' || sentence_[at] == '\n' || sentence_[at] == '$')) ++at;
    return at;
  }
  // The position after ", ", "; ", a new line, "and", "where" or "with"; `at` if there is none.
  std::size_t separator(std::size_t at) const {
    std::size_t next = at;
    while (next < sentence_.size() && (sentence_[next] == ' ' || sentence_[next] == '$')) ++next;
    const bool sign =
        next < sentence_.size() && (sentence_[next] == ',' || sentence_[next] == ';' || sentence_[next] == '\n');
    if (sign) next = past_spaces(next + 1);
    for (const std::string_view word : {"and ", "where ", "with ", "then "})
      if (sentence_.substr(next, word.size()) == word) return past_spaces(next + word.size());
    return sign ? next : at;
  }
  static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

  // "values, indices =": the names; sets `at` after the sign.
  std::vector<std::string> target_list(std::size_t& at) const {
    std::vector<std::string> out;
    std::size_t i = at;
    while (i < sentence_.size() && is_letter(sentence_[i])) {
      std::size_t end = i;
      while (end < sentence_.size() && in_name(sentence_[end])) ++end;
      out.emplace_back(sentence_.substr(i, end - i));
      i = past_spaces(end);
      if (i < sentence_.size() && sentence_[i] == ',') {
        i = past_spaces(i + 1);
        continue;
      }
      if (out.size() < 2 || i + 1 >= sentence_.size() || sentence_[i] != '=' || sentence_[i + 1] == '=') return {};
      at = past_spaces(i + 1);
      return out;
    }
    return {};
  }

  std::optional<Piece> piece(std::size_t at) const {
    Piece out;
    std::size_t from = at;
    while (from < sentence_.size() && (from == at ? is_letter(sentence_[from]) : in_name(sentence_[from]))) ++from;
    const std::size_t sign = past_spaces(from);  // a name that is also a word: "mean = x.mean(1)"
    if (from > at && sign + 1 < sentence_.size() && sentence_[sign] == '=' && sentence_[sign + 1] != '=') {
      out.target = std::string(sentence_.substr(at, from - at));
      from = past_spaces(sign + 1);
    } else if (from > at && sign + 2 < sentence_.size() && sentence_[sign + 1] == '=' && sentence_[sign + 2] != '=' &&
               std::string_view("+-*/").find(sentence_[sign]) != std::string_view::npos) {
      out.target = std::string(sentence_.substr(at, from - at));
      out.update = true;
      from = past_spaces(sign + 2);
    } else {
      from = at;
    }
    const auto s = from < sentence_.size() ? formula::parse_statement(sentence_, from, names_) : std::nullopt;
    if (!s || !s->problem.empty() || (s->operators == 0 && out.target.empty())) return std::nullopt;
    out.call = s->value.kind == formula::Node::Kind::call;
    if (out.target.empty() ? !out.call && !s->indexed : s->value.kind == formula::Node::Kind::number)
      return std::nullopt;
    out.indexed = s->indexed;
    out.span = {at, s->next};
    while (out.span.end > from && sentence_[out.span.end - 1] == ' ') --out.span.end;
    out.text = std::string(sentence_.substr(from, out.span.end - from));
    if (out.update) out.text = out.target + " " + sentence_[sign] + " (" + out.text + ")";
    out.update = out.update || (!out.target.empty() && find_name(out.text, out.target, 0) != std::string::npos);
    return out;
  }

  // "gemm, m=512 n=256"
  bool is_op(const std::string& word) const {
    const phrases::Match m = library_.vocabulary().match(phrases::tokenise(word), 0);
    return word.size() > 1 && m.entries && holds(*m.entries, phrases::Sort::op);
  }

  // "a, b = f(x), g(x)" or "a, b = f(x)"
  std::optional<Understanding> assigned(const std::vector<std::string>& targets, std::size_t at) {
    const std::size_t right = at;
    for (;;) {
      const auto s = formula::parse_statement(sentence_, at, names_);
      if (!s || !s->problem.empty() || !s->target.empty()) return std::nullopt;
      Piece p;
      p.span = {at, s->next};
      while (p.span.end > at && sentence_[p.span.end - 1] == ' ') --p.span.end;
      p.text = std::string(sentence_.substr(at, p.span.end - at));
      p.indexed = s->indexed;
      p.call = s->value.kind == formula::Node::Kind::call;
      at = p.span.end;
      pieces_.push_back(std::move(p));
      if (at >= sentence_.size() || sentence_[at] != ',') break;
      at = past_spaces(at + 1);
    }
    if (pieces_.size() == 1 && pieces_[0].call) return unpacked(targets, right);
    if (pieces_.size() != targets.size()) {
      Understanding out;
      word({begin_, sentence_.size()}, Meaning::unknown, "not clear", out);
      out.questions.push_back("There are " + std::to_string(targets.size()) + " names on the left side and " +
                              std::to_string(pieces_.size()) + " results on the right.");
      return out;
    }
    for (std::size_t i = 0; i < targets.size(); ++i) pieces_[i].target = targets[i];
    pieces_[0].span.begin = begin_;
    return together(at);
  }

  // "values, indices = torch.max(x, dim=1)"
  std::optional<Understanding> unpacked(const std::vector<std::string>& targets, std::size_t right) {
    std::string text(sentence_.substr(right));
    for (const std::string_view name : {"max", "min"})  // of two results
      for (const std::string_view front : {"torch.", "."})
        if (const std::size_t found = text.find(std::string(front) + std::string(name) + "(");
            found != std::string::npos) {
          text.insert(found + front.size() + name.size(), "_with_index");
          break;
        }
    Understanding out = read_(text);
    const bool fits = out.spec && out.spec->outputs.size() == targets.size();
    out.words.clear();
    word({begin_, sentence_.size()}, fits ? Meaning::op : Meaning::unknown, fits ? "a formula" : "not clear", out);
    if (!out.spec) return out;
    if (!fits) {
      out.questions.push_back("There are " + std::to_string(targets.size()) + " names on the left side, but '" + text +
                              "' gives " + plural(out.spec->outputs.size(), "result") + ".");
      out.spec.reset();
      return out;
    }
    std::map<std::string, std::string> names;
    for (std::size_t i = 0; i < targets.size(); ++i)
      if (out.spec->outputs[i].name != targets[i]) names[out.spec->outputs[i].name] = targets[i];
    if (names.empty()) return out;
    if (auto renamed = rename(*out.spec, names)) out.spec = std::move(*renamed);
    return out;
  }

  void word(Span span, Meaning meaning, std::string reading, Understanding& out) const {
    out.words.push_back(
        {span, meaning, std::string(sentence_.substr(span.begin, span.end - span.begin)), std::move(reading)});
  }

  // Whether the formula reads the name; function names and names after a point do not count.
  static std::size_t find_name(const std::string& text, const std::string& name, std::size_t from) {
    for (std::size_t at = text.find(name, from); at != std::string::npos; at = text.find(name, at + 1)) {
      const bool front = at > 0 && (in_name(text[at - 1]) || text[at - 1] == '.' || text[at - 1] == '\\');
      const std::size_t end = at + name.size();
      const bool behind = end < text.size() && (in_name(text[end]) || text[end] == '(' || text[end] == '=');
      if (!front && !behind) return at;
    }
    return std::string::npos;
  }

  static void put(std::string& text, const std::string& name, const std::string& value) {
    const std::string in_brackets = "(" + value + ")";
    for (std::size_t at = find_name(text, name, 0); at != std::string::npos;
         at = find_name(text, name, at + in_brackets.size()))
      text.replace(at, name.size(), in_brackets);
  }

  // "m = 0.9*m + 0.1*g; p = p - lr*m": in sequence, so that p reads the new m. Updated names are results.
  bool updated() {
    std::map<std::string, std::string> now;
    for (Piece& p : pieces_) {
      if (p.target.empty()) return false;
      // "b1*m + (1-b1)*g": a factor, elsewhere the first bias.
      for (const auto& [name, factor] : {std::pair("b1", "beta1"), std::pair("b2", "beta2")})
        for (const std::string_view minus : {"1-", "1 - "})
          if (p.text.find(std::string(minus) + name) != std::string::npos) put(p.text, name, factor);
      for (const auto& [name, value] : now)
        if (const std::size_t at = find_name(p.text, name, 0); at != std::string::npos) {
          if (std::ranges::none_of(pieces_,
                                   [&target = name](const Piece& q) { return q.target == target && q.update; }))
            leading_.insert(name);
          put(p.text, name, "@" + name);
        }
      for (const auto& [name, value] : now) put_marked(p.text, name, value);
      if (p.text.size() > longest || now.count(p.target)) return false;
      now[p.target] = p.text;
    }
    for (Piece& p : pieces_)
      if (p.update) p.target += "_new";
    return true;
  }
  // The marks keep substituted values from being substituted again.
  static void put_marked(std::string& text, const std::string& name, const std::string& value) {
    const std::string mark = "(@" + name + ")";
    for (std::size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at + value.size()))
      text.replace(at, mark.size(), "(" + value + ")");
  }

  // Substitutes intermediate formulas. False if they depend on each other.
  bool substituted() {
    if (std::ranges::any_of(pieces_, &Piece::update)) return updated();
    for (std::size_t round = 0; round <= pieces_.size(); ++round) {
      bool changed = false;
      for (const Piece& p : pieces_) {
        if (p.target.empty()) continue;
        for (Piece& q : pieces_) {
          if (find_name(q.text, p.target, 0) == std::string::npos) continue;
          if (&p == &q || q.text.size() > longest) return false;
          leading_.insert(p.target);
          put(q.text, p.target, p.text);
          changed = true;
        }
      }
      if (!changed) return true;
    }
    return false;
  }

  std::optional<Understanding> together(std::size_t end) {
    if (std::ranges::any_of(pieces_, &Piece::indexed)) return std::nullopt;  // index_equations.h
    const std::vector<Piece> written = pieces_;
    if (!substituted()) return std::nullopt;
    const std::string tail(sentence_.substr(end));
    Understanding out;
    Pieces all;
    for (std::size_t i = 0; i < pieces_.size(); ++i) {
      const Piece& p = pieces_[i];
      const bool leads = leading_.count(p.target) != 0;
      word(written[i].span, Meaning::op, leads ? "put in place of " + p.target : "a formula", out);
      if (leads) continue;
      const Understanding one = read_(p.text + tail);
      if (!one.spec) {
        for (const std::string& q : one.questions) out.questions.push_back(q);
        out.impossible = out.impossible || one.impossible;
        continue;
      }
      if (all.specs.empty()) take_words(one, {p.text.size(), p.text.size() + tail.size()}, end, tail_words_);
      for (std::size_t k = 0; k < one.spec->outputs.size() && !p.target.empty(); ++k)
        all.names.push_back(k == 0 ? p.target : p.target + "_" + std::to_string(k + 1));
      all.specs.push_back(*one.spec);
    }
    out.words.insert(out.words.end(), tail_words_.begin(), tail_words_.end());
    if (out.questions.empty()) finish(out, all);
    return out;
  }

  static constexpr std::size_t longest = 4000;
  const Library& library_;
  std::string_view sentence_;
  const ReadOne& read_;
  std::set<std::string> defined_;
  formula::Names names_;
  std::size_t begin_ = 0;
  std::vector<Piece> pieces_;
  std::set<std::string> leading_;
  std::vector<Word> tail_words_;
};

// ---- names of ops ----

class Ops {
 public:
  Ops(const Library& library, std::string_view sentence, const ReadOne& read)
      : library_(library), sentence_(sentence), read_(read) {}

  std::optional<Understanding> run() {
    items_ = phrases::read_sentence(library_, sentence_);
    for (std::size_t i = 0; i < items_.size(); ++i)
      if (items_[i].kind == Item::Kind::op) ops_.push_back(i);
    if (ops_.empty()) return std::nullopt;
    const bool both = take_both();
    if (both && ops_.size() == 1 && op(0).spec.outputs.size() > 1)  // "both the sine and the cosine"
      return read_(prefix() + std::string(sentence_.substr(items_[ops_[0]].span.begin)));
    if (ops_.size() < 2 || ops_.size() > 8 || !listed()) return std::nullopt;
    const bool reduces = all_in({"reduction", "row-reduction"});
    if (!both && !reduces) return open();
    if (plus_ != Item::none && reduces) return both_or_sum();
    return together();
  }

 private:
  const LibraryOp& op(std::size_t k) const { return library_.ops()[items_[ops_[k]].op]; }

  // Only "and", commas, filler and the operand of the first op separate the ops.
  bool listed() {
    static const std::set<std::string> joins = {"and", "also", "as well as", "along with", "together with",
                                                "&",   "und",  "et",         "+"};
    for (std::size_t k = 0; k + 1 < ops_.size(); ++k) {
      std::size_t separator = Item::none;
      for (std::size_t i = ops_[k] + 1; i < ops_[k + 1]; ++i) {
        const Item& it = items_[i];
        const bool connector = it.kind == Item::Kind::connector;
        if (connector && joins.count(it.text) == 0 && it.value != "of") return false;
        if (it.kind == Item::Kind::comma || (connector && joins.count(it.text))) separator = i;
        if (connector && it.text == "+") plus_ = i;
        if (separator != Item::none && connector && it.value == "of" && it.text == "of") return false;
        const bool plain = it.kind == Item::Kind::filler || connector || it.kind == Item::Kind::comma;
        if (it.kind == Item::Kind::open || (separator != Item::none && !plain)) return false;
      }
      if (separator == Item::none) return false;
      // "mean, and variance": the first one; but "of a and b, and the mean" ends at the last.
      std::size_t first = separator;
      while (first > ops_[k] + 1 && (items_[first - 1].kind == Item::Kind::comma)) --first;
      separators_.push_back({items_[first].span.begin, items_[separator].span.end});
    }
    return std::all_of(ops_.begin(), ops_.end(), [&](std::size_t i) {
      const Spec& s = library_.ops()[items_[i].op].spec;
      return s.inputs.size() == 1 && s.outputs.size() == 1;
    });
  }

  bool all_in(const std::set<std::string>& families) const {
    return std::ranges::all_of(ops_,
                               [&](std::size_t i) { return families.contains(library_.ops()[items_[i].op].family); });
  }

  // "both the sine and the cosine": removes the word.
  bool take_both() {
    for (std::size_t i = 0; i < ops_[0]; ++i)
      if (items_[i].text == "both") {
        both_ = items_[i].span;
        return true;
      }
    return false;
  }

  std::string segment(std::size_t k) const {
    const std::size_t from = items_[ops_[k]].span.begin;
    const std::size_t to = k < separators_.size() ? separators_[k].begin : sentence_.size();
    return std::string(sentence_.substr(from, to - from));
  }
  std::string prefix() const {
    std::string out(sentence_.substr(0, items_[ops_[0]].span.begin));
    if (both_.end > both_.begin) out.erase(both_.begin, both_.end - both_.begin);
    return out;
  }
  // The operand of the last op. If its name ends in a dimension ("max of each column"), that belongs to all ops.
  std::string tail() const {
    const Span last = items_[ops_.back()].span;
    const std::string text(sentence_.substr(last.begin, last.end - last.begin));
    const std::vector<phrases::Token> tokens = phrases::tokenise(text);
    const bool reduces = all_in({"reduction", "row-reduction"});
    for (std::size_t n = 1; n < tokens.size() && reduces; ++n) {
      const std::vector<phrases::Token> some(tokens.begin(), tokens.begin() + static_cast<std::ptrdiff_t>(n));
      const phrases::Match m = library_.vocabulary().match(some, 0);
      const bool names = m.entries && m.count == n && holds(*m.entries, phrases::Sort::op);
      const phrases::Match rest = library_.vocabulary().match(tokens, n);
      const bool axis = rest.entries && n + rest.count == tokens.size() && holds(*rest.entries, phrases::Sort::axis);
      if (names && axis) return std::string(sentence_.substr(last.begin + tokens[n - 1].span.end));
    }
    return std::string(sentence_.substr(last.end));
  }

  // "cumsum and cumprod", "sine and cosine of each element": in sequence, or both of the same tensor?
  std::optional<Understanding> open() const {
    bool pools = true, follows = false;
    for (std::size_t k = 0; k < ops_.size(); ++k) pools = pools && op(k).spec.name.find("_pool") != std::string::npos;
    const std::string rest = tail();
    for (const std::string_view word : {" of ", " for ", " on ", " over "}) follows = follows || rest.starts_with(word);
    const bool of_one = all_in({"map"}) || all_in({"normalization"});
    if (!pools && !all_in({"scan"}) && !(of_one && follows && ops_.size() == 2)) return std::nullopt;
    std::string listed, chain;
    for (std::size_t k = 0; k < ops_.size(); ++k) {
      const std::string& name = items_[ops_[k]].written;
      listed += (k == 0 ? "" : k + 1 == ops_.size() ? " and " : ", ") + name;
      chain += (k == 0 ? "" : " then ") + name;
    }
    Understanding out;
    for (const Item& i : items_)
      out.words.push_back({i.span, i.kind == Item::Kind::op ? Meaning::op : Meaning::filler, i.written, i.value});
    out.questions.push_back("Is '" + listed + "' one after the other, or each of the same input?");
    const std::string both = prefix() + "both " + listed + rest, after = prefix() + chain + rest;
    if (auto u = read_several(library_, both, read_); u && u->spec)
      out.choices.push_back({both, "several results of the same input", std::move(*u->spec)});
    if (Understanding u = read_(after); u.spec)
      out.choices.push_back({after, "one after the other", std::move(*u.spec)});
    return out;
  }

  // "row max + argmax": both, or their sum?
  std::optional<Understanding> both_or_sum() const {
    Understanding out;
    for (const Item& i : items_)
      out.words.push_back({i.span, i.kind == Item::Kind::op ? Meaning::op : Meaning::filler, i.written, i.value});
    out.questions.push_back("Does '+' ask for both results, or for their sum?");
    std::string both(sentence_);
    both.replace(items_[plus_].span.begin, items_[plus_].span.end - items_[plus_].span.begin, "and");
    if (auto u = read_several(library_, both, read_); u && u->spec)
      out.choices.push_back({both, "both results", std::move(*u->spec)});
    return out;
  }

  std::optional<Understanding> together() {
    Understanding out;
    Pieces all;
    std::set<std::string> letters;
    for (const Item& i : items_)
      if (i.letter) letters.insert(i.written);
    const std::string front = prefix(), shared = tail();
    for (std::size_t k = 0; k < ops_.size(); ++k) {
      const std::string own = segment(k);
      const bool last = k + 1 == ops_.size();
      Understanding one = read_(front + own + (last ? "" : " " + shared));
      if (!one.spec && !last) one = read_(front + own);  // "sum of each row and max of each column"
      if (!one.spec) {
        if (one.questions.empty()) return std::nullopt;
        for (const std::string& q : one.questions)
          if (std::find(out.questions.begin(), out.questions.end(), q) == out.questions.end())
            out.questions.push_back(q);
      }
      if (k == 0) take_words(one, {0, front.size()}, both_.end > both_.begin ? both_.end - both_.begin : 0, out.words);
      take_words(one, {front.size(), front.size() + own.size()}, items_[ops_[k]].span.begin, out.words);
      if (!last) {
        const Span s = separators_[k];
        out.words.push_back({s, Meaning::composition, std::string(sentence_.substr(s.begin, s.end - s.begin)),
                             "another result of the same input"});
      }
      if (one.spec) all.specs.push_back(std::move(*one.spec));
    }
    if (out.questions.empty() && letters.size() > 1 && all.specs[0].inputs.size() == 1)
      out.questions.push_back(
          "It is not clear of which tensor each result is; write formulas, such as 'mean(a), max(b)'.");
    if (out.questions.empty()) finish(out, all);
    return out;
  }

  const Library& library_;
  std::string_view sentence_;
  const ReadOne& read_;
  std::vector<Item> items_;
  std::vector<std::size_t> ops_;
  std::vector<Span> separators_;  // separators_[k]: between the ops k and k + 1
  Span both_{0, 0};
  std::size_t plus_ = Item::none;  // a "+" between two ops
};

// "the sum and the difference of a and b": each of the same operands.
std::optional<Understanding> read_lists(const Library& library, std::string_view sentence, const ReadOne& read) {
  const std::vector<phrases::Token> tokens = phrases::tokenise(sentence);
  const auto is = [&](std::size_t i, std::string_view word) { return i < tokens.size() && tokens[i].text == word; };
  std::vector<Span> words;
  std::size_t at = 0;
  for (std::size_t lead = 1; lead > 0 && !formula::is_list_word(library, tokens, at); at += lead)
    lead = formula::lead(library, tokens, at);
  const std::size_t first = at;
  for (;;) {
    while (is(at, "the")) ++at;
    if (!formula::is_list_word(library, tokens, at)) return std::nullopt;
    words.push_back(tokens[at++].span);
    if (is(at, "of") || is(at, "between")) break;
    const std::size_t back = at;
    if (is(at, ",")) ++at;
    if (is(at, "and")) ++at;
    if (at == back) return std::nullopt;
  }
  if (words.size() < 2) return std::nullopt;
  const std::string front(sentence.substr(0, tokens[first].span.begin));
  const std::size_t behind = words.back().end;
  Understanding out;
  Pieces all;
  for (const Span& w : words) {
    const std::string own(sentence.substr(w.begin, w.end - w.begin));
    const Understanding one = read(front + own + std::string(sentence.substr(behind)));
    if (!one.spec) return std::nullopt;
    const auto same = [&](const Spec& s) { return print(s) == print(*one.spec); };
    if (std::none_of(all.specs.begin(), all.specs.end(), same)) {
      out.words.push_back({w, Meaning::op, own, "a result of its own"});
      const std::string name = ascii_lower(own);
      all.names.push_back(syntax::reserved_as(name).empty() ? name : name + "_value");
      all.specs.push_back(*one.spec);
    }
  }
  if (all.specs.size() < words.size() || all.specs[0].inputs.size() < 2) return std::nullopt;
  out.words.push_back({{behind, sentence.size()}, Meaning::op, std::string(sentence.substr(behind)), "of each"});
  finish(out, all);
  return out;
}

}  // namespace

std::optional<Understanding> read_several(const Library& library, std::string_view sentence, const ReadOne& read) {
  constexpr std::size_t longest = 2000;
  if (sentence.size() > longest) return std::nullopt;
  if (auto out = Formulas(library, sentence, read).run()) return out;
  if (auto out = read_lists(library, sentence, read)) return out;
  return Ops(library, sentence, read).run();
}

}  // namespace ww::op
