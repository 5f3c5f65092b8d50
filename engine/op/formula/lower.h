// SPDX-License-Identifier: Apache-2.0
// From the tree of a formula to a checked spec. Ranks and sizes that the sentence leaves open follow from the use of
// each tensor; what stays open, or does not fit, is a question.
#pragma once
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>
#include "op/formula/rules.h"
#include "op/formula/text.h"
#include "op/sentence/phrasebook.h"

namespace ww::op::formula {

struct Size {
  std::string name;                   // may be empty
  std::optional<std::int64_t> value;  // unknown: only the name is given
};
using Shape = std::vector<Size>;

struct Option {  // one way to put the request clearly
  std::string sentence, difference;
};

struct Insertion {  // what to write into the request, in place of so many characters, to put it clearly
  std::size_t at = 0, size = 0;
  std::string text, difference;
};

struct Facts {                          // what the sentence says beside the formula
  std::map<std::string, Shape> shapes;  // by tensor
  std::vector<Shape> general;           // of all tensors, or in the order of the tensors
  std::map<std::string, double> values;
  std::optional<DType> dtype, output;
  std::optional<int> rank;           // "vectors": 1
  std::optional<int> axis;           // "per row": of reductions without a dimension of their own
  bool each_row = false;             // "for each row", which fits formulas by element, too
  std::string library;               // torch or np, where the sentence says whose calls these are
  std::map<std::string, int> ranks;  // "vectors x and y"
  std::set<std::string> tensors;     // spoken of: they must be in the formula
  std::set<std::string> by_row;      // vectors with one value for each row
  // Elements beyond the ends: not said, 0, left out of the result, or those of the other end. `starts`: those of a
  // result are 0 before it.
  enum class Outside : std::uint8_t { unsaid, zero, inside, wrap } outside = Outside::unsaid;
  std::set<std::string> starts;
};

// One line of calls.txt: name(parameters): op, or name(parameters) = formula.
struct Parameter {
  enum class Kind { tensor, size, value, axis, keep, ignored, fixed, rest };
  Kind kind = Kind::tensor;
  std::string name;
  std::vector<std::string> targets;  // size: symbols, products or constants of the op
  std::string fixed;                 // the only value that fits; of a size or value: what it is where it is left out
  bool optional = false;
  bool keyword_only = false;
  int rank = 0;  // of a tensor: the only one that fits; 0: any
};
struct CallForm {
  std::vector<Parameter> parameters;
  std::string op;  // empty: `formula`
  std::string formula;
  std::string cannot;    // what the op language cannot say
  std::string question;  // what has to be asked
};
// One line of patterns.txt: words: formula.
struct Pattern {
  std::vector<std::string> words;  // a/b alternatives, ?word, {operands}, {each}, {n}
  std::string formula;             // with $1, $2, {+}, {*}, {max}, {min}, {count}, $n
};
// One line of arithmetic.txt: a word of arithmetic, by the folded phrase.
struct ProseWord {
  std::string kind, value;
};
// One of the other spellings in spellings.txt, in lower case unless it counts only as it is written ("LN").
struct OtherSpelling {
  std::string other, plain;
  bool as_written = false;
};
struct Tables {
  std::map<std::string, std::vector<CallForm>> calls;
  std::map<std::string, double> scalars;            // alpha: a constant with this default
  std::map<std::string, std::string> impossible;    // sort: "Sorting"
  std::vector<std::string> namespaces, size_names;  // size_names: d, d_k: the contracted size under a root
  std::vector<std::string> words;                   // that never name a tensor
  std::vector<std::string> tensors;                 // names of tensors that are words too: bias, mask
  std::vector<std::string> tail;                    // words that may follow a formula without changing it
  std::set<std::string> names;                      // src: short, but of one tensor
  std::set<std::string> hyphenated;                 // score: behind a letter and a hyphen one word, z-score
  std::set<std::string> abbreviations;              // MLP: of capital letters, but no product
  std::set<std::string> chains, matrices, vectors;  // QK: a product; letters that make one: AB, Wx
  std::set<std::string> dimensions;                 // words that may name a size in a shape
  std::set<std::string> titles;                     // folded nouns for a formula that follows: "the polynomial x^2 + 1"
  std::vector<Pattern> patterns;
  Rules frames, rewrites, blanks, steps, tails;
  std::map<std::string, std::vector<ProseWord>> arithmetic;
  std::map<std::string, std::vector<std::string>> inputs;  // folded words for an input of this name
  std::map<std::string, std::vector<Option>> open;         // folded: "norm": what it may mean
  std::vector<OtherSpelling> spellings;
  std::vector<std::pair<std::string, std::string>> limits;  // folded words for what cannot be said, and what that is
};

struct Lowered {
  std::optional<Spec> spec;
  std::string question;         // set when there is no spec
  std::vector<Option> options;  // formulas in place of this one
  std::vector<Insertion> insertions;
  std::vector<Span> unclear;  // where signs of products stand that may be of elements or of matrices
  bool impossible = false;    // the language has no way to say it
};
Result<Tables> load_tables(const std::filesystem::path& folder);  // files that are absent give empty tables
// "Sorting" to the sentence that refuses it.
std::string cannot_be_said(const std::string& what);
// The words that call a function or name a tensor in formulas.
Names names_for(const Library& library, const Tables& tables);
Lowered lower(const Library& library, const Tables& tables, const Names& names, const Statement& statement,
              const Facts& facts);
// "ij,jk->ik" with the names of its tensors (a, b, c, ... where fewer are given). A problem is set where it is wrong.
Statement einsum_statement(const std::string& text, std::vector<std::string> tensors, Span span);

}  // namespace ww::op::formula
