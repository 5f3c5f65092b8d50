// SPDX-License-Identifier: Apache-2.0
// What is seen of a launch that is stepped through, as data. Lanes are counted from 0 to 31; a mask's bit i is lane i.
#pragma once
#include <cstdint>
#include <string>
#include <vector>
#include "base/describe.h"
#include "sim/outcome.h"

namespace ww::sim {

struct WrittenRegister {
  std::string name;                 // in the PTX: "%r3"
  std::string type;                 // how its values are shown: "f32", "s32", "u64", "b32" (hex), "pred"
  std::vector<std::string> values;  // of the active lanes, in their order
  template <class V>
  static void fields(V&& v) {
    v("name", &WrittenRegister::name, "in the PTX");
    v("type", &WrittenRegister::type, "how its values are shown: `f32`, `s32`, `u64`, `b32` (hex), `pred` …");
    v("values", &WrittenRegister::values, "of the active lanes, in their order");
  }
};

struct LaneAccess {
  std::uint32_t lane = 0;
  std::string buffer;       // of global memory; empty: shared memory, or none
  std::int64_t offset = 0;  // bytes from the start of the buffer or of shared memory
  std::int64_t bytes = 0;
  std::string value;  // hex, in memory order
  template <class V>
  static void fields(V&& v) {
    v("lane", &LaneAccess::lane);
    v("buffer", &LaneAccess::buffer, {"of global memory", Presence::sparse});
    v("offset", &LaneAccess::offset, "bytes from the start of the buffer or of shared memory");
    v("bytes", &LaneAccess::bytes);
    v("value", &LaneAccess::value, "read, or there afterwards: hex, in memory order, at most 16 bytes");
  }
};

struct SpaceAccess {  // of one step to one space
  std::string space;  // "global", constants among it, or "shared"
  std::string kind;   // "read", "write", "atomic"
  std::int64_t bytes = 0, sectors = 0, lines = 0, wasted = 0, wavefronts = 0, conflicts = 0;
  std::vector<LaneAccess> lanes;
  template <class V>
  static void fields(V&& v) {
    v("space", &SpaceAccess::space, "`global` (constants, too) or `shared`");
    v("kind", &SpaceAccess::kind, "`read`, `write` or `atomic`");
    v("bytes", &SpaceAccess::bytes, "different ones that the lanes access");
    v("sectors", &SpaceAccess::sectors, "of 32 bytes, of global memory");
    v("lines", &SpaceAccess::lines, "of 128 bytes, of global memory");
    v("wasted", &SpaceAccess::wasted, "bytes of these sectors that no lane accesses");
    v("wavefronts", &SpaceAccess::wavefronts, "of shared memory: passes over its 32 banks");
    v("conflicts", &SpaceAccess::conflicts, "wavefronts that bank conflicts add");
    v("lanes", &SpaceAccess::lanes, "each lane's");
  }
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
  template <class V>
  static void fields(V&& v) {
    v("step", &StepFacts::step, "from 0");
    v("block", &StepFacts::block);
    v("warp", &StepFacts::warp, "of the block");
    v("function", &StepFacts::function);
    v("line", &StepFacts::line, "of the CUDA source; 0: unknown");
    v("ptx_line", &StepFacts::ptx_line);
    v("instruction", &StepFacts::instruction);
    v("mask", &StepFacts::mask, "lanes that are at the instruction, as a hex number");
    v("active", &StepFacts::active, "those of them that its guard lets run it");
    v("registers", &StepFacts::registers, "that it wrote");
    v("accesses", &StepFacts::accesses, "to shared and global memory");
    v("released", &StepFacts::released, "threads that waited at a barrier went on after it");
  }
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
  template <class V>
  static void fields(V&& v) {
    v("mask", &GroupFacts::mask);
    v("state", &GroupFacts::state, "`next`: it runs next of the whole block");
    v("line", &GroupFacts::line, "of the CUDA source; 0: unknown");
    v("ptx_line", &GroupFacts::ptx_line);
    v("function", &GroupFacts::function);
    v("instruction", &GroupFacts::instruction, "that it runs next");
    v("depth", &GroupFacts::depth, "of calls: 0 in the kernel");
  }
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
  template <class V>
  static void fields(V&& v) {
    v("warp", &WarpFacts::warp);
    v("state", &WarpFacts::state, "`waiting`: all its threads that have not ended are at barriers");
    v("lanes", &WarpFacts::lanes, "mask of the threads that it has");
    v("live", &WarpFacts::live, "mask of those that have not ended");
    v("groups", &WarpFacts::groups, "its threads by where they are; more than one: it has diverged");
  }
};

struct StepFinding {
  std::int64_t step = 0;  // that did it; -1: an earlier block
  Finding finding;
  template <class V>
  static void fields(V&& v) {
    v("step", &StepFinding::step, "that did it; -1: before the first");
    v("finding", &StepFinding::finding);
  }
};

}  // namespace ww::sim
