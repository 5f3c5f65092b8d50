// SPDX-License-Identifier: Apache-2.0
// Integer expressions of plans and shapes, and the resolution of a binding.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <limits>
#include "op/functions.h"
#include "op/names.h"
#include "op/parse.h"
#include "op/syntax.h"
#include "op/walk.h"

namespace ww::op {
namespace {

constexpr std::int64_t max_extent = std::int64_t{1} << 40;

// The kinds that a plan's expression may use, with types set.
struct Wrong {
  const Expr* expr = nullptr;
  std::string why, hint;
};
ExprPtr integer_only(const ExprPtr& e, Wrong& wrong) {
  auto copy = std::make_shared<Expr>(*e);
  copy->type = Type::integer;
  switch (e->kind) {
    case ExprKind::integer:
      if (!e->is_u64) break;
      wrong.expr = e.get();
      wrong.why = "this number does not fit in 63 bits";
      return nullptr;
    case ExprKind::boolean: copy->type = Type::boolean; break;
    case ExprKind::name: copy->role = Role::symbol; break;
    case ExprKind::unary:
      if (e->unary == UnaryOp::logical_not) copy->type = Type::boolean;
      break;
    case ExprKind::binary:
      if (e->binary >= BinaryOp::lt) copy->type = Type::boolean;
      break;
    case ExprKind::select: break;
    case ExprKind::call: {
      const Function* known = nullptr;
      std::vector<std::string> names;
      for (const Function& f : functions()) {
        if (!f.keeps_integer && f.result != Type::integer) continue;
        names.emplace_back(f.name);
        if (f.name == e->name) known = &f;
      }
      if (!known || static_cast<int>(e->args.size()) != known->arity) {
        wrong.expr = e.get();
        wrong.why = known ? "'" + e->name + "' takes " + std::to_string(known->arity) + " arguments"
                          : "'" + e->name + "' is not an integer function";
        if (!known) wrong.hint = did_you_mean(e->name, names);
        if (!known && wrong.hint.empty()) wrong.hint = fmt::format("there are {}", fmt::join(names, ", "));
        return nullptr;
      }
      break;
    }
    default:
      wrong.expr = e.get();
      wrong.why = "this is not an integer expression";
      return nullptr;
  }
  for (ExprPtr& a : copy->args) {
    a = integer_only(a, wrong);
    if (!a) return nullptr;
  }
  return copy;
}

Result<std::int64_t> arithmetic_error(const Expr& e, const char* what) {
  return fail(Code::invalid_argument, std::string(what) + " in " + print(e));
}

}  // namespace

Result<ExprPtr> parse_integer_expr(std::string_view text) {
  const syntax::ParsedExpr parsed = syntax::read_expr(text);
  if (!parsed.expr) {
    const Diagnostic& first = parsed.diagnostics.front();
    return fail(
        {Code::parse, first.message, render_all(parsed.diagnostics, text, "expression"), first.place, first.hint});
  }
  Wrong wrong;
  ExprPtr out = integer_only(parsed.expr, wrong);
  if (!out) {
    const Diagnostic d = diagnostic_at(text, wrong.expr->span, wrong.why, wrong.hint);
    return fail({Code::parse, d.message, render(d, text, "expression"), d.place, d.hint});
  }
  return out;
}

Result<std::int64_t> eval_integer(const Expr& e, const Lookup& lookup) {
  const auto arg = [&](std::size_t i) { return eval_integer(*e.args[i], lookup); };
  switch (e.kind) {
    case ExprKind::integer:
    case ExprKind::boolean: return e.integer;
    case ExprKind::name:
      if (const auto v = lookup(e.name)) return *v;
      return fail(Code::not_found, "'" + e.name + "' has no value here");
    case ExprKind::unary: {
      const auto a = arg(0);
      if (!a) return a;
      if (e.unary == UnaryOp::logical_not) return *a == 0 ? 1 : 0;
      if (*a == std::numeric_limits<std::int64_t>::min()) return arithmetic_error(e, "overflow");
      return -*a;
    }
    case ExprKind::select: {
      const auto c = arg(0);
      if (!c) return c;
      return arg(*c ? 1 : 2);
    }
    case ExprKind::call: {
      const auto fn = fn_from_name(e.name);
      if (!fn || e.args.empty() || e.args.size() > 3) break;
      std::int64_t v[3] = {0, 0, 0};
      for (std::size_t i = 0; i < e.args.size(); ++i) {
        const auto a = arg(i);
        if (!a) return a;
        v[i] = *a;
      }
      std::int64_t out = 0;
      if (!call_integer(*fn, v[0], v[1], v[2], &out))
        return arithmetic_error(e, *fn == Fn::ceildiv && v[1] == 0 ? "division by zero" : "overflow");
      return out;
    }
    case ExprKind::binary: {
      const auto a = arg(0);
      if (!a) return a;
      if (e.binary == BinaryOp::logical_and && *a == 0) return 0;
      if (e.binary == BinaryOp::logical_or && *a != 0) return 1;
      const auto b = arg(1);
      if (!b) return b;
      std::int64_t out = 0;
      bool ok = true;
      switch (e.binary) {
        case BinaryOp::add: ok = !__builtin_add_overflow(*a, *b, &out); break;
        case BinaryOp::sub: ok = !__builtin_sub_overflow(*a, *b, &out); break;
        case BinaryOp::mul: ok = !__builtin_mul_overflow(*a, *b, &out); break;
        case BinaryOp::div:
          if (*b == 0) return arithmetic_error(e, "division by zero");
          ok = floor_div(*a, *b, &out);
          break;
        case BinaryOp::mod:
          if (*b == 0) return arithmetic_error(e, "division by zero");
          ok = floor_mod(*a, *b, &out);
          break;
        case BinaryOp::pow:
          if (*b < 0) return arithmetic_error(e, "a negative exponent");
          ok = integer_power(*a, *b, &out);
          break;
        case BinaryOp::lt: return *a < *b;
        case BinaryOp::le: return *a <= *b;
        case BinaryOp::gt: return *a > *b;
        case BinaryOp::ge: return *a >= *b;
        case BinaryOp::eq: return *a == *b;
        case BinaryOp::ne: return *a != *b;
        case BinaryOp::logical_and:
        case BinaryOp::logical_or: return *b != 0;
      }
      if (!ok) return arithmetic_error(e, "overflow");
      return out;
    }
    default: break;
  }
  return fail(Code::invalid_argument, print(e) + " is not an integer expression");
}

namespace {

// A constant's value in f64.
Result<double> eval_real(const Expr& e, const Resolved& known) {
  if (e.type == Type::integer) {
    const auto v = WW_TRY(eval_integer(e, [&](const std::string& n) { return known.integer(n); }));
    return static_cast<double>(v);
  }
  double v[3] = {0, 0, 0};
  if (e.kind == ExprKind::select) {
    const Expr& c = *e.args[0];
    Result<double> condition = eval_real(c, known);
    if (!condition) return condition;
    return eval_real(*e.args[*condition != 0 ? 1 : 2], known);
  }
  for (std::size_t i = 0; i < e.args.size() && i < 3; ++i) {
    const auto a = eval_real(*e.args[i], known);
    if (!a) return a;
    v[i] = *a;
  }
  switch (e.kind) {
    case ExprKind::real: return e.real;
    case ExprKind::boolean: return static_cast<double>(e.integer);
    case ExprKind::name:
      for (const ResolvedConstant& c : known.constants)
        if (c.name == e.name) return c.real;
      return fail(Code::not_found, "'" + e.name + "' has no value here");
    case ExprKind::unary: return e.unary == UnaryOp::negate ? -v[0] : v[0] == 0;
    case ExprKind::call:
      if (const auto fn = fn_from_name(e.name)) return call_real(*fn, v[0], v[1], v[2]);
      break;
    case ExprKind::cast: return round_to(e.cast, v[0]);
    case ExprKind::binary:
      switch (e.binary) {
        case BinaryOp::add: return v[0] + v[1];
        case BinaryOp::sub: return v[0] - v[1];
        case BinaryOp::mul: return v[0] * v[1];
        case BinaryOp::div: return v[0] / v[1];
        case BinaryOp::mod: return real_mod(v[0], v[1]);
        case BinaryOp::pow: return std::pow(v[0], v[1]);
        case BinaryOp::lt: return v[0] < v[1];
        case BinaryOp::le: return v[0] <= v[1];
        case BinaryOp::gt: return v[0] > v[1];
        case BinaryOp::ge: return v[0] >= v[1];
        case BinaryOp::eq: return v[0] == v[1];
        case BinaryOp::ne: return v[0] != v[1];
        case BinaryOp::logical_and: return v[0] != 0 && v[1] != 0;
        case BinaryOp::logical_or: return v[0] != 0 || v[1] != 0;
      }
      break;
    default: break;
  }
  return fail(Code::invalid_argument, print(e) + " is not a constant expression");
}

Result<ResolvedConstant> value_of(const Constant& c, const Spec& spec, const Binding& binding, const Resolved& known) {
  ResolvedConstant r{c.name, c.type, 0, 0};
  if (const auto bound = binding.constants.find(c.name); bound != binding.constants.end()) {
    r.real = bound->second;
    if (c.type == Type::integer) {
      if (r.real != std::floor(r.real) || std::fabs(r.real) > 9e15)
        return fail(Code::invalid_argument,
                    "the constant '" + c.name + "' of op '" + spec.name + "' must be a whole number");
      r.integer = static_cast<std::int64_t>(r.real);
    } else if (c.type == Type::boolean) {
      r.integer = r.real != 0;
    }
  } else if (c.type == Type::integer) {
    const auto v = eval_integer(*c.value, [&](const std::string& n) { return known.integer(n); });
    if (!v) return fail(v.error().code, "the constant '" + c.name + "' cannot be computed", v.error().text());
    r.integer = *v;
    r.real = static_cast<double>(*v);
  } else {
    const auto v = eval_real(*c.value, known);
    if (!v) return fail(v.error().code, "the constant '" + c.name + "' cannot be computed", v.error().text());
    r.real = *v;
    r.integer = c.type == Type::boolean && *v != 0;
  }
  return r;
}

Result<ResolvedConstant> ranged(const Constant& c, const Spec& spec, const Binding& binding, const Resolved& known) {
  ResolvedConstant r = WW_TRY(value_of(c, spec, binding, known));
  if (c.lo) r.lo = WW_TRY(eval_real(*c.lo, known));
  if (c.hi) r.hi = WW_TRY(eval_real(*c.hi, known));
  return r;
}

std::string range_error(const Constant& c, const Spec& spec, double value) {
  return fmt::format("the constant '{}' of op '{}' is {}, which is not in {}", c.name, spec.name, value, range_text(c));
}

Result<std::vector<std::int64_t>> shape_with(const Param& param, const Resolved& known) {
  std::vector<std::int64_t> shape;
  std::int64_t count = 1;
  for (std::size_t i = 0; i < param.shape.size(); ++i) {
    const Expr& dim = *param.shape[i];
    const auto where = [&] {
      return "dimension " + std::to_string(i) + " of '" + param.name + "' (" + print(dim) + ")";
    };
    const auto v = eval_integer(dim, [&](const std::string& n) { return known.integer(n); });
    if (!v) return fail(v.error().code, where() + " cannot be computed", v.error().text());
    if (*v < 0) return fail(Code::invalid_argument, where() + " came out as " + std::to_string(*v) + ", below 0");
    if (*v > max_extent || (*v > 0 && count > max_extent / *v)) {
      return fail(Code::invalid_argument, where() + " came out as " + std::to_string(*v) +
                                              ", and the tensor would have more than 2^40 elements");
    }
    count *= *v;
    shape.push_back(*v);
  }
  return shape;
}

Result<Resolved> resolve_names(const Spec& spec, const Binding& binding) {
  Resolved out;
  for (const auto& [name, value] : binding.symbols) {
    if (std::find(spec.symbols.begin(), spec.symbols.end(), name) == spec.symbols.end())
      return fail(Code::not_found, "op '" + spec.name + "' has no shape symbol '" + name + "'",
                  did_you_mean(name, spec.symbols));
  }
  for (const std::string& name : spec.symbols) {
    if (const auto bound = binding.symbols.find(name); bound != binding.symbols.end()) {
      out.symbols[name] = bound->second;
    } else if (const auto d = spec.defaults.find(name); d != spec.defaults.end()) {
      out.symbols[name] = d->second;
    } else {
      return fail(Code::invalid_argument,
                  "the shape symbol '" + name + "' of op '" + spec.name + "' has no value and no default");
    }
  }
  std::vector<std::string> constants;
  for (const Constant& c : spec.constants) constants.push_back(c.name);
  for (const auto& [name, value] : binding.constants)
    if (std::ranges::count(constants, name) == 0)
      return fail(Code::not_found, "op '" + spec.name + "' has no constant '" + name + "'",
                  did_you_mean(name, constants));
  for (const Constant& c : spec.constants) {
    ResolvedConstant r = WW_TRY(ranged(c, spec, binding, out));
    if (c.lo && !r.allows(r.real)) return fail(Code::invalid_argument, range_error(c, spec, r.real));
    out.constants.push_back(std::move(r));
  }
  return out;
}

}  // namespace

std::optional<OutOfRange> out_of_range(const Spec& spec, const Binding& binding) {
  Resolved known;
  known.symbols = spec.defaults;
  for (const auto& [name, value] : binding.symbols) known.symbols[name] = value;
  for (const Constant& c : spec.constants) {
    auto r = ranged(c, spec, binding, known);
    if (!r) continue;  // for want of a size
    if (c.lo && !r->allows(r->real)) return OutOfRange{&c, range_error(c, spec, r->real)};
    known.constants.push_back(std::move(*r));
  }
  return {};
}

std::optional<std::int64_t> Resolved::integer(const std::string& name) const {
  if (const auto s = symbols.find(name); s != symbols.end()) return s->second;
  for (const ResolvedConstant& c : constants)
    if (c.name == name && c.type != Type::real) return c.integer;
  return std::nullopt;
}

Result<std::vector<std::int64_t>> shape_of(const Spec& spec, const Param& param, const Binding& binding) {
  const auto known = WW_TRY(resolve_names(spec, binding));
  return shape_with(param, known);
}

std::int64_t element_count(const std::vector<std::int64_t>& shape) {
  std::int64_t n = 1;
  for (const std::int64_t d : shape)
    if (__builtin_mul_overflow(n, d, &n)) return std::numeric_limits<std::int64_t>::max();
  return n;
}

Result<Resolved> resolve(const Spec& spec, const Binding& binding) {
  auto known = resolve_names(spec, binding);
  if (!known) return known;
  for (const std::vector<Param>* list : {&spec.inputs, &spec.outputs, &spec.temporaries}) {
    for (const Param& p : *list) { WW_TRY(shape_with(p, *known)); }
  }
  return known;
}

}  // namespace ww::op
