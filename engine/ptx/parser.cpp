// SPDX-License-Identifier: Apache-2.0
#include "ptx/parser.h"
#include <algorithm>
#include <bit>
#include <new>
#include <stdexcept>

namespace ww::ptx {

Parser::Parser(std::string_view text) : lexer_(text), last_end_(text.data()) {
  file_.text = text;
  file_.operands.reserve(text.size() / 16);  // of what NVRTC writes; a shorter list grows once or twice
  file_.statements.reserve(text.size() / 28);
  now_ = lexer_.next();
}

File Parser::run() {
  while (now_.kind != Token::Kind::end) item();
  return std::move(file_);
}

void Parser::take() {
  last_end_ = now_.end();
  now_ = lexer_.next();
}

bool Parser::accept(char c) {
  if (!at(c)) return false;
  take();
  return true;
}

bool Parser::accept_directive(std::string_view name) {
  if (!at_directive(name)) return false;
  take();
  return true;
}

bool Parser::expect(char c) {
  if (accept(c)) return true;
  const bool end = now_.kind == Token::Kind::end;
  return fail(std::string("expected '") + c + "'" + (end ? " before the end of the text" : ""));
}

bool Parser::fail_at(Place place, std::string_view message) {
  if (!file_.problem) file_.problem = Problem{place, std::string(message)};
  return false;
}

bool Parser::name(std::string_view& out) {
  if (now_.kind != Token::Kind::name) return fail("expected a name");
  out = now_.text;
  take();
  return true;
}

bool Parser::number(Number& out) {
  const bool minus = accept('-');
  if (now_.kind != Token::Kind::number) return fail("expected a number");
  if (!parse_number(now_.text, out)) return fail("malformed number");
  if (minus) out = negated(out);
  take();
  return true;
}

bool Parser::offset(Number& out) {
  const Place place{now_.line, now_.column};
  return number(out) && (out.kind == Number::Kind::integer || fail_at(place, "an offset must be an integer"));
}

bool Parser::count(std::size_t limit, std::size_t& out) {
  const Place place{now_.line, now_.column};
  Number n;
  if (!number(n)) return false;
  if (n.kind != Number::Kind::integer || n.bits < 0 || static_cast<std::uint64_t>(n.bits) > limit)
    return fail_at(place, "a number is out of range here");
  out = static_cast<std::size_t>(n.bits);
  return true;
}

bool Parser::skip_to(char c) {
  while (now_.kind != Token::Kind::end && !at(c)) take();
  return expect(c);
}

std::string_view Parser::text_from(const char* begin) const {
  return {begin, static_cast<std::size_t>(last_end_ - begin)};
}

void Parser::item() {
  if (accept(';')) return;
  const char* const begin = now_.text.data();
  const int first_line = now_.line;
  Statement s;
  s.place = {now_.line, now_.column};
  bool is_extern = false;
  while (at_directive("visible") || at_directive("weak") || at_directive("common") || at_directive("extern")) {
    is_extern |= at_directive("extern");
    take();
  }
  if (at_directive("entry") || at_directive("func")) return function(begin, first_line);
  bool good = false;
  const auto variables = [&](Variable::Space space) {
    take();
    s.kind = Statement::Kind::variables;
    good = declaration(s.range, space, is_extern, true);
  };
  if (at_directive("global"))
    variables(Variable::Space::global);
  else if (at_directive("const"))
    variables(Variable::Space::constant);
  else if (at_directive("shared"))
    variables(Variable::Space::shared);
  else
    good = known_item(s);
  if (!good) {
    s.kind = Statement::Kind::unreadable;
    recover_item();
  }
  s.text = text_from(begin);
  file_.items.push_back(s);
}

bool Parser::known_item(Statement& s) {
  if (now_.kind != Token::Kind::dotted) return fail("expected a directive");
  const Place place{now_.line, now_.column};
  const std::string_view directive = now_.text.substr(1);
  s.kind = Statement::Kind::other;
  s.name = now_.text;
  take();
  if (directive == "version") {
    if (now_.kind != Token::Kind::number) return fail("expected a version number");
    file_.version = now_.text;
    take();
    return true;
  }
  if (directive == "target") return list_of_names(file_.target);
  if (directive == "address_size") {
    std::size_t n = 0;
    if (!count(64, n)) return false;
    file_.address_size = static_cast<std::uint32_t>(n);
    file_.address_size_place = place;
    return true;
  }
  if (directive == "file") return file();
  if (directive == "loc") {
    s.kind = Statement::Kind::location;
    return location(s.range);
  }
  if (directive == "section") return skip_to('{') && skip_to('}');
  if (directive == "pragma" || directive == "alias") return skip_to(';');
  return fail_at(place, "unknown directive ." + std::string(directive));
}

bool Parser::list_of_names(std::string_view& first) {
  if (!name(first)) return false;
  std::string_view more;
  while (accept(','))
    if (!name(more)) return false;
  return true;
}

// To where a directive of the module may begin.
void Parser::recover_item() {
  static constexpr std::string_view known[] = {"version", "target",  "address_size", "file",   "section", "pragma",
                                               "alias",   "visible", "weak",         "common", "extern",  "entry",
                                               "func",    "global",  "const",        "shared", "loc"};
  int depth = 0;
  while (now_.kind != Token::Kind::end) {
    if (now_.kind == Token::Kind::dotted && std::ranges::any_of(known, [&](auto d) { return at_directive(d); }) &&
        now_.text.data() != last_end_)
      return;
    if (at('{')) ++depth;
    const bool done = (at(';') && depth <= 0) || (at('}') && --depth <= 0);
    take();
    if (done) return;
  }
}

void Parser::function(const char* begin, int first_line) {
  Function f;
  f.is_entry = at_directive("entry");
  f.place = {now_.line, now_.column};
  f.first_line = first_line;
  take();
  f.is_readable = head(f);
  f.attributes = {size_of(file_.attributes), size_of(file_.attributes)};
  bool good = f.is_readable;
  while (good && now_.kind == Token::Kind::dotted) good = attribute();
  f.attributes.end = size_of(file_.attributes);
  if (good && !at('{') && !at(';')) (void)expect(';');
  while (now_.kind != Token::Kind::end && !at('{') && !at(';') && !ends_body()) take();
  f.head = text_from(begin);
  f.last_line = now_.line;
  if (at('{'))
    body(f);
  else
    (void)accept(';');
  f.text = text_from(begin);
  file_.functions.push_back(f);
}

bool Parser::head(Function& f) {
  if (accept_directive("attribute") && !skip_to(')')) return false;
  if (!f.is_entry && at('(') && !parameters(f.results, false)) return false;
  if (!name(f.name)) return false;
  return !at('(') || parameters(f.parameters, f.is_entry);
}

bool Parser::attribute() {
  Attribute a;
  a.place = {now_.line, now_.column};
  a.name = now_.text.substr(1);
  take();
  if (a.name == "pragma") return skip_to(';');
  if (now_.kind == Token::Kind::number) {
    do {
      std::size_t n = 0;
      if (!count(0x7fffffff, n)) return false;
      a.values[a.count++] = static_cast<std::uint32_t>(n);
    } while (a.count < 3 && accept(','));
  }
  file_.attributes.push_back(a);
  return true;
}

bool Parser::parameters(Range& out, bool entry) {
  if (!expect('(')) return false;
  out = {size_of(file_.variables), size_of(file_.variables)};
  if (accept(')')) return true;
  do {
    Variable v;
    v.line = now_.line;
    v.space = at_directive("reg") && !entry ? Variable::Space::reg : Variable::Space::param;
    if (v.space == Variable::Space::param && !at_directive("param")) return fail("expected .param");
    take();
    if (!variable(v)) return false;
    file_.variables.push_back(v);
    out.end = size_of(file_.variables);
    if (out.size() > 4096) return fail("too many parameters");
  } while (accept(','));
  return expect(')');
}

bool Parser::type(Type& out) {
  if (now_.kind != Token::Kind::dotted) return fail("expected a type");
  const auto known = type_from_name(now_.text.substr(1));
  if (!known) return fail("unknown type " + std::string(now_.text));
  out = *known;
  take();
  return true;
}

bool Parser::declaration(Range& out, Variable::Space space, bool is_extern, bool at_module) {
  out = {size_of(file_.variables), size_of(file_.variables)};
  do {
    Variable v;
    v.space = space;
    v.is_extern = is_extern;
    v.line = now_.line;
    if (!variable(v)) return false;
    if (at('=') && !at_module) return fail("no initialiser is allowed here");
    if (accept('=')) {
      std::size_t element = 0;
      v.values.begin = size_of(file_.values);
      const bool good = initialiser(v, element, 0);
      v.values.end = size_of(file_.values);
      if (!good) return false;
      if (v.count == 0) v.count = element;
    }
    file_.variables.push_back(v);
    out.end = size_of(file_.variables);
  } while (accept(','));
  return expect(';');
}

// ".align 4 .b8 name[12]"
bool Parser::variable(Variable& out) {
  while (at_directive("align") || at_directive("attribute")) {
    const bool align = at_directive("align");
    take();
    if (!align) {
      if (!skip_to(')')) return false;
    } else {
      if (!count(1 << 16, out.align)) return false;
      if (!std::has_single_bit(out.align)) return fail("an alignment must be a power of two");
    }
  }
  const std::size_t vector = accept_directive("v2") ? 2 : accept_directive("v4") ? 4 : 1;
  const Place place{now_.line, now_.column};
  if (!type(out.type)) return false;
  if (out.type == Type::pred && out.space != Variable::Space::reg)
    return fail_at(place, "predicates cannot be in memory");
  if (accept_directive("ptr")) {  // attributes of a kernel's pointer: .ptr .global .align 8
    for (const char* s : {"global", "shared", "const", "local"}) accept_directive(s);
    std::size_t of_what_it_points_to = 0;
    if (accept_directive("align") && !count(1 << 20, of_what_it_points_to)) return false;
  }
  if (!name(out.name)) return false;
  out.align = std::max(out.align, std::size_t{type_bytes(out.type)} * vector);
  out.count = vector;
  return array(out);
}

bool Parser::array(Variable& v) {
  const auto too_large = [&] { return fail("variable " + std::string(v.name) + " is too large"); };
  bool unknown = false;
  while (accept('[')) {
    v.is_array = true;
    if (accept(']')) {
      unknown = true;
      continue;
    }
    std::size_t n = 0;
    if (!count(max_variable_bytes, n)) return false;
    if (n != 0 && v.count > max_variable_bytes / n) return too_large();
    v.count *= n;
    if (!expect(']')) return false;
  }
  if (unknown) v.count = 0;
  return v.bytes() <= max_variable_bytes || too_large();
}

bool Parser::initialiser(Variable& v, std::size_t& element, int depth) {
  if (depth > 8) return fail("initialiser is nested too deeply");
  if (accept('{')) {
    ++braces_;
    if (!at('}')) {
      do {
        if (!initialiser(v, element, depth + 1)) return false;
      } while (accept(','));
    }
    if (!expect('}')) return false;
    --braces_;
    return true;
  }
  if (v.count != 0 && element >= v.count) return fail("too many initialisers");
  if (++element * type_bytes(v.type) > max_variable_bytes) return fail("initialiser is too large");
  Value value;
  if (now_.kind != Token::Kind::name) {
    if (!number(value.number)) return false;
  } else {
    const bool generic = now_.text == "generic";
    value.symbol = now_.text;
    take();
    if (generic && accept('(') && !(name(value.symbol) && expect(')'))) return false;
    if (accept('+')) {
      if (!offset(value.number)) return false;
      value.addend = value.number.bits;
    }
    if (type_bytes(v.type) != 8) return fail("an address needs a 64-bit element");
  }
  file_.values.push_back(value);
  return true;
}

Place File::place_of(std::string_view part) const {
  Place place;
  for (const char* c = text.data(); c != part.data(); ++c) {
    ++place.column;
    if (*c == '\n') ++place.line, place.column = 1;
  }
  return place;
}

File parse(std::string_view text) {
  const auto without_tree = [&](const char* why) {
    File none;
    none.text = text;
    none.problem = Problem{{}, why};
    return none;
  };
  if (text.size() >= std::size_t{1} << 31) return without_tree("the text is too large");
  try {
    return Parser(text).run();
  } catch (const std::bad_alloc&) {
    return without_tree("there is not enough memory to read the text");
  } catch (const std::length_error&) { return without_tree("the text is too large"); }
}

}  // namespace ww::ptx
