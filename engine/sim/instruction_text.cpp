// SPDX-License-Identifier: Apache-2.0
#include "sim/instruction_text.h"
#include <vector>
#include "sim/bytes.h"

namespace ww::sim {
namespace {

std::string joined(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& p : parts) text += (text.empty() ? "" : ", ") + p;
  return text;
}

class Printer {
 public:
  explicit Printer(const simt::Function& function) : function_(function) {}

  std::string instruction(const simt::Instruction& i) const {
    std::string text;
    if (i.guard >= 0)
      text +=
          std::string(i.guard_negated ? "@!" : "@") + function_.registers[static_cast<std::size_t>(i.guard)].name + " ";
    text += i.opcode();
    const std::string operands = joined(all(i.operands));
    return operands.empty() ? text : text + " " + operands;
  }

 private:
  std::vector<std::string> all(const std::vector<simt::Operand>& operands) const {
    std::vector<std::string> texts;
    for (const simt::Operand& o : operands) texts.push_back(operand(o));
    return texts;
  }
  static std::string offset(std::int64_t value) {
    return value == 0 ? "" : (value > 0 ? "+" : "") + std::to_string(value);
  }
  std::string operand(const simt::Operand& o) const {
    using Kind = simt::Operand::Kind;
    switch (o.kind) {
      case Kind::reg: return (o.negated ? "!" : "") + function_.registers[o.index].name;
      case Kind::integer: return std::to_string(o.value);
      case Kind::real: {
        const auto bits = static_cast<std::uint64_t>(o.value);
        return element_text(DType::f64, reinterpret_cast<const char*>(&bits));
      }
      case Kind::special: return o.name;
      case Kind::variable: return function_.variables[o.index].name + offset(o.value);
      case Kind::symbol: return o.name + offset(o.value);
      case Kind::label: return "to line " + std::to_string(line_of(o.index));
      case Kind::address:
        return "[" + (o.parts.empty() ? std::to_string(o.value) : operand(o.parts[0]) + offset(o.value)) + "]";
      case Kind::vector: return "{" + joined(all(o.parts)) + "}";
      case Kind::list: return "(" + joined(all(o.parts)) + ")";
      case Kind::sink: return "_";
      case Kind::pair: return o.parts.size() == 2 ? operand(o.parts[0]) + "|" + operand(o.parts[1]) : "";
      case Kind::prototype: return "prototype";
      case Kind::table: {
        std::vector<std::string> lines;
        for (const std::uint32_t to : function_.branch_tables[o.index]) lines.push_back(std::to_string(line_of(to)));
        return "to one of lines " + joined(lines);
      }
    }
    return "?";
  }
  int line_of(std::uint32_t instruction) const {
    return instruction < function_.body.size() ? function_.body[instruction].line : 0;
  }

  const simt::Function& function_;
};

}  // namespace

std::string instruction_text(const simt::Function& function, const simt::Instruction& instruction) {
  return Printer(function).instruction(instruction);
}

}  // namespace ww::sim
