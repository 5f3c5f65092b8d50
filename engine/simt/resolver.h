// SPDX-License-Identifier: Apache-2.0
// From the syntax tree of PTX to simt::Module: names become indices. Module scope is in resolver.cpp, function bodies
// are in resolve_body.cpp.
#pragma once
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>
#include "ptx/lines.h"
#include "ptx/syntax.h"
#include "simt/module.h"

namespace ww::simt {

inline constexpr std::size_t max_registers = 1u << 16;

struct Resolving {  // shared by a module's functions
  explicit Resolving(const ptx::File& tree) : file(tree), lines(tree) {}
  bool fail(std::string_view part, std::string message) {  // the first one is kept
    return fail_at(problem ? ptx::Place{} : file.place_of(part), std::move(message));
  }
  bool fail_at(ptx::Place place, std::string message) {
    if (!problem) problem = ptx::Problem{place, std::move(message)};
    return false;
  }
  const ptx::File& file;
  ptx::LineTable lines;
  Module module;
  std::unordered_map<std::string_view, const Opcode*> opcodes;
  std::optional<ptx::Problem> problem;
};

bool resolve_variables(Resolving& r, ptx::Range range, std::vector<Variable>& out);

class BodyResolver {
 public:
  BodyResolver(Resolving& resolving, Function& function) : r_(resolving), file_(r_.file), function_(function) {}
  bool run(const ptx::Function& from);

 private:
  struct Symbol {
    enum class Kind : std::uint8_t { reg, range, variable, prototype, table } kind;
    std::uint32_t index = 0;  // range: number of registers
    Type type = Type::none;
  };
  struct LabelUse {
    bool in_table;
    std::uint32_t owner, slot;  // instruction and operand, or table and entry
    std::string_view name;
  };
  struct Scope {
    std::unordered_map<std::string_view, Symbol> symbols;
    std::unordered_map<std::string_view, std::uint32_t> labels;
    std::vector<LabelUse> uses;
  };
  bool statement(const ptx::Statement& s);
  bool registers(const ptx::Statement& s);
  bool variables(const ptx::Statement& s);
  bool prototype(const ptx::Statement& s);
  bool branch_table(const ptx::Statement& s);
  bool instruction(const ptx::Statement& s);
  bool operand(const ptx::Operand& from, Operand& out);
  bool named(std::string_view name, Operand& out);
  bool address(const ptx::Operand& from, Operand& out);
  bool close_scope();
  const Opcode* opcode(std::string_view text);
  const Symbol* find(std::string_view name);
  bool declare(std::string_view name, Symbol symbol);

  Resolving& r_;
  const ptx::File& file_;
  Function& function_;
  std::vector<Scope> scopes_;
  int source_line_ = 0;
};

}  // namespace ww::simt
