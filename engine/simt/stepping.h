// SPDX-License-Identifier: Apache-2.0
// One launch step by step, forwards and back. A step is one PTX instruction of one warp. Blocks run one after the other
// and warps in the machine's own turns: each until it waits, ends or has run long, so that every run is the same.
//
// A position is the number of steps that have been run, from 0. Positions up to recorded() are known: to go there again
// restores a snapshot and repeats what follows, which gives the same state bit for bit. What the checks find is found
// once, at the first run of a step.
//
// Not for several threads at once. The launch's memory shows what it holds at the position; while a Stepping lives,
// nothing else may write to it or launch on it.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>
#include "base/result.h"
#include "simt/access_kind.h"
#include "simt/launch.h"
#include "simt/types.h"

namespace ww::simt {

class Memory;
class Program;
struct Function;
struct Instruction;
class StepMachine;

struct SteppingOptions {
  bool races = true, uninitialised = true, synchronisation = true;  // the checks; memory is always checked
  std::uint64_t instruction_budget = 0;                             // warp instructions of the launch; 0: no limit
  std::uint64_t surroundings = 0;                                   // as LaunchOptions
  // Position 0 is where this block begins, those before it have run, and its end is the end. Empty: all blocks.
  std::optional<Dim3> block;
  std::uint64_t snapshot_steps = 4096;                 // between snapshots, at first
  std::size_t snapshot_bytes = std::size_t{64} << 20;  // of all of them; beyond, every other goes
  std::size_t record_bytes = 0;                        // of all that is recorded, snapshots too; 0: no limit
};

struct StepRecord {
  std::uint32_t pc = 0;      // of the machine's own operations: see Stepping::place()
  std::uint32_t mask = 0;    // lanes that are at the instruction
  std::uint32_t active = 0;  // those of them that its guard lets run it
  std::uint16_t warp = 0;    // of its block
  bool released = false;     // threads that waited at a barrier went on after it
  bool waits = false;        // all threads of the warp that have not ended wait at barriers after it
  // What it cost, as AccessCost has it; at most 65,535 each.
  std::uint16_t bytes = 0, sectors = 0;         // of global memory
  std::uint16_t wavefronts = 0, conflicts = 0;  // of shared memory
};

struct StepPlace {  // of a pc
  const Function* function = nullptr;
  const Instruction* instruction = nullptr;  // null: none of the text's
  int ptx_line = 0, line = 0;                // line: of the CUDA source; 0: unknown
};

struct StepAccess {  // of one lane; of shared and global memory, constants among it
  AccessKind kind = AccessKind::read;
  Space space = Space::global;
  std::uint8_t lane = 0, value_bytes = 0;  // of `value` at most the first 16 bytes
  std::uint32_t bytes = 0;
  std::uint64_t address = 0;  // in shared memory from its start
  const std::byte* place = nullptr;
  std::byte value[16] = {};  // that it read, or that the place holds after it
};
// Of the accesses of one step to one space.
struct AccessCost {
  std::uint32_t lanes = 0;
  std::uint32_t bytes = 0;       // different ones that are accessed
  std::uint32_t sectors = 0;     // of 32 bytes, of global memory
  std::uint32_t lines = 0;       // of 128 bytes, of global memory
  std::uint32_t wavefronts = 0;  // of shared memory
  std::uint32_t conflicts = 0;   // wavefronts beyond those that the same bytes would need without conflicts
};
AccessCost cost_of(std::span<const StepAccess> accesses, Space space);

struct LaneGroup {  // lanes of a warp at one instruction
  enum class State : std::uint8_t { ready, needs_lanes, at_barrier };
  std::uint32_t pc = 0, mask = 0;
  State state = State::ready;
};
struct StepFrame {
  const Function* function = nullptr;
  std::uint32_t lanes = 0;        // that called it; of the kernel all
  std::uint32_t return_pc = 0;    // 0 of the kernel
  std::vector<LaneGroup> groups;  // the one that runs next first
};
struct StepWarp {
  enum class State : std::uint8_t { ready, waiting, ended };
  State state = State::ready;
  std::uint32_t lanes = 0;        // threads that exist
  std::uint32_t live = 0;         // and have not exited
  std::vector<StepFrame> frames;  // the innermost last
};

struct StepHazard {
  MachineFault fault;
  std::uint64_t position = 0;  // after the step that did it
  bool ended = false;          // the launch ended there
};

class Stepping {
 public:
  // As launch(). Code::unsupported: a kernel that allocates or frees memory. `program` and `memory` must outlive it.
  static Result<std::unique_ptr<Stepping>> begin(std::shared_ptr<const Program> program, std::string_view kernel,
                                                 const LaunchConfig& config, Memory& memory,
                                                 const SteppingOptions& options = {});
  ~Stepping();

  std::uint64_t position() const;
  std::uint64_t recorded() const;
  bool ended() const;                                      // nothing runs after this position
  bool forward();                                          // one step; false where it has ended
  void jump(std::uint64_t to);                             // beyond recorded() it runs on, as far as the launch goes
  const StepRecord& record(std::uint64_t position) const;  // of the step that begins there, before recorded()
  // The step that begins at the position; nothing: the launch ended there. Up to recorded(), there only if it is here.
  std::optional<StepRecord> next(std::uint64_t position) const;
  StepPlace place(std::uint32_t pc) const;

  Dim3 block() const;                                       // that runs
  Dim3 block_at(std::uint64_t position) const;              // up to recorded()
  std::uint64_t block_begin(std::uint64_t position) const;  // where that block begins
  std::uint64_t block_end(std::uint64_t position) const;    // where the next one begins; all ones: not known yet
  // The warps of its block that a step which released threads left waiting at barriers; a bit each.
  std::uint32_t still_waiting(std::uint64_t position) const;
  std::size_t warps() const;  // of each block
  StepWarp warp(std::size_t index) const;
  // Of the step that led here, as long as it was a step or a jump that did.
  std::span<const StepAccess> accesses() const;
  // A register of a warp's innermost frame, or of one further out; `index` as in Function::registers. Of predicates 0
  // or 1. Lanes whose thread never wrote it hold garbage.
  std::uint64_t lane_value(std::size_t warp, std::size_t frame, std::size_t index, unsigned lane) const;
  // A lane's bytes of the local variables of a frame's function, from their start. False: there are none such, or they
  // were never written.
  bool local_bytes(std::size_t warp, std::size_t frame, unsigned lane, std::uint64_t at, std::span<std::byte> to) const;
  std::optional<std::uint32_t> shared_place(std::string_view symbol) const;  // in shared()
  std::span<const std::byte> shared() const;                                 // of the block that runs
  std::span<const std::uint8_t> shared_written() const;                      // beside it: 0 until a byte is written

  const std::vector<StepHazard>& hazards() const;  // in the order found, up to recorded()
  std::string printed() const;                     // up to the position
  std::uint64_t fingerprint() const;               // of the whole state, memory included
  std::size_t bytes() const;                       // of what is recorded
  bool full() const;                               // one more step could take that beyond `record_bytes`

 private:
  explicit Stepping(std::unique_ptr<StepMachine> machine);
  std::unique_ptr<StepMachine> machine_;
};

}  // namespace ww::simt
