// SPDX-License-Identifier: Apache-2.0
// understand(): a sentence as it stands (phrasebook.cpp), else in other words, without its frame or as a formula.
#include "op/sentence/phrasebook_reading.h"
#include <algorithm>
#include "op/domain_check.h"
#include "op/formula/chains.h"
#include "op/formula/index_equations.h"
#include "op/formula/reading.h"
#include "op/sentence/casts.h"
#include "op/sentence/denials.h"
#include "op/sentence/doubtful_words.h"
#include "op/sentence/framing.h"
#include "op/sentence/inner_first.h"
#include "op/sentence/layout_axes.h"
#include "op/sentence/limits.h"
#include "op/sentence/loops.h"
#include "op/sentence/loose.h"
#include "op/sentence/notation.h"
#include "op/sentence/of_formula.h"
#include "op/sentence/phrasebook_words.h"
#include "op/sentence/plain_signs.h"
#include "op/sentence/restated.h"
#include "op/sentence/rewriting.h"
#include "op/sentence/said_statistics.h"
#include "op/sentence/signals.h"
#include "op/sentence/steps.h"

namespace ww::op {
namespace {

constexpr std::size_t longest_tried = 2000;  // rewritten, or without some of its words

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
  if (open()) read_edited(library, casts_as_copy(library, sentence), out, edits);
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
  settle_outcome(out);
  return done();
}

Understanding read_inner_first(const Library& library, const InnerFirst& inner, std::string_view sentence,
                               bool answers) {
  if (inner.chain) {
    Understanding out = understand_plain(library, inner.chain->text(), answers);
    inner.chain->restore(out);
    return out;
  }
  Understanding out = understand_plain(library, sentence, answers);
  if (out.spec) {
    out.spec.reset();
    out.outcome = Outcome::refusal;
    out.questions = {"What is done with the results of " + in_quotes(inner.statistic) +
                     "? Write the steps in their order, such as '" + inner.statistic + ", then softmax'."};
    out.warnings.clear();
  }
  out.choices.clear();
  return out;
}

Understanding understand_with(const Library& library, std::string_view sentence, bool answers) {
  if (const auto plain = sentence.size() <= longest_sentence ? in_plain_signs(sentence) : std::nullopt) {
    Understanding out = understand_with(library, plain->text(), answers);
    plain->restore(out);
    return out;
  }
  if (auto inner = inner_first(library, sentence)) return read_inner_first(library, *inner, sentence, answers);
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

// "how do I add two vectors?": without the sign at its end.
std::string_view without_question_mark(std::string_view sentence) {
  const std::size_t last = sentence.find_last_not_of(" \t\n?");
  return last == std::string_view::npos ? sentence : sentence.substr(0, last + 1);
}

Understanding understand_checked(const Library& library, std::string_view sentence, bool answers) {
  const std::string_view text = without_question_mark(sentence);
  const ReadAny read = [&](const std::string& t) { return understand_with(library, t, false); };
  auto doubtful = read_doubtful(library, text, read);
  Understanding out = doubtful ? std::move(*doubtful) : understand_with(library, text, answers);
  check_denials(library, text, read, out);
  if (!doubtful) check_guesses(library, text, read, out);
  return out;
}

}  // namespace

Understanding understand(const Library& library, std::string_view sentence) {
  return understand_checked(library, sentence, true);
}

Understanding understand_alone(const Library& library, std::string_view sentence) {
  return understand_checked(library, sentence, false);
}

}  // namespace ww::op
