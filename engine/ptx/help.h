// SPDX-License-Identifier: Apache-2.0
// Explanations of PTX instructions for readers: resources/ptx/instructions.txt.
#pragma once
#include <string>
#include <string_view>
#include <vector>
#include "base/result.h"

namespace ww::ptx {

struct InstructionHelp {
  enum class Operands : unsigned char { any, integer, floating, half };
  std::string opcode;  // "ld", "ld.global.nc"
  Operands operands = Operands::any;
  std::string section;  // of the PTX ISA: "9.7.9.8"
  std::string sentence;
};

struct InstructionHelps {
  std::string version;  // of the PTX ISA with these sections
  std::vector<InstructionHelp> list;
  // For an instruction with its modifiers ("ld.global.nc.f32"): the longest matching opcode. Null: unknown.
  const InstructionHelp* find(std::string_view instruction) const;
};

Result<InstructionHelps> read_helps(std::string_view text);
const InstructionHelps& instruction_helps();  // from resources; loaded once, empty if they cannot be read

}  // namespace ww::ptx
