// SPDX-License-Identifier: Apache-2.0
// Special registers (PTX ISA 9.0, section 10).
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>
#include "simt/machine.h"

namespace ww::simt {

enum class Special : std::uint8_t {
  tid_x,
  tid_y,
  tid_z,
  ntid_x,
  ntid_y,
  ntid_z,
  ctaid_x,
  ctaid_y,
  ctaid_z,
  nctaid_x,
  nctaid_y,
  nctaid_z,
  laneid,
  warpid,
  nwarpid,
  smid,
  nsmid,
  lanemask_eq,
  lanemask_lt,
  lanemask_le,
  lanemask_gt,
  lanemask_ge,
  clock,
  clock_hi,
  globaltimer_lo,
  globaltimer_hi,
  dynamic_smem_size,
  reserved_smem_end,
  grid_barrier_hi,
  grid_barrier_lo,
  zero,
  one,
  total_smem_size,
  clock64,
  globaltimer,
  gridid64,
  current_graph64,
};
struct SpecialInfo {
  Special id;
  bool is_64 = false;
};
std::optional<SpecialInfo> special_from_name(std::string_view name);  // "%tid.x"

void read_special(Exec& x, Special id, std::uint32_t* lanes32);
std::uint64_t read_special64(Exec& x, Special id);

}  // namespace ww::simt
