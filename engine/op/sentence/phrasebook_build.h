// SPDX-License-Identifier: Apache-2.0
// From the items of a sentence to a spec: one op after another is brought to its shape and constants, then they are
// composed.
#pragma once
#include <optional>
#include <string>
#include <vector>
#include "op/sentence/phrasebook_sentence.h"

namespace ww::op::phrases {

struct Built {
  std::optional<Spec> spec;  // null: see questions
  std::vector<std::string> questions;
  // Where a constant is missing: words to add, and where in the sentence.
  struct Addition {
    std::size_t at;
    std::string words;
  };
  std::vector<Addition> additions;
};
// `order`: the op items in the order in which they run. Sets the readings of the items that it understood.
Built build(const Library& library, std::vector<Item>& items, const std::vector<std::size_t>& order);

using Dims = std::vector<std::int64_t>;

struct Axis {
  std::string kind;  // rows, columns, last, first, whole, index
  double index = 0;
  std::size_t item = 0;
};

// One op of the chain with what the sentence says about it.
struct Use {
  const LibraryOp* op = nullptr;
  std::size_t item = 0;
  std::optional<Axis> axis;
  std::map<std::string, double> constants;
  std::vector<std::size_t> sizes;             // items: named sizes
  std::vector<std::size_t> shapes;            // items: shapes without a word of their own
  std::vector<std::size_t> assigns;           // items: NAME = number
  std::size_t total = Item::none;             // item: "of size n", or a bare number
  std::map<std::string, std::int64_t> known;  // of an op of fixed rank: the symbols that the sentence sets
};

// phrasebook_operands.cpp: where the sentence speaks of more or fewer tensors than its ops take, or repeats an op.
// Words that join ops, with no op on one of their sides: "linear followed by an activation".
std::vector<std::string> connector_questions(const Library& library, const std::vector<Item>& items);
std::vector<std::string> operand_questions(const std::vector<Item>& items, const std::vector<Use>& uses);
// phrasebook_chains.cpp: what a chain leaves open.
std::vector<std::string> chain_questions(const Library& library, const std::vector<Item>& items,
                                         const std::vector<Use>& uses);

// phrasebook_sizes.cpp
std::string number_text(double v);                               // without trailing zeros
Dims dims_of(const std::vector<Item>& items, std::size_t item);  // of a number or shape item
// Where a named size stands among the dimensions of an op of any rank; kinds of one place exclude each other. -1:
// nowhere.
int place_of_kind(const std::string& kind);
// The dimensions of the first input of an op of any rank, from its sizes; an error's message is a question.
Result<Dims> given_shape(const Use& use, const std::vector<Item>& items);

// Sizes of one op of fixed rank while they are worked out.
struct Sizing {
  const Spec* spec = nullptr;
  std::string shown;                                        // the op's name
  std::map<std::string, std::int64_t> symbols;              // found
  std::map<std::string, double> constants;                  // found
  std::vector<std::pair<ExprPtr, std::int64_t>> equations;  // dimension expression = value, to be solved
};
// "R = 512, C = 1024"
std::string bindings_text(const std::map<std::string, std::int64_t>& symbols);
std::string shape_text(const Dims& dims);  // "512 x 1024"
// What the op's `//@ sizes:` says for a kind: expressions over symbols and integer constants; empty when it says
// nothing.
std::vector<ExprPtr> size_targets(const Spec& spec, const std::string& kind);
// What the size words (whose targets they are), the k-th shape without a word, and a bare number of an op of fixed rank
// say, added to the equations and to what each item set. An error's message is a question.
using Targets = std::map<std::size_t, std::vector<ExprPtr>>;  // item -> what it set
Status named_size(Sizing& sizing, const std::vector<Item>& items, std::size_t item,
                  const std::vector<ExprPtr>& targets);
Status literal_size(Sizing& sizing, const std::vector<Item>& items, const Use& use, std::size_t k, Targets& set);
Status total_size(Sizing& sizing, const std::vector<Item>& items, const Use& use, Targets& set);
// Solves the equations for the symbols; an error's message is a question.
Status solve(Sizing& sizing);

}  // namespace ww::op::phrases
