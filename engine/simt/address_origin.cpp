// SPDX-License-Identifier: Apache-2.0
#include "simt/address_origin.h"
#include <algorithm>
#include <array>
#include <string_view>

namespace ww::simt {
namespace {

bool gives(const Instruction& i, std::uint32_t reg) {
  if (i.operands.empty()) return false;
  const auto is = [&](const Operand& o) { return o.kind == Operand::Kind::reg && o.index == reg; };
  const Operand& to = i.operands.front();
  return is(to) || (to.kind == Operand::Kind::vector && std::ranges::any_of(to.parts, is));
}

// The operands through which an address passes.
std::vector<std::size_t> passing(const Instruction& i) {
  struct Passing {
    std::string_view word;
    std::vector<std::size_t> operands;
  };
  static const std::array<Passing, 7> all = {{{"mov", {1}},
                                              {"cvta", {1}},
                                              {"add", {1, 2}},
                                              {"or", {1, 2}},  // of an address whose low bits are 0
                                              {"sub", {1}},
                                              {"mad", {3}},
                                              {"selp", {1, 2}}}};
  const auto at = std::ranges::find(all, std::string_view(i.words().front()), &Passing::word);
  return at == all.end() ? std::vector<std::size_t>() : at->operands;
}

}  // namespace

std::set<std::size_t> address_parameters(const Function& entry, std::size_t instruction) {
  std::set<std::size_t> found;
  std::set<std::uint32_t> seen;
  std::vector<std::uint32_t> open;
  const auto follow = [&](const Operand& o) {
    if (o.kind == Operand::Kind::reg && seen.insert(o.index).second) open.push_back(o.index);
  };
  for (const Operand& o : entry.body[instruction].operands)
    if (o.kind == Operand::Kind::address && !o.parts.empty()) follow(o.parts.front());
  while (!open.empty()) {
    const std::uint32_t reg = open.back();
    open.pop_back();
    for (const Instruction& i : entry.body) {
      if (!gives(i, reg)) continue;
      for (const std::size_t operand : passing(i))
        if (operand < i.operands.size()) follow(i.operands[operand]);
      const bool loads = i.words().size() > 1 && i.words()[0] == "ld" && i.words()[1] == "param";
      if (!loads || i.operands.size() < 2 || i.operands[1].parts.empty()) continue;
      const Operand& from = i.operands[1].parts.front();
      const std::size_t first = entry.returns.size();
      if (from.kind == Operand::Kind::variable && from.index >= first && from.index - first < entry.params.size())
        found.insert(from.index - first);
    }
  }
  return found;
}

}  // namespace ww::simt
