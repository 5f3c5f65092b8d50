// SPDX-License-Identifier: Apache-2.0
#include "exporter/python_text.h"
#include <cmath>
#include <fmt/format.h>
#include "op/names.h"
#include "op/parse.h"

namespace ww::exporter {
namespace {

using op::BinaryOp;
using op::Expr;
using op::ExprKind;

std::string_view binary_text(const Expr& e) {
  switch (e.binary) {
    case BinaryOp::div: return e.type == op::Type::integer ? "//" : "/";
    case BinaryOp::pow: return "**";
    case BinaryOp::logical_and: return "and";
    case BinaryOp::logical_or: return "or";
    default: return op::binary_symbol(e.binary);
  }
}

}  // namespace

std::string python_real(double value) {
  if (std::isnan(value)) return "float('nan')";
  if (std::isinf(value)) return value > 0 ? "float('inf')" : "float('-inf')";
  return fmt::format("float.fromhex('{:a}')", value);
}

Result<std::string> python_text(const Expr& e) {
  std::vector<std::string> args;
  for (const op::ExprPtr& a : e.args) args.push_back(WW_TRY(python_text(*a)));
  switch (e.kind) {
    case ExprKind::integer: return std::to_string(e.integer);
    case ExprKind::boolean: return std::string(e.integer != 0 ? "True" : "False");
    case ExprKind::real: return python_real(e.real);
    case ExprKind::name: return "v_" + e.name;
    case ExprKind::unary: return fmt::format("({}{})", e.unary == op::UnaryOp::negate ? "-" : "not ", args[0]);
    case ExprKind::binary: return fmt::format("({} {} {})", args[0], binary_text(e), args[1]);
    case ExprKind::select: return fmt::format("({1} if {0} else {2})", args[0], args[1], args[2]);
    case ExprKind::call: return fmt::format("f_{}({})", e.name, fmt::join(args, ", "));
    default: break;
  }
  return fail(Code::unsupported, "'" + op::print(e) + "' cannot be written for Python");
}

}  // namespace ww::exporter
