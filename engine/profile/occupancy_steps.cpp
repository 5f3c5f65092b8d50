// SPDX-License-Identifier: Apache-2.0
#include "profile/occupancy_steps.h"
#include <fmt/format.h>
#include <algorithm>
#include <cstdlib>

namespace ww::profile {
namespace {

std::string percent(const Occupancy& o) { return fmt::format("{:.0f} %", 100 * o.fraction); }

}  // namespace

std::vector<OccupancyStep> next_steps(const DeviceLimits& d, const KernelShape& kernel) {
  const Occupancy now = occupancy(d, kernel);
  std::vector<OccupancyStep> steps;
  const auto better = [&](const Occupancy& o) { return o.warps > now.warps; };
  for (KernelShape k = kernel; k.registers > 1;) {
    --k.registers;
    const Occupancy o = occupancy(d, k);
    if (!better(o)) continue;
    steps.push_back({OccupancyLimit::registers, kernel.registers, k.registers, now, o});
    break;
  }
  const std::int64_t shared = kernel.static_shared + kernel.dynamic_shared;
  // Shared memory is given out in units: only whole units change anything.
  for (std::int64_t s = shared - 1; s >= 0; --s) {
    if (s > 0 && (s + d.reserved_shared_per_block) % d.shared_unit != 0) continue;
    const Occupancy o = occupancy(d, {kernel.block_threads, kernel.registers, 0, s});
    if (!better(o)) continue;
    steps.push_back({OccupancyLimit::shared_memory, shared, s, now, o});
    break;
  }
  OccupancyStep block{OccupancyLimit::block_size, kernel.block_threads, 0, now, {}};
  for (int threads = d.warp_threads; threads <= d.max_threads_per_block; threads += d.warp_threads) {
    KernelShape k = kernel;
    k.block_threads = threads;
    const Occupancy o = occupancy(d, k);
    if (!better(o)) continue;
    const auto away = std::abs(threads - kernel.block_threads);
    if (block.to == 0 || away < std::abs(block.to - block.from)) block.to = threads, block.after = o;
  }
  if (block.to != 0) steps.push_back(block);
  const auto of_limiter = [&](const OccupancyStep& s) {
    return s.quantity == now.limiter ||
           (s.quantity == OccupancyLimit::block_size && now.limiter == OccupancyLimit::blocks);
  };
  std::stable_partition(steps.begin(), steps.end(), of_limiter);
  return steps;
}

std::string step_text(const OccupancyStep& s) {
  const std::int64_t by = std::abs(s.to - s.from);
  std::string what;
  if (s.quantity == OccupancyLimit::registers)
    what = fmt::format("with {} fewer register{} per thread ({})", by, by == 1 ? "" : "s", s.to);
  else if (s.quantity == OccupancyLimit::shared_memory)
    what = fmt::format("with {} fewer bytes of shared memory per block ({})", by, s.to);
  else
    what = fmt::format("with blocks of {} threads", s.to);
  const int more = s.after.blocks - s.before.blocks;
  // Blocks of another size are not comparable by their number.
  if (s.quantity == OccupancyLimit::block_size)
    return what + fmt::format(", {} warps fit instead of {}: {} instead of {}", s.after.warps, s.before.warps,
                              percent(s.after), percent(s.before));
  return what + fmt::format(", {} more block{} fit{}: {} instead of {}", more, more == 1 ? "" : "s",
                            more == 1 ? "s" : "", percent(s.after), percent(s.before));
}

}  // namespace ww::profile
