// SPDX-License-Identifier: Apache-2.0
// The checked op spec: what parse_spec() returns, what the evaluator, the phrasebook, the search and the gate read.
// A Spec is immutable once checked and may be shared between threads.
//
// Grammar (index notation in the manner of Tensor Comprehensions, Vasilache et al. 2018). In quotes: literal text; [ ]:
// optional; { }: any number of times; |: or.
//
//   file       = { "//@" directive } "op" NAME
//                "(" param { "," param } [ ";" constant { "," constant } ] ")" "->" param { "," param }
//                { "default" NAME "=" integer { "," NAME "=" integer } }
//                "{" { equation } "}"
//   param      = NAME ":" DTYPE [ "[" shape-expr { "," shape-expr } "]" ] [ "in" domain ] { rule }
//                Without "[ … ]": a scalar tensor.
//   domain     = expr ".." expr
//                The values that inputs are drawn from: half-open for integers, open for reals.
//   rule       = "positive" | "sorted" | "monotone" | "distinct" | "permutation"
//                What inputs keep to; see ValueRules. "monotone" is another word for "sorted".
//   constant   = NAME "=" expr [ "in" expr ".." [ expr ] ]
//                A number, or an expression over earlier constants. A case may override it, within its range, which is
//                half-open, unlimited without an end, and may use earlier constants: lo = -1.0, hi = 1.0 in lo..
//   equation   = NAME [ "[" index { "," index } "]" ] "=" expr
//                NAME alone for a scalar. Every tensor has exactly one equation.
//   number     = decimal, or an integer in hexadecimal: 0x1F. An integer of 64 bits is a u64.
//   index      = NAME [ "in" expr ".." expr ]
//   expr       = "if" "(" expr "," expr "," expr ")"
//              | expr "||" expr  |  expr "&&" expr  |  comparison
//              | expr ( "+" | "-" | "*" | "/" | "%" ) expr      of integers, "/" and "%" round toward minus infinity
//              | "-" expr  |  "!" expr
//              | expr "^" expr                                  power, right associative
//              | REDUCE "(" index { "," index } [ ":" condition ] ")" operand
//              | "pad" "(" expr "," expr ")"                    the second where a subscript in the first is out of
//                                                               range; what is no access becomes an "if"
//              | DTYPE "(" expr ")"                             cast
//              | NAME "(" args ")"                              function
//              | access  |  NAME  |  number  |  "(" expr ")"
//              | "true"  |  "false"  |  "inf"  |  "pi"
//   access     = NAME "[" args "]"
//
// A reduction is a prefix operator that binds more loosely than * and /: sum(k) A[i,k] * B[k,j] / 2 reduces the whole
// product. It ends at +, -, a comparison or a closing bracket: any(i) (x[i] > 0) needs its brackets.
// max(a, b) and min(a, b) are calls when a or b is known there, otherwise reductions over a and b.
// u64 values have 64 bits that wrap; they are compared, divided, shifted right and made real as unsigned numbers. Where
// the sign matters, one may not meet a signed value of a tensor without a cast. The checked tree has signed
// operations only: see op/unsigned.h.
// Reals are stored in e4m3 and e5m2 with what is too large kept at the largest finite value.
// A ";" between equations is accepted. Limits: 1 MiB of text, 500 equations, 16 dimensions, 200 nested levels.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>
#include "base/describe.h"
#include "base/dtype.h"
#include "base/source.h"

namespace ww::op {

enum class ExprKind : std::uint8_t {
  integer,  // integer literal: `integer`
  real,     // real literal, inf, pi: `real`
  boolean,  // `integer` is 0 or 1
  name,     // index, shape symbol or constant: `name`, `role` says which
  access,   // tensor `name` with subscripts args
  padded,   // pad(access, value): args[0] is an access, args[1] the value
  unary,    // args[0]
  binary,   // args[0], args[1]
  select,   // if(args[0], args[1], args[2])
  call,     // function `name` of args
  cast,     // to `cast`, args[0]
  reduce,   // `reduce` over `indices` of args[0]; where args has two members, args[1] is the condition of the terms
};

enum class UnaryOp : std::uint8_t { negate, logical_not };
enum class BinaryOp : std::uint8_t { add, sub, mul, div, mod, pow, lt, le, gt, ge, eq, ne, logical_and, logical_or };
enum class ReduceOp : std::uint8_t { sum, prod, max, min, argmax, argmin, any, all };
// argmax and argmin give the (i64) value of the first index variable at the extreme; ties: the lowest.
// An empty sum is 0, prod 1, max -inf, min +inf (of integers the least and the largest i64), any false, all true,
// argmax and argmin -1.

enum class Role : std::uint8_t { index, symbol, constant };
enum class Type : std::uint8_t { boolean, integer, real };  // of an expression's value

struct Expr;
using ExprPtr = std::shared_ptr<const Expr>;

struct Index {
  std::string name;
  ExprPtr lo,
      hi;  // half-open range, integer expressions; always set after checking (inferred from shapes where not given)
  bool given = false;  // the range is given in the text
  Span span;
};

struct Expr {
  ExprKind kind = ExprKind::integer;
  Type type = Type::real;   // set by the checker
  bool is_u64 = false;      // an integer whose 64 bits are unsigned: literals from 2^63 on; others set by the checker
  Role role = Role::index;  // of a name
  UnaryOp unary = UnaryOp::negate;
  BinaryOp binary = BinaryOp::add;
  ReduceOp reduce = ReduceOp::sum;
  DType cast = DType::f32;
  std::int64_t integer = 0;
  double real = 0;
  std::string name;
  std::vector<Index> indices;
  std::vector<ExprPtr> args;
  Span span;
};

// What the values of an input keep to beside its domain. A row: the elements along the innermost dimension.
struct ValueRules {
  bool positive = false;     // above 0
  bool sorted = false;       // each row ascends; neighbours may be equal unless `distinct`
  bool distinct = false;     // no row holds a value twice
  bool permutation = false;  // a row of n elements holds 0 … n-1: `distinct`, and the domain is 0..n
  explicit operator bool() const { return positive || sorted || distinct || permutation; }
  bool operator==(const ValueRules&) const = default;
};

struct Param {  // an input, output or temporary tensor
  std::string name;
  DType dtype = DType::f32;    // temporaries: f64 for reals ("as precise as possible"), i64, bool
  std::vector<ExprPtr> shape;  // integer expressions over symbols and integer constants; empty: a scalar
  ExprPtr lo, hi;              // domain of the drawn values; null: the distribution's own
  ValueRules rules;            // of an input
  Span span;
};

struct Constant {
  std::string name;
  ExprPtr value;
  Type type = Type::real;  // integer when its value is an integer expression
  ExprPtr lo, hi;          // range of its values, half-open; null: unlimited
};

struct Equation {
  std::string target;
  std::vector<Index> indices;  // of the left side, one per dimension
  ExprPtr value;
  Span span;
};

struct Spec {
  std::string name;
  std::vector<Param> inputs, outputs;
  std::vector<Param> temporaries;  // in order of their equations; shapes inferred
  std::vector<Constant> constants;
  std::vector<std::string> symbols;                    // shape symbols in order of appearance
  std::map<std::string, std::int64_t> defaults;        // of symbols; a symbol without a default has none here
  std::vector<Equation> equations;                     // in an order in which each reads only earlier ones
  std::multimap<std::string, std::string> directives;  // "//@ key: value" lines, e.g. phrases, family, summary
  std::string text;                                    // the source it was parsed from
};

// Bindings of shape symbols and overrides of constants: one case's part that decides shapes.
struct Binding {
  static constexpr std::string_view described_as = "BINDING";
  std::map<std::string, std::int64_t> symbols;
  std::map<std::string, double> constants;  // overrides; integer constants must be whole
  bool operator==(const Binding&) const = default;
  template <class V>
  static void fields(V&& v) {
    v("symbols", &Binding::symbols, "sizes by name");
    v("constants", &Binding::constants, {"values by name", Presence::sparse});
  }
};

const Param* find_param(const Spec& spec, const std::string& name);  // inputs, outputs, temporaries; null when absent
const Equation* find_equation(const Spec& spec, const std::string& target);

}  // namespace ww::op
