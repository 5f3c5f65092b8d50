// SPDX-License-Identifier: Apache-2.0
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <numbers>
#include "op/names.h"
#include "op/parse.h"

namespace ww::op {
namespace {

// How tightly an expression binds; the parser's levels.
enum Level {
  any = 0,
  logical_or = 1,
  logical_and = 2,
  comparison = 3,
  additive = 4,
  multiplicative = 5,
  unary = 6,
  power = 7,
  primary = 8
};

std::string real_text(double v) {
  if (v == std::numeric_limits<double>::infinity()) return "inf";
  if (v == std::numbers::pi) return "pi";
  if (std::isnan(v)) return "(inf - inf)";
  char buffer[40];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, v).ptr;
  const std::string digits(buffer, end);
  const std::size_t e = digits.find('e');
  if (e == std::string::npos) return digits.find('.') == std::string::npos ? digits + ".0" : digits;
  // "1e-05" reads better as 1e-5, "1e+20" as 1e20.
  std::string exponent = digits.substr(e + 1);
  const bool negative = exponent[0] == '-';
  exponent.erase(0, exponent.find_first_not_of("+-0"));
  return digits.substr(0, e) + (negative ? "e-" : "e") + exponent;
}

class Printer {
 public:
  std::string out;

  // `closed`: what follows cannot be drawn into a reduction at the end (it is not * / % ^).
  void expr(const Expr& e, Level at_least, bool closed) {
    const bool brackets = level(e) < at_least || (e.kind == ExprKind::reduce && !closed);
    if (brackets) {
      out += '(';
      bare(e, true);
      out += ')';
    } else {
      bare(e, closed);
    }
  }

  void index(const Index& i) {
    out += i.name;
    if (!i.given) return;
    out += " in ";
    expr(*i.lo, any, true);
    out += "..";
    expr(*i.hi, any, true);
  }

  void param(const Param& p) {
    out += p.name + ": " + std::string(dtype_name(p.dtype));
    if (!p.shape.empty()) {
      out += '[';
      list(p.shape);
      out += ']';
    }
    values(p);
  }

  void values(const Param& p) {
    if (p.lo && !p.rules.permutation) {
      out += " in ";
      expr(*p.lo, any, true);
      out += "..";
      expr(*p.hi, any, true);
    }
    for (const std::string_view word : rule_words(p.rules)) out += ' ' + std::string(word);
  }

  void range(const Constant& c, std::string_view before) {
    if (!c.lo) return;
    out += before;
    expr(*c.lo, any, true);
    out += "..";
    if (c.hi) expr(*c.hi, any, true);
  }

 private:
  static Level level(const Expr& e) {
    switch (e.kind) {
      case ExprKind::integer: return e.integer < 0 && !e.is_u64 ? unary : primary;
      case ExprKind::real: return std::signbit(e.real) ? unary : primary;
      case ExprKind::unary: return unary;
      case ExprKind::reduce: return unary;
      case ExprKind::binary:
        switch (e.binary) {
          case BinaryOp::add:
          case BinaryOp::sub: return additive;
          case BinaryOp::mul:
          case BinaryOp::div:
          case BinaryOp::mod: return multiplicative;
          case BinaryOp::pow: return power;
          case BinaryOp::logical_and: return logical_and;
          case BinaryOp::logical_or: return logical_or;
          default: return comparison;
        }
      default: return primary;
    }
  }

  void list(const std::vector<ExprPtr>& args) {
    for (std::size_t i = 0; i < args.size(); ++i) {
      if (i) out += ", ";
      expr(*args[i], any, true);
    }
  }

  void bare(const Expr& e, bool closed) {
    switch (e.kind) {
      case ExprKind::integer:
        if (e.is_u64) {
          out += fmt::format("0x{:x}", static_cast<std::uint64_t>(e.integer));
          return;
        }
        out += e.integer == std::numeric_limits<std::int64_t>::min() ? "(-9223372036854775807 - 1)"
                                                                     : std::to_string(e.integer);
        return;
      case ExprKind::real:
        if (std::signbit(e.real)) out += '-';
        out += real_text(std::fabs(e.real));
        return;
      case ExprKind::boolean: out += e.integer ? "true" : "false"; return;
      case ExprKind::name: out += e.name; return;
      case ExprKind::access:
        out += e.name;
        if (e.args.empty()) return;
        out += '[';
        list(e.args);
        out += ']';
        return;
      case ExprKind::padded: return call("pad", e);
      case ExprKind::select: return call("if", e);
      case ExprKind::call: return call(e.name, e);
      case ExprKind::cast: return call(dtype_name(e.cast), e);
      case ExprKind::unary: out += e.unary == UnaryOp::negate ? '-' : '!'; return expr(*e.args[0], unary, closed);
      case ExprKind::reduce: {
        out += reduce_name(e.reduce);
        out += '(';
        for (std::size_t i = 0; i < e.indices.size(); ++i) {
          if (i) out += ", ";
          index(e.indices[i]);
        }
        if (e.args.size() > 1) {
          out += " : ";
          expr(*e.args[1], any, true);
        }
        out += ") ";
        return expr(*e.args[0], multiplicative, closed);
      }
      case ExprKind::binary: return binary(e, closed);
    }
  }

  void call(std::string_view name, const Expr& e) {
    out += name;
    out += '(';
    list(e.args);
    out += ')';
  }

  void binary(const Expr& e, bool closed) {
    const Level l = level(e);
    Level left = l, right = static_cast<Level>(l + 1);
    if (l == comparison) left = additive;
    if (l == power) {
      left = primary;
      right = unary;
    }
    expr(*e.args[0], left, l < multiplicative);
    if (l == power) {
      out += "^";
    } else {
      out += ' ';
      out += binary_symbol(e.binary);
      out += ' ';
    }
    expr(*e.args[1], right, l < multiplicative ? true : closed);
  }
};

}  // namespace

std::string print(const Expr& expr) {
  Printer p;
  p.expr(expr, any, true);
  return std::move(p.out);
}

std::string print(const Param& param) {
  Printer p;
  p.param(param);
  return std::move(p.out);
}

std::string values_text(const Param& param) {
  Printer p;
  p.values(param);
  return std::move(p.out);
}

std::string range_text(const Constant& constant) {
  Printer p;
  p.range(constant, "");
  return std::move(p.out);
}

std::string print(const Spec& spec) {
  Printer p;
  for (const auto& [key, value] : spec.directives) p.out += "//@ " + key + ": " + value + "\n";
  p.out += "op " + spec.name + "(";
  const auto params = [&](const std::vector<Param>& list) {
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (i) p.out += ", ";
      p.param(list[i]);
    }
  };
  params(spec.inputs);
  for (std::size_t i = 0; i < spec.constants.size(); ++i) {
    p.out += i ? ", " : "; ";
    p.out += spec.constants[i].name + " = ";
    p.expr(*spec.constants[i].value, any, true);
    p.range(spec.constants[i], " in ");
  }
  p.out += ") -> ";
  params(spec.outputs);
  p.out += "\n";
  bool first = true;
  for (const std::string& symbol : spec.symbols) {
    const auto found = spec.defaults.find(symbol);
    if (found == spec.defaults.end()) continue;
    p.out += first ? "  default " : ", ";
    p.out += symbol + " = " + std::to_string(found->second);
    first = false;
  }
  if (!first) p.out += "\n";
  p.out += "{\n";
  std::vector<std::string> left;
  std::size_t width = 0;
  for (const Equation& e : spec.equations) {
    Printer side;
    side.out = e.target;
    for (std::size_t i = 0; i < e.indices.size(); ++i) {
      side.out += i ? ", " : "[";
      side.index(e.indices[i]);
    }
    if (!e.indices.empty()) side.out += "]";
    if (side.out.size() <= 32) width = std::max(width, side.out.size());
    left.push_back(std::move(side.out));
  }
  for (std::size_t i = 0; i < left.size(); ++i) {
    p.out += "  " + left[i];
    if (left[i].size() < width) p.out.append(width - left[i].size(), ' ');
    p.out += " = ";
    p.expr(*spec.equations[i].value, any, true);
    p.out += "\n";
  }
  p.out += "}\n";
  return std::move(p.out);
}

}  // namespace ww::op
