// SPDX-License-Identifier: Apache-2.0
// The decoded form, and the state that handlers use.
//
// A warp's registers are in one frame per call: every register is an array of 32 lanes (64-byte aligned), every
// predicate a 32-bit mask, every immediate a broadcast array, so that an operand is just a byte offset into the frame.
// Handlers must not write lanes outside `mask`. They may throw FaultSignal, which run.cpp catches.
#pragma once
#include <cstddef>
#include <cstdint>
#include "simt/launch.h"
#include "simt/types.h"

namespace ww::simt {

inline constexpr unsigned warp_lanes = 32;
inline constexpr std::uint32_t full_mask = 0xffffffffu;

// Windows of the generic address space. Global memory (and constant memory, and module variables) starts at
// global_base.
inline constexpr std::uint64_t global_base = 0x7f0000000000;
inline constexpr std::uint64_t local_window = std::uint64_t{1} << 48;
inline constexpr std::uint64_t shared_window = std::uint64_t{2} << 48;
inline constexpr std::uint64_t param_window = std::uint64_t{3} << 48;
inline constexpr std::uint64_t function_base = std::uint64_t{4}
                                               << 48;  // "address" of function i: function_base + 16 * i
inline constexpr std::uint64_t window_mask = std::uint64_t{0xffff} << 48;

struct Op;
struct Exec;
struct BufferView;   // simt/buffer.h
class RaceDetector;  // simt/race_detector.h
class Releases;      // simt/releases.h
struct Warp;         // simt/block.h
struct Block;
using Handler = void (*)(Exec&, const Op&, std::uint32_t mask);

enum class Control : std::uint8_t {
  none,          // fn(x, op, mask)
  branch,        // to `target` where the guard holds
  branch_table,  // a: u32 index; lists[target .. target + n)
  call,          // target: CallSite
  ret,
  exit,
  trap,
  warp_sync,  // e: member mask array; then fn
  barrier,    // target: BarrierSite
  nop,
  load,         // fn(x, op, mask) under Checks::full: then other warps and blocks may run
  unsupported,  // imm: index in FunctionCode::unsupported
};

enum OpFlags : std::uint16_t {
  op_address32 = 1,    // the address operand is a 32-bit register
  op_micro = 2,        // helper of the instruction that follows or precedes; not counted
  op_negate = 4,       // the predicate source is negated
  op_second = 8,       // `e` is a second destination
  op_strong = 16,      // volatile, relaxed or stronger
  op_polls = 64,       // a jump back over a strong load or an atomic operation: other warps may have to run first
  op_data = 128,       // a strong load whose value decides nothing: not polled, but what others say is ready
  op_unused = 32,      // a load or shuffle whose value a selection may discard: compilers load speculatively
  op_block = 256,      // of a strong operation or a fence: its scope is the block
  op_read_only = 512,  // a load through the cache for data that does not change during the launch
  op_unread = 1024,    // an atomic operation whose result is not read
  // An access some of whose bytes are only copied (simt/copied_registers.h). `b`: in the lists, for each element the
  // frame offset of the map of its written bytes, 0: none. Of a load, `c`: the bytes that are used; `e`: 0 if
  // all may be unwritten, since they stay in the block's own memory.
  op_parts = 2048,
};

struct Op {
  Handler fn = nullptr;
  std::uint32_t d = 0, a = 0, b = 0, c = 0;  // frame offsets
  std::uint32_t guard = 0;                   // frame offset of a predicate; offset 0 is always true
  std::uint32_t guard_flip = 0;              // 0 or ~0
  std::int64_t imm = 0;                      // address offset, or specific to the instruction family
  std::uint32_t target = 0;
  std::uint32_t e = 0;
  std::uint16_t flags = 0;
  std::uint8_t n = 1;  // vector elements
  Control control = Control::none;
  Space space = Space::none;
};

struct PcCount {
  std::uint64_t warp = 0, thread = 0;
  std::uint64_t global_requests = 0, sectors = 0, global_threads = 0;
  std::uint64_t shared_requests = 0, wavefronts = 0, conflicts = 0, shared_threads = 0;
  std::uint64_t local_requests = 0;
  std::uint64_t divergent = 0, taken = 0;
};

struct OtherAccess {  // that came first, of a race
  bool known = false, thread_known = false, wrote = false;
  std::uint32_t pc = 0, thread = 0;  // thread: in its block, or the first one of its warp
  std::uint64_t block = 0;           // its number in the grid
};
struct FaultSite {
  FaultKind kind = FaultKind::trap;
  unsigned lane = 0;
  Space space = Space::none;
  std::uint64_t address = 0;
  std::size_t bytes = 0;
  bool is_write = false;
  OtherAccess other = {};
  MachineFault::Value value = {}, other_value = {};
};
struct FaultSignal {  // thrown by handlers, caught in the block's loop
  FaultSite site;
  const Op* op = nullptr;
  const char* text = nullptr;  // an extra sentence; null: none. Static storage, or the copy that raise_text() keeps
};
[[noreturn]] void raise(const Op& op, const FaultSite& site, const char* text = nullptr);
// For what hardware would run past: kept as a finding where the launch goes on, else raised.
void report(Exec& x, const Op& op, const FaultSite& site, const char* text = nullptr);

inline constexpr std::size_t buffer_cache_size = 256;
inline constexpr std::uint8_t written_before = 1;  // by the host, an earlier launch, or unknown
inline constexpr std::uint8_t by_atomics = 255;    // last by an atomic operation of this launch: Releases knows whose

// With Checks::full, blocks of a launch mark each byte that they write with a tag (BufferView::init), a new one after a
// fence, which orders only what was written before it.
struct TagSet {
  std::uint64_t words[4] = {};
  bool holds(std::uint8_t tag) const { return ((words[tag / 64] >> (tag % 64)) & 1) != 0; }
  void add(std::uint8_t tag) { words[tag / 64] |= std::uint64_t{1} << (tag % 64); }
  void add(const TagSet& other) {
    for (unsigned k = 0; k < 4; ++k) words[k] |= other.words[k];
  }
  bool within(const TagSet& a, const TagSet& b) const {  // of both together
    for (unsigned k = 0; k < 4; ++k)
      if ((words[k] & ~(a.words[k] | b.words[k])) != 0) return false;
    return true;
  }
  bool empty() const { return (words[0] | words[1] | words[2] | words[3]) == 0; }
};

struct Exec {
  std::byte* r = nullptr;  // frame of the running warp
  const Op* code = nullptr;
  const std::uint32_t* lists = nullptr;
  PcCount* counts = nullptr;        // by pc; null when counters are off
  std::uint8_t* reached = nullptr;  // by pc: ptx::ReachFlags
  BufferView** buffers = nullptr;   // cache by pc % buffer_cache_size; never null entries

  std::byte* shared = nullptr;
  std::uint8_t* shared_init = nullptr;  // one per byte; null when not checked
  std::uint32_t shared_size = 0;
  std::uint32_t local_size = 0;  // bytes per lane that are in use by the present call depth
  std::uint32_t local_stride = 0;
  std::byte* local = nullptr;  // of the running warp, lane-major
  std::uint8_t* local_init = nullptr;
  const std::byte* params = nullptr;
  std::uint32_t param_size = 0;
  bool full = false;                                                 // Checks::full
  bool uninitialised = false;                                        // report such reads
  std::uint32_t inexact = 0;                                         // see LaunchOptions::inexact
  std::uint64_t shared_at = shared_window, local_at = local_window;  // generic addresses where they begin
  std::uint32_t garbage = 0;                                         // the value of undefined data
  std::uint8_t tag = written_before;
  std::uint8_t tags_left = 0;                   // of the running block
  TagSet own_tags, known;                       // of the running block: its own, and those whose writes precede it
  bool wrote = false;                           // since the last fence
  bool changed = false;                         // a store, or an atomic operation that gave another value
  bool read_writable = false;                   // by the last load: memory that kernels write
  std::uint32_t gone = 0;                       // lanes of the running warp that have exited or never were
  std::uint32_t read_gone = 0;                  // lanes to which the last shuffle gave the register of such a one
  Releases* releases = nullptr;                 // of the launch; null without Races::warps
  bool takes_turns = false;                     // with other blocks: see pass_turn
  std::uint32_t first_lane = 0, lane_step = 1;  // of an atomic instruction; the step is odd

  RaceDetector* races = nullptr;  // null if nothing can race, or races are not checked
  bool races_everywhere = false;  // it follows global memory, too, and every thread
  Warp* warp = nullptr;
  Block* block = nullptr;
  void* memory = nullptr;  // Memory::State
  void* worker = nullptr;

  template <class T>
  T* at(std::uint32_t offset) const {
    return reinterpret_cast<T*>(r + offset);
  }
};

// Host address of one lane's access, checked (bounds, alignment, read-only, initialised); raises faults. `space` may be
// generic; the actual space is stored in `found` unless null.
std::byte* checked_lane(Exec& x, const Op& op, unsigned lane, Space space, std::uint64_t address, std::size_t bytes,
                        bool write, bool read, Space* found = nullptr);
// Of op_parts. The map of the bytes that were written, at the place of an access; null: all were.
std::uint8_t* written_at(Exec& x, const Op& op, Space space, const std::byte* place, std::uint64_t address);
// Follows what `lane` loads by elements of `bytes`, and reports what is used though it was never written.
void follow_load(Exec& x, const Op& op, unsigned lane, const std::uint8_t* written, unsigned bytes, Space space,
                 std::uint64_t address);
// Of what `lane` has stored, bytes that were never written still count as such.
void follow_store(Exec& x, const Op& op, unsigned lane, std::uint8_t* written, unsigned bytes);
// `lane` is about to write to the bytes at `address`, which a launch watches.
void note_watched_write(Exec& x, const Op& op, unsigned lane, std::uint64_t address, std::size_t bytes);
// Whether the running block wrote with this tag. Of many blocks some share tags, which hides races and reports none.
inline bool owns(const Exec& x, std::uint8_t tag) { return x.own_tags.holds(tag); }
// Lets other blocks run after an atomic operation on global memory.
void pass_turn(Exec& x);
// A fence; of the block's scope: see op_block.
void note_fence(Exec& x, const Op& op, std::uint32_t mask);
// `discard`: 128 bytes count as never written.
void discard_contents(Exec& x, const Op& op, std::uint32_t mask);
// The live buffer that contains `address`, or null.
BufferView* find_buffer(Exec& x, std::uint64_t address);
// The same, without a lock if it is the one that the instruction accessed last.
BufferView* find_buffer(Exec& x, const Op& op, std::uint64_t address);

}  // namespace ww::simt
