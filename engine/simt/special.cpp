// SPDX-License-Identifier: Apache-2.0
#include "simt/special.h"
#include "simt/block.h"

namespace ww::simt {
namespace {

struct Named {
  std::string_view name;
  Special id;
  bool is_64;
};
constexpr Named names[] = {{"%tid.x", Special::tid_x, false},
                           {"%tid.y", Special::tid_y, false},
                           {"%tid.z", Special::tid_z, false},
                           {"%ntid.x", Special::ntid_x, false},
                           {"%ntid.y", Special::ntid_y, false},
                           {"%ntid.z", Special::ntid_z, false},
                           {"%ctaid.x", Special::ctaid_x, false},
                           {"%ctaid.y", Special::ctaid_y, false},
                           {"%ctaid.z", Special::ctaid_z, false},
                           {"%nctaid.x", Special::nctaid_x, false},
                           {"%nctaid.y", Special::nctaid_y, false},
                           {"%nctaid.z", Special::nctaid_z, false},
                           {"%laneid", Special::laneid, false},
                           {"%warpid", Special::warpid, false},
                           {"%nwarpid", Special::nwarpid, false},
                           {"%smid", Special::smid, false},
                           {"%nsmid", Special::nsmid, false},
                           {"%gridid", Special::gridid64, true},
                           {"%current_graph_exec", Special::current_graph64, true},
                           {"%lanemask_eq", Special::lanemask_eq, false},
                           {"%lanemask_lt", Special::lanemask_lt, false},
                           {"%lanemask_le", Special::lanemask_le, false},
                           {"%lanemask_gt", Special::lanemask_gt, false},
                           {"%lanemask_ge", Special::lanemask_ge, false},
                           {"%clock", Special::clock, false},
                           {"%clock_hi", Special::clock_hi, false},
                           {"%globaltimer_lo", Special::globaltimer_lo, false},
                           {"%globaltimer_hi", Special::globaltimer_hi, false},
                           {"%dynamic_smem_size", Special::dynamic_smem_size, false},
                           {"%total_smem_size", Special::total_smem_size, false},
                           // Where the driver has put the barrier of a cooperative grid.
                           {"%envreg1", Special::grid_barrier_hi, false},
                           {"%envreg2", Special::grid_barrier_lo, false},
                           // The block is a cluster of its own.
                           {"%is_explicit_cluster", Special::zero, false},
                           {"%cluster_ctaid.x", Special::zero, false},
                           {"%cluster_ctaid.y", Special::zero, false},
                           {"%cluster_ctaid.z", Special::zero, false},
                           {"%cluster_nctaid.x", Special::one, false},
                           {"%cluster_nctaid.y", Special::one, false},
                           {"%cluster_nctaid.z", Special::one, false},
                           {"%cluster_ctarank", Special::zero, false},
                           {"%cluster_nctarank", Special::one, false},
                           {"%clusterid.x", Special::ctaid_x, false},
                           {"%clusterid.y", Special::ctaid_y, false},
                           {"%clusterid.z", Special::ctaid_z, false},
                           {"%nclusterid.x", Special::nctaid_x, false},
                           {"%nclusterid.y", Special::nctaid_y, false},
                           {"%nclusterid.z", Special::nctaid_z, false},
                           {"%reserved_smem_offset_begin", Special::zero, false},
                           {"%reserved_smem_offset_end", Special::reserved_smem_end, false},
                           {"%reserved_smem_offset_cap", Special::reserved_smem_end, false},
                           {"%reserved_smem_offset_0", Special::zero, false},
                           {"%reserved_smem_offset_1", Special::reserved_smem_end, false},
                           {"%aggr_smem_size", Special::total_smem_size, false},
                           {"%clock64", Special::clock64, true},
                           {"%globaltimer", Special::globaltimer, true}};

}  // namespace

std::optional<SpecialInfo> special_from_name(std::string_view name) {
  for (const Named& n : names)
    if (n.name == name) return SpecialInfo{n.id, n.is_64};
  constexpr std::string_view environment = "%envreg";  // 0 to 31, for drivers
  if (name.starts_with(environment)) {
    const std::string_view number = name.substr(environment.size());
    const bool digits = !number.empty() && number.find_first_not_of("0123456789") == std::string_view::npos;
    if (digits && (number.size() == 1 || (number.size() == 2 && number[0] != '0' && number <= "31")))
      return SpecialInfo{Special::zero, false};
  }
  return std::nullopt;
}

std::uint64_t read_special64(Exec& x, Special id) {
  auto& worker = *static_cast<Worker*>(x.worker);
  switch (id) {
    case Special::clock64: {
      // Instructions this host thread has issued, and what is drawn: it rises, and says no more.
      const Surroundings& around = worker.launch().around;
      return around.clock + worker.steps() * around.clock_rate + worker.waited();
    }
    case Special::globaltimer: {
      const Surroundings& around = worker.launch().around;
      return (around.time + worker.elapsed()) / around.timer_step * around.timer_step;
    }
    case Special::current_graph64: return worker.launch().around.graph;
    default: return worker.launch().around.grid;
  }
}

void read_special(Exec& x, Special id, std::uint32_t* v) {
  auto& worker = *static_cast<Worker*>(x.worker);
  const LaunchState& launch = worker.launch();
  const Dim3 &grid = launch.config.grid, &block = launch.config.block, &at = x.block->index;
  const Warp& w = *x.warp;
  const auto fill = [&](std::uint64_t value) {
    for (unsigned i = 0; i < warp_lanes; ++i) v[i] = static_cast<std::uint32_t>(value);
  };
  const auto lanes = [&](auto f) {
    for (unsigned i = 0; i < warp_lanes; ++i) v[i] = f(i);
  };
  switch (id) {
    case Special::tid_x: lanes([&](unsigned i) { return w.tid[0][i]; }); return;
    case Special::tid_y: lanes([&](unsigned i) { return w.tid[1][i]; }); return;
    case Special::tid_z: lanes([&](unsigned i) { return w.tid[2][i]; }); return;
    case Special::ntid_x: fill(block.x); return;
    case Special::ntid_y: fill(block.y); return;
    case Special::ntid_z: fill(block.z); return;
    case Special::ctaid_x: fill(at.x); return;
    case Special::ctaid_y: fill(at.y); return;
    case Special::ctaid_z: fill(at.z); return;
    case Special::nctaid_x: fill(grid.x); return;
    case Special::nctaid_y: fill(grid.y); return;
    case Special::nctaid_z: fill(grid.z); return;
    case Special::laneid: lanes([](unsigned i) { return i; }); return;
    case Special::warpid: fill(launch.around.first_warp + w.index); return;
    case Special::nwarpid: fill(launch.around.first_warp + x.block->warps.size()); return;
    case Special::smid:
      fill((launch.around.first_multiprocessor + x.block->ordinal * launch.around.multiprocessor_step) %
           launch.around.multiprocessors);
      return;
    case Special::nsmid: fill(launch.around.multiprocessors); return;
    case Special::lanemask_eq: lanes([](unsigned i) { return 1u << i; }); return;
    case Special::lanemask_lt: lanes([](unsigned i) { return (1u << i) - 1; }); return;
    case Special::lanemask_le: lanes([](unsigned i) { return (1u << i) | ((1u << i) - 1); }); return;
    case Special::lanemask_gt: lanes([](unsigned i) { return ~((1u << i) | ((1u << i) - 1)); }); return;
    case Special::lanemask_ge: lanes([](unsigned i) { return ~((1u << i) - 1); }); return;
    case Special::clock: fill(read_special64(x, Special::clock64)); return;
    case Special::clock_hi: fill(read_special64(x, Special::clock64) >> 32); return;
    case Special::globaltimer_lo: fill(read_special64(x, Special::globaltimer)); return;
    case Special::globaltimer_hi: fill(read_special64(x, Special::globaltimer) >> 32); return;
    case Special::grid_barrier_hi: fill(launch.grid_barrier >> 32); return;
    case Special::grid_barrier_lo: fill(launch.grid_barrier); return;
    case Special::dynamic_smem_size: fill(launch.config.dynamic_shared); return;
    case Special::reserved_smem_end: fill(launch.around.reserved_shared); return;
    case Special::one: fill(1); return;
    case Special::total_smem_size: fill(launch.shared_bytes + launch.around.reserved_shared); return;
    default: fill(0);
  }
}

}  // namespace ww::simt
