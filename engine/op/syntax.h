// SPDX-License-Identifier: Apache-2.0
// The syntax tree that the parser hands to the checker. Names are unresolved: every bare name is ExprKind::name, ranges
// that are not given are null, and a part that could not be read is a null expression (its error is already reported).
#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>
#include "base/source.h"
#include "op/spec.h"

namespace ww::op::syntax {

inline constexpr std::size_t max_text = std::size_t{1} << 20;  // bytes
inline constexpr int max_nesting = 200;                        // of brackets, unary operators, powers, reductions
inline constexpr int max_height = 500;       // of an expression tree, which long chains of operators also reach
inline constexpr std::size_t max_rank = 16;  // dimensions of a tensor, indices of a reduction
inline constexpr std::size_t max_equations = 500;
inline constexpr std::size_t max_params = 200;
inline constexpr std::size_t max_diagnostics = 50;

struct Name {
  std::string text;
  Span span;
};
struct Param {
  Name name, dtype;
  std::vector<ExprPtr> shape;
  ExprPtr lo, hi;
  std::vector<Name> rules;
  Span span;
};
struct Constant {
  Name name;
  ExprPtr value, lo, hi;
};
struct Default {
  Name name;
  std::int64_t value = 0;
};
struct Equation {
  Name target;
  std::vector<Index> indices;
  ExprPtr value;
  bool broken = false;
  Span span;
};
struct File {
  Name name;
  std::vector<Param> inputs, outputs;
  std::vector<Constant> constants;
  std::vector<Default> defaults;
  std::vector<Equation> equations;
  std::vector<std::pair<std::string, std::string>> directives;
  Span outputs_span;
  bool header_read = false;  // everything before "{" was read without an error
};

struct Parsed {
  File file;
  std::vector<Diagnostic> diagnostics;
};
Parsed read(std::string_view text);

struct ParsedExpr {
  ExprPtr expr;  // null: see diagnostics
  std::vector<Diagnostic> diagnostics;
};
ParsedExpr read_expr(std::string_view text);

// Words that cannot name a tensor, index, symbol or constant; the answer says what the word is ("a function"), or is
// empty.
std::string_view reserved_as(std::string_view word);

}  // namespace ww::op::syntax
