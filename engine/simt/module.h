// SPDX-License-Identifier: Apache-2.0
// A PTX module with its names resolved: registers, variables and labels are indices.
#pragma once
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <vector>
#include "base/result.h"
#include "ptx/syntax.h"
#include "simt/types.h"

namespace ww::simt {

struct Reference {  // a symbol's address inside an initialiser
  std::size_t offset = 0;
  std::string symbol;
  std::int64_t addend = 0;
};

struct Variable {
  using Space = ptx::Variable::Space;
  Space space = Space::global;
  std::string name;
  Type type = Type::b8;
  std::size_t align = 1;
  std::size_t count = 1;  // elements; 0: an extern array of unknown size
  bool is_array = false, is_extern = false;
  std::int32_t reg = -1;           // of a formal in a register: its index in Function::registers
  std::vector<std::byte> initial;  // empty: zero
  std::vector<Reference> references;
  int line = 0;
  std::size_t bytes() const { return count * type_bytes(type); }
};

struct Operand {
  enum class Kind : std::uint8_t {
    reg,        // index: Function::registers
    integer,    // value
    real,       // value holds the bits of an f64; from 0d…, 0f… (exact) or a decimal
    special,    // name: "%tid.x"
    variable,   // index: Function::variables; value: byte offset
    symbol,     // name: module-scope variable or function; value: byte offset
    label,      // index: instruction in Function::body
    address,    // parts[0] is the base, value the byte offset
    vector,     // {a, b, …}
    list,       // (a, b, …) of a call
    sink,       // _
    pair,       // d|p
    prototype,  // index: Function::prototypes
    table,      // index: Function::branch_tables
  } kind = Kind::integer;
  bool negated = false;                                 // !p or -r
  ptx::Number::Kind form = ptx::Number::Kind::integer;  // of integer and real
  std::uint32_t index = 0;
  std::int64_t value = 0;
  std::string name;
  std::vector<Operand> parts;
};

struct Opcode {
  std::string text;                // "ld.global.nc.f32"
  std::vector<std::string> words;  // split at dots, in the order of normal_words()
};

struct Instruction {
  const Opcode* code = nullptr;  // of Module::opcodes
  const std::string& opcode() const { return code->text; }
  const std::vector<std::string>& words() const { return code->words; }
  std::int32_t guard = -1;  // predicate register
  bool guard_negated = false;
  std::vector<Operand> operands;
  int line = 0, column = 0;  // in the PTX
  int source_line = 0;       // in the candidate, 0: unknown
};

struct Prototype {
  std::vector<Variable> returns, params;
};

struct Function {
  std::string name;
  bool is_entry = false, has_body = false;
  std::vector<Variable> returns, params;  // copies of these come first in `variables` (returns, then params)
  struct Register {
    Type type;
    std::string name;
  };
  std::vector<Register> registers;  // used ones only
  std::vector<Variable> variables;
  std::vector<Instruction> body;
  std::vector<Prototype> prototypes;
  std::vector<std::vector<std::uint32_t>> branch_tables;  // instruction indices
  std::uint32_t maxntid[3] = {0, 1, 1}, reqntid[3] = {0, 1, 1}, cluster[3] = {0, 1, 1};
  int line = 0, source_line = 0;
};

class Module {
 public:
  Module() = default;
  Module(Module&&) = default;
  Module& operator=(Module&&) = default;
  std::string version, target;
  std::vector<Variable> variables;
  std::vector<Function> functions;  // definitions and declarations; a definition replaces its declaration
  std::map<std::string, std::size_t, std::less<>> function_index, variable_index;
  std::deque<Opcode> opcodes;       // unique; addresses are stable when the module moves
  std::vector<int> source_of_line;  // by PTX line (from 1)
  const Function* function(std::string_view name) const;
  const Variable* variable(std::string_view name) const;
};

// Errors: Code::parse, "line:column: message".
Result<Module> parse_module(std::string_view ptx);

}  // namespace ww::simt
