// SPDX-License-Identifier: Apache-2.0
// From the items of a sentence to a spec: one op after another is brought to its shape and constants, then they are composed.
#pragma once
#include <optional>
#include <string>
#include <vector>
#include "op/phrasebook_sentence.h"

namespace ww::op::phrases {

struct Built {
  std::optional<Spec> spec;             // null: see questions
  std::vector<std::string> questions;
};
// `order`: the op items in the order in which they run. Sets the readings of the items that it understood.
Built build(const Library& library, std::vector<Item>& items, const std::vector<std::size_t>& order);

// Sizes of one op while they are worked out (phrasebook_sizes.cpp).
struct Sizing {
  const Spec* spec = nullptr;                    // as in the library, or already of the rank that its place in a chain asks for
  std::string shown;                             // the op's name
  std::map<std::string, std::int64_t> symbols;   // found
  std::map<std::string, double> constants;       // found
  std::vector<std::pair<ExprPtr, std::int64_t>> equations;   // dimension expression = value, to be solved
};
// "R = 512, C = 1024"
std::string bindings_text(const std::map<std::string, std::int64_t>& symbols);
std::string shape_text(const std::vector<std::int64_t>& dims);   // "512 x 1024"
// What the op's `//@ sizes:` says for a kind: expressions over symbols and integer constants; empty when it says nothing.
std::vector<ExprPtr> size_targets(const Spec& spec, const std::string& kind);
// Solves the equations for the symbols; an error's message is a question.
Status solve(Sizing& sizing);

}  // namespace ww::op::phrases
