// SPDX-License-Identifier: Apache-2.0
#include "op/sentence/phrasebook.h"
#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include "op/domain_check.h"
#include "op/formula/chains.h"
#include "op/formula/reading.h"
#include "op/formula/index_equations.h"
#include "op/nan_rule.h"
#include "op/parse.h"
#include "op/sentence/brackets.h"
#include "op/sentence/chained.h"
#include "op/sentence/framing.h"
#include "op/sentence/layout_axes.h"
#include "op/sentence/limits.h"
#include "op/sentence/loops.h"
#include "op/sentence/loose.h"
#include "op/sentence/notation.h"
#include "op/sentence/of_formula.h"
#include "op/sentence/offers.h"
#include "op/sentence/phrasebook_build.h"
#include "op/sentence/phrasebook_sentence.h"
#include "op/sentence/plain_signs.h"
#include "op/sentence/rewriting.h"
#include "op/sentence/restated.h"
#include "op/sentence/said_statistics.h"
#include "op/sentence/several.h"
#include "op/sentence/signals.h"
#include "op/sentence/spec_sentence.h"
#include "op/sentence/statistics.h"
#include "op/sentence/steps.h"
#include "op/sentence/symbolic.h"
#include "op/sentence/titled.h"
#include "op/walk.h"

namespace ww::op {
namespace {

using phrases::Item;
using phrases::Sort;
using Kind = Item::Kind;

constexpr std::size_t most_questions = 8;
constexpr std::size_t most_ops = 16;
constexpr std::size_t longest_sentence = 20000;
constexpr std::size_t longest_tried = 2000;  // rewritten, or without some of its words

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
  if (out.nearest.size() > 5) out.nearest.resize(5);
}

Understanding read_once(const Library& library, std::string_view sentence);

ReadAny reader(const Library& library) {
  return [&library](const std::string& text) { return read_once(library, text); };
}

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

}  // namespace

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

namespace {

// A sentence as one request, or as equations of the op language.
Understanding read_whole(const Library& library, std::string_view sentence) {
  Understanding out = read_once(library, sentence);
  if (out.spec) return out;
  if (auto equations = read_index_equations(library, sentence)) return std::move(*equations);
  return out;
}

std::size_t unknown_words(const Understanding& u) {
  return static_cast<std::size_t>(
      std::count_if(u.words.begin(), u.words.end(), [](const Word& w) { return w.meaning == Meaning::unknown; }));
}

// Whether an op that the sentence names once is there twice in other words, which have put in its name once more.
bool names_twice(const Understanding& before, const Understanding& after) {
  const auto count = [](const Understanding& u, const std::string& reading) {
    return std::count_if(u.words.begin(), u.words.end(),
                         [&](const Word& w) { return w.meaning == Meaning::op && w.reading == reading; });
  };
  return std::any_of(after.words.begin(), after.words.end(), [&](const Word& w) {
    return w.meaning == Meaning::op && count(before, w.reading) == 1 && count(after, w.reading) > 1;
  });
}

// The sentence as rewritten, and rewritten again while that is not understood: a rule may make room for another.
Understanding read_in_other_words(const Library& library, Edited first, const Understanding& before,
                                  std::vector<Edited>& made) {
  constexpr std::size_t long_text = 200;  // one reading of it takes milliseconds
  made.push_back(std::move(first));
  const int most_times = made.back().text().size() > long_text ? 1 : 3;
  Understanding out = read_whole(library, made.back().text());
  if (out.spec && !names_twice(before, out)) return out;
  if (out.spec) out = before;
  std::vector<Edited> more;
  std::string text = made.back().text();
  for (int times = 1; times < most_times; ++times) {
    std::optional<Edited> next = rewritten(library, text);
    if (!next || next->text() == text) break;
    text = next->text();
    more.push_back(std::move(*next));
    Understanding again = read_whole(library, text);
    if (!again.spec || names_twice(before, again)) continue;
    for (Edited& e : more) made.push_back(std::move(e));
    return again;
  }
  return out;
}

// Rewrites a sentence that is not understood as written; `edits` map back if the rewritten one says more.
void read_rewritten(const Library& library, std::string_view sentence, Understanding& out, std::vector<Edited>& edits) {
  std::optional<Edited> edited = rewritten(library, sentence);
  if (!edited) return;
  std::vector<Edited> made;
  Understanding again = read_in_other_words(library, std::move(*edited), out, made);
  const bool better = again.spec || (out.choices.empty() &&
                                     (!again.choices.empty() || (unknown_words(again) < unknown_words(out) ||
                                                                 again.questions.size() < out.questions.size())));
  if (!better) return;
  out = std::move(again);
  edits = std::move(made);
}

// As edited, if that is understood, rewritten or not.
void read_edited(const Library& library, std::optional<Edited> edited, Understanding& out, std::vector<Edited>& edits) {
  if (!edited) return;
  Understanding again = read_whole(library, edited->text());
  std::vector<Edited> made = {std::move(*edited)};
  if (!again.spec)
    if (auto other = rewritten(library, made[0].text()))
      again = read_in_other_words(library, std::move(*other), again, made);
  if (!again.spec) return;
  out = std::move(again);
  edits = std::move(made);
}

// "softmax of x @ y.T" as the formula, then the op; a reduction that names no dimension is asked about.
void read_of_formula(const Library& library, std::string_view sentence, Understanding& out,
                     std::vector<Edited>& edits) {
  for (const OfFormula& way : ops_of_formulas(sentence)) {
    const Understanding operand = read_whole(library, way.formula);
    if (!operand.spec || operand.spec->outputs.size() != 1) continue;
    for (const std::string& chain : way.chains) {
      Understanding again = read_whole(library, chain);
      if (!again.spec) continue;
      if (!way.first.empty()) {
        out.questions = {"Is that of " + in_quotes(way.formula) + ", or is the number added to the result?"};
        out.choices.clear();
        add_choice(reader(library), chain, "of " + way.formula, out);
        add_choice(reader(library), way.first, "the number comes last", out);
        return;
      }
      if (!way.answers.empty() && again.spec->outputs[0].shape.size() < operand.spec->outputs[0].shape.size()) {
        Understanding open;
        open.words = out.words;
        open.questions = {"Is that of each row of " + in_quotes(way.formula) + ", or of all its elements?"};
        add_choice(reader(library), way.answers[0], "of each row", open);
        add_choice(reader(library), way.answers[1], "of all elements", open);
        if (open.choices.size() == 2) {
          out = std::move(open);
          return;
        }
      }
      out = std::move(again);
      edits = {Edited(sentence, {{{0, sentence.size()}, chain, "as " + chain}})};
      return;
    }
  }
}

// Without the frame of the request.
void read_in_frame(const Library& library, std::string_view sentence, Understanding& out, std::vector<Edited>& edits) {
  auto framed = read_framed(library, sentence, [&](const std::string& text) { return read_whole(library, text); });
  if (!framed) return;
  Understanding& again = framed->understanding;
  const bool better =
      again.spec || (out.choices.empty() && (!again.choices.empty() || unknown_words(again) < unknown_words(out)));
  if (!better) return;
  out = std::move(again);
  edits = std::move(framed->edits);
}

// Op names with other words in between: read if certain, otherwise offered.
void read_loose(const Library& library, std::string_view sentence, Understanding& out, std::vector<Edited>& edits) {
  std::vector<Choice> offered;
  for (LooseName& name : loose_names(library, sentence, out)) {
    Understanding again = read_whole(library, name.sentence.text());
    const bool named = std::any_of(again.words.begin(), again.words.end(), [&](const Word& w) {
      return w.meaning == Meaning::op && w.span.begin == name.name.begin && w.span.end == name.name.end;
    });
    if (!again.spec || !named) continue;
    if (name.certain && offered.empty() && edits.empty()) {
      out = std::move(again);
      edits = {std::move(name.sentence)};
      return;
    }
    offered.push_back({name.sentence.text(), "the op " + name.op, std::move(*again.spec)});
  }
  if (out.choices.empty()) out.choices = std::move(offered);
}

Understanding understand_plain(const Library& library, std::string_view sentence, bool answers) {
  std::optional<Understanding> own = read_own(sentence);
  Understanding out = own ? std::move(*own) : read_whole(library, sentence);
  std::vector<Edited> edits;
  const bool readable = !own && sentence.size() <= longest_sentence, tried = sentence.size() <= longest_tried;
  const bool asked = library.vocabulary().tables().open.count(phrases::folded(sentence)) != 0;  // questions.txt
  const auto open = [&] { return !out.spec && readable && tried && !out.impossible && !asked; };
  if (open()) read_edited(library, loops_as_equation(sentence), out, edits);
  if (open()) read_edited(library, with_numbered_axes(library, sentence), out, edits);
  if (open()) read_edited(library, with_left_side(sentence), out, edits);
  if (open()) read_edited(library, with_places_in_brackets(sentence), out, edits);
  if (open()) read_of_formula(library, sentence, out, edits);
  if (open()) read_rewritten(library, sentence, out, edits);
  if (open()) read_in_frame(library, sentence, out, edits);
  if (open()) read_edited(library, steps_as_formula(library, sentence), out, edits);
  if (open())
    if (auto read = read_call_in_words(library, sentence, [&](const std::string& t) { return read_whole(library, t); }))
      out = std::move(read->understanding), edits = std::move(read->edits);
  if (open())
    if (auto read =
            read_twice_said(sentence, [&](const std::string& t) { return understand_plain(library, t, false); }))
      out = std::move(read->understanding), edits = std::move(read->edits);
  if (open() && out.choices.empty()) read_loose(library, sentence, out, edits);
  const std::string text(edits.empty() ? sentence : std::string_view(edits.back().text()));
  const auto done = [&]() -> Understanding {
    for (auto e = edits.rbegin(); e != edits.rend(); ++e) e->restore(out);
    return std::move(out);
  };
  if (out.spec && !own && say_limits(library, sentence, true, out)) out.spec.reset();
  if (out.spec && !own &&
      (beyond_range(*out.spec, out) || beyond_size(*out.spec, out) || wrong_order(*out.spec, out) ||
       share_as_type(sentence, out))) {
    out.spec.reset();
    out.outcome = Outcome::refusal;
    return done();
  }
  if (out.spec) {
    out.outcome = Outcome::understood;
    for (const DomainFinding& f : domain_findings(*out.spec)) out.warnings.push_back(finding_text(f));
    return done();
  }
  if (!readable) return out;
  if (!answers) return done();
  if (!out.impossible && out.choices.empty()) say_limits(library, sentence, false, out);
  if (!out.impossible) name_nearest(library, out);
  if (tried && !out.impossible && out.choices.empty()) offer(library, text, reader(library), out);
  if (const auto product =
          tried && !asked && !out.impossible ? formula::letters_as_product(library, text) : std::nullopt)
    add_choice(reader(library), product->sentence, product->difference, out);
  out.outcome = out.choices.empty() ? Outcome::refusal : Outcome::question;
  return done();
}

Understanding understand_with(const Library& library, std::string_view sentence, bool answers) {
  if (const auto plain = sentence.size() <= longest_sentence ? in_plain_signs(sentence) : std::nullopt) {
    Understanding out = understand_with(library, plain->text(), answers);
    plain->restore(out);
    return out;
  }
  if (const auto said = with_said_statistics(sentence)) {
    Understanding out = understand_plain(library, said->text(), false);
    if (out.spec) {
      said->restore(out);
      return out;
    }
  }
  const auto plain = sentence.size() <= longest_tried ? in_plain_notation(library, sentence) : std::nullopt;
  if (!plain || read_own(sentence)) return understand_plain(library, sentence, answers);
  Understanding out = understand_plain(library, plain->sentence.text(), answers);
  if (!plain->sizes.empty() && !(out.spec && has_sizes(*out.spec, plain->sizes))) {
    Understanding own = understand_plain(library, sentence, false);  // "relu (B, T) = (16, 512)": by their order
    if (own.spec && has_sizes(*own.spec, plain->sizes)) return own;
    if (out.spec) {
      out.spec.reset();
      out.outcome = Outcome::refusal;
      out.questions = {"It is not clear which sizes " + in_quotes(plain->sizes[0].first) + " and the others are."};
    }
  }
  plain->sentence.restore(out);
  return out;
}

}  // namespace

namespace {

// "how do I add two vectors?": without the sign at its end.
std::string_view without_question_mark(std::string_view sentence) {
  const std::size_t last = sentence.find_last_not_of(" \t\n?");
  return last == std::string_view::npos ? sentence : sentence.substr(0, last + 1);
}

}  // namespace

Understanding understand(const Library& library, std::string_view sentence) {
  return understand_with(library, without_question_mark(sentence), true);
}

Understanding understand_alone(const Library& library, std::string_view sentence) {
  return understand_with(library, without_question_mark(sentence), false);
}

Spec plain(Spec spec) {
  std::erase_if(spec.directives, [](const auto& d) { return d.first != "summary" && d.first != nan_key; });
  return spec;
}

}  // namespace ww::op
