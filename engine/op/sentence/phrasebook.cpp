// SPDX-License-Identifier: Apache-2.0
#include "op/sentence/phrasebook_reading.h"
#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include "op/formula/reading.h"
#include "op/formula/index_equations.h"
#include "op/nan_rule.h"
#include "op/parse.h"
#include "op/sentence/brackets.h"
#include "op/sentence/chained.h"
#include "op/sentence/offers.h"
#include "op/sentence/phrasebook_build.h"
#include "op/sentence/phrasebook_sentence.h"
#include "op/sentence/several.h"
#include "op/sentence/spec_sentence.h"
#include "op/sentence/statistics.h"
#include "op/sentence/symbolic.h"
#include "op/sentence/titled.h"

namespace ww::op {
namespace {

using phrases::Item;
using phrases::Sort;
using Kind = Item::Kind;

constexpr std::size_t most_questions = 8;
constexpr std::size_t most_ops = 16;

struct Order {
  std::vector<std::size_t> items;  // op items in execution order
  std::string question;
};

// How two adjacent ops of the sentence are joined.
enum class Join { then, after, weak_then, weak_after };

// Between two ops: "then" and "after" decide. "of" counts only directly before the second op ("softmax of the matmul",
// not "softmax of a matrix and a matmul"), as does a bracket ("softmax(matmul)").
Join join_between(std::vector<Item>& items, std::size_t a, std::size_t b) {
  Join out = Join::weak_then;
  for (std::size_t i = a + 1; i < b; ++i) {
    Item& it = items[i];
    if (it.kind == Kind::connector && (it.value == "then" || it.value == "after")) {
      out = it.value == "then" ? Join::then : Join::after;
      return out;
    }
  }
  if (b == a + 2 && items[a + 1].text == "the") return Join::weak_after;  // "scale the softmax": its object
  for (std::size_t i = b; i-- > a + 1;) {
    const Item& it = items[i];
    if (it.kind == Kind::connector && it.value == "of") return Join::weak_after;
    if (it.kind == Kind::open) return i == a + 1 ? Join::weak_after : out;
    if (it.kind != Kind::filler) break;
  }
  return out;
}

Order order_of(std::vector<Item>& items) {
  std::vector<std::size_t> ops;
  for (std::size_t i = 0; i < items.size(); ++i)
    if (items[i].kind == Kind::op) ops.push_back(i);
  Order out;
  bool weak_then = false, weak_after = false, after = false;
  std::vector<std::size_t> group;  // ops joined backwards
  const auto close = [&] {
    out.items.insert(out.items.end(), group.rbegin(), group.rend());
    group.clear();
  };
  for (std::size_t k = 0; k < ops.size(); ++k) {
    if (k > 0) {
      const Join join = join_between(items, ops[k - 1], ops[k]);
      weak_then = weak_then || join == Join::weak_then;
      weak_after = weak_after || join == Join::weak_after;
      after = after || join == Join::after;
      if (join == Join::then || join == Join::weak_then) close();
    }
    group.push_back(ops[k]);
  }
  close();
  if (weak_then && (weak_after || after))
    out.question =
        "The order of the operations is not clear; write them in the order in which they run, joined by 'then'.";
  for (std::size_t k = 0; k + 1 < ops.size(); ++k) {
    for (std::size_t i = ops[k] + 1; i < ops[k + 1]; ++i) {
      if (items[i].kind != Kind::connector) continue;
      const auto at = [&](std::size_t item) { return std::find(out.items.begin(), out.items.end(), item); };
      const bool forward = at(ops[k]) < at(ops[k + 1]);
      // Ops joined backwards form a group; a forward join links the last op of a group to the first of the next.
      const std::string& first = items[forward ? out.items[k] : ops[k + 1]].value;
      const std::string& second = items[forward ? out.items[k + 1] : ops[k]].value;
      if (items[i].value != "of" || !forward)
        items[i].read_as(Meaning::composition, "first " + first + ", then " + second);
    }
  }
  return out;
}

Meaning meaning_of(const Item& i) {
  switch (i.kind) {
    case Kind::op: return Meaning::op;
    case Kind::axis: return Meaning::axis;
    case Kind::dtype: return Meaning::dtype;
    case Kind::constant: return Meaning::constant;
    case Kind::rank:
    case Kind::size:
    case Kind::number:
    case Kind::shape:
    case Kind::assign: return Meaning::shape;
    case Kind::unknown: return Meaning::unknown;
    default: return Meaning::filler;
  }
}

std::vector<Word> words_of(const std::vector<Item>& items) {
  std::vector<Word> out;
  for (const Item& i : items) {
    if (i.kind == Kind::comma || i.kind == Kind::punctuation || i.kind == Kind::open) continue;
    Word w;
    w.span = i.span;
    w.text = i.written;
    w.meaning = i.meaning != Meaning::unknown ? i.meaning : meaning_of(i);
    w.reading = i.reading;
    if (!i.number_reading.empty() && w.meaning != Meaning::filler)
      w.reading = i.number_reading + (w.reading.empty() ? "" : "; " + w.reading);
    if (w.meaning == Meaning::unknown && w.reading.empty()) w.reading = "not known";
    out.push_back(std::move(w));
  }
  return out;
}

// Asks about words that carry meaning but were not understood, so that nothing is silently skipped.
std::vector<std::string> unread(const std::vector<Item>& items) {
  std::vector<std::string> out;
  for (const Item& i : items) {
    const bool meant = i.is_value() || i.kind == Kind::size || i.kind == Kind::axis || i.kind == Kind::dtype ||
                       i.kind == Kind::constant || i.kind == Kind::assign || i.kind == Kind::rank;
    if (meant && i.reading.empty()) out.push_back("It is not clear what " + in_quotes(i.written) + " stands for.");
  }
  return out;
}

// Signs of a formula left over around op names: "sum_k w[k]", "y = relu and z = tanh".
void ask_about_signs(const std::vector<Item>& items, std::vector<std::string>& out) {
  for (std::size_t i = 0; i < items.size(); ++i) {
    const Item& it = items[i];
    const bool owned = i > 0 && items[i - 1].value_at != Item::none && items[i - 1].value_at > i;
    // "x is 64x64; y = relu", "(B, T) = (16, 512)"
    const bool begins =
        i == 1 || (i > 1 && (items[i - 2].kind == Kind::comma || items[i - 2].kind == Kind::punctuation));
    const bool target = i > 0 && begins && (items[i - 1].letter || items[i - 1].kind == Kind::filler);
    const bool value = i + 1 < items.size() && (items[i + 1].is_value() || items[i + 1].text == "=");
    const bool equals = it.kind == Kind::punctuation && it.text == "=" && !owned && !target && !value;
    const bool bracket = it.kind == Kind::open && it.text == "[";
    const bool index = it.letter && it.underscored;
    const bool minus = it.text == "-" && i + 1 < items.size() && items[i + 1].letter;  // "relu of -x"
    if (!equals && !bracket && !index && !minus) continue;
    out.push_back("It is not clear what " + in_quotes(it.written) +
                  " means here; write the whole request as a formula, or in words.");
    return;
  }
}

std::vector<std::string> unknown_texts(const Understanding& out) {
  std::vector<std::string> unknown;
  for (const Word& w : out.words)
    if (w.meaning == Meaning::unknown && std::find(unknown.begin(), unknown.end(), w.text) == unknown.end())
      unknown.push_back(w.text);
  return unknown;
}

std::string not_known(const std::string& word) { return "The word " + in_quotes(word) + " is not known"; }

// "each" of "each collumn": the word behind it is not known, not this one.
bool leads_to_unknown(const Understanding& out, const std::string& word) {
  static const std::set<std::string> leads = {"each", "every", "all", "per", "over", "along", "across", "by"};
  if (leads.count(phrases::fold(word)) == 0) return false;
  for (std::size_t i = 0; i + 1 < out.words.size(); ++i)
    if (out.words[i].text == word && out.words[i + 1].meaning != Meaning::unknown) return false;
  return !out.words.empty() && out.words.back().text != word;
}

void ask_about_unknown(Understanding& out) {
  std::vector<std::string> unknown = unknown_texts(out);
  std::erase_if(unknown, [&](const std::string& word) { return leads_to_unknown(out, word); });
  const auto changes = [&](const std::string& text) {
    return std::any_of(out.words.begin(), out.words.end(), [&](const Word& w) {
      return w.text == text && w.meaning == Meaning::unknown && w.reading == phrases::qualifying;
    });
  };
  for (std::size_t i = 0; i < unknown.size() && i < most_questions; ++i) {
    const std::string word = phrases::fold(unknown[i]);
    if (word == "over" || word == "along" || word == "across")
      out.questions.push_back(
          "What " + in_quotes(unknown[i]) +
          " refers to is not clear; write for example 'over dimension 0', 'over the rows' or 'over the columns'.");
    else if (changes(unknown[i]))
      out.questions.push_back("It is not clear what " + in_quotes(unknown[i]) + " means for the operation beside it.");
    else
      out.questions.push_back(not_known(unknown[i]) + ".");
  }
  if (unknown.size() > most_questions)
    out.questions.push_back(std::to_string(unknown.size() - most_questions) + " more words are not known.");
}

}  // namespace

// Adds the nearest ops to the questions about unknown words.
void name_nearest(const Library& library, Understanding& out) {
  const std::vector<std::string> unknown = unknown_texts(out);
  std::string all;
  for (std::size_t i = 0; i < unknown.size() && i < most_questions; ++i) {
    const auto asked = std::find(out.questions.begin(), out.questions.end(), not_known(unknown[i]) + ".");
    if (asked == out.questions.end()) continue;
    all += unknown[i] + " ";
    std::vector<std::string> near;
    for (const LibraryOp* op : library.nearest(unknown[i], 3)) near.push_back(op->spec.name);
    if (!near.empty())
      *asked = not_known(unknown[i]) + (near.size() == 1 ? "; the nearest op is " : "; the nearest ops are ") +
               phrases::listed(near, " or ") + ".";
    for (const std::string& n : near)
      if (std::find(out.nearest.begin(), out.nearest.end(), n) == out.nearest.end()) out.nearest.push_back(n);
  }
  if (unknown.size() > 1)
    for (const LibraryOp* op : library.nearest(all, 3))
      if (std::find(out.nearest.begin(), out.nearest.end(), op->spec.name) == out.nearest.end())
        out.nearest.push_back(op->spec.name);
  std::string words;
  for (const Word& w : out.words)
    if (w.meaning == Meaning::op || w.meaning == Meaning::composition || w.meaning == Meaning::unknown)
      words += w.text + " ";
  const std::vector<const LibraryOp*> about = library.about(words, 3);
  for (auto op = about.rbegin(); op != about.rend(); ++op) {
    std::erase(out.nearest, (*op)->spec.name);
    out.nearest.insert(out.nearest.begin(), (*op)->spec.name);
  }
  if (out.nearest.size() > 5) out.nearest.resize(5);
}

ReadAny reader(const Library& library) {
  return [&library](const std::string& text) { return read_once(library, text); };
}

namespace {

// The sentence with its missing constants, at the values of the op files.
void offer_constants(const Library& library, std::string_view sentence,
                     const std::vector<phrases::Built::Addition>& additions, Understanding& out) {
  if (additions.empty()) return;
  std::string whole(sentence), difference;
  for (auto a = additions.rbegin(); a != additions.rend(); ++a) {
    whole.insert(a->at, a->words);
    difference = a->words.substr(1) + (difference.empty() ? "" : ", ") + difference;
  }
  add_choice(reader(library), whole, difference + ", or other numbers", out);
}

// Reads the sentence as op names with their attributes.
Understanding read_ops(const Library& library, std::string_view sentence) {
  Understanding out;
  std::vector<Item> items = phrases::read_sentence(library, sentence);
  Order order = order_of(items);
  if (order.items.size() > most_ops) {
    out.words = words_of(items);
    ask_about_unknown(out);
    out.questions.push_back("The sentence names " + std::to_string(order.items.size()) + " operations; at most " +
                            std::to_string(most_ops) + " can be joined.");
    return out;
  }
  std::optional<Spec> spec;
  std::vector<std::string> questions;
  std::vector<phrases::Built::Addition> additions;
  std::vector<phrases::Built::Alternative> alternatives;
  if (!order.items.empty()) {
    phrases::Built built = phrases::build(library, items, order.items);
    spec = std::move(built.spec);
    questions = std::move(built.questions);
    additions = std::move(built.additions);
    alternatives = std::move(built.alternatives);
    if (!order.question.empty()) questions.insert(questions.begin(), order.question);
  }
  if (spec && questions.empty()) questions = unread(items);
  if (spec && questions.empty()) ask_about_signs(items, questions);
  out.words = words_of(items);
  ask_about_unknown(out);
  if (order.items.empty() && out.questions.empty())
    out.questions.push_back(
        "No operation is named; write for example: softmax over the rows of a 512x1024 float matrix.");
  out.questions.insert(out.questions.end(), questions.begin(), questions.end());
  if (out.questions.empty() && spec) out.spec = plain(std::move(*spec));
  if (!out.spec) offer_constants(library, sentence, additions, out);
  if (!out.spec)
    for (const phrases::Built::Alternative& a : alternatives)
      add_choice(reader(library), std::string(sentence).insert(a.at, a.words), a.difference, out);
  return out;
}

// The same, with shapes of named sizes.
Understanding read_phrases(const Library& library, std::string_view sentence) {
  if (const auto symbolic = SymbolicShapes::find(library, sentence)) {
    Understanding out = read_ops(library, symbolic->numbered());
    symbolic->restore(library, sentence, out);
    if (out.spec) return out;
  }
  return read_ops(library, sentence);
}

// A formula in the sentence; its question becomes choices.
Understanding from_formula(const Library& library, formula::Reading reading) {
  Understanding out;
  out.words = std::move(reading.words);
  for (const std::string& w : reading.unknown) {
    if (out.questions.size() == most_questions) break;
    out.questions.push_back("It is not clear what " + in_quotes(w) + " means beside the formula.");
  }
  if (out.questions.empty() && reading.lowered.spec) {
    out.spec = plain(std::move(*reading.lowered.spec));
    return out;
  }
  if (!reading.lowered.question.empty()) out.questions.push_back(reading.lowered.question);
  out.impossible = reading.lowered.impossible;
  for (const formula::Option& o : reading.lowered.options) add_choice(reader(library), o.sentence, o.difference, out);
  return out;
}

}  // namespace

// A sentence or formula that the program wrote for a spec.
std::optional<Understanding> read_own(std::string_view sentence) {
  if (sentence.size() > longest_sentence) return std::nullopt;
  std::optional<Result<Spec>> own = parse_sentence(sentence);
  const char* what = own ? "an op in words" : "a formula";
  if (!own) own = parse_formula(sentence);
  if (!own) return std::nullopt;
  Understanding out;
  out.words.push_back({{0, sentence.size()}, Meaning::op, std::string(sentence), what});
  if (!*own)
    out.questions.push_back("What is given here as " + std::string(what) +
                            " does not fit together: " + (*own).error().message + ".");
  if (*own) out.spec = std::move(**own);
  return out;
}

namespace {

// A sentence that asks for one result.
Understanding read_result(const Library& library, std::string_view sentence) {
  const auto formula = [&](std::string_view part) -> std::optional<Understanding> {
    auto reading = formula::read_formula(library, part);
    return reading ? std::optional(from_formula(library, std::move(*reading))) : std::nullopt;
  };
  const auto any_formula = [&](std::string_view part) -> std::optional<Understanding> {
    auto read = formula(part);
    if (read && (read->spec || !read->choices.empty())) return read;
    auto indexed = read_index_equations(library, part);
    if (indexed && indexed->spec) return indexed;
    auto several = read_several(library, part, [&](const std::string& piece) {
      auto one = formula(piece);
      if (!one) one.emplace().questions.emplace_back("This is no formula.");
      return std::move(*one);
    });
    return several && several->spec ? several : read;
  };
  const auto ops = [&](std::string_view part) { return std::optional(read_phrases(library, part)); };
  auto whole = formula(sentence);
  if (whole && (whole->spec || whole->impossible) && !is_title_of(sentence, formula, ops)) return std::move(*whole);
  if (auto titled = read_titled(library, sentence, any_formula, ops)) return std::move(*titled);
  const auto head = [&](std::string_view part) -> std::optional<Understanding> {
    auto read = formula(part);
    return read && read->spec ? read : read_titled(library, part, any_formula, ops);
  };
  if (auto chain = read_chained(sentence, head, ops)) return std::move(*chain);
  if (whole) return std::move(*whole);
  return read_phrases(library, sentence);
}

}  // namespace

Understanding read_once(const Library& library, std::string_view sentence) {
  if (sentence.size() > longest_sentence) {
    Understanding out;
    out.questions.push_back("The text has " + std::to_string(sentence.size()) + " characters; a request of up to " +
                            std::to_string(longest_sentence) + " is read.");
    return out;
  }
  const formula::Tables& tables = library.vocabulary().tables();
  if (const auto open = tables.open.find(phrases::folded(sentence)); open != tables.open.end()) {
    Understanding out;
    out.words = words_of(phrases::read_sentence(library, sentence));
    out.questions.push_back(in_quotes(sentence) + " may mean several things; which one?");
    for (const formula::Option& o : open->second) add_choice(reader(library), o.sentence, o.difference, out);
    return out;
  }
  if (auto problem = brackets_problem(sentence)) {
    Understanding out;
    out.words = words_of(phrases::read_sentence(library, sentence));
    out.questions.push_back(std::move(*problem));
    return out;
  }
  if (const auto open = open_statistics(sentence)) {
    Understanding out;
    out.words = words_of(phrases::read_sentence(library, sentence));
    out.questions.push_back(open->question);
    for (const OpenStatistics::Answer& a : open->answers) add_choice(reader(library), a.sentence, a.difference, out);
    return out;
  }
  const ReadOne one = [&](const std::string& piece) { return read_result(library, piece); };
  if (auto layers = read_layers(sentence, one)) return std::move(*layers);
  if (auto several = read_several(library, sentence, one)) return std::move(*several);
  return read_result(library, sentence);
}

std::string_view meaning_name(Meaning m) {
  switch (m) {
    case Meaning::op: return "op";
    case Meaning::composition: return "composition";
    case Meaning::shape: return "shape";
    case Meaning::dtype: return "dtype";
    case Meaning::axis: return "axis";
    case Meaning::constant: return "constant";
    case Meaning::filler: return "filler";
    case Meaning::unknown: return "unknown";
  }
  return "unknown";
}

Spec plain(Spec spec) {
  std::erase_if(spec.directives, [](const auto& d) { return d.first != "summary" && d.first != nan_key; });
  return spec;
}

}  // namespace ww::op
