// SPDX-License-Identifier: Apache-2.0
// Recurrences, step by step: each step is a grid of its own that reads what the steps before it gave.
#include <algorithm>
#include <cmath>
#include "op/evaluator.h"
#include "op/interpret.h"
#include "op/walk.h"

namespace ww::op {

void Evaluator::begin_steps(const Carried& c) {
  const std::size_t points = static_cast<std::size_t>(points_of(c.grid));
  for (Dense* d : {c.out, c.read}) {
    if (!d) continue;
    d->type = c.type;
    d->shape.clear();
    for (const GridIndex& g : c.grid) d->shape.push_back(g.extent());
    if (c.type == Type::real)
      d->value.assign(points, 0);
    else
      d->integer.assign(points, 0);
    if (c.type == Type::real && rules_.bounds) d->error.assign(points, 0);
  }
  add_tensor(c.equation->target, view(c.read ? *c.read : *c.out));
}

void Evaluator::keep_step(const Carried& c, const Dense& step, std::int64_t at) {
  std::int64_t inner = 1;
  for (std::size_t d = c.along + 1; d < c.grid.size(); ++d) inner *= c.grid[d].extent();
  const std::int64_t steps = c.grid[c.along].extent(), rows = inner > 0 ? points_of(c.grid) / steps / inner : 0;
  const auto copy = [&](const auto& from, auto& to) {
    for (std::int64_t r = 0; r < rows; ++r)
      std::copy_n(from.begin() + r * inner, inner, to.begin() + (r * steps + at) * inner);
  };
  for (Dense* d : {c.out, c.read}) {
    if (!d) continue;
    if (c.type == Type::real)
      copy(step.value, d->value);
    else
      copy(step.integer, d->integer);
    if (step.error.empty()) continue;
    if (d->error.empty()) {  // integers, of which some are uncertain from this step on
      d->error.assign(static_cast<std::size_t>(points_of(c.grid)), 0);
      add_tensor(c.equation->target, view(c.read ? *c.read : *c.out));
    }
    copy(step.error, d->error);
  }
  if (!c.read || c.read->error.empty()) return;
  for (std::int64_t r = 0; r < rows; ++r)
    for (std::int64_t i = (r * steps + at) * inner; i < (r * steps + at + 1) * inner; ++i)
      store_rounded(c.dtype, c.rounding, c.read->value[static_cast<std::size_t>(i)],
                    c.read->error[static_cast<std::size_t>(i)]);
}

Status Evaluator::compute_steps(const std::vector<Carried>& equations, bool backward) {
  for (const Carried& c : equations) begin_steps(c);
  rules_.joined = true;
  const Status done = each_step(equations, backward);
  rules_.joined = false;
  return done;
}

// An equation without reductions is the same program at every step.
struct Evaluator::Prepared {
  Program program;
  Workers workers;
};

std::optional<Evaluator::Prepared> Evaluator::prepare(const Carried& c) const {
  bool reduces = false;
  for_each(*c.equation->value, [&](const Expr& e) { reduces = reduces || e.kind == ExprKind::reduce; });
  if (reduces) return std::nullopt;
  Scope scope;
  for (const GridIndex& g : c.grid) scope[g.name] = g;
  return Prepared{compile(c.equation->value, c.type, c.grid, scope, known_, tensors_, rules_), {}};
}

Status Evaluator::each_step(const std::vector<Carried>& equations, bool backward) {
  std::vector<std::optional<Prepared>> prepared;
  for (const Carried& c : equations) prepared.push_back(prepare(c));
  const std::int64_t steps = equations.front().grid[equations.front().along].extent();
  Dense values;
  for (std::int64_t s = 0; s < steps; ++s) {
    const std::int64_t at = backward ? steps - 1 - s : s;
    for (std::size_t m = 0; m < equations.size(); ++m) {
      const Carried& c = equations[m];
      if (points_of(c.grid) == 0) continue;
      std::vector<GridIndex> grid = c.grid;
      GridIndex& step = grid[c.along];
      step.lo += at;
      step.hi = step.lo + 1;
      values.type = c.type;
      const bool exact_before = c.out->error.empty();
      const Status done = prepared[m] ? run_into(prepared[m]->program, grid, values, &prepared[m]->workers)
                                      : compute(c.equation->value, c.type, grid, values);
      if (!done)
        return fail(done.error().code, "in the equation of '" + c.equation->target + "': " + done.error().message,
                    done.error().cause);
      keep_step(c, values, at);
      if (exact_before == c.out->error.empty()) continue;
      for (std::size_t k = 0; k < equations.size(); ++k)  // from here on, some integers are uncertain
        if (prepared[k]) prepared[k] = prepare(equations[k]);
    }
  }
  return {};
}

}  // namespace ww::op
