// SPDX-License-Identifier: Apache-2.0
// Builds a spec from the items of a sentence: gives each op its shape and constants, then composes the ops.
#pragma once
#include <optional>
#include <string>
#include <vector>
#include "op/sentence/phrasebook_sentence.h"

namespace ww::op::phrases {

struct Built {
  std::optional<Spec> spec;  // null: see questions
  std::vector<std::string> questions;
  // If a constant is missing: words to add, and their position in the sentence.
  struct Addition {
    std::size_t at;
    std::string words;
  };
  std::vector<Addition> additions;
  // If several readings are open: words that decide for one, and their position in the sentence.
  struct Alternative {
    std::size_t at;
    std::string words, difference;
  };
  std::vector<Alternative> alternatives;
};
// `order`: the op items in execution order. Sets the readings of the understood items.
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
  std::vector<std::size_t> shapes;            // items: shapes without a size word
  std::vector<std::size_t> assigns;           // items: NAME = number
  std::size_t total = Item::none;             // item: "of size n", or a bare number
  std::map<std::string, std::int64_t> known;  // for an op of fixed rank: the symbols that the sentence sets
};

// phrasebook_operands.cpp: sentences that name more or fewer tensors than their ops take, or repeat an op.
// Words that join ops, but lack an op on one side: "linear followed by an activation".
std::vector<std::string> connector_questions(const Library& library, const std::vector<Item>& items);
std::vector<std::string> operand_questions(const std::vector<Item>& items, const std::vector<Use>& uses);
// phrasebook_chains.cpp: ambiguities of a chain.
std::vector<std::string> chain_questions(const Library& library, const std::vector<Item>& items,
                                         const std::vector<Use>& uses);

// phrasebook_sizes.cpp
std::string number_text(double v);                               // without trailing zeros
Dims dims_of(const std::vector<Item>& items, std::size_t item);  // of a number or shape item
// The dimension that a named size refers to, for an op of any rank; kinds for the same dimension exclude each other.
// -1: none.
int place_of_kind(const std::string& kind);
// The dimensions of the first input of an op of any rank, from its sizes. The message of an error is a question.
Result<Dims> given_shape(const Use& use, const std::vector<Item>& items);

// The sizes of one op of fixed rank, while being solved.
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
// The expressions that the op's `//@ sizes:` gives for a kind, over symbols and integer constants; may be empty.
std::vector<ExprPtr> size_targets(const Spec& spec, const std::string& kind);
// For an op of fixed rank: adds the equations given by size words, by the k-th shape without a size word, and by a bare
// number, and records the targets that each item set. The message of an error is a question.
using Targets = std::map<std::size_t, std::vector<ExprPtr>>;  // item -> what it set
Status named_size(Sizing& sizing, const std::vector<Item>& items, std::size_t item,
                  const std::vector<ExprPtr>& targets);
Status literal_size(Sizing& sizing, const std::vector<Item>& items, const Use& use, std::size_t k, Targets& set);
Status total_size(Sizing& sizing, const std::vector<Item>& items, const Use& use, Targets& set);
// Solves the equations for the symbols. The message of an error is a question.
Status solve(Sizing& sizing);

}  // namespace ww::op::phrases
