// SPDX-License-Identifier: Apache-2.0
// The orders in which a simulated device runs what hardware may run in any order, or at once.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include "base/describe.h"

namespace ww {

enum class BlockOrder : std::uint8_t {
  drawn,  // from the seed of the surroundings; without one, ascending
  ascending,
  descending,
};

struct RunOrder {
  BlockOrder blocks = BlockOrder::drawn;
  bool warps_reversed = false;   // the warps of a block, from last to first
  std::uint32_t first_warp = 0;  // modulo their number: the one that comes first, with the next ones after it
  std::size_t warp_at(std::size_t place, std::size_t count) const {
    return ((warps_reversed ? count - 1 - place : place) + first_warp) % count;
  }
  // Lanes of a warp whose bits are set run independently of the others between the instructions that synchronise a
  // warp, as independent thread scheduling allows; 0: all in lockstep.
  std::uint32_t apart = 0;
  std::uint32_t atomic_lanes = 0;  // seed of the order of the lanes in an atomic instruction; 0: ascending
  // Seed of the turns that four blocks take, or one alone, from one atomic operation on global memory to the next; 0: a
  // host thread ends a block before it starts another. Kernels without atomic operations take none. The order is
  // reproducible, whatever the number of host threads.
  std::uint32_t turns = 0;
  bool operator==(const RunOrder&) const = default;
};
constexpr RunOrder backwards(bool yes = true) { return yes ? RunOrder{BlockOrder::descending, true} : RunOrder{}; }

// What a result follows that should be the same for the same inputs.
enum class DependsOn : std::uint8_t {
  unknown,
  no_order,  // it was wrong in every order that was tried
  lanes,
  warps,
  blocks,
  atomics,
  calls,
  chance,  // it differed from run to run: hardware does not say why, host threads ran blocks at once
};
constexpr auto names_of(DependsOn) {
  using enum DependsOn;
  return std::to_array<Enumerator<DependsOn>>({{unknown, "unknown"},
                                               {no_order, "no order"},
                                               {lanes, "lanes"},
                                               {warps, "warps"},
                                               {blocks, "blocks"},
                                               {atomics, "atomics order"},
                                               {calls, "launch number"},
                                               {chance, "chance"}});
}

}  // namespace ww
