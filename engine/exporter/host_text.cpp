// SPDX-License-Identifier: Apache-2.0
#include "exporter/host_text.h"
#include <cmath>
#include <fmt/format.h>
#include <vector>
#include "op/names.h"
#include "op/parse.h"

namespace ww::exporter {
namespace {

using op::BinaryOp;
using op::Expr;
using op::ExprKind;

std::string python_binary(const Expr& e, const std::string& a, const std::string& b) {
  std::string_view between = op::binary_symbol(e.binary);
  switch (e.binary) {
    case BinaryOp::div: between = e.type == op::Type::integer ? "//" : "/"; break;
    case BinaryOp::pow: between = "**"; break;
    case BinaryOp::logical_and: between = "and"; break;
    case BinaryOp::logical_or: between = "or"; break;
    default: break;
  }
  return fmt::format("({} {} {})", a, between, b);
}

std::string cpp_binary(const Expr& e, const std::string& a, const std::string& b) {
  const bool integers = e.type == op::Type::integer;
  switch (e.binary) {
    case BinaryOp::div: return integers ? fmt::format("f_div({}, {})", a, b) : fmt::format("(1.0 * {} / {})", a, b);
    case BinaryOp::mod: return fmt::format("f_mod({}, {})", a, b);
    case BinaryOp::pow: return fmt::format("{}({}, {})", integers ? "f_ipow" : "f_pow", a, b);
    case BinaryOp::logical_and: return fmt::format("({} && {})", a, b);
    case BinaryOp::logical_or: return fmt::format("({} || {})", a, b);
    default: return fmt::format("({} {} {})", a, op::binary_symbol(e.binary), b);
  }
}

}  // namespace

std::string real_text(double value, HostLanguage language) {
  if (language == HostLanguage::python) {
    if (std::isnan(value)) return "float('nan')";
    if (std::isinf(value)) return value > 0 ? "float('inf')" : "float('-inf')";
    return fmt::format("float.fromhex('{:a}')", value);
  }
  if (std::isnan(value)) return "std::numeric_limits<double>::quiet_NaN()";
  if (std::isinf(value)) return value > 0 ? "f_infinity" : "(-f_infinity)";
  return fmt::format("({:a})", value);
}

Result<std::string> host_text(const Expr& e, HostLanguage language) {
  const bool python = language == HostLanguage::python;
  std::vector<std::string> args;
  for (const op::ExprPtr& a : e.args) args.push_back(WW_TRY(host_text(*a, language)));
  switch (e.kind) {
    case ExprKind::integer: return python ? std::to_string(e.integer) : fmt::format("std::int64_t({})", e.integer);
    case ExprKind::boolean:
      return std::string(e.integer != 0 ? (python ? "True" : "true") : python ? "False" : "false");
    case ExprKind::real: return real_text(e.real, language);
    case ExprKind::name: return "v_" + e.name;
    case ExprKind::unary:
      return fmt::format("({}{})", e.unary == op::UnaryOp::negate ? "-" : python ? "not " : "!", args[0]);
    case ExprKind::binary: return python ? python_binary(e, args[0], args[1]) : cpp_binary(e, args[0], args[1]);
    case ExprKind::select:
      return python ? fmt::format("({1} if {0} else {2})", args[0], args[1], args[2])
                    : fmt::format("({} ? {} : {})", args[0], args[1], args[2]);
    case ExprKind::call: return fmt::format("f_{}({})", e.name, fmt::join(args, ", "));
    default: break;
  }
  return fail(Code::unsupported, "'" + op::print(e) + "' cannot be written for the host");
}

}  // namespace ww::exporter
