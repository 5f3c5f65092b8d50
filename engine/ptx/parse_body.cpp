// SPDX-License-Identifier: Apache-2.0
// Function bodies: declarations, labels, line information, instructions and their operands.
#include <algorithm>
#include "ptx/parser.h"

namespace ww::ptx {

// What only module scope has: the body before it did not end.
bool Parser::ends_body() const {
  if (now_.kind != Token::Kind::dotted || now_.text.data() == last_end_) return false;
  static constexpr std::string_view outside[] = {"visible", "weak",   "entry",       "func",
                                                 "version", "target", "address_size"};
  return std::ranges::any_of(outside, [&](auto d) { return at_directive(d); });
}

void Parser::body(Function& f) {
  f.has_body = true;
  f.body = {size_of(file_.statements), size_of(file_.statements)};
  take();
  for (int depth = 1; depth > 0;) {
    if (now_.kind == Token::Kind::end || ends_body()) {
      fail("the body of " + std::string(f.name) + " does not end");
      f.last_line = now_.line;
      break;
    }
    f.last_line = now_.line;
    if (accept(';')) continue;
    if (at('}') && --depth == 0) {
      take();
      break;
    }
    const char* const begin = now_.text.data();
    Statement s;
    s.place = {now_.line, now_.column};
    braces_ = 0;
    if (at('{')) ++depth;
    if (!statement(s)) {
      s.kind = Statement::Kind::unreadable;
      recover_statement();
    }
    s.text = text_from(begin);
    file_.statements.push_back(s);
  }
  f.body.end = size_of(file_.statements);
}

bool Parser::statement(Statement& s) {
  if (at('{') || at('}')) {
    s.kind = at('{') ? Statement::Kind::open : Statement::Kind::close;
    take();
    return true;
  }
  if (now_.kind == Token::Kind::dotted) return directive(s);
  if (now_.kind == Token::Kind::name) {
    const char* after = now_.end();
    const char* const end = file_.text.data() + file_.text.size();
    while (after < end && (*after == ' ' || *after == '\t')) ++after;
    if (after < end && *after == ':' && (after + 1 == end || after[1] != ':')) return label(s);
  }
  return instruction(s);
}

void Parser::recover_statement() {
  for (; now_.kind != Token::Kind::end && !ends_body(); take()) {
    if (at('{')) ++braces_;
    if (at('}') && --braces_ < 0) return;
    if (at(';') && braces_ <= 0) return take();
  }
}

bool Parser::directive(Statement& s) {
  const Place place = s.place;
  const std::string_view directive = now_.text.substr(1);
  const auto variables = [&](Variable::Space space) {
    s.kind = Statement::Kind::variables;
    return declaration(s.range, space, false, false);
  };
  s.kind = Statement::Kind::other;
  s.name = now_.text;
  take();
  if (directive == "loc") {
    s.kind = Statement::Kind::location;
    return location(s.range);
  }
  if (directive == "reg") {
    s.kind = Statement::Kind::registers;
    return registers(s.range);
  }
  if (directive == "param") return variables(Variable::Space::param);
  if (directive == "local") return variables(Variable::Space::local);
  if (directive == "shared") return variables(Variable::Space::shared);
  if (directive == "pragma") return skip_to(';');
  if (directive == "file") return file();
  return fail_at(place, "unknown directive ." + std::string(directive));
}

// .file index "name"[, timestamp, size]
bool Parser::file() {
  std::size_t index = 0;
  if (!count(1 << 20, index)) return false;
  const std::string_view quoted = now_.text;
  if (now_.kind != Token::Kind::string) return expect('"');
  if (quoted.size() < 2 || quoted.back() != '"') return fail("the quoted string is not closed");
  file_.files.push_back({static_cast<int>(index), quoted.substr(1, quoted.size() - 2)});
  take();
  Number ignored;
  while (accept(','))
    if (!number(ignored)) return false;
  return true;
}

bool Parser::source_place(SourcePlace& out) {
  for (int* const part : {&out.file, &out.line, &out.column}) {
    Number n;
    if (!number(n)) return false;
    *part = n.kind == Number::Kind::integer ? static_cast<int>(std::clamp<std::int64_t>(n.bits, 0, 1 << 30)) : 0;
  }
  return true;
}

// .loc file line column[, function_name label[+offset]][, inlined_at file line column]
bool Parser::location(Range& out) {
  Location l;
  if (!source_place(l.place)) return false;
  while (accept(',')) {
    const Place place{now_.line, now_.column};
    std::string_view word;
    if (!name(word)) return false;
    if (word == "inlined_at") {
      if (!source_place(l.inlined_at.emplace())) return false;
    } else if (word == "function_name") {
      if (now_.kind != Token::Kind::name && now_.kind != Token::Kind::dotted) return fail("expected a name");
      take();
      Number offset;
      if (accept('+') && !number(offset)) return false;
    } else {
      return fail_at(place, "expected function_name");
    }
  }
  out.begin = size_of(file_.locations);
  file_.locations.push_back(l);
  out.end = size_of(file_.locations);
  return true;
}

bool Parser::registers(Range& out) {
  Register r;
  if (!type(r.type)) return false;
  out = {size_of(file_.registers), size_of(file_.registers)};
  do {
    if (!name(r.name)) return false;
    r.is_range = accept('<');
    r.count = 1;
    if (r.is_range) {
      const Place place{now_.line, now_.column};
      Number n;
      if (!number(n)) return false;
      if (n.kind != Number::Kind::integer || n.bits < 0 || n.bits > 1 << 20)
        return fail_at(place, "a register count is out of range");
      r.count = static_cast<std::uint32_t>(n.bits);
      if (!expect('>')) return false;
    }
    file_.registers.push_back(r);
    out.end = size_of(file_.registers);
  } while (accept(','));
  return expect(';');
}

bool Parser::label(Statement& s) {
  s.name = now_.text;
  s.kind = Statement::Kind::label;
  take();
  if (!expect(':')) return false;
  if (accept_directive("callprototype")) {
    s.kind = Statement::Kind::prototype;
    std::string_view ignored;
    if (at('(') && !parameters(s.range, false)) return false;
    if (!name(ignored)) return false;
    if (at('(') && !parameters(s.more, false)) return false;
    accept_directive("noreturn");
    return expect(';');
  }
  if (accept_directive("branchtargets")) {
    s.kind = Statement::Kind::targets;
    return operands(s.range);
  }
  return true;
}

bool Parser::instruction(Statement& s) {
  s.kind = Statement::Kind::instruction;
  if (accept('@')) {
    s.guard_negated = accept('!');
    if (!name(s.guard)) return false;
  }
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  if (now_.kind != Token::Kind::name || !letter(now_.text[0])) return fail("expected an instruction");
  const char* const begin = now_.text.data();
  take();
  while (now_.kind == Token::Kind::dotted && now_.text.data() == last_end_) take();
  s.name = text_from(begin);
  return operands(s.range);
}

bool Parser::operands(Range& out) {
  out = {size_of(file_.operands), size_of(file_.operands)};
  if (!at(';')) {
    do {
      if (!operand(0)) return false;
    } while (accept(','));
  }
  out.end = size_of(file_.operands);
  return expect(';');
}

bool Parser::operand(int depth) {
  if (depth > 4) return fail("operands are nested too deeply");
  const std::size_t index = file_.operands.size();
  Operand& o = file_.operands.emplace_back();
  o.text = now_.text;
  const auto close = [&](bool good) {
    file_.operands[index].extent = static_cast<std::uint32_t>(file_.operands.size() - index);
    return good;
  };
  if (now_.kind == Token::Kind::name) return close(named(index, depth));
  if (now_.kind == Token::Kind::number || at('-')) {
    o.kind = Operand::Kind::number;
    return number(o.number);
  }
  if (accept('[')) return close(address(index, depth));
  const bool vector = at('{');
  if (vector || at('(')) {
    o.kind = vector ? Operand::Kind::vector : Operand::Kind::list;
    braces_ += vector;
    const char end = vector ? '}' : ')';
    take();
    if (!at(end)) {
      do {
        if (!operand(depth + 1)) return close(false);
      } while (accept(','));
    }
    if (!expect(end)) return close(false);
    braces_ -= vector;
    return close(true);
  }
  o.negated = accept('!');
  return o.negated ? name(o.text) : fail("expected a name");
}

bool Parser::named(std::size_t index, int depth) {
  const auto word = [&](Operand& o) {
    const char* const begin = now_.text.data();
    if (now_.kind != Token::Kind::name) return fail("expected a name");
    take();
    if (*begin == '%' && now_.kind == Token::Kind::dotted && now_.text.data() == last_end_) take();  // "%tid.x"
    o.text = text_from(begin);
    return true;
  };
  if (!word(file_.operands[index])) return false;
  if (depth == 0 && accept('+')) {
    Operand& o = file_.operands[index];
    o.has_offset = true;
    if (!offset(o.number)) return false;
  }
  if (!accept('|')) return true;
  Operand first = file_.operands[index];
  file_.operands[index].kind = Operand::Kind::pair;
  file_.operands.push_back(first);
  return word(file_.operands.emplace_back());
}

bool Parser::address(std::size_t index, int depth) {
  file_.operands[index].kind = Operand::Kind::address;
  if (!operand(depth + 1)) return false;
  if (at('+') || at('-')) {
    (void)accept('+');
    if (!offset(file_.operands[index].number)) return false;
  }
  while (accept(','))  // coordinates of a tensor
    if (!operand(depth + 1)) return false;
  return expect(']');
}

}  // namespace ww::ptx
