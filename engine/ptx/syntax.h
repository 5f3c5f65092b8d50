// SPDX-License-Identifier: Apache-2.0
// The syntax tree of a PTX text (PTX ISA 9.0, sections 4, 5 and 11.5.3): every statement in order, unresolved and
// unchecked; semantics are left to the users of the tree. Each list is one vector of File, and nodes hold ranges of it,
// so that a tree of 100,000 lines needs few allocations.
#pragma once
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>
#include "ptx/lexer.h"
#include "ptx/types.h"

namespace ww::ptx {

inline constexpr std::size_t max_variable_bytes = std::size_t{256} << 20;

struct Place {
  int line = 1, column = 1;  // from 1; column in bytes
};

struct Problem {
  Place place;
  std::string message;
  std::string text() const { return std::to_string(place.line) + ":" + std::to_string(place.column) + ": " + message; }
};

struct Range {
  std::uint32_t begin = 0, end = 0;
  std::uint32_t size() const { return end - begin; }
};

// Operands are stored in pre-order: children follow their parent.
struct Operand {
  enum class Kind : std::uint8_t {
    name,     // text: "%r1", "%tid.x", "_"; "sym+4" where has_offset
    number,   // with its sign
    address,  // [base+offset, coordinates…]
    vector,   // {a, b}
    list,     // (a, b) of a call
    pair,     // d|p
  } kind = Kind::name;
  bool negated = false;  // !p
  bool has_offset = false;
  std::uint32_t extent = 1;  // number of operands in this subtree
  std::string_view text;
  Number number;  // for names and addresses: the offset
};

class Operands {  // siblings
 public:
  struct Iterator {
    const Operand* at;
    const Operand& operator*() const { return *at; }
    Iterator& operator++() {
      at += at->extent;
      return *this;
    }
    bool operator==(const Iterator&) const = default;
  };
  Operands(const Operand* first, const Operand* last) : first_(first), last_(last) {}
  Iterator begin() const { return {first_}; }
  Iterator end() const { return {last_}; }
  std::size_t count() const {
    std::size_t n = 0;
    for (auto at = begin(); at != end(); ++at) ++n;
    return n;
  }

 private:
  const Operand* first_;
  const Operand* last_;
};
inline Operands below(const Operand& o) { return {&o + 1, &o + o.extent}; }

struct Value {  // one element of an initialiser
  Number number;
  std::string_view symbol;  // empty: a number; else the symbol whose address it is
  std::int64_t addend = 0;
};

struct Variable {  // also a parameter
  enum class Space : std::uint8_t { global, constant, shared, local, param, reg } space = Space::global;
  Type type = Type::none;
  bool is_extern = false, is_array = false;
  int line = 0;
  std::string_view name;
  std::size_t align = 1;  // bytes; at least the alignment of its type
  std::size_t count = 1;  // elements; 0: an array of unknown size
  Range values;           // File::values
  std::size_t bytes() const { return count * type_bytes(type); }
};

struct Register {
  std::string_view name;
  Type type = Type::none;
  bool is_range = false;  // ".reg .b32 %r<12>"
  std::uint32_t count = 1;
};

struct SourcePlace {
  int file = 0, line = 0, column = 0;
  auto operator<=>(const SourcePlace&) const = default;
};
struct Location {  // .loc
  SourcePlace place;
  std::optional<SourcePlace> inlined_at;
};
struct SourceFile {  // .file
  int index = 0;
  std::string_view name;
};

struct Statement {
  enum class Kind : std::uint8_t {
    instruction,  // range: operands
    label,        // name
    open,         // {
    close,        // }
    registers,    // range: registers
    variables,    // range: variables
    location,     // range: one of locations
    prototype,    // name; range: its results, more: its parameters (variables)
    targets,      // name; range: operands
    other,        // .pragma, .file, .alias and others
    unreadable,   // skipped by the parser
  } kind = Kind::unreadable;
  bool guard_negated = false;
  Place place;
  std::string_view text;   // up to its ';'
  std::string_view name;   // an instruction's opcode with its modifiers: "ld.global.f32"
  std::string_view guard;  // "%p1" of "@%p1"; empty: none
  Range range, more;
};

// Of an instruction's opcode: an atomic operation, with or without a result.
inline bool is_atomic(std::string_view opcode) { return opcode.starts_with("atom.") || opcode.starts_with("red."); }

struct Attribute {  // of a function: ".maxntid 256, 1, 1"
  std::string_view name;
  Place place;
  std::uint32_t values[3] = {0, 0, 0};
  int count = 0;
};

struct Function {
  bool is_entry = false, has_body = false;
  bool is_readable = false;  // name, results and parameters
  std::string_view name;
  std::string_view text, head;  // from its linkage to its end, and to before its body or ';'
  Place place;                  // of .entry or .func
  int first_line = 0, last_line = 0;
  Range results, parameters;  // File::variables
  Range attributes;           // File::attributes
  Range body;                 // File::statements
};

struct File {
  std::string_view text;
  std::string_view version, target;  // "9.0", "sm_90"; empty: not given
  std::optional<std::uint32_t> address_size;
  Place address_size_place;
  std::vector<Statement> items;  // module scope, without functions
  std::vector<Function> functions;
  std::vector<Statement> statements;  // of bodies
  std::vector<Operand> operands;
  std::vector<Variable> variables;
  std::vector<Value> values;
  std::vector<Register> registers;
  std::vector<Attribute> attributes;
  std::vector<Location> locations;
  std::vector<SourceFile> files;
  std::optional<Problem> problem;  // the first error; the tree then has what could be read

  Operands operands_of(const Statement& s) const {
    return {operands.data() + s.range.begin, operands.data() + s.range.end};
  }
  Place place_of(std::string_view part) const;  // of a view of the text; counts lines from the start
};

// Parses any text; never fails as a whole. The text must outlive the tree.
File parse(std::string_view text);

}  // namespace ww::ptx
