// SPDX-License-Identifier: Apache-2.0
#include "sim/operand_registers.h"
#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include "simt/module.h"

namespace ww::sim {
namespace {

using Kind = simt::Operand::Kind;

// Of instructions whose first operand, if it is a register, is only read.
bool reads_first_operand(const std::string& opcode) {
  static constexpr std::array<std::string_view, 7> readers{"bar.sync", "bar.arrive", "bar.warp", "call",
                                                           "barrier",  "brx",        "nanosleep"};
  return opcode.find(".red.") == std::string::npos &&
         std::ranges::any_of(readers, [&](std::string_view r) { return opcode.starts_with(r); });
}

void add(const simt::Operand& o, std::vector<std::uint32_t>& to) {
  if (o.kind == Kind::reg) to.push_back(o.index);
  for (const simt::Operand& part : o.parts) add(part, to);
}

bool is_written(const simt::Instruction& i) {
  if (i.operands.empty() || reads_first_operand(i.opcode())) return false;
  const Kind kind = i.operands[0].kind;
  return kind == Kind::reg || kind == Kind::vector || kind == Kind::pair || kind == Kind::list;
}

}  // namespace

std::vector<std::uint32_t> written_registers(const simt::Instruction& instruction) {
  std::vector<std::uint32_t> out;
  if (is_written(instruction)) add(instruction.operands[0], out);
  return out;
}

std::vector<std::uint32_t> read_registers(const simt::Instruction& instruction) {
  std::vector<std::uint32_t> out;
  if (instruction.guard >= 0) out.push_back(static_cast<std::uint32_t>(instruction.guard));
  const bool accumulates = instruction.opcode().starts_with("wgmma.mma");  // in its first operand
  for (std::size_t i = is_written(instruction) && !accumulates ? 1 : 0; i < instruction.operands.size(); ++i)
    add(instruction.operands[i], out);
  return out;
}

}  // namespace ww::sim
