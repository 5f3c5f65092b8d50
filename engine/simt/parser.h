// SPDX-License-Identifier: Apache-2.0
// The two halves of the PTX parser: module scope (parser.cpp) and function bodies (parse_body.cpp).
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>
#include "simt/module.h"
#include "simt/scanner.h"

namespace ww::simt {

inline constexpr std::size_t max_variable_bytes = std::size_t{256} << 20;
inline constexpr std::size_t max_registers = 1u << 16;

// ".align 4 .b8 name[12] = {…}" behind its space; stops before ',' or ';'.
bool parse_variable(Scanner& in, Variable& out, bool allow_initialiser);
// "(.param .b32 a, .param .b32 b)"; empty lists are fine.
bool parse_params(Scanner& in, std::vector<Variable>& out);
bool parse_type(Scanner& in, Type& out);

class BodyParser {
 public:
  BodyParser(Scanner& in, Module& module, Function& function, int own_file);
  void parse();  // from behind '{' to behind the matching '}'; errors stay in the scanner

 private:
  struct Symbol {
    enum class Kind : std::uint8_t { reg, range, variable, prototype, table } kind;
    std::uint32_t index = 0;  // range: number of registers
    Type type = Type::none;
  };
  struct LabelUse {
    bool in_table;
    std::uint32_t owner, slot;  // instruction and operand, or table and entry
    std::string name;
    int line, column;
  };
  struct Scope {
    std::map<std::string, Symbol, std::less<>> symbols;
    std::map<std::string, std::uint32_t, std::less<>> labels;
    std::vector<LabelUse> uses;
  };
  void statement();
  void directive();
  void declare_registers();
  void declare_variables(Variable::Space space);
  void location();
  void label();
  void instruction();
  bool operand(Operand& out, int depth);
  bool address(Operand& out, int depth);
  bool named(Operand& out);
  void close_scope();
  const Symbol* find(const std::string& name);
  bool declare(const std::string& name, Symbol symbol);

  Scanner& in_;
  Module& module_;
  Function& function_;
  int own_file_;
  std::vector<Scope> scopes_;
  int source_line_ = 0;
  std::map<std::tuple<int, int, int>, std::tuple<int, int, int>> inlined_;  // location → where it was inlined
};

}  // namespace ww::simt
