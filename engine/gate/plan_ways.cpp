// SPDX-License-Identifier: Apache-2.0
#include "gate/plan_ways.h"
#include <algorithm>
#include "gate/limits.h"
#include "op/parse.h"
#include "op/walk.h"

namespace ww::gate {
namespace {

bool grows(const op::ExprPtr& e, const op::Spec& spec) {
  bool found = false;
  if (e)
    op::for_each(*e, [&](const op::Expr& x) {
      found = found || (x.kind == op::ExprKind::name && std::ranges::count(spec.symbols, x.name) > 0);
    });
  return found;
}

double largest_tensor(const op::Spec& spec, const op::Binding& binding) {
  std::int64_t most = 0;
  for (const auto* list : {&spec.inputs, &spec.outputs})
    for (const op::Param& p : *list)
      if (const auto shape = op::shape_of(spec, p, binding)) most = std::max(most, op::element_count(*shape));
  return static_cast<double>(most);
}

}  // namespace

Way plan_way(const candidate::Candidate& candidate, const op::Spec& spec, const op::Binding& binding,
             const candidate::Tuning& tuning) {
  constexpr double most_each = 8;  // elements of a thread, in vectors or unrolled
  const auto choices = candidate::plan_choices(candidate, spec, binding, tuning);
  const auto plan = candidate::plan(candidate, spec, binding, tuning);
  if (!choices || !plan) return {};
  Way way = *choices;
  double threads = 0, blocks = 0;
  for (std::size_t i = 0; i < plan->launches.size(); ++i) {
    const candidate::PlannedLaunch& launch = plan->launches[i];
    blocks = std::max(blocks, product(launch.grid));
    if (std::ranges::none_of(candidate.launches[i].grid, [&](const op::ExprPtr& e) { return grows(e, spec); }))
      threads = std::max(threads, product(launch.grid) * product(launch.block));
  }
  if (threads > 0) {
    const double elements = largest_tensor(spec, binding);
    way.push_back(elements > most_each * threads ? 2 : elements > threads ? 1 : 0);
  }
  for (std::size_t i = 0; i < plan->temps.size(); ++i) {
    const candidate::Temp& t = candidate.temps[i];
    if (plan->temps[i].count > 1 && std::ranges::none_of(t.shape, [&](const auto& e) { return grows(e, spec); }))
      way.push_back(blocks > static_cast<double>(plan->temps[i].count) ? 1 : 0);
  }
  return way;
}

}  // namespace ww::gate
