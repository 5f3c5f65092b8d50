// SPDX-License-Identifier: Apache-2.0
#include "exporter/dispatch.h"
#include <algorithm>
#include <fmt/format.h>
#include "evidence/explain.h"
#include "op/fixed_inputs.h"

namespace ww::exporter {
namespace {

auto constants_in(const op::Resolved& resolved) {
  std::map<std::string, std::pair<double, std::int64_t>> out;
  for (const op::ResolvedConstant& c : resolved.constants) out[c.name] = {c.real, c.integer};
  return out;
}

auto fixed_of(const op::Spec& spec) {
  const auto [first, last] = spec.directives.equal_range(std::string(op::value_key));
  return std::multimap<std::string, std::string>(first, last);
}

Status same_op(const Explored& first, const Explored& other) {
  const auto differs = [&](const char* what) {
    return fail(Code::invalid_argument,
                fmt::format("candidates {} and {} are of different {}", first.candidate.id, other.candidate.id, what));
  };
  if (!same_equations(first.asked.spec, other.asked.spec) || fixed_of(first.asked.spec) != fixed_of(other.asked.spec))
    return differs("specs");
  const op::Resolved ours = WW_TRY(op::resolve(first.asked.spec, first.asked.binding));
  const op::Resolved theirs = WW_TRY(op::resolve(other.asked.spec, other.asked.binding));
  return constants_in(ours) == constants_in(theirs) ? Status() : differs("constants");
}

}  // namespace

Result<DispatchTable> dispatch_table(const std::vector<Explored>& explored) {
  DispatchTable table;
  std::map<Sizes, const Explored*> taken;
  for (const Explored& e : explored) {
    WW_TRY(same_op(explored.front(), e));
    table.op = explored.front().asked.spec.name;
    const op::Resolved resolved = WW_TRY(op::resolve(e.asked.spec, e.asked.binding));
    Sizes sizes;
    for (const std::string& s : e.asked.spec.symbols) sizes[s] = resolved.symbols.at(s);
    const auto [at, is_new] = taken.try_emplace(sizes, &e);
    if (!is_new)
      return fail(Code::invalid_argument,
                  fmt::format("candidates {} and {} are both for {}; give one of them", at->second->candidate.id,
                              e.candidate.id, evidence::binding_text({sizes, {}})));
    const auto known = std::ranges::find(table.entries, e.candidate.hash, &DispatchEntry::candidate);
    if (known != table.entries.end()) {
      known->sizes.push_back(sizes);
      continue;
    }
    const std::string folder = table.entries.empty() ? "." : fmt::format("kernel_{}", table.entries.size() + 1);
    table.entries.push_back({folder, e.candidate.hash, {sizes}});
  }
  return table;
}

}  // namespace ww::exporter
