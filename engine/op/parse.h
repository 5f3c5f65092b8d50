// SPDX-License-Identifier: Apache-2.0
// Parses text to a checked Spec, and prints it. All functions are pure and thread-safe.
#pragma once
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>
#include "base/result.h"
#include "op/spec.h"

namespace ww::op {

// Either a checked spec, or at least one diagnostic (all that were found, in text order, at most 50).
struct ParseOutcome {
  std::optional<Spec> spec;
  std::vector<Diagnostic> diagnostics;
  explicit operator bool() const { return spec.has_value(); }
};
ParseOutcome parse(std::string_view text);
// The same; the error's message is the first diagnostic's sentence with its position, its cause the rendered
// diagnostics.
Result<Spec> parse_spec(std::string_view text, std::string_view name = "spec");

// Canonical text. parse(print(spec)) gives an equal spec: print(parse(print(s))) == print(s).
std::string print(const Spec& spec);
std::string print(const Expr& expr);
std::string print(const Param& param);  // "x: f32[R, C] in 0..1"
// The rules on `param`'s values as declared: " in 0..V distinct", or empty.
std::string values_text(const Param& param);
std::string range_text(const Constant& constant);  // "0..", "lo..inf"; empty: unlimited

// Standalone integer expressions, as in launch plans: + - * / % comparisons && || ! if(c,a,b), ceildiv(a,b), min, max,
// abs, pow2ceil(n) (smallest power of two >= n), parentheses, decimal integers and names. Names are resolved at
// evaluation.
Result<ExprPtr> parse_integer_expr(std::string_view text);
using Lookup = std::function<std::optional<std::int64_t>(const std::string&)>;
// 64-bit with overflow and division by zero as errors. Comparisons give 0 or 1. Works also on the shape expressions of
// a Spec.
Result<std::int64_t> eval_integer(const Expr& expr, const Lookup& lookup);

// Shape of a tensor of the spec under a binding; an error names the dimension that is below 0 or above 2^40. (Unbound
// symbols have their defaults; one without a default is an error that names it.)
Result<std::vector<std::int64_t>> shape_of(const Spec& spec, const Param& param, const Binding& binding);
std::int64_t element_count(const std::vector<std::int64_t>& shape);  // 1 for a scalar
// Every symbol bound (defaults filled in), every constant evaluated; fails if shape_of would, or for unknown names.
struct ResolvedConstant {
  std::string name;
  Type type;
  double real;
  std::int64_t integer;
  double lo = -std::numeric_limits<double>::infinity(),
         hi = std::numeric_limits<double>::infinity();  // half-open range
  bool allows(double value) const { return lo <= value && (value < hi || std::isinf(hi)); }
};
struct Resolved {
  std::map<std::string, std::int64_t> symbols;
  std::vector<ResolvedConstant> constants;
  std::optional<std::int64_t> integer(const std::string& name) const;  // symbol or integer constant
};
Result<Resolved> resolve(const Spec& spec, const Binding& binding);
// The first constant whose value is not in its range; also where a size has no value, as far as it is not needed.
struct OutOfRange {
  const Constant* constant = nullptr;
  std::string message;
};
std::optional<OutOfRange> out_of_range(const Spec& spec, const Binding& binding);

// Names of the language's functions with their arities, for the checker, the lowering and completion in the window.
struct Function {
  std::string_view name;
  int arity;
  Type result;  // of the call
  std::string_view summary;
  bool keeps_integer = false;  // integer if every argument is
};
const std::vector<Function>& functions();

}  // namespace ww::op
