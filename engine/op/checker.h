// SPDX-License-Identifier: Apache-2.0
// Turns the tree as written into the checked Spec. checker.cpp checks declarations and the order of the equations,
// check_expr.cpp names, types and subscripts of expressions, check_range.cpp the ranges of indices. A failing check
// reports once and gives a null expression, which makes everything above it null without further reports.
#pragma once
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>
#include "op/syntax.h"

namespace ww::op {

// The value of an equation, its ranges known, with pad(expression, value) as a choice: the expression where all of its
// subscripts are in range. pad() of an element is kept.
ExprPtr pads_spelled_out(const Spec& spec, const Equation& equation);

class Checker {
 public:
  Checker(std::string_view text, const syntax::File& file, std::vector<Diagnostic>& diagnostics)
      : text_(text), file_(file), diagnostics_(diagnostics) {}
  // Whether `spec` is complete; false: diagnostics say why.
  bool run(Spec& spec);

 private:
  enum class Kind { input, output, temporary, symbol, constant };
  struct Declared {
    Kind kind;
    Span span;
    Type type = Type::integer;  // of a constant
    bool known = true;          // false: its own declaration is wrong, so uses are not reported again
  };
  struct Use {  // an index that is a whole subscript
    ExprPtr extent;
    std::string tensor;
    std::size_t dimension = 0;
    Span span;
  };
  struct ActiveIndex {
    Index index;
    std::vector<Use> uses;     // they determine the range
    std::vector<Use> guarded;  // inside pad(): they determine it only if there are no others
  };
  enum class Where { equation, left_side, shape, constant, domain };

  // checker.cpp
  bool declare(const syntax::Name& name, Kind kind);
  void declarations();
  void constants();
  void read_range(const syntax::Constant& raw, Constant& c);
  void read_param(const syntax::Param& raw, std::vector<Param>& out, bool output);
  bool read_domain(const syntax::Param& raw, Param& p, bool output);
  bool read_rules(const syntax::Param& raw, Param& p, bool output);
  void defaults();
  bool order_equations();
  bool order_cycle(std::vector<const syntax::Equation*>& waiting, std::set<std::string>& done);
  void check_steps();
  void equation(const syntax::Equation& raw);
  void left_side(const syntax::Equation& raw, const Param* output);
  void require_outputs();
  const Param* tensor(const std::string& name) const;
  std::vector<std::string> names_of(std::initializer_list<Kind> kinds) const;
  void error(Span span, std::string message, std::string hint = {});

  // check_expr.cpp
  ExprPtr expr(const ExprPtr& raw);
  ExprPtr name(const Expr& raw);
  ExprPtr access(const Expr& raw, bool guarded);
  ExprPtr pending_access(const Expr& raw, std::size_t rank);
  void carries_reals(Span span, const std::string& temporary);
  ExprPtr padded(const Expr& raw);
  bool paddable(const Expr& body);
  ExprPtr unary(const Expr& raw);
  ExprPtr binary(const Expr& raw);
  ExprPtr select(const Expr& raw);
  ExprPtr call(const Expr& raw);
  ExprPtr reduce(const Expr& raw);
  ExprPtr integer_expr(const ExprPtr& raw, const std::string& what);
  bool number(const Expr& e, const std::string& of);     // integer or real, else reported
  bool condition(const Expr& e, const std::string& of);  // boolean, else reported
  void unknown_name(const Expr& raw);

  // check_unsigned.cpp. Null: reported.
  ExprPtr with_unsigned(std::shared_ptr<Expr> e);  // of checked operands
  ExprPtr unsigned_binary(std::shared_ptr<Expr> e);
  ExprPtr unsigned_call(std::shared_ptr<Expr> e);
  ExprPtr unsigned_reduce(std::shared_ptr<Expr> e);
  bool counts(const Expr& e, const std::string& what);  // no operand is signed, else reported

  // check_range.cpp
  bool begin_index(const Index& raw);  // resolves a given range, opens the scope
  bool infer(ActiveIndex& active);     // sets lo and hi from the uses
  ActiveIndex* active(const std::string& name);

  std::string_view text_;
  const syntax::File& file_;
  std::vector<Diagnostic>& diagnostics_;
  Spec* spec_ = nullptr;
  std::map<std::string, Declared> declared_;
  std::vector<ActiveIndex> active_;
  std::size_t guarded_indices_ = 0;  // inside pad(): the members of active_ that existed before it
  std::vector<const syntax::Equation*> ordered_;
  std::map<std::string, std::size_t> pending_;  // temporaries of recurrences that are read before their equation: ranks
  Where where_ = Where::equation;
  std::string where_name_;  // the tensor or constant being read, for messages
  bool complete_ = true;    // false once something has been reported
};

}  // namespace ww::op
