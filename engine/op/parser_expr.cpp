// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include "op/names.h"
#include "op/parser.h"
#include "op/walk.h"

namespace ww::op::syntax {

std::shared_ptr<Expr> Parser::make(ExprKind kind, std::size_t begin) const {
  auto e = std::make_shared<Expr>();
  e->kind = kind;
  e->span.begin = begin;
  return e;
}

Node Parser::finish(std::shared_ptr<Expr> e, int height) {
  e->span.end = last_end();
  if (height > max_height) {
    error(e->span, "this expression has more than " + std::to_string(max_height) + " levels",
          "split it over several equations");
    return {};
  }
  return {std::move(e), height};
}

Node Parser::binary(BinaryOp op, Node a, Node b) {
  if (!a || !b) return {};
  auto e = make(ExprKind::binary, a.expr->span.begin);
  e->binary = op;
  e->args = {a.expr, b.expr};
  return finish(std::move(e), std::max(a.height, b.height) + 1);
}

ExprPtr Parser::whole_expr() {
  const Node n = expr();
  if (!n) return nullptr;
  if (now().kind != Token::Kind::end) {
    error(now().span, "expected an operator or the end, found " + describe(now()));
    return nullptr;
  }
  return n.expr;
}

Node Parser::logical_or() {
  Node a = logical_and();
  while (a && accept("||")) a = binary(BinaryOp::logical_or, a, logical_and());
  return a;
}

Node Parser::logical_and() {
  Node a = comparison();
  while (a && accept("&&")) a = binary(BinaryOp::logical_and, a, comparison());
  return a;
}

Node Parser::comparison() {
  static constexpr std::pair<std::string_view, BinaryOp> ops[] = {{"<", BinaryOp::lt},  {"<=", BinaryOp::le},
                                                                  {">", BinaryOp::gt},  {">=", BinaryOp::ge},
                                                                  {"==", BinaryOp::eq}, {"!=", BinaryOp::ne}};
  const auto which = [&]() -> const std::pair<std::string_view, BinaryOp>* {
    for (const auto& o : ops)
      if (now().is(o.first)) return &o;
    return nullptr;
  };
  Node a = additive();
  if (!a) return a;
  if (const auto* o = which()) {
    next();
    a = binary(o->second, a, additive());
    if (a && which()) {
      error(now().span, "comparisons cannot be chained", "join two comparisons with &&");
      return {};
    }
  }
  return a;
}

Node Parser::chain(Node (Parser::*operand)(), std::initializer_list<std::pair<std::string_view, BinaryOp>> ops) {
  Node a = (this->*operand)();
  while (a) {
    const auto op = std::find_if(ops.begin(), ops.end(), [&](const auto& o) { return now().is(o.first); });
    if (op == ops.end()) break;
    next();
    a = binary(op->second, a, (this->*operand)());
  }
  return a;
}

Node Parser::additive() { return chain(&Parser::multiplicative, {{"+", BinaryOp::add}, {"-", BinaryOp::sub}}); }

Node Parser::multiplicative() {
  return chain(&Parser::unary, {{"*", BinaryOp::mul}, {"/", BinaryOp::div}, {"%", BinaryOp::mod}});
}

// Every way into a deeper level leads through here.
Node Parser::unary() {
  if (nesting_ >= max_nesting) {
    error(now().span, "this expression is nested deeper than " + std::to_string(max_nesting) + " levels",
          "split it over several equations");
    return {};
  }
  ++nesting_;
  Node n;
  if (now().is("-") || now().is("!")) {
    auto e = make(ExprKind::unary, now().span.begin);
    e->unary = now().is("-") ? UnaryOp::negate : UnaryOp::logical_not;
    next();
    const Node a = unary();
    if (a) {
      e->args = {a.expr};
      n = finish(std::move(e), a.height + 1);
    }
  } else if (now().is("+")) {
    error(now().span, "there is no unary +");
  } else {
    n = power();
  }
  --nesting_;
  return n;
}

Node Parser::power() {
  Node a = primary();
  if (a && now().is("*") && ahead(1).is("*") && ahead(1).span.begin == now().span.end) {
    error({now().span.begin, ahead(1).span.end}, "there is no operator **", "a power is written x ^ 2");
    return {};
  }
  if (a && accept("^")) a = binary(BinaryOp::pow, a, unary());
  return a;
}

Node Parser::primary() {
  const Token& t = now();
  switch (t.kind) {
    case Token::Kind::integer: return literal(ExprKind::integer, Type::integer, 0, t.integer, t.is_u64);
    case Token::Kind::real: return literal(ExprKind::real, Type::real, t.real, 0);
    case Token::Kind::name: return word();
    case Token::Kind::symbol:
      if (accept("(")) {
        const Node n = expr();
        if (!n || !expect(")", "to close the bracket")) return {};
        return n;
      }
      break;
    case Token::Kind::end: break;
  }
  std::string hint;
  if (t.is("=")) hint = "to compare, write ==";
  error(t.span, "expected a value, found " + describe(t), hint);
  return {};
}

bool Parser::arguments(Expr& into, int& height, std::string_view close, const std::string& of) {
  do {
    const Node a = expr();
    if (!a) return false;
    height = std::max(height, a.height);
    into.args.push_back(a.expr);
  } while (accept(","));
  return expect(close, of);
}

Node Parser::literal(ExprKind kind, Type type, double real, std::int64_t integer, bool is_u64) {
  auto e = make(kind, now().span.begin);
  e->type = type;
  e->real = real;
  e->integer = integer;
  e->is_u64 = is_u64;
  next();
  return finish(std::move(e), 1);
}

Node Parser::word() {
  const Token t = now();
  const std::string name(t.text);
  if (name == "true" || name == "false") return literal(ExprKind::boolean, Type::boolean, 0, name == "true");
  if (name == "inf") return literal(ExprKind::real, Type::real, std::numeric_limits<double>::infinity(), 0);
  if (name == "pi") return literal(ExprKind::real, Type::real, std::numbers::pi, 0);
  if (name == "op" || name == "default" || name == "in") {
    error(t.span, "expected a value, found the word '" + name + "'");
    return {};
  }
  if (name == "if") return form(ExprKind::select, 3, "write if(condition, value, otherwise)");
  if (name == "pad") return padded();
  if (const auto r = reduce_from_name(name); r && is_reduction()) return reduction(*r);
  if (ahead(1).is("(")) return call(name);
  if (ahead(1).is("[")) return access(name);
  if (const auto what = reserved_as(name); !what.empty()) {
    error(t.span, "'" + name + "' is " + std::string(what) + " and needs arguments in brackets",
          reduce_from_name(name) ? "write " + name + "(k) x[k]" : "write " + name + "(…)");
    return {};
  }
  auto e = make(ExprKind::name, t.span.begin);
  e->name = name;
  next();
  return finish(std::move(e), 1);
}

Node Parser::form(ExprKind kind, std::size_t count, const std::string& hint) {
  const std::string word = "'" + std::string(now().text) + "'";
  auto e = make(kind, now().span.begin);
  int height = 0;
  next();
  if (!expect("(", "after " + word) || !arguments(*e, height, ")", "after the arguments of " + word)) return {};
  if (e->args.size() != count) {
    error({e->span.begin, last_end()},
          word + " takes " + std::to_string(count) + " arguments, got " + std::to_string(e->args.size()), hint);
    return {};
  }
  return finish(std::move(e), height + 1);
}

Node Parser::padded() {
  const std::string hint = "write pad(x[…], value)";
  Node n = form(ExprKind::padded, 2, hint);
  bool reads = false;
  if (n) for_each(*n.expr->args[0], [&](const Expr& e) { reads = reads || e.kind == ExprKind::access; });
  if (n && !reads) {
    error(n.expr->args[0]->span, "the first argument of 'pad' must read an element of a tensor", hint);
    return {};
  }
  return n;
}

Node Parser::call(const std::string& name) {
  const auto dtype = dtype_from_name(name);
  auto e = make(dtype ? ExprKind::cast : ExprKind::call, now().span.begin);
  int height = 0;
  next();
  next();
  if (!accept(")") && !arguments(*e, height, ")", "after the arguments of '" + name + "'")) return {};
  if (dtype) {
    e->cast = *dtype;
    if (e->args.size() != 1) {
      error({e->span.begin, last_end()},
            "a cast to " + name + " takes 1 argument, got " + std::to_string(e->args.size()));
      return {};
    }
  } else {
    e->name = name;
  }
  return finish(std::move(e), height + 1);
}

Node Parser::access(const std::string& name) {
  auto e = make(ExprKind::access, now().span.begin);
  e->name = name;
  int height = 0;
  next();
  next();
  if (now().is("]")) {
    error(now().span, "expected a subscript of '" + name + "', found ']'",
          "a scalar tensor is written without brackets");
    return {};
  }
  if (!arguments(*e, height, "]", "after the subscripts of '" + name + "'")) return {};
  return finish(std::move(e), height + 1);
}

// max and min are functions too: max(a, b) with names that mean something already is a call.
bool Parser::is_reduction() const {
  if (!ahead(1).is("(")) return false;
  const bool both = now().text == "max" || now().text == "min";
  if (!both) return true;
  std::size_t i = at_ + 2;
  std::size_t count = 0;
  bool known = false;
  while (i < tokens_.size() && tokens_[i].kind == Token::Kind::name) {
    const std::string_view word = tokens_[i].text;
    known = known || declared_.count(word) || std::find(indices_.begin(), indices_.end(), word) != indices_.end() ||
            !reserved_as(word).empty();
    ++count;
    ++i;
    if (i >= tokens_.size()) return false;
    if (tokens_[i].is_name("in") || tokens_[i].is(":")) return true;
    if (tokens_[i].is(")")) {
      if (count == 1) return true;
      if (known || i + 1 >= tokens_.size()) return false;
      const Token& after = tokens_[i + 1];
      return after.kind == Token::Kind::name || after.kind == Token::Kind::integer || after.kind == Token::Kind::real ||
             after.is("(") || after.is("-") || after.is("!");
    }
    if (!tokens_[i].is(",")) return false;
    ++i;
  }
  return false;
}

bool Parser::index(Index& out, bool& fine, int& height) {
  if (now().kind != Token::Kind::name) {
    error(now().span, "expected an index name, found " + describe(now()));
    return false;
  }
  out.name = now().text;
  const std::size_t begin = now().span.begin;
  if (const auto what = reserved_as(out.name); !what.empty()) {
    error(now().span, "'" + out.name + "' is " + std::string(what) + " and cannot name an index");
    fine = false;
  }
  next();
  if (now().is_name("in")) {
    next();
    const Node lo = expr();
    if (!lo || !expect("..", "between the bounds of index '" + out.name + "'")) return false;
    const Node hi = expr();
    if (!hi) return false;
    out.lo = lo.expr;
    out.hi = hi.expr;
    out.given = true;
    height = std::max({height, lo.height, hi.height});
  }
  out.span = {begin, last_end()};
  return true;
}

Node Parser::reduction(ReduceOp op) {
  auto e = make(ExprKind::reduce, now().span.begin);
  e->reduce = op;
  const std::string name(now().text);
  next();
  next();
  const std::size_t scope = indices_.size();
  int height = 0;
  bool fine = true;
  ExprPtr condition;
  const auto head = [&] {
    do {
      Index i;
      if (!index(i, fine, height)) return false;
      indices_.push_back(i.name);
      if (e->indices.size() >= max_rank) {
        error(i.span, "a reduction has at most " + std::to_string(max_rank) + " indices");
        return false;
      }
      e->indices.push_back(std::move(i));
    } while (accept(","));
    if (accept(":")) {
      const Node c = expr();
      if (!c) return false;
      condition = c.expr;
      height = std::max(height, c.height);
    }
    return expect(")", "after the indices of '" + name + "'");
  };
  Node out;
  if (head()) {
    if (const Node body = multiplicative()) {
      e->args = {body.expr};
      if (condition) e->args.push_back(condition);
      if (fine) out = finish(std::move(e), std::max(height, body.height) + 1);
    }
  }
  indices_.resize(scope);
  return out;
}

}  // namespace ww::op::syntax
