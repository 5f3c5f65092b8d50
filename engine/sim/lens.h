// SPDX-License-Identifier: Apache-2.0
// What a launch did to each element of a buffer, and what the buffer held on the way.
#pragma once
#include <cstdint>
#include <string>
#include <vector>
#include "base/describe.h"

namespace ww::sim {

inline constexpr std::int64_t most_lens_elements = 1 << 16;
inline constexpr std::int64_t most_lens_frames = 200;
inline constexpr std::int64_t most_frame_elements = 1 << 19;  // of all frames together

struct LensFrame {  // at a position before the end
  std::int64_t position = 0;
  std::string content;
  std::vector<std::int64_t> reads, writes;
  WW_FIELDS(LensFrame, position, (content, "hex"), (reads, "of each element, so far"), (writes, "likewise"))
};

struct Lens {
  std::string buffer, type;
  bool given = false;                       // its contents, when the launch began
  std::vector<std::int64_t> reads, writes;  // of each element, by threads; atomic operations are both
  // Of the first write: its block's number in the grid and its thread's in the block, x fastest; -1: none.
  std::vector<std::int64_t> blocks, threads;
  std::vector<int> lines;                 // of the source, or of the PTX where that is unknown; 0: none
  std::vector<std::int64_t> write_steps;  // of the first write; -1: none
  std::string content;                    // hex, at the position
  // Of each sector of 32 bytes of global memory: how often one step's access moved it, and how many of its bytes the
  // lanes used in all of them. Of shared memory empty.
  std::vector<std::int64_t> sector_moves, sector_bytes;
  std::vector<LensFrame> frames;  // evenly spread over the steps; the last is at the position
  WW_FIELDS(Lens, buffer, (type, "of the elements; `byte` where none was given"),
            (given, "the buffer held its contents when the launch began", defaulted),
            (reads, "of each element: how many threads' reads; atomic operations are both"), (writes, "likewise"),
            (blocks, "that wrote it first: the block's number in the grid, x fastest; -1: none"),
            (threads, "likewise the thread's number in its block"),
            (lines, "of that write in the source, or in the PTX where that is unknown; 0: none"),
            (write_steps, "that step; -1: none"), (content, "hex, at the position"),
            (sector_moves, "of each sector of 32 bytes of global memory: the steps whose access moved it"),
            (sector_bytes, "and the bytes that the lanes used in all of them"),
            (frames, "of the way there, where asked for", sparse))
};

}  // namespace ww::sim
