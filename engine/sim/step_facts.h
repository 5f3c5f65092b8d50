// SPDX-License-Identifier: Apache-2.0
// What is seen of a launch that is stepped through, as data. Lanes are counted from 0 to 31; a mask's bit i is lane i.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>
#include "base/describe.h"
#include "sim/outcome.h"
#include "simt/access_kind.h"

namespace ww::sim {

struct WrittenRegister {
  std::string name;                 // in the PTX: "%r3"
  std::string type;                 // how its values are shown: "f32", "s32", "u64", "b32" (hex), "pred"
  std::vector<std::string> values;  // of the active lanes, in their order
  std::string means;                // in CUDA's words: "x[i]"; empty: its definition does not tell
  WW_FIELDS(WrittenRegister, (name, "in the PTX"),
            (type, "how its values are shown: `f32`, `s32`, `u64`, `b32` (hex), `pred` …"),
            (values, "of the active lanes, in their order"),
            (means, "what it holds in CUDA's words, where its only definition tells: `x[i]`", sparse))
};

// Of a warp's innermost function, at the instruction that its first lanes run next. A register is live if it may be
// read before it is written again. These are the PTX's registers, not those that ptxas assigns.
struct LiveFacts {
  std::vector<std::string> registers;
  std::int64_t words = 0, most_words = 0;
  WW_FIELDS(LiveFacts, (registers, "of the PTX that are live"),
            (words, "of 32 bits that they take; predicates take none"),
            (most_words, "at any instruction of the function"))
};

// A variable of the source that is in scope where a warp's threads are. Of code that was compiled for debugging.
struct VariableFacts {
  std::string name, type, known;
  std::vector<std::string> values;
  WW_FIELDS(VariableFacts, name, (type, "in the source"), (known, "lanes in which it has a value, as a hex number"),
            (values, "of the 32 lanes; empty where it has none"))
};

struct StepTotals {  // of all steps from the first one to the position
  std::int64_t steps = 0, lanes = 0, bytes = 0, sectors = 0, wavefronts = 0, conflicts = 0, barriers = 0, partial = 0;
  WW_FIELDS(StepTotals, (steps, "warp instructions"), (lanes, "thread instructions"),
            (bytes, "of global memory, different ones in each step"), (sectors, "of 32 bytes, of global memory"),
            (wavefronts, "of shared memory"), (conflicts, "wavefronts that bank conflicts add"),
            (barriers, "steps after which threads at a barrier went on"), (partial, "steps that not all 32 lanes ran"))
};

struct NextWrite {        // of a thread, to a buffer
  std::int64_t step = 0;  // that does it
  std::string buffer;
  std::int64_t index = 0;
  WW_FIELDS(NextWrite, (step, "that does it"), buffer, (index, "of the element"))
};

struct LaneAccess {
  std::uint32_t lane = 0;
  std::string buffer;       // of global memory; empty: shared memory, or none
  std::int64_t offset = 0;  // bytes from the start of the buffer or of shared memory
  std::int64_t bytes = 0;
  std::string value;  // hex, in memory order
  WW_FIELDS(LaneAccess, lane, (buffer, "of global memory", sparse),
            (offset, "bytes from the start of the buffer or of shared memory"), bytes,
            (value, "read, or there afterwards: hex, in memory order, at most 16 bytes"))
};

enum class AccessedSpace : std::uint8_t { global, shared };  // constants are part of `global`
constexpr auto names_of(AccessedSpace) {
  using enum AccessedSpace;
  return std::to_array<Enumerator<AccessedSpace>>({{global, "global"}, {shared, "shared"}});
}
struct SpaceAccess {  // of one step to one space
  AccessedSpace space = AccessedSpace::global;
  simt::AccessKind kind = simt::AccessKind::read;
  std::int64_t bytes = 0, sectors = 0, lines = 0, wasted = 0, wavefronts = 0, conflicts = 0;
  std::vector<LaneAccess> lanes;
  WW_FIELDS(SpaceAccess, (space, "`global` (constants, too) or `shared`"), kind,
            (bytes, "different ones that the lanes access"), (sectors, "of 32 bytes, of global memory"),
            (lines, "of 128 bytes, of global memory"), (wasted, "bytes of these sectors that no lane accesses"),
            (wavefronts, "of shared memory: passes over its 32 banks"),
            (conflicts, "wavefronts that bank conflicts add"), (lanes, "each lane's"))
};

struct StepFacts {
  std::int64_t step = 0;  // it begins at this position
  std::vector<std::uint32_t> block;
  std::uint32_t warp = 0;
  std::string function;
  int line = 0, ptx_line = 0;
  std::string instruction;
  std::string mask, active;
  std::vector<WrittenRegister> registers;
  std::vector<SpaceAccess> accesses;
  bool released = false;
  WW_FIELDS(StepFacts, (step, "from 0"), block, (warp, "of the block"), function,
            (line, "of the CUDA source; 0: unknown"), ptx_line, instruction,
            (mask, "lanes that are at the instruction, as a hex number"),
            (active, "those of them that its guard lets run it"), (registers, "that it wrote"),
            (accesses, "to shared and global memory"), (released, "threads that waited at a barrier went on after it"))
};

enum class GroupState : std::uint8_t { next, ready, waits_for_lanes, at_barrier };
constexpr auto names_of(GroupState) {
  using enum GroupState;
  return std::to_array<Enumerator<GroupState>>(
      {{next, "next"}, {ready, "ready"}, {waits_for_lanes, "waits for lanes"}, {at_barrier, "at barrier"}});
}
struct GroupFacts {  // lanes of a warp at one instruction
  std::string mask;
  GroupState state = GroupState::ready;
  int line = 0, ptx_line = 0;
  std::string function, instruction;
  std::int64_t depth = 0;
  WW_FIELDS(GroupFacts, mask, (state, "`next`: it runs next of the whole block"),
            (line, "of the CUDA source; 0: unknown"), ptx_line, function, (instruction, "that it runs next"),
            (depth, "of calls: 0 in the kernel"))
};
enum class WarpState : std::uint8_t { ready, waiting, ended };
constexpr auto names_of(WarpState) {
  using enum WarpState;
  return std::to_array<Enumerator<WarpState>>({{ready, "ready"}, {waiting, "waiting"}, {ended, "ended"}});
}
struct WarpFacts {
  std::uint32_t warp = 0;
  WarpState state = WarpState::ready;
  std::string lanes, live;
  std::vector<GroupFacts> groups;
  WW_FIELDS(WarpFacts, warp, (state, "`waiting`: all its threads that have not ended are at barriers"),
            (lanes, "mask of the threads that it has"), (live, "mask of those that have not ended"),
            (groups, "its threads by where they are; more than one: it has diverged"))
};

struct SharedFacts {  // of the block that runs
  std::string content, written;
  WW_FIELDS(SharedFacts, (content, "hex; of bytes that were never written 00"),
            (written, "of each word of 4 bytes a digit: whether all of it (2), a part (1) or none (0) was written"))
};

// Steps of a block in parts of equal length, to be drawn.
struct WarpTime {
  std::vector<int> steps, lanes, waits;
  WW_FIELDS(WarpTime, (steps, "in each part"), (lanes, "the fewest that ran a step of it; 0: it has none"),
            (waits, "steps of other warps in each part while all its threads waited at barriers"))
};
struct Timeline {
  std::int64_t first = 0, end = 0;
  std::vector<WarpTime> warps;
  std::vector<std::int64_t> releases;
  WW_FIELDS(Timeline, (first, "the position where the block begins"), (end, "where it ends, as far as it has run"),
            (warps, "each warp's"), (releases, "steps after which threads at a barrier went on; at most 1000"))
};

struct Extent {  // of what an access missed
  std::string buffer, type;
  std::int64_t bytes = 0, elements = 0;
  WW_FIELDS(Extent, buffer, (type, "of its elements, where known", sparse), bytes,
            (elements, "where their type is known", sparse))
};
struct Unwritten {             // memory that was read before anything wrote it
  std::int64_t barrier = -1;   // the last step of the block before that released threads; -1: none
  std::optional<Site> writer;  // who writes it first afterwards
  std::int64_t step = -1;      // that does it
  std::int64_t looked = 0;     // steps after it that were looked at
  bool whole = false;          // up to the end of the launch, or of the block whose shared memory it is
  WW_FIELDS(Unwritten, (barrier, "the last step of its block before that released threads; -1: none"),
            (writer, "who writes it first afterwards", sparse), (step, "that does it; -1: none that was looked at"),
            (looked, "steps after it that were looked at"),
            (whole, "these reach to the end of the launch or, of shared memory, of the block"))
};
struct StepFinding {
  std::int64_t step = 0;  // that did it; -1: an earlier block
  Finding finding;
  std::optional<Extent> extent;
  std::optional<Unwritten> unwritten;  // where the position is after its step
  WW_FIELDS(StepFinding, (step, "that did it; -1: before the first"), finding,
            (extent, "of the buffer that was meant, of an access out of bounds", sparse),
            (unwritten, "of a read before any write, at the position after its step", sparse))
};

}  // namespace ww::sim
