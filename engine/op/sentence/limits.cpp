// SPDX-License-Identifier: Apache-2.0
#include "op/sentence/limits.h"
#include <algorithm>
#include <cmath>
#include "op/formula/reading.h"
#include "op/parse.h"
#include "op/sentence/offers.h"
#include "op/sentence/phrasebook_build.h"
#include "op/sentence/phrasebook_sentence.h"
#include "op/walk.h"

namespace ww::op {
namespace {

// Several words, of which at least one carries meaning: "matrix exponential", but not "make it fast".
bool is_decisive(const Library& library, const std::string& phrase) {
  const std::vector<phrases::Token> tokens = phrases::tokenise(phrase);
  bool filler = true;
  for (std::size_t i = 0; i < tokens.size(); ++i) filler = filler && formula::lead(library, tokens, i) > 0;
  return tokens.size() > 1 && !filler;
}

// "shuffle" in "pixel shuffle": part of the name of an op that is known.
bool of_an_op(const Understanding& out, const std::string& phrase) {
  return std::any_of(out.words.begin(), out.words.end(), [&](const Word& w) {
    const std::string name = phrases::folded(w.text);
    return w.meaning == Meaning::op && name.size() > phrase.size() &&
           (" " + name + " ").find(" " + phrase + " ") != std::string::npos;
  });
}

// The value of arithmetic with numbers alone; nothing where there is a name or an infinity that was meant.
std::optional<double> value_of_numbers(const Expr& e) {
  if (e.kind == ExprKind::integer) return static_cast<double>(e.integer);
  if (e.kind == ExprKind::real) return std::isfinite(e.real) ? std::optional(e.real) : std::nullopt;
  if (e.kind != ExprKind::binary && e.kind != ExprKind::unary) return std::nullopt;
  const auto a = value_of_numbers(*e.args[0]);
  if (!a || e.kind == ExprKind::unary) return a ? std::optional(-*a) : a;
  const auto b = value_of_numbers(*e.args[1]);
  if (!b) return b;
  switch (e.binary) {
    case BinaryOp::add: return *a + *b;
    case BinaryOp::sub: return *a - *b;
    case BinaryOp::mul: return *a * *b;
    case BinaryOp::div: return *a / *b;
    case BinaryOp::pow: return std::pow(*a, *b);
    default: return std::nullopt;
  }
}

}  // namespace

bool say_limits(const Library& library, std::string_view sentence, bool phrases_only, Understanding& out) {
  const std::string words = " " + phrases::folded(sentence) + " ";
  for (const auto& [phrase, what] : library.vocabulary().tables().limits) {
    if (phrases_only && !is_decisive(library, phrase)) continue;
    if (words.find(" " + phrase + " ") == std::string::npos) continue;
    if (!phrases_only && of_an_op(out, phrase)) continue;
    out.impossible = true;
    out.questions.insert(out.questions.begin(), formula::cannot_be_said(what));
    return true;
  }
  return false;
}

bool beyond_range(const Spec& spec, Understanding& out) {
  for (const Equation& e : spec.equations) {
    const Expr* found = nullptr;
    for_each(*e.value, [&](const Expr& x) {
      if (const auto v = value_of_numbers(x); v && !std::isfinite(*v)) found = &x;
    });
    if (!found) continue;
    out.questions.insert(out.questions.begin(), "The number " + print(*found) + " is beyond the range of f64.");
    return true;
  }
  return false;
}

bool beyond_size(const Spec& spec, Understanding& out) {
  const Result<Resolved> sizes = resolve(spec, Binding());
  if (sizes || sizes.error().code != Code::invalid_argument) return false;
  out.questions.insert(out.questions.begin(), "With these sizes, " + sizes.error().message + ".");
  return true;
}

bool wrong_order(const Spec& spec, Understanding& out) {
  const auto value = [&](std::string_view name) -> std::optional<double> {
    for (const Constant& c : spec.constants)
      if (c.name == name) return value_of_numbers(*c.value);
    return std::nullopt;
  };
  const auto lo = value("lo"), hi = value("hi");
  if (!lo || !hi || *lo <= *hi) return false;
  out.questions.insert(out.questions.begin(), "The lower bound " + phrases::number_text(*lo) +
                                                  " is above the upper bound " + phrases::number_text(*hi) + ".");
  return true;
}

bool share_as_type(std::string_view sentence, Understanding& out) {
  const std::vector<phrases::Token> tokens = phrases::tokenise(sentence);
  for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
    const std::string &word = tokens[i].text, &next = tokens[i + 1].text;
    if (word != "half" && word != "double") continue;
    if (next != "of" && next != "the" && next != "each" && next != "every") continue;
    const bool typed = std::any_of(out.words.begin(), out.words.end(), [&](const Word& w) {
      return w.meaning == Meaning::dtype && phrases::folded(w.text) == word;
    });
    if (!typed) continue;
    out.questions.insert(out.questions.begin(), "Is '" + word + " " + next +
                                                    "' a factor or a part of it? Write '0.5 *' or '2 *' for a factor.");
    return true;
  }
  return false;
}

}  // namespace ww::op
