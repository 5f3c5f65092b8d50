// SPDX-License-Identifier: Apache-2.0
// Sentences that hold a formula, a call or words for one ("the average of two arrays"), with what the rest of the
// sentence says of shapes and element types. A word that nothing takes up is a question.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>
#include "op/formula/lower.h"
#include "op/sentence/phrasebook_words.h"

namespace ww::op::formula {

using TextToken = phrases::Token;  // of the sentence; Token is one of a formula
using TextKind = phrases::Token::Kind;

struct Reading {
  Lowered lowered;
  std::vector<Word> words;
  std::vector<std::string> unknown;  // words behind the formula that nothing takes up
};
// Nothing where the sentence holds no formula; it may be one of the phrasebook.
std::optional<Reading> read_formula(const Library& library, std::string_view sentence);

// Where formulas begin that no sentence can be taken for, and where the first statement there ends; the longest first.
std::vector<Span> formulas_in(const Library& library, std::string_view sentence);
// What words in front of a formula say of shapes, types, constants and axes, as text; nothing where they say more that
// is not understood than a name for what follows. `number_known` tells whether a number stands in the formula too.
struct TitleFacts {
  std::string text, axis;
  std::vector<Word> words;
  bool names_op = false;
};
std::optional<TitleFacts> title_facts(const Library& library, std::string_view title,
                                      const std::function<bool(const std::string&)>& number_known);

// tail.cpp: the words around a formula.
struct Tail {
  Facts facts;
  std::vector<Word> words;
  std::vector<std::string> unknown;
  std::string question;
  bool names_op = false;  // there are words for an op: the sentence is more than a formula
};
void read_tail(const Library& library, const Tables& tables, std::string_view sentence,
               const std::vector<TextToken>& tokens, std::size_t from, std::size_t to, Tail& tail);

// product_sizes.cpp: the shapes of the factors where M, N and K are given.
void name_product_sizes(const Statement& statement, Facts& facts);

// patterns.cpp: words in place of a formula.
struct Phrase {
  std::string formula;
  std::size_t from = 0, to = 0;                           // tokens
  std::vector<std::pair<std::size_t, std::size_t>> rest;  // tokens that the pattern leaves, from and to
};
std::optional<Phrase> match_pattern(const Library& library, const Tables& tables, const std::vector<TextToken>& tokens,
                                    std::string_view sentence);
// prose.cpp: arithmetic in words. Several formulas: it may be read as any of them.
struct Prose {
  std::vector<std::string> formulas;
  std::size_t from = 0, to = 0;  // tokens
};
std::optional<Prose> read_prose(const Library& library, const Tables& tables, const std::vector<TextToken>& tokens,
                                std::string_view sentence);
// "sum", "difference": a word in front of several operands.
bool is_list_word(const Library& library, const std::vector<TextToken>& tokens, std::size_t at);
// The tokens of a word that may stand in front of a formula; 0 where there is none.
std::size_t lead(const Library& library, const std::vector<TextToken>& tokens, std::size_t at);
// Appends the words in front of `end`, as filler.
void lead_words(std::string_view sentence, const std::vector<TextToken>& tokens, std::size_t end,
                std::vector<Word>& words);

}  // namespace ww::op::formula
