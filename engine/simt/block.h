// SPDX-License-Identifier: Apache-2.0
// A running block: warps, their call frames and divergent entries, barriers; and the state shared by a launch.
#pragma once
#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>
#include <set>
#include <vector>
#include "simt/async_copies.h"
#include "simt/journal.h"
#include "simt/launch.h"
#include "simt/machine.h"
#include "simt/mbarriers.h"
#include "simt/memory_state.h"
#include "simt/program_data.h"
#include "simt/race_detector.h"
#include "simt/releases.h"
#include "simt/surroundings.h"
#include "simt/turns.h"

namespace ww::simt {

// Lanes at the same pc of the same frame. The warp runs the entry with the lowest pc; entries that meet merge.
struct Entry {
  enum class State : std::uint8_t {
    ready,
    needs_lanes,  // a warp-synchronising instruction names lanes that are elsewhere
    at_barrier,   // waits until the rest of the warp cannot proceed, then arrives
    arrived,      // counted at its barrier
  };
  std::uint32_t pc = 0, mask = 0;
  State state = State::ready;
  std::uint8_t barrier = 0;
  std::uint32_t live_then = 0;  // the warp's live lanes when it started to need lanes
  std::uint32_t ran = 0;        // Warp::turn when it last ran
};

// The lanes that a warp currently runs. Passed by value, so that the instruction loop keeps it in registers.
struct Strand {
  std::uint32_t pc = 0, mask = 0;
  std::uint32_t stop = 0;  // the lowest pc above `pc` at which other lanes wait
  bool running = false;    // false: the warp's turn is over
};

struct CallFrame {
  std::uint32_t function = 0;
  std::uint32_t base = 0;  // of its registers
  std::uint32_t return_pc = 0;
  std::uint32_t resume_mask = 0;  // lanes of the caller's entry, those that skipped the call included
  std::uint32_t call_mask = 0;
  std::uint32_t call_site = 0;  // in Decoded::calls
  std::size_t first_entry = 0;
  std::uint32_t local_base = 0;
};

struct Warp {
  enum class State : std::uint8_t { ready, waiting, done } state = State::ready;
  std::uint32_t index = 0;
  std::uint32_t lanes = 0;         // threads that exist
  std::uint32_t live = 0;          // and have not exited
  std::byte* registers = nullptr;  // 64-byte aligned
  std::size_t room = 0;
  std::unique_ptr<std::byte, void (*)(std::byte*)> storage{nullptr, [](std::byte*) {}};
  std::byte* local = nullptr;
  std::uint8_t* local_init = nullptr;
  std::vector<CallFrame> frames;
  std::vector<Entry> entries;
  PendingCopies pending;
  std::vector<std::uint32_t> past;              // by place of Worker::joins_: the lanes that came there
  std::uint32_t bulk_group[32] = {};            // the group of bulk copies that each thread fills now
  std::uint32_t spins = 0, fair = 0, turn = 0;  // fairness between entries, see run.cpp
  std::uint32_t polls = 0;                      // and between warps
  std::uint64_t steps = 0;                      // of this block
  struct Circle {                               // see Worker::look_for_circle
    std::uint64_t changes = 0, state = 0, power = 1, turns = 0;
    bool found = false;
  } circle;
  alignas(64) std::uint32_t tid[3][32] = {};
  Entry& put(std::uint32_t pc, std::uint32_t mask) {  // lanes that ran until now
    Entry& e = entries.emplace_back();
    e.pc = pc;
    e.mask = mask;
    e.ran = ++turn;
    return e;
  }
};

struct Barrier {
  std::uint32_t arrived = 0, expected = 0;  // expected 0: every live thread of the block
  std::uint32_t population = 0;             // reductions
  bool all = true, any = false;
};

inline constexpr unsigned barrier_count = 17;  // the last one is the cluster's

struct Block {
  Dim3 index{0, 0, 0};
  std::uint64_t ordinal = 0;
  std::uint32_t threads = 0, live = 0;
  std::vector<Warp> warps;
  Barrier barriers[barrier_count];
  std::uint32_t barriers_used = 0;  // one bit each: those where somebody has arrived
  std::vector<BulkCopy> bulk;       // not performed yet
};

inline constexpr std::uint64_t slice = 1 << 14;  // warp instructions between looks at the clock, the budget and others

class RaceWorld;  // simt/thread_races.h

struct LaunchState {
  const ProgramData& program;
  const Decoded& code;
  std::uint32_t kernel;
  const LaunchConfig& config;
  const LaunchOptions& options;
  Memory::State& memory;
  std::vector<std::vector<std::uint64_t>> constants;  // resolved, by function
  std::uint32_t shared_bytes = 0;
  std::vector<std::uint32_t> shared_places;  // of Decoded::shared; ~0: the kernel does not use it
  std::uint32_t local_stride = 0;
  Surroundings around;
  std::uint64_t grid_barrier = 0;  // of a cooperative launch: its address
  Releases releases;               // of Races::warps
  std::uint32_t apart = 0;         // RunOrder::apart; 0 where a callee could wait for its caller's other lanes
  std::unique_ptr<Turns> turns;    // null: blocks do not take turns
  // Where one host thread runs at a time: how often memory has changed, and for each worker when its block was found to
  // wait, all ones once it has ended.
  std::uint64_t changes = 0;
  std::vector<std::uint64_t> waits;
  std::uint64_t began = 0;               // Memory::State::elapsed then
  std::atomic<std::uint64_t> latest{0};  // of what timers have shown
  bool sequential() const { return !waits.empty(); }
  std::shared_ptr<RaceWorld> races;  // of Races::threads
  WriteJournal* journal = nullptr;   // of a stepped launch: every access is followed, every write kept
  bool repeats = false;              // steps that have been run before: what they find is known
  std::chrono::steady_clock::time_point started;

  // Each in a cache line of its own: what all threads write would slow down their reading of the rest.
  alignas(64) std::atomic<std::uint64_t> next_block{0};
  alignas(64) std::atomic<std::uint64_t> executed{0};  // warp instructions, by time slices
  alignas(64) std::uint64_t longest = 0;               // of one warp
  std::atomic<bool> stop{false};
  std::mutex mutex;  // guards the rest
  std::optional<MachineFault> fault;
  std::optional<MachineWrite> watched;
  std::uint64_t fault_block = ~std::uint64_t{0};  // the lowest faulting block wins
  std::vector<MachineFault> findings;
  std::set<std::tuple<FaultKind, std::uint32_t, std::uint32_t>> found;  // kind and pcs
  std::uint64_t further_findings = 0;
  std::string printed;
  bool printed_truncated = false;

  // The block that runs as the `ordinal`-th, by its number in the whole grid.
  std::uint64_t block_at(std::uint64_t ordinal) const {
    const Dim3 &grid = config.grid, &first = options.first_block;
    const std::uint64_t blocks = blocks_to_run(grid, first), columns = grid.x - first.x, rows = grid.y - first.y;
    if (options.order.blocks == BlockOrder::descending) ordinal = blocks - 1 - ordinal;
    if (options.order.blocks == BlockOrder::drawn) ordinal = around.block_at(ordinal, blocks);
    const std::uint64_t x = first.x + ordinal % columns, y = first.y + ordinal / columns % rows,
                        z = first.z + ordinal / columns / rows;
    return (z * grid.y + y) * grid.x + x;
  }
};

// One host thread's part of a launch. Counts are collected here and merged at the end.
class Worker {
  static constexpr std::uint32_t most_pauses = 20000;

 public:
  Worker(LaunchState& launch, int number);  // number: among the launch's, from 0
  ~Worker();
  void run();  // takes blocks until there are none left, or the launch stops
  const std::vector<PcCount>& counts() const { return counts_; }
  const std::vector<std::uint8_t>& reached() const { return reached_; }  // by pc
  LaunchState& launch() { return launch_; }
  Block& block() { return block_; }
  std::uint64_t steps() const { return steps_; }
  // What a clock shows beyond the instructions so far: at each reading more, as if others had kept the hardware busy.
  std::uint64_t waited();
  std::uint64_t elapsed();  // nanoseconds since the memory's first launch, as a timer shows them
  void pass_turn() {
    note_changes();
    launch_.turns->pass(number_);
  }

 private:
  friend class StepMachine;  // simt/step_machine.h
  void prepare_warps();
  void start_block(std::uint64_t ordinal);
  void run_block();
  template <bool counters>
  void run_warp(Warp& w);
  template <bool counters, bool once>  // once: one operation
  Strand run_from(Warp& w, Strand at);
  template <bool counters>
  Strand control(Warp& w, const Op& op, Strand at, std::uint32_t active);
  template <bool counters>
  Strand branch(Warp& w, const Op& op, Strand at, std::uint32_t active);
  template <bool counters>
  Strand branch_table(Warp& w, const Op& op, Strand at, std::uint32_t active);
  template <bool counters>
  Strand synchronize(Warp& w, const Op& op, Strand at, std::uint32_t active);
  template <bool counters>
  void tally(std::uint32_t pc, std::uint32_t active);
  Strand jump(Warp& w, const Op& op, Strand at);
  bool pauses();  // after a load of memory that kernels write
  Strand leave(Warp& w, const Op& op, Strand at, std::uint32_t active);
  Strand wait_at_barrier(Warp& w, Strand at, std::uint32_t active);
  Strand resume(Warp& w);               // the lanes to run next
  Strand give_way(Warp& w, Strand at);  // the same, including those that ran until now
  Strand resume_in_slice(Warp& w);      // the same, unless the time slice is over
  enum class Picked : std::uint8_t { unknown, none, one };
  Picked pick_alone(Warp& w, Entry& out);
  bool pick(Warp& w, Entry& out);  // false: nothing can run now; see w.state
  const Entry* choose(const Warp& w) const;
  bool meet(Warp& w) const;
  bool meet_apart(Warp& w);
  void run_apart(Warp& w, const Entry& like, std::uint32_t lanes);
  std::uint32_t waiting_with(const Entry& e, std::uint32_t members) const;
  void split(Warp& w, Entry& out) const;
  void enter_frame(Warp& w, std::uint32_t function, std::uint32_t base, std::uint32_t local_base, std::uint32_t mask);
  void use_frame(Warp& w);
  void grow(Warp& w, std::size_t bytes);
  bool call(Warp& w, const Op& op, std::uint32_t pc, std::uint32_t mask, std::uint32_t active);
  void builtin(Warp& w, const Op& op, const CallSite& site, std::uint32_t active);
  void leave_frame(Warp& w);
  bool wait_for_lanes(Warp& w, const Op& op, std::uint32_t pc, std::uint32_t& mask, std::uint32_t active);
  void arrive(Warp& w, Entry& e);
  void release_barriers();
  void divergence(Warp& w, const Entry& e, std::uint32_t absent, const char* where);
  std::uint32_t next_stop(const Warp& w, std::uint32_t pc) const;
  // What runs on at a place where lanes are past an instruction that waits for them (simt/joins.h).
  void note_past(Warp& w, const Entry& e);
  void check_past(Warp& w, std::uint32_t pc, std::uint32_t waiting);
  void check_masks(const Op& op, std::uint32_t active);
  void report_gone(const Warp& w, const Op& op);
  [[noreturn]] void raise_never(Warp& w, std::uint32_t pc, std::uint32_t waiting);
  std::uint32_t lanes_past(const Warp& w, std::uint32_t pc) const;
  void check_past_barrier(Warp& w, const Entry& e);
  bool checks_synchronisation() const { return x_.full && launch_.options.synchronisation; }
  [[noreturn]] void stuck();
  [[noreturn]] void unsupported(const Op& op, std::uint32_t pc, std::uint32_t active) const;
  bool time_slice_over();
  void look_for_circle(Warp& w) const;
  void note_changes();
  void check_waiting();
  void end_waiting(FaultKind kind, const std::string& text);  // raises it

  LaunchState& launch_;
  const int number_;
  const Joins* joins_ = nullptr;  // of the kernel; null: not checked
  Exec x_;
  Block block_;
  std::vector<PcCount> counts_;
  std::vector<std::uint8_t> reached_;
  std::vector<BufferView*> cache_;
  std::unique_ptr<std::byte, void (*)(std::byte*)> shared_{nullptr, [](std::byte*) {}};
  std::vector<std::uint8_t> shared_init_, local_init_;
  std::unique_ptr<RaceDetector> races_;
  std::unique_ptr<std::byte, void (*)(std::byte*)> local_{nullptr, [](std::byte*) {}};
  std::uint64_t steps_ = 0, reported_ = 0, slice_end_ = 0, longest_ = 0;
  std::uint64_t drawn_ = 0;                  // state of what is drawn while it runs
  std::uint64_t waited_ = 0;                 // see waited()
  std::uint64_t block_began_ = 0;            // steps_ then
  std::uint32_t pauses_left_ = most_pauses;  // of this launch
};

// Bytes of a buffer are about to change, which a launch watches (BufferView::by_lane).
void keep_before_write(Exec& x, BufferView& buffer, std::uint64_t offset, std::size_t bytes);
MachineFault describe_fault(Worker& worker, const Exec& x, const FaultSignal& signal);
// Formats a kernel's printf output; reads through checked_lane.
std::string format_printf(Exec& x, const Op& op, unsigned lane, std::uint64_t format, std::uint64_t arguments);
std::string read_text(Exec& x, const Op& op, unsigned lane, std::uint64_t address, std::size_t limit);
[[noreturn]] void raise_text(const Op& op, const FaultSite& site, std::string text);  // like raise(), with made-up text

}  // namespace ww::simt
