// SPDX-License-Identifier: Apache-2.0
#include "op/sentence/loose.h"
#include <algorithm>
#include <map>
#include <set>
#include "op/sentence/phrasebook_words.h"

namespace ww::op {
namespace {

using phrases::Entry;
using phrases::Sort;
using phrases::Token;

class Finder {
 public:
  Finder(const Library& library, std::string_view sentence, const Understanding& read)
      : library_(library), sentence_(sentence), tokens_(phrases::tokenise(sentence)) {
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      at_[tokens_[i].text].push_back(i);
      for (const Word& w : read.words)
        if (w.meaning == Meaning::unknown && w.span.begin <= tokens_[i].span.begin && tokens_[i].span.end <= w.span.end)
          unknown_.insert(i);
    }
  }

  std::vector<LooseName> run() {
    struct Found {
      const phrases::LoosePhrase* phrase;
      std::vector<std::size_t> places;
      bool certain;
    };
    std::vector<Found> found;
    for (const phrases::LoosePhrase& p : library_.vocabulary().loose_phrases()) {
      if (p.words.size() < 2 || !holds(p.words)) continue;
      Found f{&p, {}, false};
      f.certain = in_order(p.words, f.places);
      if (!f.certain && !anywhere(p.words, f.places)) continue;
      const bool needed =
          std::any_of(f.places.begin(), f.places.end(), [&](std::size_t i) { return unknown_.count(i) != 0; });
      if (needed) found.push_back(std::move(f));
    }
    std::stable_sort(found.begin(), found.end(), [](const Found& a, const Found& b) {
      return std::pair(a.phrase->words.size(), a.certain) > std::pair(b.phrase->words.size(), b.certain);
    });
    std::vector<LooseName> out;
    std::set<std::string> ops;
    for (const Found& f : found) {
      if (out.size() == (sentence_.size() > 150 ? 1 : 4)) break;
      if (!ops.insert(f.phrase->op).second) continue;
      const std::size_t begin = tokens_[f.places[0]].span.begin;
      const Span name{begin, begin + f.phrase->op.size()};
      out.push_back({edited(f.phrase->op, f.places), f.phrase->op, name, f.certain});
    }
    return out;
  }

 private:
  bool holds(const std::vector<std::string>& words) const {
    return std::all_of(words.begin(), words.end(), [&](const std::string& w) { return at_.count(w) != 0; });
  }
  bool of(std::size_t i, Sort sort) const {
    const phrases::Match m = library_.vocabulary().match(tokens_, i);
    return m.count == 1 && m.entry(sort);
  }
  // What may separate the words of a name.
  bool passes(std::size_t i) const {
    static const std::set<std::string> joins = {"then", "followed", "after", "not", "no", "without", "except", "or"};
    const Token& t = tokens_[i];
    if (joins.count(t.text)) return false;
    if (t.kind == Token::Kind::number) return true;
    if (t.kind == Token::Kind::symbol) return t.text != "+" && t.text != "." && t.text != ";";
    return of(i, Sort::filler) || of(i, Sort::constant) || of(i, Sort::dtype) || of(i, Sort::size) || t.text == "x" ||
           t.text == "and" || t.text == "with" || t.text.size() == 1;
  }

  // "exp(x), plus y" is no "x plus y": a bracket that holds the first word alone ends in between.
  bool closes(std::size_t from, std::size_t to) const {
    if (tokens_[to].text != ")" && tokens_[to].text != "]") return false;
    const bool alone = from > 0 && tokens_[from - 1].text == "(" && to == from + 1;  // "L1 (Charbonnier) penalty"
    if (alone && tokens_[from].text.size() > 1) return false;
    int depth = 0;
    for (std::size_t i = from + 1; i <= to; ++i) {
      if (tokens_[i].text == "(" || tokens_[i].text == "[") ++depth;
      if (tokens_[i].text == ")" || tokens_[i].text == "]") --depth;
    }
    return depth < 0;
  }

  bool in_order(const std::vector<std::string>& words, std::vector<std::size_t>& places) const {
    constexpr std::size_t farthest = 12;
    for (const std::size_t first : at_.at(words[0])) {
      places = {first};
      std::size_t i = first + 1;
      while (places.size() < words.size() && i < tokens_.size() && i - places.back() <= farthest) {
        if (tokens_[i].text == words[places.size()])
          places.push_back(i);
        else if (!passes(i) || closes(places.back(), i))
          break;
        ++i;
      }
      if (places.size() == words.size()) return true;
    }
    places.clear();
    return false;
  }

  bool anywhere(const std::vector<std::string>& words, std::vector<std::size_t>& places) const {
    places.clear();
    for (const std::string& w : words) {
      const auto& all = at_.at(w);
      const auto fresh = std::find_if(all.begin(), all.end(), [&](std::size_t i) {
        return std::find(places.begin(), places.end(), i) == places.end();
      });
      if (fresh == all.end()) return false;
      places.push_back(*fresh);
    }
    std::sort(places.begin(), places.end());
    return words.size() >= 2;
  }

  // Keeps a constant or size next to its number.
  bool stays(std::size_t i) const {
    const auto number = [&](std::size_t k) { return k < tokens_.size() && tokens_[k].kind == Token::Kind::number; };
    const bool behind = number(i + 1) || (i + 2 < tokens_.size() && tokens_[i + 1].text == "=" && number(i + 2));
    if (of(i, Sort::constant) && behind) return true;
    return of(i, Sort::size) && (behind || (i > 0 && number(i - 1)));
  }

  Edited edited(const std::string& op, const std::vector<std::size_t>& places) const {
    std::vector<Edited::Edit> edits;
    for (const std::size_t i : places) {
      const bool first = edits.empty();
      if (stays(i) && !first) continue;
      const std::string own(sentence_.substr(tokens_[i].span.begin, tokens_[i].span.end - tokens_[i].span.begin));
      std::string name = first ? op : std::string();
      if (first && stays(i)) name += " " + own;
      edits.push_back({tokens_[i].span, name, "part of the name of " + op});
    }
    return Edited(sentence_, std::move(edits));
  }

  const Library& library_;
  std::string_view sentence_;
  std::vector<Token> tokens_;
  std::map<std::string, std::vector<std::size_t>> at_;
  std::set<std::size_t> unknown_;
};

}  // namespace

std::vector<LooseName> loose_names(const Library& library, std::string_view sentence, const Understanding& read) {
  constexpr std::size_t longest = 1000;
  if (sentence.size() > longest) return {};
  return Finder(library, sentence, read).run();
}

}  // namespace ww::op
