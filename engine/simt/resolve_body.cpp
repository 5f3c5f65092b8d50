// SPDX-License-Identifier: Apache-2.0
// Function bodies: scopes, declarations, labels, line information, instructions and their operands.
#include <algorithm>
#include <charconv>
#include "simt/opcode.h"
#include "simt/resolver.h"

namespace ww::simt {

bool BodyResolver::run(const ptx::Function& from) {
  scopes_.emplace_back();
  std::uint32_t formals = 0;
  for (const ptx::Range range : {from.results, from.parameters})
    for (std::uint32_t i = range.begin; i < range.end; ++i, ++formals) {
      const ptx::Variable& v = file_.variables[i];
      if (v.space != ptx::Variable::Space::reg) {
        if (!declare(v.name, {Symbol::Kind::variable, formals})) return false;
        continue;
      }
      const auto index = static_cast<std::uint32_t>(function_.registers.size());
      if (!declare(v.name, {Symbol::Kind::reg, index, v.type})) return false;
      function_.registers.push_back({v.type, std::string(v.name)});
      function_.variables[formals].reg = static_cast<std::int32_t>(index);
    }
  function_.body.reserve(from.body.size());
  for (std::uint32_t i = from.body.begin; i < from.body.end; ++i)
    if (!statement(file_.statements[i])) return false;
  return close_scope();
}

const BodyResolver::Symbol* BodyResolver::find(std::string_view name) {
  std::size_t digits = name.size();
  while (digits > 0 && name[digits - 1] >= '0' && name[digits - 1] <= '9') --digits;
  const bool numbered = digits < name.size() && (name[digits] != '0' || name.size() - digits == 1);
  for (auto s = scopes_.rbegin(); s != scopes_.rend(); ++s) {
    if (const auto it = s->symbols.find(name); it != s->symbols.end() && it->second.kind != Symbol::Kind::range)
      return &it->second;
    if (!numbered) continue;
    const auto range = s->symbols.find(name.substr(0, digits));
    if (range == s->symbols.end() || range->second.kind != Symbol::Kind::range) continue;
    std::uint32_t number = 0;
    const auto [p, ec] = std::from_chars(name.data() + digits, name.data() + name.size(), number);
    if (ec != std::errc() || number >= range->second.index) continue;
    if (function_.registers.size() >= max_registers) {
      r_.fail(name, "too many registers");
      return nullptr;
    }
    const Type type = range->second.type;
    const auto index = static_cast<std::uint32_t>(function_.registers.size());
    function_.registers.push_back({type, std::string(name)});
    return &(s->symbols[name] = Symbol{Symbol::Kind::reg, index, type});
  }
  return nullptr;
}

bool BodyResolver::declare(std::string_view name, Symbol symbol) {
  return scopes_.back().symbols.emplace(name, symbol).second || r_.fail(name, std::string(name) + " is declared twice");
}

bool BodyResolver::close_scope() {
  Scope scope = std::move(scopes_.back());
  scopes_.pop_back();
  for (const LabelUse& use : scope.uses) {
    const auto it = scope.labels.find(use.name);
    if (it == scope.labels.end()) {
      if (scopes_.empty()) return r_.fail(use.name, "label " + std::string(use.name) + " is not defined");
      scopes_.back().uses.push_back(use);
    } else if (use.in_table) {
      function_.branch_tables[use.owner][use.slot] = it->second;
    } else {
      function_.body[use.owner].operands[use.slot].index = it->second;
    }
  }
  return true;
}

bool BodyResolver::statement(const ptx::Statement& s) {
  using Kind = ptx::Statement::Kind;
  switch (s.kind) {
    case Kind::instruction: return instruction(s);
    case Kind::registers: return registers(s);
    case Kind::variables: return variables(s);
    case Kind::prototype: return prototype(s);
    case Kind::targets: return branch_table(s);
    case Kind::close: return close_scope();
    case Kind::open:
      scopes_.emplace_back();
      return scopes_.size() <= 64 || r_.fail_at(s.place, "scopes are nested too deeply");
    case Kind::location:
      if (const int line = r_.lines.line_of(file_.locations[s.range.begin])) source_line_ = line;
      if (function_.source_line == 0) function_.source_line = source_line_;
      return true;
    case Kind::label:
      return scopes_.back().labels.emplace(s.name, static_cast<std::uint32_t>(function_.body.size())).second ||
             r_.fail_at(s.place, "label " + std::string(s.name) + " is defined twice");
    case Kind::other: return true;
    case Kind::unreadable: break;  // the tree has a problem then
  }
  return r_.fail_at(s.place, "expected an instruction");
}

// The same prefix may be given twice only in different scopes.
bool BodyResolver::registers(const ptx::Statement& s) {
  for (std::uint32_t i = s.range.begin; i < s.range.end; ++i) {
    const ptx::Register& r = file_.registers[i];
    if (r.is_range) {
      if (!declare(r.name, {Symbol::Kind::range, r.count, r.type})) return false;
      continue;
    }
    if (function_.registers.size() >= max_registers) return r_.fail(r.name, "too many registers");
    const auto index = static_cast<std::uint32_t>(function_.registers.size());
    if (!declare(r.name, {Symbol::Kind::reg, index, r.type})) return false;
    function_.registers.push_back({r.type, std::string(r.name)});
  }
  return true;
}

bool BodyResolver::variables(const ptx::Statement& s) {
  auto index = static_cast<std::uint32_t>(function_.variables.size());
  for (std::uint32_t i = s.range.begin; i < s.range.end; ++i)
    if (!declare(file_.variables[i].name, {Symbol::Kind::variable, index++})) return false;
  if (index > max_registers) return r_.fail_at(s.place, "too many variables");
  return resolve_variables(r_, s.range, function_.variables);
}

bool BodyResolver::prototype(const ptx::Statement& s) {
  if (!declare(s.name, {Symbol::Kind::prototype, static_cast<std::uint32_t>(function_.prototypes.size())}))
    return false;
  Prototype& p = function_.prototypes.emplace_back();
  return resolve_variables(r_, s.range, p.returns) && resolve_variables(r_, s.more, p.params);
}

bool BodyResolver::branch_table(const ptx::Statement& s) {
  const auto table = static_cast<std::uint32_t>(function_.branch_tables.size());
  if (!declare(s.name, {Symbol::Kind::table, table})) return false;
  auto& targets = function_.branch_tables.emplace_back();
  for (const ptx::Operand& o : file_.operands_of(s)) {
    if (o.kind != ptx::Operand::Kind::name) return r_.fail(o.text, "expected a name");
    scopes_.back().uses.push_back({true, table, static_cast<std::uint32_t>(targets.size()), o.text});
    targets.push_back(0);
  }
  return true;
}

const Opcode* BodyResolver::opcode(std::string_view text) {
  const Opcode*& known = r_.opcodes[text];
  if (known != nullptr) return known;
  Opcode& made = r_.module.opcodes.emplace_back();
  made.text = text;
  made.words = normal_words(text);
  return known = &made;
}

bool BodyResolver::instruction(const ptx::Statement& s) {
  const auto index = static_cast<std::uint32_t>(function_.body.size());
  if (index >= (1u << 22)) return r_.fail_at(s.place, "too many instructions");
  Instruction& i = function_.body.emplace_back();
  i.line = s.place.line;
  i.column = s.place.column;
  i.code = opcode(s.name);
  if (!s.guard.empty()) {
    const Symbol* const guard = find(s.guard);
    if (guard == nullptr || guard->kind != Symbol::Kind::reg || guard->type != Type::pred)
      return r_.fail(s.guard, std::string(s.guard) + " is not a predicate register");
    i.guard = static_cast<std::int32_t>(guard->index);
    i.guard_negated = s.guard_negated;
  }
  const bool jumps = i.words()[0] == "bra" || i.words()[0] == "brx";
  const ptx::Operands operands = file_.operands_of(s);
  const std::size_t count = operands.count();
  if (count > 64) return r_.fail_at(s.place, "too many operands");
  i.operands.resize(count);
  std::uint32_t slot = 0;
  for (const ptx::Operand& from : operands) {
    Operand& o = i.operands[slot];
    if (!operand(from, o)) return false;
    if (jumps && o.kind == Operand::Kind::symbol) {
      o.kind = Operand::Kind::label;
      scopes_.back().uses.push_back({false, index, slot, from.text});
    }
    ++slot;
  }
  i.source_line = source_line_;
  auto& lines = r_.module.source_of_line;
  const auto line = static_cast<std::size_t>(i.line);
  if (line >= lines.size()) lines.resize(line + 1);
  lines[line] = source_line_;
  return true;
}

bool BodyResolver::named(std::string_view name, Operand& out) {
  if (name == "_") {
    out.kind = Operand::Kind::sink;
    return true;
  }
  if (name == "WARP_SZ") {
    out.kind = Operand::Kind::integer;
    out.value = 32;
    return true;
  }
  const Symbol* const s = find(name);
  if (r_.problem) return false;
  if (s == nullptr) {
    out.name = name;
    out.kind = name[0] == '%' ? Operand::Kind::special : Operand::Kind::symbol;
    return true;
  }
  out.index = s->index;
  switch (s->kind) {
    case Symbol::Kind::reg: out.kind = Operand::Kind::reg; break;
    case Symbol::Kind::variable: out.kind = Operand::Kind::variable; break;
    case Symbol::Kind::prototype: out.kind = Operand::Kind::prototype; break;
    case Symbol::Kind::table: out.kind = Operand::Kind::table; break;
    case Symbol::Kind::range: return r_.fail(name, std::string(name) + " is a family of registers");
  }
  return true;
}

bool BodyResolver::address(const ptx::Operand& from, Operand& out) {
  out.kind = Operand::Kind::address;
  for (const ptx::Operand& part : below(from))
    if (!operand(part, out.parts.emplace_back())) return false;
  Operand& base = out.parts.front();
  std::uint64_t offset = 0;
  if (base.kind == Operand::Kind::integer) offset = static_cast<std::uint64_t>(std::exchange(base.value, 0));
  out.value = static_cast<std::int64_t>(offset + static_cast<std::uint64_t>(from.number.bits));
  return true;
}

bool BodyResolver::operand(const ptx::Operand& from, Operand& out) {
  using Kind = ptx::Operand::Kind;
  switch (from.kind) {
    case Kind::name:
      out.negated = from.negated;
      if (!named(from.text, out)) return false;
      if (!from.has_offset) return true;
      out.value = from.number.bits;
      return out.kind == Operand::Kind::symbol || out.kind == Operand::Kind::variable ||
             r_.fail(from.text, std::string(from.text) + " takes no offset here");
    case Kind::number:
      out.value = from.number.bits;
      out.kind = Operand::Kind::integer;
      if (from.number.kind == ptx::Number::Kind::integer) return true;
      out.kind = Operand::Kind::real;
      out.form = from.number.kind;
      out.index = from.number.single_bits;  // an f32 context takes these bits, so that a NaN keeps its payload
      return true;
    case Kind::address: return address(from, out);
    case Kind::vector: out.kind = Operand::Kind::vector; break;
    case Kind::list: out.kind = Operand::Kind::list; break;
    case Kind::pair: out.kind = Operand::Kind::pair; break;
  }
  for (const ptx::Operand& part : below(from))
    if (!operand(part, out.parts.emplace_back())) return false;
  return true;
}

}  // namespace ww::simt
