// SPDX-License-Identifier: Apache-2.0
// A formula as a person types it (plain, Python, LaTeX, Unicode) as tokens and as a tree. Every token of a formula is
// part of its tree: where the grammar ends, so does the formula, and the caller reads the rest or asks about it.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>
#include "base/source.h"

namespace ww::op::formula {

struct Token {
  enum class Kind : std::uint8_t { name, number, symbol, quoted, end };
  Kind kind = Kind::end;
  std::string text;  // of Unicode and LaTeX in plain form: "sum" for a sigma is the symbol "\\sum"
  double number = 0;
  bool spaced = false;  // white space in front
  Span span;
};
// Ends with a token of kind `end`.
std::vector<Token> tokens_of(std::string_view text);

struct NamedArgument;

struct Node {
  enum class Kind : std::uint8_t { number, name, word, tuple, call, binary, negate, transpose, sum, select, slice };
  Kind kind = Kind::name;
  std::string text;  // name, word (True, None, quoted text), function, operator
  double number = 0;
  std::vector<Node> args;
  std::vector<NamedArgument> named;     // keyword arguments of a call
  std::vector<std::string> subscripts;  // x[i, j], x_ij; the indices of a sum; the parts of a slice
  std::string limit;                    // of a sum: the size that it runs to
  std::string library;                  // the first prefix of a call: np
  std::string module;                   // its last one: linalg
  bool exact = false;                   // as a library has it: torch.f(x), x.f(), x ** 2
  bool open = false;                    // a / 2x, of which x may be a factor of the whole
  std::size_t right = 0;                // of two factors without a sign between: where the second begins
  std::size_t close = 0;                // of a call: where its closing bracket stands; 0: nowhere in the text
  Span span;
};

struct NamedArgument {
  std::string name;
  Node value;
};

struct Statement {
  std::string target;  // "y" of "y = ..."; may be empty
  std::vector<std::string> target_subscripts;
  Node value;
  bool indexed = false;       // in index notation: subscripts name dimensions
  bool accumulates = false;   // +=: sums over the indices that the target lacks
  bool signs = false;         // has more than names side by side
  bool unnamed = false;       // the tensors have no names of their own: a, b, c
  std::size_t operators = 0;  // operators and calls: 0 for a lone name or number
  Span span;
  std::size_t next = 0;  // offset in the text behind the statement
  std::string problem;   // where the formula breaks off: what is missing, a sentence
};

struct Names {
  std::function<bool(const std::string&)> is_function;      // may be called
  std::function<bool(const std::string&)> is_namespace;     // torch, np, F, ...
  std::function<bool(const std::string&)> is_word;          // a word of sentences, hence no tensor
  std::function<bool(const std::string&)> is_abbreviation;  // MLP: no product of letters
};
// A name as formulas have it: "alpha" of "α".
std::string plain_name(std::string_view written);
// The statement that begins at offset `begin`; nothing where there is none.
std::optional<Statement> parse_statement(std::string_view text, std::size_t begin, const Names& names);

}  // namespace ww::op::formula
