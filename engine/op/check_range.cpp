// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include "op/checker.h"
#include "op/names.h"
#include "op/parse.h"
#include "op/walk.h"

namespace ww::op {

Checker::ActiveIndex* Checker::active(const std::string& name) {
  for (ActiveIndex& a : active_)
    if (a.index.name == name) return &a;
  return nullptr;
}

bool Checker::begin_index(const Index& raw) {
  bool ok = true;
  if (active(raw.name)) {
    error(raw.span, "index '" + raw.name + "' is already in use here", "give this one another name");
    ok = false;
  } else if (const auto found = declared_.find(raw.name); found != declared_.end()) {
    static constexpr const char* what[] = {"an input", "an output", "a tensor", "a shape symbol", "a constant"};
    error(raw.span, "index '" + raw.name + "' has the name of " + what[static_cast<int>(found->second.kind)],
          "give the index another name");
    ok = false;
  }
  ActiveIndex a;
  a.index = raw;
  if (raw.given) {
    a.index.lo = integer_expr(raw.lo, "the range of index '" + raw.name + "'");
    a.index.hi = integer_expr(raw.hi, "the range of index '" + raw.name + "'");
    ok = ok && a.index.lo && a.index.hi;
  }
  active_.push_back(std::move(a));
  return ok;
}

bool Checker::infer(ActiveIndex& a) {
  if (a.index.given) return a.index.lo && a.index.hi;
  const std::vector<Use>& uses = a.uses.empty() ? a.guarded : a.uses;
  if (uses.empty()) {
    error(a.index.span,
          "the range of index '" + a.index.name + "' cannot be inferred, because it subscripts no dimension by itself",
          "give the range: " + a.index.name + " in 0..n");
    return false;
  }
  a.index.lo = integer_literal(0);
  a.index.hi = uses.front().extent;
  if (&uses == &a.guarded) return true;
  for (const Use& use : uses) {
    if (same_integer(*use.extent, *a.index.hi)) continue;
    error(use.span,
          "index '" + a.index.name + "' would run over " + print(*a.index.hi) + " (dimension " +
              std::to_string(uses.front().dimension) + " of '" + uses.front().tensor + "') and over " +
              print(*use.extent) + " (dimension " + std::to_string(use.dimension) + " of '" + use.tensor + "')",
          "use two indices, or give the range: " + a.index.name + " in 0.." + print(*a.index.hi));
    return false;
  }
  return true;
}

}  // namespace ww::op
