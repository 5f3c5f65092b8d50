// SPDX-License-Identifier: Apache-2.0
// Recursive descent over the tokens of one text. parser.cpp reads the header and the equations, parser_expr.cpp
// expressions.
#pragma once
#include <set>
#include <string>
#include <string_view>
#include <vector>
#include "op/lexer.h"
#include "op/syntax.h"

namespace ww::op::syntax {

// An expression under construction and the height of its tree; a null expression means that an error was reported.
struct Node {
  std::shared_ptr<Expr> expr;
  int height = 1;
  explicit operator bool() const { return expr != nullptr; }
};

class Parser {
 public:
  Parser(std::string_view text, Lexed lexed);
  void file(File& out);
  ExprPtr whole_expr();  // one expression up to the end of the text
  std::vector<Diagnostic> take_diagnostics() { return std::move(diagnostics_); }

 private:
  // parser.cpp
  bool header(File& out);
  bool params(std::vector<Param>& out, std::string_view end_a, std::string_view end_b);
  bool param(Param& out);
  bool constants(File& out);
  bool range(Constant& of);
  bool defaults(File& out);
  void equation(Equation& out);
  void to_next_equation();
  bool equation_at(std::size_t i) const;  // "y[…] =" or "y =" starts there
  bool starts_equation() const { return now().first_on_line && equation_at(at_); }
  void collect_targets();
  void declare(const std::vector<Param>& params);
  bool name(Name& out, std::string_view what);
  bool expect(std::string_view symbol, std::string_view where);

  // parser_expr.cpp
  Node expr() { return logical_or(); }
  Node logical_or();
  Node logical_and();
  Node comparison();
  Node chain(Node (Parser::*operand)(), std::initializer_list<std::pair<std::string_view, BinaryOp>> ops);
  Node additive();
  Node multiplicative();
  Node unary();
  Node power();
  Node primary();
  Node word();
  Node literal(ExprKind kind, Type type, double real, std::int64_t integer, bool is_u64 = false);
  Node form(ExprKind kind, std::size_t count, const std::string& hint);  // WORD "(" `count` arguments ")"
  Node padded();
  Node call(const std::string& name);
  Node access(const std::string& name);
  Node reduction(ReduceOp op);
  bool is_reduction() const;  // at NAME "(": the name is a reduction's, and what follows are its indices
  bool index(Index& out, bool& name_ok, int& height);
  bool arguments(Expr& into, int& height, std::string_view close, const std::string& of);
  Node binary(BinaryOp op, Node a, Node b);
  std::shared_ptr<Expr> make(ExprKind kind, std::size_t begin) const;
  Node finish(std::shared_ptr<Expr> e, int height);

  const Token& now() const { return tokens_[at_]; }
  const Token& ahead(std::size_t n) const { return tokens_[std::min(at_ + n, tokens_.size() - 1)]; }
  void next() {
    if (at_ + 1 < tokens_.size()) ++at_;
  }
  bool accept(std::string_view symbol) {
    if (!now().is(symbol)) return false;
    next();
    return true;
  }
  std::size_t last_end() const { return at_ == 0 ? 0 : tokens_[at_ - 1].span.end; }
  static std::string describe(const Token& t);
  void error(Span span, std::string message, std::string hint = {});

  std::string_view text_;
  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  int nesting_ = 0;
  std::set<std::string, std::less<>> declared_;  // tensors, symbols, constants
  std::vector<std::string> indices_;             // in scope
  std::size_t statement_ = 0;                    // where the current declaration or equation begins
  std::vector<std::size_t> unreadable_;          // offsets that the lexer reported
  std::vector<Diagnostic> diagnostics_;
};

}  // namespace ww::op::syntax
