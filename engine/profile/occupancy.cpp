// SPDX-License-Identifier: Apache-2.0
#include "profile/occupancy.h"
#include <fmt/format.h>
#include <algorithm>

namespace ww::profile {
namespace {

template <class T>
T round_up(T n, T unit) {
  return (n + unit - 1) / unit * unit;
}

// Registers are given out per warp in whole units, within the quarter of the multiprocessor where the warp lives; the
// check whether one block fits at all rounds its warps up to all quarters.
int blocks_by_registers(const DeviceLimits& d, int warps, int registers) {
  if (registers == 0) return d.max_blocks_per_sm;
  if (registers > d.max_registers_per_thread) return 0;
  const int per_warp = round_up(registers * d.warp_threads, d.register_unit_per_warp);
  const std::int64_t per_block = std::int64_t{per_warp} * round_up(warps, d.sub_partitions);
  if (per_block > d.max_registers_per_block) return 0;
  const int warps_that_fit = d.registers_per_sm / d.sub_partitions / per_warp * d.sub_partitions;
  return warps_that_fit / warps;
}

}  // namespace

Occupancy occupancy(const DeviceLimits& d, const KernelShape& k) {
  Occupancy o;
  if (k.block_threads < 1 || k.block_threads > d.max_threads_per_block) {
    o.limiter = OccupancyLimit::block_size;
    o.why_none = fmt::format("a block of {} threads: {} allows 1 to {}", k.block_threads, d.architecture,
                             d.max_threads_per_block);
    return o;
  }
  const int warps = round_up(k.block_threads, d.warp_threads) / d.warp_threads;
  const std::int64_t wanted = k.static_shared + k.dynamic_shared;
  o.by_block_size = d.max_warps_per_sm() / warps;
  o.by_blocks = d.max_blocks_per_sm;
  o.by_registers = blocks_by_registers(d, warps, k.registers);
  const std::int64_t shared = round_up(wanted + d.reserved_shared_per_block, d.shared_unit);
  o.by_shared = wanted < 0 || wanted > d.max_shared_per_block
                    ? 0
                    : static_cast<int>(std::min<std::int64_t>(d.shared_per_sm / std::max<std::int64_t>(shared, 1),
                                                              d.max_blocks_per_sm));
  // What takes no registers or shared memory is not limited by them.
  o.by_registers = std::min(o.by_registers, d.max_blocks_per_sm);
  o.blocks = std::min({o.by_block_size, o.by_blocks, o.by_registers, o.by_shared});
  o.limiter = o.blocks == o.by_block_size  ? OccupancyLimit::block_size
              : o.blocks == o.by_blocks    ? OccupancyLimit::blocks
              : o.blocks == o.by_registers ? OccupancyLimit::registers
                                           : OccupancyLimit::shared_memory;
  o.warps = o.blocks * warps;
  o.fraction = static_cast<double>(o.warps) / d.max_warps_per_sm();
  if (o.blocks == 0)
    o.why_none = o.limiter == OccupancyLimit::registers
                     ? fmt::format("{} registers for each of {} threads are more than {} gives one block", k.registers,
                                   k.block_threads, d.architecture)
                     : fmt::format("{} bytes of shared memory: {} gives one block at most {}", wanted, d.architecture,
                                   d.max_shared_per_block);
  return o;
}

std::vector<CurvePoint> over_block_size(const DeviceLimits& d, const KernelShape& kernel) {
  std::vector<CurvePoint> out;
  for (KernelShape k = kernel;
       (k.block_threads = d.warp_threads * (static_cast<int>(out.size()) + 1)) <= d.max_threads_per_block;)
    out.push_back({k.block_threads, occupancy(d, k)});
  return out;
}

std::vector<CurvePoint> over_registers(const DeviceLimits& d, const KernelShape& kernel) {
  std::vector<CurvePoint> out;
  KernelShape k = kernel;
  for (k.registers = 1; k.registers <= d.max_registers_per_thread; ++k.registers)
    out.push_back({k.registers, occupancy(d, k)});
  return out;
}

std::vector<CurvePoint> over_shared(const DeviceLimits& d, const KernelShape& kernel) {
  std::vector<CurvePoint> out;
  KernelShape k = kernel;
  for (k.dynamic_shared = 0; k.static_shared + k.dynamic_shared <= d.max_shared_per_block; k.dynamic_shared += 1024)
    out.push_back({k.dynamic_shared, occupancy(d, k)});
  return out;
}

}  // namespace ww::profile
