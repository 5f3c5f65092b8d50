// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include "sim/bytes.h"
#include "sim/code.h"
#include "sim/run.h"
#include "simt/module.h"
#include "simt/program.h"
#include "simt/program_data.h"

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

std::string param_text(const simt::Variable& v) {
  std::string text(simt::type_name(v.type));
  if (v.is_array) text += "[" + std::to_string(v.count) + "]";
  return text + " " + v.name;
}

}  // namespace

Result<Listing> list(const Job& job, compile::Compiler* compiler) {
  Outcome compiled;
  const std::string ptx = WW_TRY(ptx_of(job, compiler, compiled));
  const std::shared_ptr<const simt::Program> program = WW_TRY(simt::load(ptx));
  const simt::Module& module = program->module();
  const simt::Decoded& code = program->data().decoded(simt::level_full | simt::level_counters);
  Listing out;
  out.version = module.version;
  out.target = module.target;
  for (std::size_t f = 0; f < module.functions.size(); ++f) {
    const simt::Function& function = module.functions[f];
    if (!function.has_body) continue;
    ListedFunction listed;
    listed.name = function.name;
    listed.is_kernel = function.is_entry;
    for (const simt::Variable& p : function.params) listed.params.push_back(param_text(p));
    listed.registers = static_cast<std::int64_t>(function.registers.size());
    if (const simt::KernelInfo* k = program->kernel(function.name)) {
      listed.static_shared = static_cast<std::int64_t>(k->static_shared);
      listed.local = static_cast<std::int64_t>(k->local_bytes);
    }
    std::map<int, std::string> refused;
    for (const auto& u : code.functions[f].unsupported)
      refused[u.line] = u.reason.empty() ? "the machine does not know it" : u.reason;
    const Printer printer(function);
    for (const simt::Instruction& i : function.body) {
      const auto why = refused.find(i.line);
      listed.instructions.push_back(
          {printer.instruction(i), i.line, i.source_line, why == refused.end() ? "" : why->second});
    }
    out.functions.push_back(std::move(listed));
  }
  return out;
}

}  // namespace ww::sim
