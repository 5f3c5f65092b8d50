// SPDX-License-Identifier: Apache-2.0
#include "op/parser.h"
#include <algorithm>
#include "op/names.h"
#include "op/walk.h"

namespace ww::op::syntax {

Parser::Parser(std::string_view text, Lexed lexed)
    : text_(text), tokens_(std::move(lexed.tokens)), diagnostics_(std::move(lexed.diagnostics)) {
  for (const Diagnostic& d : diagnostics_) unreadable_.push_back(d.span.begin);
}

std::string Parser::describe(const Token& t) {
  switch (t.kind) {
    case Token::Kind::end: return "the end of the text";
    case Token::Kind::integer:
    case Token::Kind::real: return "the number " + std::string(t.text.substr(0, 40));
    default: return "'" + std::string(t.text.substr(0, 40)) + "'";
  }
}

void Parser::error(Span span, std::string message, std::string hint) {
  // What the lexer dropped from this statement makes the rest of it hard to read: one report is enough.
  for (const std::size_t at : unreadable_)
    if (at >= statement_ && at <= span.begin) return;
  if (diagnostics_.size() < max_diagnostics)
    diagnostics_.push_back(diagnostic_at(text_, span, std::move(message), std::move(hint)));
}

bool Parser::expect(std::string_view symbol, std::string_view where) {
  if (accept(symbol)) return true;
  error(now().span, "expected '" + std::string(symbol) + "' " + std::string(where) + ", found " + describe(now()));
  return false;
}

bool Parser::name(Name& out, std::string_view what) {
  if (now().kind != Token::Kind::name) {
    error(now().span, "expected " + std::string(what) + ", found " + describe(now()));
    return false;
  }
  out = {std::string(now().text), now().span};
  next();
  return true;
}

void Parser::file(File& out) {
  out.header_read = header(out);
  // After an error in the header the equations are still read: their errors are worth knowing.
  if (!out.header_read) {
    while (now().kind != Token::Kind::end && !now().is("{")) next();
  }
  if (now().kind == Token::Kind::end) {
    if (out.header_read) error(now().span, "expected '{' before the equations, found the end of the text");
    out.header_read = false;
    return;
  }
  next();
  collect_targets();
  while (now().kind != Token::Kind::end && !now().is("}")) {
    if (accept(";")) continue;
    if (out.equations.size() >= max_equations) {
      // Alone: whatever is missing may be in one of the others.
      diagnostics_.clear();
      error(now().span, "a spec has at most " + std::to_string(max_equations) + " equations");
      out.header_read = false;
      return;
    }
    Equation e;
    const std::size_t before = at_;
    equation(e);
    if (at_ == before) next();
    if (!e.target.text.empty()) out.equations.push_back(std::move(e));
  }
  if (!now().is("}")) {
    error(now().span, "expected '}' after the last equation, found the end of the text");
    return;
  }
  next();
  if (now().kind != Token::Kind::end) {
    error(now().span, "expected nothing after the closing '}', found " + describe(now()), "a file holds one op");
  }
}

bool Parser::header(File& out) {
  if (!now().is_name("op")) {
    error(now().span, "a spec begins with the word 'op', found " + describe(now()),
          "write op name(x: f32[N]) -> y: f32[N] { … }");
    return false;
  }
  next();
  bool ok = name(out.name, "the op's name");
  ok = ok && expect("(", "after the op's name");
  if (!ok) return false;
  if (!now().is(")") && !now().is(";")) ok = params(out.inputs, ")", ";");
  declare(out.inputs);
  if (accept(";") && !now().is(")")) ok = constants(out) && ok;
  if (!ok || !expect(")", "after the inputs and constants")) return false;
  if (!expect("->", "and the outputs")) return false;
  const std::size_t begin = now().span.begin;
  ok = params(out.outputs, "{", "default") && ok;
  out.outputs_span = {begin, last_end()};
  declare(out.outputs);
  if (now().is_name("default")) ok = defaults(out) && ok;
  if (!now().is("{")) {
    if (ok) error(now().span, "expected '{' before the equations, found " + describe(now()));
    return false;
  }
  return ok;
}

// Reads params up to one of the ends; an error skips to the next comma of the list.
bool Parser::params(std::vector<Param>& out, std::string_view end_a, std::string_view end_b) {
  bool ok = true;
  while (true) {
    Param p;
    if (out.size() >= max_params) {
      error(now().span, "a list holds at most " + std::to_string(max_params) + " tensors");
      return false;
    }
    if (param(p)) {
      out.push_back(std::move(p));
    } else {
      ok = false;
      int depth = 0;
      while (now().kind != Token::Kind::end && !now().is("{") && !now().is("->")) {
        if (now().is("(") || now().is("[")) ++depth;
        if (now().is(")") || now().is("]")) --depth;
        if (depth < 0 || (depth == 0 && (now().is(",") || now().is(";")))) break;
        next();
      }
      if (now().is("]")) return false;
    }
    if (accept(",")) continue;
    const bool ended = now().text == end_a || now().text == end_b;
    if (!ended && ok) {
      error(now().span, "expected ',' or the end of the list of tensors, found " + describe(now()));
      ok = false;
    }
    return ok;
  }
}

bool Parser::param(Param& out) {
  const std::size_t begin = now().span.begin;
  if (!name(out.name, "a tensor's name")) return false;
  if (!expect(":", "and an element type after '" + out.name.text + "'")) return false;
  if (!name(out.dtype, "an element type (" + std::string(dtype_list) + ")")) return false;
  if (accept("[")) {
    if (now().is("]")) {
      error(now().span, "a scalar tensor has no brackets", "write " + out.name.text + ": " + out.dtype.text);
      return false;
    }
    do {
      const Node n = expr();
      if (!n) return false;
      if (out.shape.size() >= max_rank) {
        error(n.expr->span, "a tensor has at most " + std::to_string(max_rank) + " dimensions");
        return false;
      }
      out.shape.push_back(n.expr);
    } while (accept(","));
    if (!expect("]", "after the shape of '" + out.name.text + "'")) return false;
  }
  if (now().is_name("in")) {
    next();
    const Node lo = expr();
    if (!lo || !expect("..", "between the bounds of the values of '" + out.name.text + "'")) return false;
    const Node hi = expr();
    if (!hi) return false;
    out.lo = lo.expr;
    out.hi = hi.expr;
  }
  while (now().kind == Token::Kind::name && rule_of(now().text)) {
    out.rules.push_back({std::string(now().text), now().span});
    next();
  }
  out.span = {begin, last_end()};
  return true;
}

bool Parser::constants(File& out) {
  while (true) {
    Constant c;
    if (out.constants.size() >= max_params) {
      error(now().span, "a list holds at most " + std::to_string(max_params) + " constants");
      return false;
    }
    if (!name(c.name, "a constant's name")) return false;
    if (!expect("=", "and a value after the constant '" + c.name.text + "'")) return false;
    declared_.insert(c.name.text);
    const Node n = expr();
    if (!n) return false;
    c.value = n.expr;
    if (now().is_name("in") && !range(c)) return false;
    out.constants.push_back(std::move(c));
    if (!accept(",")) return true;
  }
}

bool Parser::range(Constant& of) {
  next();
  const Node lo = expr();
  if (!lo || !expect("..", "between the bounds of the constant '" + of.name.text + "'")) return false;
  of.lo = lo.expr;
  if (now().is(",") || now().is(")")) return true;
  const Node hi = expr();
  of.hi = hi.expr;
  return static_cast<bool>(hi);
}

bool Parser::defaults(File& out) {
  next();
  while (true) {
    Default d;
    if (!name(d.name, "a shape symbol")) return false;
    if (!expect("=", "and a number after '" + d.name.text + "'")) return false;
    if (now().kind != Token::Kind::integer || now().is_u64) {
      error(now().span, "a default is a whole number, found " + describe(now()));
      return false;
    }
    d.value = now().integer;
    next();
    out.defaults.push_back(std::move(d));
    if (!accept(",")) return true;
  }
}

bool Parser::equation_at(std::size_t i) const {
  const auto token = [&](std::size_t k) -> const Token& { return tokens_[std::min(k, tokens_.size() - 1)]; };
  if (token(i).kind != Token::Kind::name) return false;
  if (token(i + 1).is("=")) return true;
  if (!token(i + 1).is("[")) return false;
  int depth = 0;
  for (std::size_t k = i + 1; k < tokens_.size() && k < i + 200; ++k) {
    if (tokens_[k].is("[") || tokens_[k].is("(")) ++depth;
    if ((tokens_[k].is("]") || tokens_[k].is(")")) && --depth == 0) return token(k + 1).is("=");
  }
  return false;
}

void Parser::declare(const std::vector<Param>& params) {
  for (const Param& p : params) {
    declared_.insert(p.name.text);
    for (const ExprPtr& dim : p.shape)
      for_each(*dim, [&](const Expr& e) {
        if (e.kind == ExprKind::name) declared_.insert(e.name);
      });
  }
}

void Parser::collect_targets() {
  const std::size_t begin = at_;
  for (; now().kind != Token::Kind::end; next())
    if (starts_equation()) declared_.insert(std::string(now().text));
  at_ = begin;
}

void Parser::to_next_equation() {
  while (now().kind != Token::Kind::end && !now().is("}") && !starts_equation()) next();
}

void Parser::equation(Equation& out) {
  const std::size_t begin = now().span.begin;
  statement_ = begin;
  const auto failed = [&] {
    out.broken = true;
    to_next_equation();
  };
  nesting_ = 0;
  indices_.clear();
  if (now().kind != Token::Kind::name) {
    error(now().span, "expected an equation such as y[i] = …, found " + describe(now()));
    return failed();
  }
  name(out.target, "a tensor's name");
  if (accept("[")) {
    do {
      Index i;
      bool fine = true;
      int height = 0;
      if (now().kind == Token::Kind::integer) {
        error(now().span, "the left side of an equation takes index names only",
              "use if(i == …, a, b) to treat one element apart");
        return failed();
      }
      if (!index(i, fine, height) || !fine) return failed();
      if (out.indices.size() >= max_rank) {
        error(i.span, "a tensor has at most " + std::to_string(max_rank) + " dimensions");
        return failed();
      }
      indices_.push_back(i.name);
      out.indices.push_back(std::move(i));
    } while (accept(","));
    if (!expect("]", "after the indices of '" + out.target.text + "'")) return failed();
  }
  if (!now().is("=")) {
    std::string hint;
    if (ahead(1).is("=") && (now().is("+") || now().is("*") || now().is("-")))
      hint = "every tensor has one equation; a total is sum(k) … on the right side";
    if (now().is("(")) hint = "subscripts go in square brackets";
    error(
        now().span,
        "expected '=' after '" + out.target.text + (out.indices.empty() ? "'" : "[…]'") + ", found " + describe(now()),
        hint);
    return failed();
  }
  next();
  const Node n = expr();
  if (!n) return failed();
  out.value = n.expr;
  out.span = {begin, last_end()};
  if (now().kind == Token::Kind::end || now().is("}") || now().is(";") || equation_at(at_)) return;
  if (now().kind == Token::Kind::name && now().first_on_line) return;  // a faulty equation, which reports itself
  error(now().span, "expected an operator or the next equation, found " + describe(now()),
        now().is("=")                    ? "to compare, write =="
        : now().is(")") || now().is("]") ? ""
                                         : "a product is written with *");
  failed();
}

Parsed read(std::string_view text) {
  Parsed out;
  if (text.size() > max_text) {
    out.diagnostics.push_back(diagnostic_at(text, {0, 1}, "the text is longer than 1 MiB"));
    return out;
  }
  Lexed lexed = lex(text);
  out.file.directives = std::move(lexed.directives);
  Parser parser(text, std::move(lexed));
  parser.file(out.file);
  out.diagnostics = parser.take_diagnostics();
  return out;
}

ParsedExpr read_expr(std::string_view text) {
  ParsedExpr out;
  if (text.size() > max_text) {
    out.diagnostics.push_back(diagnostic_at(text, {0, 1}, "the text is longer than 1 MiB"));
    return out;
  }
  Parser parser(text, lex(text));
  out.expr = parser.whole_expr();
  out.diagnostics = parser.take_diagnostics();
  if (!out.diagnostics.empty()) out.expr = nullptr;
  return out;
}

}  // namespace ww::op::syntax
