// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <functional>
#include "op/checker.h"
#include "base/plural.h"
#include "op/names.h"
#include "op/parse.h"
#include "op/walk.h"

namespace ww::op {
namespace {

std::shared_ptr<Expr> copy_of(const Expr& raw, Type type) {
  auto e = std::make_shared<Expr>(raw);
  e->type = type;
  return e;
}

// Names that people bring from elsewhere.
std::string foreign_function(std::string_view name) {
  static constexpr std::pair<std::string_view, std::string_view> known[] = {
      {"fabs", "abs(x)"},
      {"fabsf", "abs(x)"},
      {"expf", "exp(x)"},
      {"logf", "log(x)"},
      {"ln", "log(x)"},
      {"sqrtf", "sqrt(x)"},
      {"tanhf", "tanh(x)"},
      {"fmax", "max(a, b)"},
      {"fmin", "min(a, b)"},
      {"fmaxf", "max(a, b)"},
      {"fminf", "min(a, b)"},
      {"maximum", "max(a, b)"},
      {"minimum", "min(a, b)"},
      {"where", "if(condition, a, b)"},
      {"select", "if(condition, a, b)"},
      {"mean", "sum(i) x[i] / N"},
      {"avg", "sum(i) x[i] / N"},
      {"relu", "max(x, 0)"},
      {"sigmoid", "1 / (1 + exp(-x))"},
      {"square", "x ^ 2"},
      {"rnd", "round(x)"},
      {"power", "pow(x, y)"},
      {"float", "f32(x)"},
      {"int", "i32(x)"},
      {"half", "f16(x)"},
      {"double", "f64(x)"},
      {"dot", "sum(k) a[k] * b[k]"},
      {"matmul", "sum(k) a[i, k] * b[k, j]"},
      {"softmax", "exp(x) and a sum, in two equations"},
      {"rsqrtf", "rsqrt(x)"},
      {"xor", "bitxor(a, b)"},
      {"mod", "a % b"}};
  for (const auto& [n, instead] : known)
    if (n == name) return "write " + std::string(instead);
  return {};
}

}  // namespace

bool Checker::number(const Expr& e, const std::string& of) {
  if (e.type != Type::boolean) return true;
  error(e.span, of + " takes numbers, and this is a condition", "turn it into a number: if(…, 1, 0)");
  return false;
}

bool Checker::condition(const Expr& e, const std::string& of) {
  if (e.type == Type::boolean) return true;
  error(e.span, of + " must be a condition, and this is " + (e.type == Type::integer ? "an integer" : "a real number"),
        "compare it: … != 0");
  return false;
}

ExprPtr Checker::integer_expr(const ExprPtr& raw, const std::string& what) {
  ExprPtr e = expr(raw);
  if (!e || e->type == Type::integer) return e;
  error(e->span, what + " must be an integer, and this is " + (e->type == Type::real ? "a real number" : "a condition"),
        e->type == Type::real ? "write i64(floor(…)) to make it whole" : "");
  return nullptr;
}

ExprPtr Checker::expr(const ExprPtr& raw) {
  if (!raw) return nullptr;
  switch (raw->kind) {
    case ExprKind::integer: return copy_of(*raw, Type::integer);
    case ExprKind::real: return copy_of(*raw, Type::real);
    case ExprKind::boolean: return copy_of(*raw, Type::boolean);
    case ExprKind::name: return name(*raw);
    case ExprKind::access: return access(*raw, false);
    case ExprKind::padded: return padded(*raw);
    case ExprKind::unary: return unary(*raw);
    case ExprKind::binary: return binary(*raw);
    case ExprKind::select: return select(*raw);
    case ExprKind::call: return call(*raw);
    case ExprKind::cast: {
      ExprPtr a = expr(raw->args[0]);
      if (!a) return nullptr;
      auto e = copy_of(*raw, type_of(raw->cast));
      e->args = {std::move(a)};
      return with_unsigned(std::move(e));
    }
    case ExprKind::reduce: return reduce(*raw);
  }
  return nullptr;
}

void Checker::unknown_name(const Expr& raw) {
  std::vector<std::string> known;
  for (const auto& [n, d] : declared_) known.push_back(n);
  for (const ActiveIndex& a : active_) known.push_back(a.index.name);
  error(raw.span, "nothing here is called '" + raw.name + "'", did_you_mean(raw.name, known));
}

ExprPtr Checker::name(const Expr& raw) {
  if (const ActiveIndex* a = active(raw.name)) {
    (void)a;
    auto e = copy_of(raw, Type::integer);
    e->role = Role::index;
    return e;
  }
  const auto found = declared_.find(raw.name);
  if (found == declared_.end()) {
    unknown_name(raw);
    return nullptr;
  }
  const Declared& d = found->second;
  if (d.kind == Kind::symbol || d.kind == Kind::constant) {
    if (!d.known) return nullptr;
    auto e = copy_of(raw, d.kind == Kind::symbol ? Type::integer : d.type);
    e->role = d.kind == Kind::symbol ? Role::symbol : Role::constant;
    return e;
  }
  return access(raw, false);  // a scalar tensor
}

ExprPtr Checker::access(const Expr& raw, bool guarded) {
  if (where_ != Where::equation) {
    static constexpr const char* places[] = {"", "the range of an index on the left side", "a shape",
                                             "a constant's value", "a domain"};
    error(raw.span, std::string(places[static_cast<int>(where_)]) + " cannot read a tensor ('" + raw.name + "')",
          where_ == Where::constant ? "write an equation for it" : "");
    return nullptr;
  }
  const auto found = declared_.find(raw.name);
  if (found == declared_.end() || found->second.kind == Kind::symbol || found->second.kind == Kind::constant) {
    if (found != declared_.end() || active(raw.name)) {
      error(raw.span, "'" + raw.name + "' is not a tensor and has no elements");
    } else if (const auto what = syntax::reserved_as(raw.name); !what.empty()) {
      error(raw.span, "'" + raw.name + "' is " + std::string(what) + " and takes its arguments in round brackets",
            "write " + raw.name + "(…)");
    } else {
      error(raw.span, "there is no tensor '" + raw.name + "'",
            did_you_mean(raw.name, names_of({Kind::input, Kind::output, Kind::temporary})));
    }
    return nullptr;
  }
  if (const auto pending = pending_.find(raw.name); pending != pending_.end() && found->second.known)
    return pending_access(raw, pending->second);
  const Param* t = tensor(raw.name);
  if (!t || !found->second.known) {
    for (const ExprPtr& a : raw.args) expr(a);
    return nullptr;
  }
  if (t->shape.size() != raw.args.size()) {
    std::string hint;
    if (raw.args.empty()) {
      hint = "write " + raw.name + "[…]";
    } else if (t->shape.empty()) {
      hint = "write " + raw.name + " without brackets";
    }
    error(raw.span,
          "'" + raw.name + "' has " + plural(t->shape.size(), "dimension") + " and is given " +
              (raw.args.empty() ? "no subscripts" : plural(raw.args.size(), "subscript")),
          hint);
    for (const ExprPtr& a : raw.args) expr(a);
    return nullptr;
  }
  auto e = copy_of(raw, type_of(t->dtype));
  e->kind = ExprKind::access;
  e->is_u64 = t->dtype == DType::u64;
  bool ok = true;
  for (std::size_t i = 0; i < raw.args.size(); ++i) {
    e->args[i] = integer_expr(raw.args[i], "a subscript of '" + raw.name + "'");
    ok = ok && e->args[i];
    if (!e->args[i] || e->args[i]->kind != ExprKind::name || e->args[i]->role != Role::index) continue;
    // A reduction inside pad() runs within its tensors as any other.
    if (ActiveIndex* a = active(e->args[i]->name))
      (guarded || a < active_.data() + guarded_indices_ ? a->guarded : a->uses)
          .push_back({t->shape[i], t->name, i, e->args[i]->span});
  }
  return ok ? e : nullptr;
}

void Checker::carries_reals(Span span, const std::string& temporary) {
  error(span, "'" + temporary + "' needs its own earlier steps, and only real values can be carried in a temporary",
        "make it an output, whose element type is written down");
}

// A temporary of a recurrence: its shape is not known yet, so its subscripts tell nothing about ranges.
ExprPtr Checker::pending_access(const Expr& raw, std::size_t rank) {
  bool ok = raw.args.size() == rank;
  if (!ok)
    error(raw.span, "'" + raw.name + "' has " + plural(rank, "dimension") + " and is given " +
                        (raw.args.empty() ? "no subscripts" : plural(raw.args.size(), "subscript")));
  auto e = copy_of(raw, Type::real);
  e->kind = ExprKind::access;
  for (ExprPtr& a : e->args) {
    a = integer_expr(a, "a subscript of '" + raw.name + "'");
    ok = ok && a;
  }
  return ok ? e : nullptr;
}

ExprPtr Checker::padded(const Expr& raw) {
  const ExprPtr& inner = raw.args[0];
  const bool element = inner->kind == ExprKind::access;
  if (where_ != Where::equation) return element ? access(*inner, false) : expr(inner);
  const std::size_t outer = guarded_indices_;
  guarded_indices_ = std::max(outer, active_.size());
  ExprPtr body = element ? access(*inner, true) : expr(inner);
  guarded_indices_ = outer;
  ExprPtr value = expr(raw.args[1]);
  if (!body || !value) return nullptr;
  if ((body->type == Type::boolean) != (value->type == Type::boolean) ||
      (body->type == Type::integer && value->type == Type::real)) {
    if (element && pending_.count(body->name) != 0) {
      carries_reals(value->span, body->name);
      return nullptr;
    }
    error(value->span, (element ? "the elements of '" + body->name + "' are " : "what is padded is ") +
                           std::string(type_name(body->type)) + ", but the padding value is " +
                           std::string(type_name(value->type)));
    return nullptr;
  }
  if (!element && !paddable(*body)) return nullptr;
  auto e = copy_of(raw, body->type);
  e->args = {std::move(body), std::move(value)};
  return with_unsigned(std::move(e));
}

// Whether all reads of a padded expression have subscripts of which something can be said outside of it.
bool Checker::paddable(const Expr& body) {
  bool ok = true;
  const auto refuse = [&](const Expr& read, const std::string& why) {
    if (ok) error(read.span, why, "write pad(" + print(read) + ", …) around this element");
    ok = false;
  };
  const auto bound = [&](const std::string& name) { return active(name) == nullptr; };
  const std::function<void(const Expr&)> look = [&](const Expr& e) {
    if (e.kind == ExprKind::padded) return;  // says for itself what lies outside
    if (e.kind == ExprKind::access) {
      if (pending_.count(e.name) != 0)
        refuse(e, "'" + e.name + "' is an earlier step here, whose ends are not known inside 'pad(…, …)'");
      for (const ExprPtr& s : e.args) {
        if (s->kind == ExprKind::name) continue;
        for_each(*s, [&](const Expr& x) {
          if (x.kind == ExprKind::access) refuse(e, "a subscript inside 'pad(…, …)' reads a tensor itself");
          if (x.kind == ExprKind::name && x.role == Role::index && bound(x.name))
            refuse(e, "a reduction inside 'pad(…, …)' shifts its index '" + x.name + "'");
        });
      }
    }
    for (const ExprPtr& a : e.args) look(*a);
  };
  look(body);
  return ok;
}

ExprPtr Checker::unary(const Expr& raw) {
  ExprPtr a = expr(raw.args[0]);
  if (!a) return nullptr;
  const bool negate = raw.unary == UnaryOp::negate;
  if (negate ? !number(*a, "'-'") : !condition(*a, "what follows '!'")) return nullptr;
  auto e = copy_of(raw, negate ? a->type : Type::boolean);
  e->args = {std::move(a)};
  return with_unsigned(std::move(e));
}

ExprPtr Checker::binary(const Expr& raw) {
  ExprPtr a = expr(raw.args[0]);
  ExprPtr b = expr(raw.args[1]);
  if (!a || !b) return nullptr;
  const std::string sign = "'" + std::string(binary_symbol(raw.binary)) + "'";
  bool ok = true;
  if (raw.binary == BinaryOp::logical_and || raw.binary == BinaryOp::logical_or) {
    ok = condition(*a, "the left side of " + sign);
    ok = condition(*b, "the right side of " + sign) && ok;
  } else if (raw.binary == BinaryOp::eq || raw.binary == BinaryOp::ne) {
    if ((a->type == Type::boolean) != (b->type == Type::boolean)) {
      error(raw.span, sign + " compares a condition with a number");
      ok = false;
    }
  } else {
    ok = number(*a, sign);
    ok = number(*b, sign) && ok;
  }
  if (!ok) return nullptr;
  auto e = copy_of(raw, binary_of(raw.binary, a, b)->type);
  e->args = {std::move(a), std::move(b)};
  return with_unsigned(std::move(e));
}

ExprPtr Checker::select(const Expr& raw) {
  ExprPtr c = expr(raw.args[0]);
  ExprPtr a = expr(raw.args[1]);
  ExprPtr b = expr(raw.args[2]);
  if (!c || !a || !b || !condition(*c, "the first argument of 'if'")) return nullptr;
  if ((a->type == Type::boolean) != (b->type == Type::boolean)) {
    error(raw.span, "the two values of 'if' are a condition and a number", "make both numbers or both conditions");
    return nullptr;
  }
  auto e = copy_of(raw, a->type == Type::real ? a->type : b->type);
  e->args = {std::move(c), std::move(a), std::move(b)};
  return with_unsigned(std::move(e));
}

ExprPtr Checker::call(const Expr& raw) {
  const Function* f = nullptr;
  std::vector<std::string> known;
  for (const Function& candidate : functions()) {
    if (candidate.name == raw.name) f = &candidate;
    known.emplace_back(candidate.name);
  }
  std::vector<ExprPtr> args;
  bool ok = true;
  for (const ExprPtr& a : raw.args) {
    args.push_back(expr(a));
    ok = ok && args.back();
  }
  if (!f) {
    std::string hint = foreign_function(raw.name);
    const Span where{raw.span.begin, raw.span.begin + raw.name.size()};
    if (declared_.count(raw.name) && hint.empty()) {
      hint = "write " + raw.name + "[…]";
      error(where, "'" + raw.name + "' is not a function; subscripts go in square brackets", hint);
      return nullptr;
    }
    for (const char* r : {"sum", "prod", "any", "all", "argmax", "argmin"}) known.emplace_back(r);
    error(where, "there is no function '" + raw.name + "'", hint.empty() ? did_you_mean(raw.name, known) : hint);
    return nullptr;
  }
  if (static_cast<int>(raw.args.size()) != f->arity) {
    error(raw.span,
          "'" + raw.name + "' takes " + plural(static_cast<std::size_t>(f->arity), "argument") + ", got " +
              std::to_string(raw.args.size()),
          raw.name == "max" || raw.name == "min" ? "a maximum over an index is written max(k) x[k]" : "");
    return nullptr;
  }
  if (!ok) return nullptr;
  bool all_integer = true;
  for (const ExprPtr& a : args) {
    if (!number(*a, "'" + raw.name + "'")) return nullptr;
    all_integer = all_integer && a->type == Type::integer;
  }
  if (f->result == Type::integer && !all_integer) {
    error(raw.span, "'" + raw.name + "' takes integers");
    return nullptr;
  }
  auto e = copy_of(raw, f->keeps_integer && all_integer ? Type::integer : f->result);
  e->args = std::move(args);
  return with_unsigned(std::move(e));
}

ExprPtr Checker::reduce(const Expr& raw) {
  const std::string what = "'" + std::string(reduce_name(raw.reduce)) + "'";
  if (where_ != Where::equation) {
    error(raw.span, what + " is allowed only on the right side of an equation");
    return nullptr;
  }
  const std::size_t scope = active_.size();
  bool ok = true;
  for (const Index& i : raw.indices) ok = begin_index(i) && ok;
  ExprPtr cond;
  if (raw.args.size() > 1) {
    cond = expr(raw.args[1]);
    ok = cond && condition(*cond, "the restriction of " + what) && ok;
  }
  ExprPtr body = expr(raw.args[0]);
  ok = body && ok;
  if (body) {
    const bool logical = raw.reduce == ReduceOp::any || raw.reduce == ReduceOp::all;
    if (logical && body->type != Type::boolean) {
      error(body->span,
            "what " + what + " ranges over must be a condition, and this is " +
                (body->type == Type::integer ? "an integer" : "a real number"),
            "put the condition in brackets: " + std::string(reduce_name(raw.reduce)) + "(i) (x[i] > 0)");
      ok = false;
    }
    ok = (logical || number(*body, what)) && ok;
  }
  auto e = copy_of(raw, Type::real);
  for (std::size_t i = 0; i < raw.indices.size(); ++i) {
    // With an error in the body the uses are not all known, and a missing range would be a consequence of it.
    if (ok) ok = infer(active_[scope + i]) && ok;
    e->indices[i] = active_[scope + i].index;
  }
  active_.resize(scope);
  if (!ok) return nullptr;
  switch (raw.reduce) {
    case ReduceOp::any:
    case ReduceOp::all: e->type = Type::boolean; break;
    case ReduceOp::argmax:
    case ReduceOp::argmin: e->type = Type::integer; break;
    default: e->type = body->type;
  }
  e->args = {std::move(body)};
  if (cond) e->args.push_back(std::move(cond));
  return with_unsigned(std::move(e));
}

}  // namespace ww::op
