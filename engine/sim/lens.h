// SPDX-License-Identifier: Apache-2.0
// What a launch did to each element of a buffer.
#pragma once
#include <cstdint>
#include <string>
#include <vector>
#include "base/describe.h"

namespace ww::sim {

inline constexpr std::int64_t most_lens_elements = 1 << 16;

struct Lens {
  std::string buffer, type;
  std::vector<std::int64_t> reads, writes;  // of each element, by threads; atomic operations are both
  // Of the first write: its block's number in the grid and its thread's in the block, x fastest; -1: none.
  std::vector<std::int64_t> blocks, threads;
  std::vector<int> lines;  // of the source, or of the PTX where that is unknown; 0: none
  WW_FIELDS(Lens, buffer, (type, "of the elements; `byte` where none was given"),
            (reads, "of each element: how many threads' reads; atomic operations are both"), (writes, "likewise"),
            (blocks, "that wrote it first: the block's number in the grid, x fastest; -1: none"),
            (threads, "likewise the thread's number in its block"),
            (lines, "of that write in the source, or in the PTX where that is unknown; 0: none"))
};

}  // namespace ww::sim
