// SPDX-License-Identifier: Apache-2.0
#include "ptx/help.h"

#include <algorithm>
#include <array>
#include <optional>
#include "base/ascii.h"
#include "base/files.h"
#include "base/log.h"

namespace ww::ptx {
namespace {

using HelpOperands = InstructionHelp::Operands;

std::optional<HelpOperands> read_operands(std::string_view word) {
  if (word == "any") return HelpOperands::any;
  if (word == "int") return HelpOperands::integer;
  if (word == "float") return HelpOperands::floating;
  if (word == "half") return HelpOperands::half;
  return {};
}

// Of the last modifier that is a type.
HelpOperands operands_of(std::string_view instruction) {
  while (instruction.find('.') != instruction.npos) {
    const std::size_t dot = instruction.rfind('.');
    const std::string_view word = instruction.substr(dot + 1);
    instruction = instruction.substr(0, dot);
    if (word.starts_with("f16") || word.starts_with("bf16")) return HelpOperands::half;
    if (word == "f32" || word == "f64" || word == "f32x2" || word == "tf32") return HelpOperands::floating;
    if (word.size() > 1 && (word[0] == 's' || word[0] == 'u' || word[0] == 'b') &&
        word.find_first_not_of("0123456789x", 1) == word.npos)
      return HelpOperands::integer;
  }
  return HelpOperands::any;
}

}  // namespace

const InstructionHelp* InstructionHelps::find(std::string_view instruction) const {
  const HelpOperands operands = operands_of(instruction);
  for (std::string_view opcode = instruction; !opcode.empty();
       opcode = opcode.substr(0, opcode.find('.') == opcode.npos ? 0 : opcode.rfind('.')))
    for (const InstructionHelp& help : list)
      if (help.opcode == opcode && (help.operands == HelpOperands::any || help.operands == operands)) return &help;
  return nullptr;
}

Result<InstructionHelps> read_helps(std::string_view text) {
  InstructionHelps out;
  for (int number = 1; !text.empty(); ++number) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    line = trimmed(line);
    if (line.empty() || line[0] == '#') continue;
    if (line.starts_with("version ")) {
      out.version = trimmed(line.substr(8));
      continue;
    }
    std::array<std::string_view, 4> parts;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const std::size_t bar = i + 1 < parts.size() ? line.find('|') : line.npos;
      parts[i] = trimmed(line.substr(0, bar));
      line = bar == line.npos ? std::string_view() : line.substr(bar + 1);
    }
    const std::optional<HelpOperands> operands = read_operands(parts[1]);
    if (!operands || std::any_of(parts.begin(), parts.end(), [](std::string_view p) { return p.empty(); }))
      return fail(Code::parse, "line " + std::to_string(number) + " is no opcode | operands | section | sentence");
    out.list.push_back({std::string(parts[0]), *operands, std::string(parts[2]), std::string(parts[3])});
  }
  return out;
}

const InstructionHelps& instruction_helps() {
  static const InstructionHelps helps = [] {
    const auto text = read_file(resources_dir() / "ptx/instructions.txt");
    auto read = text ? read_helps(*text) : Result<InstructionHelps>(fail(text.error()));
    if (read) return std::move(*read);
    log::warn(read.error().text());
    return InstructionHelps();
  }();
  return helps;
}

}  // namespace ww::ptx
