// SPDX-License-Identifier: Apache-2.0
// What of a module a kernel needs: the functions that it may call, and the shared memory that they name.
#include <algorithm>
#include <set>
#include "simt/program_data.h"

namespace ww::simt {
namespace {

std::size_t aligned_to(std::size_t n, std::size_t to) { return (n + to - 1) / to * to; }

}  // namespace

std::vector<std::uint32_t> reachable(const Module& module, const Decoded& code, std::uint32_t function) {
  std::vector<bool> seen(code.functions.size());
  std::vector<std::uint32_t> order;
  const auto visit = [&](std::uint32_t f) {
    if (seen[f]) return;
    seen[f] = true;
    order.push_back(f);
  };
  visit(function);
  bool tables = false;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const FunctionCode& f = code.functions[order[i]];
    for (const std::uint32_t c : f.callees) visit(c);
    if (!f.calls_indirectly || tables) continue;
    tables = true;
    // Any function whose address is taken in an initialiser or in code may be the target.
    for (const Variable& v : module.variables)
      for (const Reference& r : v.references)
        if (const auto it = module.function_index.find(r.symbol); it != module.function_index.end())
          visit(static_cast<std::uint32_t>(it->second));
    for (const FunctionCode& g : code.functions)
      for (const Constant& c : g.constants)
        if (c.kind == Constant::Kind::function)
          visit(static_cast<std::uint32_t>((static_cast<std::uint64_t>(c.value) - function_base) / 16));
  }
  return order;
}

std::vector<std::uint32_t> shared_layout(const Decoded& code, const std::vector<std::uint32_t>& functions,
                                         std::size_t& static_bytes) {
  std::vector<std::uint32_t> at(code.shared.size(), ~0u);
  std::set<std::uint32_t> used;
  for (const std::uint32_t f : functions) used.insert(code.functions[f].shared.begin(), code.functions[f].shared.end());
  std::size_t end = 0, dynamic_align = 1;
  for (const std::uint32_t s : used) {
    const SharedVariable& v = code.shared[s];
    if (v.is_extern) {
      dynamic_align = std::max(dynamic_align, v.align);
      continue;
    }
    end = aligned_to(end, v.align);
    at[s] = static_cast<std::uint32_t>(end);
    end += v.bytes;
  }
  static_bytes = end;
  end = aligned_to(end, dynamic_align);
  for (const std::uint32_t s : used)
    if (code.shared[s].is_extern) at[s] = static_cast<std::uint32_t>(end);
  return at;
}

}  // namespace ww::simt
