// SPDX-License-Identifier: Apache-2.0
#include "candidate/excluded.h"
#include <set>
#include "op/parse.h"
#include "op/walk.h"

namespace ww::candidate {
namespace {

constexpr std::int64_t farthest = 4096;  // from the size that does not fit

struct Fit {
  std::string symbol;
  std::int64_t value = 0, distance = farthest + 1;
};

bool fits(const Candidate& candidate, const op::Spec& spec, const op::Binding& binding, const Tuning& tuning) {
  if (!claims(candidate, spec, binding, tuning).value_or(false)) return false;
  for (const std::vector<op::Param>* list : {&spec.inputs, &spec.outputs})
    for (const op::Param& p : *list)
      if (!op::shape_of(spec, p, binding)) return false;
  return true;
}

// The nearest value of one symbol at which all "require" lines hold.
Fit nearest(const Candidate& candidate, const op::Spec& spec, const std::map<std::string, std::int64_t>& sizes,
            const op::Binding& binding, const Tuning& tuning, const std::set<std::string>& symbols) {
  Fit best;
  for (const std::string& symbol : symbols) {
    op::Binding other = binding;
    const std::int64_t now = sizes.at(symbol);
    for (std::int64_t d = 1; d < best.distance; ++d)
      for (const std::int64_t value : {now - d, now + d}) {
        if (value < 1 || d >= best.distance) continue;
        other.symbols[symbol] = value;
        if (fits(candidate, spec, other, tuning)) best = {symbol, value, d};
      }
  }
  return best;
}

}  // namespace

std::string excluded_text(const Candidate& candidate, const op::Spec& spec, const op::Binding& binding,
                          const Tuning& tuning) {
  const Result<op::Resolved> resolved = op::resolve(spec, binding);
  if (!resolved) return {};
  for (const op::ExprPtr& condition : candidate.requires_) {
    Candidate alone = candidate;
    alone.requires_ = {condition};
    if (claims(alone, spec, binding, tuning).value_or(true)) continue;
    std::set<std::string> symbols;
    std::string sizes;
    op::for_each(*condition, [&](const op::Expr& e) {
      const auto size = e.kind == op::ExprKind::name ? resolved->symbols.find(e.name) : resolved->symbols.end();
      if (size != resolved->symbols.end() && symbols.insert(e.name).second)
        sizes += (sizes.empty() ? "" : ", ") + e.name + " = " + std::to_string(size->second);
    });
    std::string text =
        "\"require " + op::print(*condition) + "\" excludes it" + (sizes.empty() ? "" : " (" + sizes + ")");
    if (const Fit fit = nearest(candidate, spec, resolved->symbols, binding, tuning, symbols); !fit.symbol.empty())
      text += "; it would fit with --set " + fit.symbol + "=" + std::to_string(fit.value);
    return text;
  }
  return {};
}

}  // namespace ww::candidate
