// SPDX-License-Identifier: Apache-2.0
#include "gate/order_dependence.h"
#include <algorithm>
#include <cmath>
#include <vector>
#include "ptx/notable.h"
#include "ptx/syntax.h"

namespace ww::gate {
namespace {

constexpr RunOrder in_order{BlockOrder::ascending};

struct Seen {
  bool ended = false, right = false;
  std::optional<FaultKind> fault;
  std::optional<FailingElement> element;
};

Result<Seen> look(const FreshRun& run, const RunOptions& options) {
  const Result<RunOutcome> outcome = run(options);
  if (!outcome && outcome.error().code == Code::cancelled) return fail(outcome.error());
  Seen seen;
  if (!outcome) return seen;
  seen.ended = true;
  seen.right = outcome->right;
  if (outcome->fault) seen.fault = outcome->fault->kind;
  seen.element = outcome->element;
  return seen;
}

// Beyond what another order of rounding explains: another worst element, or another value of it.
bool differ(const FailingElement& a, const FailingElement& b) {
  if (a.tensor != b.tensor || a.index != b.index) return true;
  if (std::isnan(a.actual) || std::isnan(b.actual)) return std::isnan(a.actual) != std::isnan(b.actual);
  return a.actual != b.actual && !(std::abs(a.actual - b.actual) <= a.tolerance);
}

bool differ(const Seen& a, const Seen& b) {
  if (!a.ended || !b.ended) return false;
  if (a.right != b.right) return true;
  if (a.right) return false;
  if (a.fault != b.fault) return (!a.fault || decides(*a.fault)) && (!b.fault || decides(*b.fault));
  return a.element && b.element && differ(*a.element, *b.element);
}

struct Variant {
  DependsOn what;
  RunOrder order;
};

// What a plan can run in several orders.
struct Parts {
  bool lanes = false, warps = false, blocks = false, atomics = false;
};

Parts parts_of(const WrongRun& wrong) {
  Parts has;
  for (const candidate::PlannedLaunch& l : wrong.plan.launches) {
    const double threads = 1.0 * l.block[0] * l.block[1] * l.block[2];
    has.blocks = has.blocks || 1.0 * l.grid[0] * l.grid[1] * l.grid[2] > 1;
    has.warps = has.warps || threads > 32;
    has.lanes = has.lanes || threads > 1;
  }
  has.atomics = std::ranges::any_of(ptx::parse(wrong.ptx).statements,
                                    [](const ptx::Statement& s) { return ptx::is_atomic(s.name); });
  return has;
}

// `from`, each time with one part as in `to`.
std::vector<Variant> steps(const RunOrder& from, const RunOrder& to) {
  std::vector<Variant> all;
  const auto add = [&](DependsOn what, auto member) {
    if (from.*member == to.*member) return;
    all.push_back({what, from});
    all.back().order.*member = to.*member;
  };
  add(DependsOn::atomics, &RunOrder::atomic_lanes);  // first: lanes that run apart change this, too
  add(DependsOn::lanes, &RunOrder::apart);
  add(DependsOn::warps, &RunOrder::warps_reversed);
  add(DependsOn::warps, &RunOrder::first_warp);
  add(DependsOn::blocks, &RunOrder::blocks);
  add(DependsOn::atomics, &RunOrder::turns);
  return all;
}

// Orders to compare with the usual one; each differs in one part.
std::vector<Variant> other_orders(const Parts& has) {
  constexpr std::uint32_t descending = 32 * 31 + 31;  // of lanes: from the last, by steps of -1
  std::vector<Variant> all;
  const auto add = [&](DependsOn what, auto member, auto value) {
    all.push_back({what, in_order});
    all.back().order.*member = value;
  };
  if (has.lanes && has.atomics) add(DependsOn::atomics, &RunOrder::atomic_lanes, descending);
  if (has.lanes)
    for (const std::uint32_t apart : {0x0000ffffu, 0xffff0000u, 0x5a3c96a5u})
      add(DependsOn::lanes, &RunOrder::apart, apart);
  if (has.warps) {
    add(DependsOn::warps, &RunOrder::warps_reversed, true);
    for (const std::uint32_t first : {1u, 2u}) add(DependsOn::warps, &RunOrder::first_warp, first);
  }
  if (!has.blocks) return all;
  for (const BlockOrder order : {BlockOrder::descending, BlockOrder::drawn})
    add(DependsOn::blocks, &RunOrder::blocks, order);
  if (has.atomics)
    for (const std::uint32_t turns : {1u, 2u}) add(DependsOn::atomics, &RunOrder::turns, turns);
  return all;
}

RunOptions repeated(const WrongRun& wrong) {
  RunOptions options = wrong.options;
  options.counters = false;
  options.keep_outputs = true;
  options.previous = nullptr;
  return options;
}

}  // namespace

Result<DependsOn> depends_on(const FreshRun& run, const WrongRun& wrong) {
  RunOptions options = repeated(wrong);
  const bool by_chance = options.threads != 1;  // blocks ran at once
  options.threads = 1;
  options.checks = device::Checks::bounds;
  const auto seen_in = [&](const RunOrder& order) {
    options.order = order;
    return look(run, options);
  };
  const RunOrder drawn = wrong.options.order;
  const Seen first = WW_TRY(seen_in(drawn)), usual = WW_TRY(seen_in(in_order));
  if (differ(first, usual)) {
    for (const Variant& v : steps(in_order, drawn))
      if (differ(usual, WW_TRY(seen_in(v.order)))) return v.what;
    for (const Variant& v : steps(drawn, in_order))
      if (differ(first, WW_TRY(seen_in(v.order)))) return v.what;
    return DependsOn::unknown;
  }
  const Parts has = parts_of(wrong);
  for (const Variant& v : other_orders(has))
    if (differ(usual, WW_TRY(seen_in(v.order)))) return v.what;
  if (!first.ended) return DependsOn::unknown;
  if (!first.right) return DependsOn::no_order;
  // Without a variable that lasts, blocks that ran at once are the likelier reason.
  if (wrong.later_call && (!by_chance || !ptx::kept_variables(wrong.ptx).empty())) return DependsOn::calls;
  return by_chance ? DependsOn::chance : DependsOn::unknown;
}

Result<DependsOn> repeated_unchanged(const FreshRun& run, const WrongRun& wrong, int repeats) {
  const RunOptions options = repeated(wrong);
  const Seen first = WW_TRY(look(run, options));
  for (int i = 1; i < repeats; ++i)
    if (differ(first, WW_TRY(look(run, options)))) return DependsOn::chance;
  if (!first.ended || !first.right) return DependsOn::unknown;
  return wrong.later_call ? DependsOn::calls : DependsOn::chance;
}

}  // namespace ww::gate
