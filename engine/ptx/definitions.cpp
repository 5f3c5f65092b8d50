// SPDX-License-Identifier: Apache-2.0
#include "ptx/definitions.h"
#include <algorithm>

namespace ww::ptx {
namespace {

bool writes_no_register(std::string_view opcode) {
  constexpr std::string_view none[] = {"st.", "red.", "bra", "bar", "call", "ret"};
  return std::ranges::any_of(none, [&](std::string_view prefix) { return opcode.starts_with(prefix); });
}

}  // namespace

std::map<std::string_view, const Statement*> only_definitions(const File& file, const Function& function) {
  std::map<std::string_view, const Statement*> out;
  for (std::uint32_t i = function.body.begin; i < function.body.end; ++i) {
    const Statement& s = file.statements[i];
    if (s.kind != Statement::Kind::instruction || writes_no_register(s.name)) continue;
    const Operands all = file.operands_of(s);
    if (all.count() == 0) continue;
    const Operand& to = *all.begin();
    for (std::uint32_t k = 0; k < to.extent; ++k) {
      const Operand& one = *(&to + k);
      if (one.kind != Operand::Kind::name || !one.text.starts_with('%')) continue;
      const auto [at, first] = out.try_emplace(one.text, &s);
      if (!first) at->second = nullptr;
    }
  }
  return out;
}

}  // namespace ww::ptx
