// SPDX-License-Identifier: Apache-2.0
#include "search/families.h"
#include "search/row_place.h"
#include "search/row_steps.h"
#include "search/rows.h"
#include "search/terms.h"

namespace ww::search {

namespace {

Variant variant(std::string structure, std::string title, std::string why, RowSchedule schedule) {
  return {std::move(structure), std::move(title), std::move(why),
          [schedule](Source& source, const Group& group, const std::set<std::string>& kept, const std::string& name,
                     const std::string& about) { lower_rows(source, group, schedule, kept, name, about); }};
}

Variant serial(const Group& group) {
  const RowSchedule s{};
  switch (group.kind) {
    case Kind::map:
    case Kind::transpose:
      return variant("map-scalar", "One thread per element",
                     "One thread computes one element. Neighbouring threads write neighbouring elements, so the stores "
                     "of a warp fill whole sectors.",
                     s);
    case Kind::contraction:
      return variant("contraction-naive", "One thread per output, operands from global memory",
                     "One thread runs the whole sum for one output element. Simple, but every operand is loaded as "
                     "often as it is used: the caches carry the load.",
                     s);
    case Kind::window:
      return variant("window-direct", "One thread per output, window from global memory",
                     "One thread walks over the window of one output element. Neighbouring windows overlap, and the "
                     "overlap is loaded again from the caches.",
                     s);
    case Kind::columns:
      return variant("column-thread", "One thread per column",
                     "One thread runs down one column. At each step a warp reads 32 neighbouring elements of one line, "
                     "so the loads are coalesced; there are only as many "
                     "threads as columns.",
                     s);
    case Kind::scan:
      return variant("scan-quadratic", "One thread per element, each from the start",
                     "One thread per output sums its whole prefix again: no communication, but quadratic work.", s);
    default:
      return variant("row-thread", "One thread per row",
                     "One thread computes one whole row. No communication, but few threads for few rows, and "
                     "neighbouring threads read addresses that are a row apart.",
                     s);
  }
}

}  // namespace

std::vector<Variant> row_variants(const Program& program, const Group& group) {
  using Cache = RowSchedule::Cache;
  std::vector<Variant> out;
  const bool reduces = std::any_of(group.equations.begin(), group.equations.end(),
                                   [](const Equation& eq) { return has_reduce(*eq.value); });
  const Variant thread = serial(group);
  if (!reduces || widest_inner(program, group) < 8) return {thread};
  const auto offer = [&](RowSchedule s, const auto& change, const char* structure, const char* title, const char* why) {
    change(s);
    if (row_schedule_fits(program, group, s)) out.push_back(variant(structure, title, why, s));
  };
  RowSchedule warp, block;
  warp.team = Team::warp;
  block.team = Team::block;
  const Variant warp_variant =
      variant("row-warp", "One warp per row, joined by shuffles",
              "A warp shares one row: lane i takes elements i, i + 32, …, so each load of a warp is contiguous. "
              "Partial results meet through register "
              "shuffles, without shared memory and barriers. Good for rows of up to a few thousand elements.",
              warp);
  const Variant block_variant = variant("row-block", "One block per row, shuffles and shared memory",
                                        "A whole block shares one row. Each warp reduces with shuffles; the warps' "
                                        "results meet in shared memory. More threads per row than a "
                                        "warp has: better for long or few rows, at the cost of barriers.",
                                        block);
  out.push_back(warp_variant);
  out.push_back(block_variant);
  offer(
      block, [](RowSchedule& s) { s.cache = Cache::shared; }, row_block_shared,
      "One block per row, the row kept in shared memory",
      "The row is read from global memory once and kept in shared memory for the later passes: global "
      "traffic falls to the minimum of one read and one write.");
  offer(
      warp, [](RowSchedule& s) { s.online = true; }, "row-warp-online", "One warp per row, statistics in one pass",
      "Statistics that seem to need two passes over the row are computed in one: fewer reads, more "
      "arithmetic per element.");
  offer(
      warp, [](RowSchedule& s) { s.cache = Cache::registers; }, row_warp_registers,
      "One warp per row, the row kept in registers",
      "Each lane keeps its share of the row in registers, with the loops unrolled so that they are registers "
      "in fact. One read of global memory, no shared memory; the row "
      "length is bounded.");
  offer(
      warp, [](RowSchedule& s) { s.vectors = true; }, "row-warp-vector", "One warp per row, vector loads",
      "Each lane loads several neighbouring elements with one instruction: fewer instructions for the same "
      "bytes. The row length must be a multiple of the vector.");
  offer(
      block, [](RowSchedule& s) { s.tree = true; }, "row-block-tree", "One block per row, tree in shared memory",
      "The classic reduction: a tree of halving steps in shared memory. Compare with the shuffle version: "
      "more barriers and shared-memory traffic.");
  offer(
      block, [](RowSchedule& s) { s.vectors = true; }, "row-block-vector", "One block per row, vector loads",
      "A block per row whose threads load several neighbouring elements with one instruction.");
  offer(
      block, [](RowSchedule& s) { s.online = true; }, "row-block-online", "One block per row, statistics in one pass",
      "One pass for all statistics of the row, with a whole block on it.");
  offer(
      block, [](RowSchedule& s) { s.cache = Cache::registers; }, row_block_registers,
      "One block per row, the row kept in registers",
      "Every thread of the block keeps its share of the row in registers between the passes.");
  out.push_back(thread);
  return out;
}

}  // namespace ww::search
