// SPDX-License-Identifier: Apache-2.0
// A kernel's environment beyond its arguments and memory (identities, clocks, garbage), drawn from one seed.
#pragma once
#include <cstdint>
#include <numeric>
#include "base/draw.h"

namespace ww::simt {

struct Surroundings {
  std::uint32_t multiprocessors = 108, first_multiprocessor = 0, first_warp = 0;  // 108: as on an A100
  std::uint32_t reserved_shared = 0;  // bytes of a block's shared memory that the system takes
  std::uint64_t graph = 0;            // in which the launch is; 0: none
  std::uint64_t grid = 1, clock = 0, clock_rate = 1;
  // The start of the windows of shared and local memory in the generic address space.
  std::uint64_t shared_window = 0, local_window = 0;
  std::uint32_t multiprocessor_step = 1;  // from one block's multiprocessor to the next one's
  std::uint32_t poll_limit = 16;          // jumps back over a strong load or an atomic operation in a turn of a warp
  // Where %globaltimer begins, in nanoseconds (undrawn: a moment in 2023); a multiple of the step is seen. It goes on
  // with the instructions, as the clock does.
  std::uint64_t time = 1'700'000'000'000'000'000, timer_step = 1;
  // The order of blocks, where they do not all run in ascending order: which one comes first, and the step to the next.
  std::uint64_t first_block = 0, block_step = 1;
  bool overlap = false;      // blocks that run one after the other show times as if they had run together
  std::uint64_t uneven = 0;  // clocks jump by less than two to this power at each reading; 0: they do not
  std::uint8_t garbage = 0;  // the initial contents of shared and local memory: as a float large or NaN

  Surroundings() = default;
  explicit Surroundings(std::uint64_t seed) {
    if (seed == 0) return;
    const auto draw = [&](std::uint64_t n) { return (seed = splitmix(seed)) % n; };
    constexpr std::uint32_t sizes[] = {46, 82, 84, 108, 114, 128, 132, 142, 148, 170};
    multiprocessors = sizes[draw(10)];
    first_multiprocessor = static_cast<std::uint32_t>(draw(multiprocessors));
    first_warp = static_cast<std::uint32_t>(draw(32));
    grid = 1 + draw(draw(2) != 0 ? 1000 : std::uint64_t{1} << 40);
    clock = draw(draw(2) != 0 ? std::uint64_t{1} << 20 : std::uint64_t{1} << 52);
    clock_rate = 1 + draw(40);
    time += draw(std::uint64_t{1} << 60);
    multiprocessor_step = 1 + static_cast<std::uint32_t>(draw(multiprocessors - 1));
    while (std::gcd(multiprocessor_step, multiprocessors) != 1) ++multiprocessor_step;
    poll_limit = 16u << draw(8);
    uneven = 1 + draw(16);
    timer_step = draw(2) != 0 ? 32 : std::uint64_t{1} << draw(11);  // 32 ns is a GPU's
    reserved_shared = static_cast<std::uint32_t>(1024 * draw(2));
    garbage = static_cast<std::uint8_t>((draw(2) << 7) + 0x42 + draw(62));
    shared_window = draw(std::uint64_t{1} << 23) << 24;
    local_window = draw(std::uint64_t{1} << 38) << 9;
    graph = draw(2) == 0 ? 0 : draw(std::uint64_t{1} << 47);
    overlap = draw(2) != 0;
    if (draw(4) == 0) return;
    first_block = draw(std::uint64_t{1} << 32);
    block_step = 1 + draw(std::uint64_t{1} << 32);
  }
  // The block that is the `ordinal`-th of `blocks`: all in turn, each once.
  std::uint64_t block_at(std::uint64_t ordinal, std::uint64_t blocks) const {
    std::uint64_t step = block_step % blocks;
    while (std::gcd(step, blocks) != 1) ++step;
    const auto at = static_cast<unsigned __int128>(ordinal) * step + first_block;
    return static_cast<std::uint64_t>(at % blocks);
  }
};

}  // namespace ww::simt
