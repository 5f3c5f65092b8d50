// SPDX-License-Identifier: Apache-2.0
// Function bodies of PTX: scopes, declarations, labels, line information, instructions and their operands.
#include <algorithm>
#include <charconv>
#include "simt/parser.h"

namespace ww::simt {

BodyParser::BodyParser(Scanner& in, Module& module, Function& function, int own_file)
    : in_(in), module_(module), function_(function), own_file_(own_file) {}

void BodyParser::parse() {
  scopes_.emplace_back();
  for (std::uint32_t i = 0; i < function_.variables.size(); ++i)
    if (!declare(function_.variables[i].name, {Symbol::Kind::variable, i})) return;
  while (!in_.failed() && !scopes_.empty()) {
    if (in_.at_end()) {
      in_.fail("the body of " + function_.name + " does not end");
      return;
    }
    statement();
  }
}

const BodyParser::Symbol* BodyParser::find(const std::string& name) {
  for (auto s = scopes_.rbegin(); s != scopes_.rend(); ++s) {
    if (const auto it = s->symbols.find(name); it != s->symbols.end() && it->second.kind != Symbol::Kind::range)
      return &it->second;
    std::size_t digits = name.size();
    while (digits > 0 && name[digits - 1] >= '0' && name[digits - 1] <= '9') --digits;
    if (digits == name.size() || (name[digits] == '0' && name.size() - digits > 1)) continue;
    const auto range = s->symbols.find(std::string_view(name).substr(0, digits));
    if (range == s->symbols.end() || range->second.kind != Symbol::Kind::range) continue;
    std::uint32_t number = 0;
    const auto [p, ec] = std::from_chars(name.data() + digits, name.data() + name.size(), number);
    if (ec != std::errc() || number >= range->second.index) continue;
    if (function_.registers.size() >= max_registers) {
      in_.fail("too many registers");
      return nullptr;
    }
    const auto index = static_cast<std::uint32_t>(function_.registers.size());
    function_.registers.push_back({range->second.type, name});
    return &(s->symbols[name] = Symbol{Symbol::Kind::reg, index, range->second.type});
  }
  return nullptr;
}

bool BodyParser::declare(const std::string& name, Symbol symbol) {
  if (!scopes_.back().symbols.emplace(name, symbol).second) in_.fail(name + " is declared twice");
  return !in_.failed();
}

void BodyParser::close_scope() {
  Scope scope = std::move(scopes_.back());
  scopes_.pop_back();
  for (LabelUse& use : scope.uses) {
    const auto it = scope.labels.find(use.name);
    if (it == scope.labels.end()) {
      if (scopes_.empty()) {
        in_.fail_at(use.line, use.column, "label " + use.name + " is not defined");
        return;
      }
      scopes_.back().uses.push_back(std::move(use));
    } else if (use.in_table) {
      function_.branch_tables[use.owner][use.slot] = it->second;
    } else {
      function_.body[use.owner].operands[use.slot].index = it->second;
    }
  }
  if (scopes_.empty()) return;
}

void BodyParser::statement() {
  const char c = in_.peek();
  if (c == '{') {
    in_.expect('{');
    if (scopes_.size() >= 64)
      in_.fail("scopes are nested too deeply");
    else
      scopes_.emplace_back();
  } else if (c == '}') {
    in_.expect('}');
    close_scope();
  } else if (c == ';') {
    in_.expect(';');
  } else if (c == '.') {
    directive();
  } else if (c != '@' && in_.at_label()) {
    label();
  } else {
    instruction();
  }
}

void BodyParser::directive() {
  const int line = in_.line(), column = in_.column();
  const std::string d = in_.directive();
  if (d == "reg")
    declare_registers();
  else if (d == "local")
    declare_variables(Variable::Space::local);
  else if (d == "shared")
    declare_variables(Variable::Space::shared);
  else if (d == "param")
    declare_variables(Variable::Space::param);
  else if (d == "loc")
    location();
  else if (d == "pragma") {
    in_.until(';');
    in_.expect(';');
  } else if (d == "file") {
    Number n;
    in_.number(n);
    in_.quoted();
  } else if (!in_.failed()) {
    in_.fail_at(line, column, "unknown directive ." + d);
  }
}

void BodyParser::declare_registers() {
  Type type = Type::none;
  if (!parse_type(in_, type)) return;
  do {
    const std::string name = in_.identifier();
    if (in_.failed()) return;
    if (in_.accept('<')) {
      Number n;
      if (!in_.number(n)) return;
      if (n.kind != Number::Kind::integer || n.bits < 0 || n.bits > 0x7fffffff) {
        in_.fail("a register count is out of range");
        return;
      }
      // The same prefix may be given twice only in different scopes.
      if (!in_.expect('>') || !declare(name, {Symbol::Kind::range, static_cast<std::uint32_t>(n.bits), type})) return;
    } else {
      if (function_.registers.size() >= max_registers) {
        in_.fail("too many registers");
        return;
      }
      if (!declare(name, {Symbol::Kind::reg, static_cast<std::uint32_t>(function_.registers.size()), type})) return;
      function_.registers.push_back({type, name});
    }
  } while (in_.accept(','));
  in_.expect(';');
}

void BodyParser::declare_variables(Variable::Space space) {
  do {
    Variable v;
    v.space = space;
    v.line = in_.line();
    if (!parse_variable(in_, v, false)) return;
    if (function_.variables.size() > max_registers) in_.fail("too many variables");
    if (!declare(v.name, {Symbol::Kind::variable, static_cast<std::uint32_t>(function_.variables.size())})) return;
    function_.variables.push_back(std::move(v));
  } while (in_.accept(','));
  in_.expect(';');
}

// .loc file line column[, function_name label[+offset], inlined_at file line column]  (PTX ISA, section 11.5.3)
void BodyParser::location() {
  const auto triple = [&] {
    int v[3] = {0, 0, 0};
    for (int& x : v) {
      Number n;
      if (in_.number(n) && n.kind == Number::Kind::integer)
        x = static_cast<int>(std::clamp<std::int64_t>(n.bits, 0, 1 << 30));
    }
    return std::tuple(v[0], v[1], v[2]);
  };
  auto place = triple();
  if (in_.accept(',')) {
    if (in_.identifier() != "function_name") in_.fail("expected function_name");
    in_.identifier();
    if (in_.accept('+')) {
      Number n;
      in_.number(n);
    }
    if (in_.accept(',')) {
      if (in_.identifier() != "inlined_at") in_.fail("expected inlined_at");
      const auto outer = triple();
      if (outer != place) inlined_[place] = outer;
    }
  }
  if (in_.failed()) return;
  for (int hops = 0; hops < 64 && std::get<0>(place) != own_file_; ++hops) {
    const auto it = inlined_.find(place);
    if (it == inlined_.end()) break;
    place = it->second;
  }
  // Line 0 means "no place of its own" (LLVM): what came before still holds.
  if (std::get<0>(place) == own_file_ && std::get<1>(place) > 0) source_line_ = std::get<1>(place);
  if (function_.source_line == 0) function_.source_line = source_line_;
}

void BodyParser::label() {
  const int line = in_.line(), column = in_.column();
  const std::string name = in_.identifier();
  if (!in_.expect(':')) return;
  if (in_.accept_directive("callprototype")) {
    Prototype p;
    if (in_.peek() == '(' && !parse_params(in_, p.returns)) return;
    in_.identifier();
    if (in_.peek() == '(' && !parse_params(in_, p.params)) return;
    in_.accept_directive("noreturn");
    if (!in_.expect(';')) return;
    if (!declare(name, {Symbol::Kind::prototype, static_cast<std::uint32_t>(function_.prototypes.size())})) return;
    function_.prototypes.push_back(std::move(p));
    return;
  }
  if (in_.accept_directive("branchtargets")) {
    const auto table = static_cast<std::uint32_t>(function_.branch_tables.size());
    if (!declare(name, {Symbol::Kind::table, table})) return;
    auto& targets = function_.branch_tables.emplace_back();
    do {
      const int at_line = in_.line(), at_column = in_.column();
      const std::string target = in_.identifier();
      if (in_.failed()) return;
      scopes_.back().uses.push_back(
          {true, table, static_cast<std::uint32_t>(targets.size()), target, at_line, at_column});
      targets.push_back(0);
    } while (in_.accept(','));
    in_.expect(';');
    return;
  }
  if (!scopes_.back().labels.emplace(name, static_cast<std::uint32_t>(function_.body.size())).second)
    in_.fail_at(line, column, "label " + name + " is defined twice");
}

void BodyParser::instruction() {
  Instruction i;
  i.line = in_.line();
  i.column = in_.column();
  if (in_.accept('@')) {
    i.guard_negated = in_.accept('!');
    const std::string name = in_.identifier();
    if (in_.failed()) return;
    const Symbol* s = find(name);
    if (s == nullptr || s->kind != Symbol::Kind::reg || s->type != Type::pred) {
      in_.fail(name + " is not a predicate register");
      return;
    }
    i.guard = static_cast<std::int32_t>(s->index);
  }
  i.opcode = in_.opcode();
  if (in_.failed()) return;
  for (std::size_t at = 0; at <= i.opcode.size();) {
    const std::size_t dot = std::min(i.opcode.find('.', at), i.opcode.size());
    i.words.push_back(i.opcode.substr(at, dot - at));
    at = dot + 1;
  }
  const bool jumps = i.words[0] == "bra" || i.words[0] == "brx";
  if (in_.peek() != ';') {
    do {
      Operand o;
      const int line = in_.line(), column = in_.column();
      if (!operand(o, 0)) return;
      if (jumps && o.kind == Operand::Kind::symbol) {
        o.kind = Operand::Kind::label;
        scopes_.back().uses.push_back({false, static_cast<std::uint32_t>(function_.body.size()),
                                       static_cast<std::uint32_t>(i.operands.size()), o.name, line, column});
      }
      i.operands.push_back(std::move(o));
      if (i.operands.size() > 64) in_.fail("too many operands");
    } while (in_.accept(','));
  }
  if (!in_.expect(';')) return;
  i.source_line = source_line_;
  if (static_cast<std::size_t>(i.line) >= module_.source_of_line.size())
    module_.source_of_line.resize(static_cast<std::size_t>(i.line) + 1);
  module_.source_of_line[static_cast<std::size_t>(i.line)] = source_line_;
  function_.body.push_back(std::move(i));
  if (function_.body.size() > (1u << 22)) in_.fail("too many instructions");
}

bool BodyParser::named(Operand& out) {
  const std::string name = in_.identifier();
  if (in_.failed()) return false;
  if (name == "_") {
    out.kind = Operand::Kind::sink;
    return true;
  }
  if (name == "WARP_SZ") {
    out.kind = Operand::Kind::integer;
    out.value = 32;
    return true;
  }
  const Symbol* s = find(name);
  if (in_.failed()) return false;
  if (s == nullptr) {
    out.name = name;
    if (name[0] == '%') {
      out.kind = Operand::Kind::special;
      out.name += in_.special_suffix();
    } else {
      out.kind = Operand::Kind::symbol;
    }
    return true;
  }
  out.index = s->index;
  switch (s->kind) {
    case Symbol::Kind::reg: out.kind = Operand::Kind::reg; break;
    case Symbol::Kind::variable: out.kind = Operand::Kind::variable; break;
    case Symbol::Kind::prototype: out.kind = Operand::Kind::prototype; break;
    case Symbol::Kind::table: out.kind = Operand::Kind::table; break;
    case Symbol::Kind::range: in_.fail(name + " is a family of registers"); return false;
  }
  return true;
}

bool BodyParser::address(Operand& out, int depth) {
  out.kind = Operand::Kind::address;
  Operand base;
  if (!operand(base, depth + 1)) return false;
  if (base.kind == Operand::Kind::symbol || base.kind == Operand::Kind::variable || base.kind == Operand::Kind::integer)
    std::swap(out.value, base.value);
  if (base.kind == Operand::Kind::integer) base.value = 0;
  out.parts.push_back(std::move(base));
  if (in_.accept('+')) {
    Number n;
    const bool minus = in_.accept('-');
    if (!in_.number(n)) return false;
    const auto bits = static_cast<std::uint64_t>(n.bits);
    out.value = static_cast<std::int64_t>(static_cast<std::uint64_t>(out.value) + (minus ? 0 - bits : bits));
  } else if (in_.peek() == '-') {
    in_.expect('-');
    Number n;
    if (!in_.number(n)) return false;
    out.value = static_cast<std::int64_t>(static_cast<std::uint64_t>(out.value) - static_cast<std::uint64_t>(n.bits));
  }
  while (in_.accept(',')) {  // tensor coordinates
    Operand more;
    if (!operand(more, depth + 1)) return false;
    out.parts.push_back(std::move(more));
  }
  return in_.expect(']');
}

bool BodyParser::operand(Operand& out, int depth) {
  if (depth > 4) {
    in_.fail("operands are nested too deeply");
    return false;
  }
  if (in_.accept('[')) return address(out, depth);
  for (const auto& [open, close, kind] :
       {std::tuple('{', '}', Operand::Kind::vector), std::tuple('(', ')', Operand::Kind::list)}) {
    if (!in_.accept(open)) continue;
    out.kind = kind;
    if (in_.accept(close)) return true;
    do {
      Operand part;
      if (!operand(part, depth + 1)) return false;
      out.parts.push_back(std::move(part));
    } while (in_.accept(','));
    return in_.expect(close);
  }
  if (in_.accept('!')) {
    out.negated = true;
    return named(out);
  }
  const bool minus = in_.accept('-');
  if (in_.at_number()) {
    Number n;
    if (!in_.number(n)) return false;
    out.value = n.bits;
    if (n.kind == Number::Kind::integer) {
      out.kind = Operand::Kind::integer;
      if (minus) out.value = static_cast<std::int64_t>(0 - static_cast<std::uint64_t>(out.value));
    } else {
      out.kind = Operand::Kind::real;
      out.single = n.kind == Number::Kind::single;
      out.index = n.single_bits;  // an f32 context takes these bits, so that a NaN keeps its payload
      if (minus) {
        out.value ^= static_cast<std::int64_t>(std::uint64_t{1} << 63);
        out.index ^= 0x80000000u;
      }
    }
    return true;
  }
  if (minus) {
    in_.fail("expected a number");
    return false;
  }
  if (!named(out)) return false;
  if ((out.kind == Operand::Kind::symbol || out.kind == Operand::Kind::variable) && depth == 0 && in_.accept('+')) {
    Number n;
    if (!in_.number(n)) return false;
    out.value = n.bits;
  }
  if (in_.accept('|')) {
    Operand pair;
    pair.kind = Operand::Kind::pair;
    pair.parts.push_back(std::move(out));
    Operand second;
    if (!named(second)) return false;
    pair.parts.push_back(std::move(second));
    out = std::move(pair);
  }
  return true;
}

}  // namespace ww::simt
