// SPDX-License-Identifier: Apache-2.0
// Inside of parse_statement(): the grammar of formulas. parser.cpp has statements and operators, parser_primary.cpp
// names, calls, numbers, sums and brackets, slices.cpp slices.
#pragma once
#include <algorithm>
#include <set>
#include "op/formula/text.h"

namespace ww::op::formula {

inline bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
inline bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
Node make_node(Node::Kind kind, std::string text, std::vector<Node> args, Span span);
Node number_node(int value, Span span);
// Puts sums over an index of their own in place of norms of rows: ||x_i - y_j||^2.
void rows_in_norms(Node& value);
// Puts indices of their own in place of those of sums that stand outside of them, too: x_ij / sum_j x_ij.
void own_indices(Statement& statement);
// y[i] += x[i], which sums over nothing, adds to y.
void add_to_target(Statement& statement);
// np.dot(A, B) and A.dot(x) as A @ B and A @ x: capital letters are matrices.
void dots_as_products(Node& value);
// (x > 0).sum() as a sum of ones, any(x) as a comparison. `whole`: of the statement.
void conditions_as_numbers(Node& value, bool whole);

class Parser {
  using Kind = Node::Kind;
  using TokenKind = Token::Kind;

 public:
  Parser(std::string_view text, std::size_t begin, const Names& names) : names_(names) {
    tokens_ = tokens_of(text.substr(begin));
    for (Token& t : tokens_) t.span.begin += begin, t.span.end += begin;
  }

  std::optional<Statement> run();

 private:
  const Token& at(std::size_t ahead = 0) const { return tokens_[std::min(place_ + ahead, tokens_.size() - 1)]; }
  bool is(std::string_view symbol, std::size_t ahead = 0) const;
  bool take(std::string_view symbol);
  bool is_name(std::string_view name, std::size_t ahead = 0) const;
  std::optional<Node> missing(std::string what);
  // Of what is a formula for certain.
  std::optional<Node> refuse(std::string what);

  // "f(x, y) =": the name of the function does not count.
  bool definition(Statement& out);

  // "y =", "C[i, j] +=", "y_{ij} ="
  void target(Statement& out);

  // "[i, j]" or "[i][j]"; nothing consumed where that is not it.
  std::vector<std::string> brackets();

  // x_ij: the name x with the subscripts i and j.
  static void split(std::string& name, std::vector<std::string>& subscripts);
  static void subscripted(Node& n);

  // if c then a else b; c ? a : b
  std::optional<Node> choice();
  std::optional<Node> chosen();

  std::optional<Node> comparison();

  template <class Next>
  std::optional<Node> chain(const std::vector<std::string_view>& signs, const Next& next) {
    auto left = next();
    while (left) {
      const auto sign = std::find_if(signs.begin(), signs.end(), [&](std::string_view s) { return is(s); });
      if (sign == signs.end()) break;
      ++place_;
      ++operators_;
      auto right = next();
      if (!right) return missing("Something is missing after '" + std::string(*sign) + "'.");
      const Span span{left->span.begin, right->span.end};
      left = make_node(Kind::binary, std::string(*sign), {std::move(*left), std::move(*right)}, span);
    }
    return left;
  }
  std::optional<Node> sum();
  std::optional<Node> product();
  std::optional<Node> divisor(const Node& above, bool tight, bool& open);
  bool factor_follows(const Node& left) const;
  std::optional<Node> beside(Node left, std::size_t begin, std::optional<Node> right);

  // Wx, Q K^T, 2x
  std::optional<Node> side_by_side();
  std::optional<Node> with_factors(std::optional<Node> left);  // with those that stand beside it
  // 0.5 x (1 + tanh(x))
  static bool is_data(const Node& n);
  bool begins_operand() const;
  static bool tensor_like(const std::string& name);

  std::optional<Node> unary();

  std::optional<Node> power();

  std::optional<Node> group(const char* open, const char* close);

  std::optional<Node> postfix();

  // "(" already seen.
  bool arguments(Node& call);
  bool arguments_of(Node& call);
  // cat([a, b])
  std::optional<Node> list(Span span);
  // max(x, 1).values, max(x, 1)[0]: the values or the positions of a maximum along a dimension.
  bool pair_part(Node& call);
  bool size_of(Node& value);
  static void sizes_as_words(Node& call);
  std::optional<Node> argument();

  // x[1:], x[:, ::-1]: puts the slice in place of its tensor; false: there is none.
  bool slice(Node& value);
  std::vector<std::string> slice_parts() const;

  std::optional<Node> primary();

  bool shape_in_brackets() const;
  std::optional<Node> sum_of_product();
  std::optional<Node> number();
  std::optional<Node> fraction();

  // Σ_i ..., sum_k ...: everything behind it up to + or -.
  std::optional<Node> total(Span span);
  std::optional<Node> total_of_all(Node body, Span span);
  static bool bounds_in_name(std::string& name, std::vector<std::string>& over, std::string& lower);
  bool upper_limit(const std::string& lower, std::string& letter);
  bool is_index(const std::string& letter, const Node& body) const;

  // Whether `n` has one of these indices, outside sums of its own and where the left side lacks it.
  bool bound_by(const Node& n, const std::vector<std::string>& indices) const;

  std::optional<Node> rounded(const char* name, const char* open, const char* close);

  std::optional<Node> bars(const std::string& bar);

  std::optional<Node> named();
  bool factor_ahead(const std::string& name) const;
  bool raised_call(const std::string& name) const;
  std::optional<Node> call_to_power(const std::string& name, Span span);

  // Whether the word in front stands between signs of a formula, where it can only be a name: "1 - pred * target".
  bool between_signs() const;

  // A hyphen and a number without white space, as in the name of a method.
  bool numbered_name() const;

  // "xW", "hW_1", "xW1", "W1x": where the second of two names begins, of which one is a capital letter; else 0.
  static std::size_t weight_in(const std::string& name);

  // QK, Wx: one letter per tensor.
  std::optional<Node> letters(Node out);

  const Names& names_;
  std::vector<Token> tokens_;
  std::size_t place_ = 0, operators_ = 0, beside_ = 0;  // beside_: operators without a sign
  std::size_t factor_ = static_cast<std::size_t>(-1);   // the place of a bracket that is a factor of what stands before
  int depth_ = 0;
  bool indexed_ = false;
  bool assigned_ = false;     // behind "y ="
  bool word_target_ = false;  // y is a word of sentences
  int calls_ = 0;             // whose arguments are read
  std::vector<std::string> target_indices_;
  std::string problem_;
};

}  // namespace ww::op::formula
