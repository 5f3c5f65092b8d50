// SPDX-License-Identifier: Apache-2.0
// Module scope of PTX (PTX ISA 9.0, sections 4 and 5).
#include "simt/parser.h"
#include <bit>
#include <cstring>
#include <utility>

namespace ww::simt {
namespace {

struct TypeName {
  std::string_view name;
  Type type;
  std::uint8_t bytes;
};
constexpr TypeName types[] = {
    {"pred", Type::pred, 0}, {"b8", Type::b8, 1},       {"u8", Type::u8, 1},         {"s8", Type::s8, 1},
    {"b16", Type::b16, 2},   {"u16", Type::u16, 2},     {"s16", Type::s16, 2},       {"f16", Type::f16, 2},
    {"bf16", Type::bf16, 2}, {"b32", Type::b32, 4},     {"u32", Type::u32, 4},       {"s32", Type::s32, 4},
    {"f32", Type::f32, 4},   {"f16x2", Type::f16x2, 4}, {"bf16x2", Type::bf16x2, 4}, {"b64", Type::b64, 8},
    {"u64", Type::u64, 8},   {"s64", Type::s64, 8},     {"f64", Type::f64, 8},       {"b128", Type::b128, 16}};

bool parse_count(Scanner& in, std::size_t limit, std::size_t& out) {
  Number n;
  if (!in.number(n)) return false;
  if (n.kind != Number::Kind::integer || n.bits < 0 || static_cast<std::uint64_t>(n.bits) > limit) {
    in.fail("a number is out of range here");
    return false;
  }
  out = static_cast<std::size_t>(n.bits);
  return true;
}

void store_number(const Number& n, bool negative, Type type, std::byte* to) {
  std::int64_t bits = n.bits;
  if (n.kind == Number::Kind::integer) {
    if (type == Type::f64) bits = std::bit_cast<std::int64_t>(static_cast<double>(bits));
    if (type == Type::f32) bits = std::bit_cast<std::int32_t>(static_cast<float>(bits));
  } else if (type == Type::f32 || type_bytes(type) == 4) {
    bits = n.single_bits;
  }
  if (negative) {
    if (type == Type::f64)
      bits ^= std::int64_t(std::uint64_t{1} << 63);
    else if (type == Type::f32)
      bits ^= 0x80000000;
    else
      bits = static_cast<std::int64_t>(0 - static_cast<std::uint64_t>(bits));
  }
  std::memcpy(to, &bits, std::min<std::size_t>(type_bytes(type), sizeof bits));
}

bool parse_initialiser(Scanner& in, Variable& v, std::size_t& element, int depth) {
  if (depth > 8) {
    in.fail("initialiser is nested too deeply");
    return false;
  }
  if (in.accept('{')) {
    if (in.accept('}')) return true;
    do {
      if (!parse_initialiser(in, v, element, depth + 1)) return false;
    } while (in.accept(','));
    return in.expect('}');
  }
  const std::size_t size = type_bytes(v.type);
  const std::size_t at = element * size;
  if (v.count != 0 && element >= v.count) {
    in.fail("too many initialisers");
    return false;
  }
  if (at + size > max_variable_bytes) {
    in.fail("initialiser is too large");
    return false;
  }
  v.initial.resize(std::max(v.initial.size(), at + size));
  ++element;
  const bool negative = in.accept('-');
  if (in.at_identifier()) {
    Reference r;
    r.offset = at;
    r.symbol = in.identifier();
    if (r.symbol == "generic" && in.accept('(')) {
      r.symbol = in.identifier();
      in.expect(')');
    }
    if (in.accept('+')) {
      Number n;
      const bool minus = in.accept('-');
      if (!in.number(n)) return false;
      r.addend = minus ? -n.bits : n.bits;
    }
    if (size != 8) in.fail("an address needs a 64-bit element");
    v.references.push_back(std::move(r));
    return !in.failed();
  }
  Number n;
  if (!in.number(n)) return false;
  store_number(n, negative, v.type, v.initial.data() + at);
  return true;
}

class Parser {
 public:
  explicit Parser(std::string_view text) : in_(text), text_(text) {}
  Result<Module> run() {
    while (!in_.failed() && !in_.at_end()) top_level();
    if (!in_.failed() && module_.version.empty()) in_.fail_at(1, 1, "no .version directive: this is not PTX");
    if (in_.failed()) return fail(Code::parse, "PTX " + in_.error());
    return std::move(module_);
  }

 private:
  void top_level() {
    if (in_.peek() == ';') {
      in_.expect(';');
      return;
    }
    const int line = in_.line(), column = in_.column();
    const std::string d = in_.directive();
    if (in_.failed()) return;
    if (d == "version")
      module_.version = in_.version_number();
    else if (d == "target")
      target();
    else if (d == "address_size") {
      std::size_t n = 0;
      if (parse_count(in_, 64, n) && n != 64) in_.fail_at(line, column, "only 64-bit addresses are known");
    } else if (d == "file")
      file();
    else if (d == "section") {
      in_.until('{');
      in_.expect('{');
      in_.until('}');
      in_.expect('}');
    } else if (d == "pragma" || d == "alias") {
      in_.until(';');
      in_.expect(';');
    } else if (d == "visible" || d == "weak" || d == "common") {
      return;  // the next directive says what
    } else if (d == "extern")
      extern_ = true;
    else if (d == "entry" || d == "func")
      function(d == "entry", line);
    else if (d == "global")
      variables(Variable::Space::global);
    else if (d == "const")
      variables(Variable::Space::constant);
    else if (d == "shared")
      variables(Variable::Space::shared);
    else
      in_.fail_at(line, column, "unknown directive ." + d);
    if (d != "extern") extern_ = false;
  }

  void target() {
    module_.target = in_.identifier();
    while (in_.accept(',')) in_.identifier();
  }

  void file() {
    std::size_t index = 0;
    if (!parse_count(in_, 1 << 20, index)) return;
    in_.quoted();
    while (in_.accept(',')) {
      Number n;
      in_.number(n);
    }
  }

  void variables(Variable::Space space) {
    do {
      Variable v;
      v.space = space;
      v.is_extern = extern_;
      v.line = in_.line();
      if (!parse_variable(in_, v, true)) return;
      const auto found = module_.variable_index.find(v.name);
      if (found == module_.variable_index.end()) {
        module_.variable_index[v.name] = module_.variables.size();
        module_.variables.push_back(std::move(v));
      } else if (module_.variables[found->second].is_extern) {
        module_.variables[found->second] = std::move(v);
      } else if (!v.is_extern) {
        in_.fail("variable " + v.name + " is defined twice");
      }
    } while (in_.accept(','));
    in_.expect(';');
  }

  void dims(std::uint32_t (&out)[3]) {
    for (int i = 0; i < 3; ++i) {
      std::size_t n = 0;
      if (!parse_count(in_, 0x7fffffff, n)) return;
      out[i] = static_cast<std::uint32_t>(n);
      if (!in_.accept(',')) break;
    }
  }

  void function(bool entry, int line) {
    Function f;
    f.is_entry = entry;
    f.line = line;
    if (in_.accept_directive("attribute")) {
      in_.until(')');
      in_.expect(')');
    }
    if (!entry && in_.peek() == '(' && !parse_params(in_, f.returns)) return;
    f.name = in_.identifier();
    if (in_.peek() == '(' && !parse_params(in_, f.params)) return;
    while (!in_.failed() && in_.peek() == '.') {
      const int at_line = in_.line(), at_column = in_.column();
      const std::string d = in_.directive();
      std::uint32_t ignored[3];
      if (d == "maxntid")
        dims(f.maxntid);
      else if (d == "reqntid")
        dims(f.reqntid);
      else if (d == "reqnctapercluster")
        dims(f.cluster);
      else if (d == "minnctapersm" || d == "maxnctapersm" || d == "maxnreg" || d == "maxclusterrank")
        dims(ignored);
      else if (d == "pragma") {
        in_.until(';');
        in_.expect(';');
      } else if (d != "noreturn" && d != "explicitcluster" && d != "blocksareclusters")
        in_.fail_at(at_line, at_column, "unknown directive ." + d);
    }
    if (in_.failed()) return;
    const auto found = module_.function_index.find(f.name);
    if (found != module_.function_index.end() && module_.functions[found->second].has_body && in_.peek() == '{') {
      in_.fail("function " + f.name + " is defined twice");
      return;
    }
    if (in_.peek() == '{') {
      in_.expect('{');
      f.has_body = true;
      f.variables = f.returns;
      f.variables.insert(f.variables.end(), f.params.begin(), f.params.end());
      BodyParser(in_, module_, f, 1).parse();
    } else {
      in_.expect(';');
    }
    if (in_.failed()) return;
    if (found == module_.function_index.end()) {
      module_.function_index[f.name] = module_.functions.size();
      module_.functions.push_back(std::move(f));
    } else if (f.has_body) {
      module_.functions[found->second] = std::move(f);
    }
  }

  Scanner in_;
  std::string_view text_;
  Module module_;
  bool extern_ = false;
};

}  // namespace

std::optional<Type> type_from_name(std::string_view name) {
  for (const TypeName& t : types)
    if (t.name == name) return t.type;
  return std::nullopt;
}

std::string_view type_name(Type type) {
  for (const TypeName& t : types)
    if (t.type == type) return t.name;
  return "none";
}

unsigned type_bytes(Type type) {
  for (const TypeName& t : types)
    if (t.type == type) return t.bytes;
  return 0;
}

bool type_is_signed(Type t) { return t == Type::s8 || t == Type::s16 || t == Type::s32 || t == Type::s64; }
bool type_is_float(Type t) {
  return t == Type::f16 || t == Type::bf16 || t == Type::f32 || t == Type::f64 || t == Type::f16x2 || t == Type::bf16x2;
}

const Function* Module::function(std::string_view name) const {
  const auto it = function_index.find(name);
  return it == function_index.end() ? nullptr : &functions[it->second];
}

const Variable* Module::variable(std::string_view name) const {
  const auto it = variable_index.find(name);
  return it == variable_index.end() ? nullptr : &variables[it->second];
}

bool parse_type(Scanner& in, Type& out) {
  const int line = in.line(), column = in.column();
  const std::string name = in.directive();
  const auto type = type_from_name(name);
  if (!type)
    in.fail_at(line, column, "unknown type ." + name);
  else
    out = *type;
  return !in.failed();
}

bool parse_variable(Scanner& in, Variable& out, bool allow_initialiser) {
  for (;;) {
    if (in.accept_directive("align")) {
      if (!parse_count(in, 1 << 16, out.align)) return false;
      if (!std::has_single_bit(out.align)) in.fail("an alignment must be a power of two");
    } else if (in.accept_directive("attribute")) {
      in.until(')');
      in.expect(')');
    } else {
      break;
    }
    if (in.failed()) return false;
  }
  if (in.peek() != '.') {
    in.fail("expected a type");
    return false;
  }
  std::size_t vector = 1;
  if (in.accept_directive("v2"))
    vector = 2;
  else if (in.accept_directive("v4"))
    vector = 4;
  if (!parse_type(in, out.type)) return false;
  if (out.type == Type::pred) {
    in.fail("predicates cannot be in memory");
    return false;
  }
  // Pointer attributes of kernel parameters: .ptr .global .align 8
  if (in.accept_directive("ptr")) {
    for (const char* s : {"global", "shared", "const", "local"}) in.accept_directive(s);
    std::size_t ignored = 0;
    if (in.accept_directive("align") && !parse_count(in, 1 << 20, ignored)) return false;
  }
  out.name = in.identifier();
  if (in.failed()) return false;
  out.align = std::max(out.align, std::size_t{type_bytes(out.type)} * vector);
  out.count = vector;
  bool unknown = false;
  while (in.accept('[')) {
    out.is_array = true;
    if (in.accept(']')) {
      unknown = true;
      continue;
    }
    std::size_t n = 0;
    if (!parse_count(in, max_variable_bytes, n)) return false;
    if (n != 0 && out.count > max_variable_bytes / n) {
      in.fail("variable " + out.name + " is too large");
      return false;
    }
    out.count *= n;
    if (!in.expect(']')) return false;
  }
  if (unknown) out.count = 0;
  if (out.bytes() > max_variable_bytes) {
    in.fail("variable " + out.name + " is too large");
    return false;
  }
  if (in.peek() == '=') {
    in.expect('=');
    if (!allow_initialiser) {
      in.fail("no initialiser is allowed here");
      return false;
    }
    std::size_t element = 0;
    if (!parse_initialiser(in, out, element, 0)) return false;
    if (unknown) out.count = element;
    if (!out.initial.empty()) out.initial.resize(out.bytes());
  }
  return !in.failed();
}

bool parse_params(Scanner& in, std::vector<Variable>& out) {
  if (!in.expect('(')) return false;
  if (in.accept(')')) return true;
  do {
    Variable v;
    v.space = Variable::Space::param;
    v.line = in.line();
    if (in.accept_directive("reg")) {
      in.fail("register parameters are not known");
      return false;
    }
    if (!in.accept_directive("param")) {
      in.fail("expected .param");
      return false;
    }
    if (!parse_variable(in, v, false)) return false;
    out.push_back(std::move(v));
    if (out.size() > 4096) {
      in.fail("too many parameters");
      return false;
    }
  } while (in.accept(','));
  return in.expect(')');
}

Result<Module> parse_module(std::string_view ptx) {
  while (!ptx.empty() && ptx.back() == '\0') ptx.remove_suffix(1);
  return Parser(ptx).run();
}

}  // namespace ww::simt
