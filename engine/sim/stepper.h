// SPDX-License-Identifier: Apache-2.0
// A job's launch step by step, forwards and back, until something happens. See simt/stepping.h for what a step, a
// position and an order of running are. Not for several threads at once.
#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>
#include "base/describe.h"
#include "base/result.h"
#include "ptx/debug_info.h"
#include "sim/job.h"
#include "sim/lens.h"
#include "sim/liveness.h"
#include "sim/step_facts.h"
#include "simt/stepping.h"

namespace ww::sim {

enum class StopKind : std::uint8_t {
  instruction,  // at the next one
  source_line,  // where another line of the source begins
  barrier,      // where the threads at a barrier go on
  line,         // where this line of the source begins
  ptx_line,     // at the instruction at this line of the PTX
  read,         // after a read of an element
  write,        // after a write
  changes,      // after a step that changes a variable's or register's value in a lane
  holds,        // after a step by which it begins to compare with a number as asked for
  end,          // where nothing more runs; back: where nothing has run
};
constexpr auto names_of(StopKind) {
  using enum StopKind;
  return std::to_array<Enumerator<StopKind>>({{instruction, "instruction"},
                                              {source_line, "source line"},
                                              {barrier, "barrier"},
                                              {line, "line"},
                                              {ptx_line, "ptx"},
                                              {read, "read"},
                                              {write, "write"},
                                              {changes, "changes"},
                                              {holds, "holds"},
                                              {end, "end"}});
}
enum class Relation : std::uint8_t { equal, unequal, less, at_most, greater, at_least };
constexpr auto names_of(Relation) {
  using enum Relation;
  return std::to_array<Enumerator<Relation>>(
      {{equal, "=="}, {unequal, "!="}, {less, "<"}, {at_most, "<="}, {greater, ">"}, {at_least, ">="}});
}
struct StopAt {
  StopKind kind = StopKind::instruction;
  int line = 0;            // of `line` and `ptx_line`
  std::string buffer;      // of `read` and `write`; "shared": shared memory in words of 4 bytes
  std::int64_t index = 0;  // of the element; bytes where the buffer's type is unknown
  int warp = -1;           // only of this warp; -1: of any. Not of barriers
  int thread = -1;         // only of this thread of its block (x fastest); -1: of any
  std::string variable;    // of `changes` and `holds`: a variable, or a register of the PTX
  Relation relation = Relation::equal;
  double number = 0;
  WW_FIELDS(StopAt, kind, (line, "of `line` and `ptx`", sparse),
            (buffer, "of `read` and `write`; `shared`: shared memory", sparse),
            (index, "of its element; of shared memory the word of 4 bytes", sparse), (warp, "-1: any", defaulted),
            (thread, "of its block, x fastest; -1: any", defaulted),
            (variable, "of `changes` and `holds`: a variable, or a register of the PTX", sparse),
            (relation, "of `holds`: `==`, `!=`, `<`, `<=`, `>`, `>=`", sparse),
            (number, "that it is compared with", sparse))
};

enum class Arrival : std::uint8_t {
  there,  // where it should stop
  ended,  // at an end of the launch instead; back: at its beginning
  found,  // a check found something first
  limit,  // most_steps are recorded
  cancelled,
};
constexpr auto names_of(Arrival) {
  using enum Arrival;
  return std::to_array<Enumerator<Arrival>>(
      {{there, "there"}, {ended, "ended"}, {found, "found"}, {limit, "limit"}, {cancelled, "cancelled"}});
}

struct PlacedJob;

struct Reading {  // of a variable or register in the lanes of a warp
  simt::Type type = simt::Type::none;
  std::uint32_t known = 0;  // lanes that have a value there
  std::array<std::uint64_t, 32> bits{};
};

class Stepper {
 public:
  static constexpr std::uint64_t most_steps = 8'000'000;
  static constexpr std::size_t most_bytes = 300'000'000;  // of a recording; with a million steps, too
  // `ptx`: of the job's code. `block`: see SteppingOptions; empty: all. `bytes`: that the recording may take. Errors as
  // run().
  static Result<std::unique_ptr<Stepper>> begin(Job job, const std::string& ptx,
                                                const std::vector<std::int64_t>& block = {},
                                                std::size_t bytes = most_bytes);
  ~Stepper();

  simt::Stepping& machine() { return *machine_; }
  const simt::Program& program() const { return *program_; }
  const std::string& kernel() const { return kernel_; }
  // Code::invalid_argument: what is named does not exist.
  Status check(const StopAt& at) const;
  // Forwards and back to the nearest place that one of them names, each as checked. Forwards also to what a check
  // finds; back only with StopKind::end, which is the beginning then: so a run goes back to what stopped it before.
  Arrival run(std::span<const StopAt> any, std::stop_token stop = {});
  Arrival back(std::span<const StopAt> any, std::stop_token stop = {});
  Arrival run(const StopAt& at, std::stop_token stop = {}) { return run({&at, 1}, std::move(stop)); }
  Arrival back(const StopAt& at, std::stop_token stop = {}) { return back({&at, 1}, std::move(stop)); }
  Arrival go(std::uint64_t position, std::stop_token stop = {});

  StepFacts last_step() const;  // that led to the position, from 1
  WarpFacts warp(std::size_t index) const;
  // All of a warp's innermost frame, each with the values of all 32 lanes.
  std::vector<WrittenRegister> registers(std::size_t warp) const;
  std::vector<StepFinding> findings() const;
  // Adds to those of the last step what needs a look at the steps that follow, of which some may be recorded.
  void find_writers(std::vector<StepFinding>& findings, const std::stop_token& stop = {});
  SharedFacts shared() const;
  std::vector<VariableFacts> variables(std::size_t warp) const;
  std::optional<LiveFacts> live(std::size_t warp);  // nothing: it has ended, or its next instruction is unknown
  StepTotals totals() const;
  // Of a thread of the block that runs, among the recorded steps from the position on.
  std::optional<NextWrite> next_write(int thread);
  const Timeline& timeline(
      std::size_t parts) const;  // of the block that runs at the position, as far as it is recorded
  // Of the steps up to the position, which run again. Code::invalid_argument: no such buffer, or too many elements.
  Result<Lens> lens(const std::string& buffer, std::int64_t frames = 0);

 private:
  static constexpr std::uint64_t look_every = 4096;  // steps between looks at whether to stop
  Stepper();
  struct Range {
    simt::Space space = simt::Space::global;
    std::uint64_t first = 0, bytes = 0;
  };
  struct Found {
    simt::Space space = simt::Space::global;
    std::uint64_t address = 0;
    std::int64_t element = 1, elements = 0;  // bytes of one, and how many
    std::string type;
    bool given = false;  // its contents
  };
  class LensMaker;
  Result<Found> find(const std::string& buffer) const;
  bool has_variable(const std::string& name) const;
  std::optional<Found> find_shared(const std::string& name, std::string& names) const;
  const ptx::DebugFunction* debug_of(const simt::Function& function) const;  // null: it was not compiled for that
  std::optional<Reading> reading(const ptx::DebugVariable& variable, std::size_t warp) const;
  bool read_place(const ptx::DebugPlace& place, const ptx::DebugVariable& variable, std::size_t warp, unsigned lane,
                  std::uint64_t& bits) const;
  std::optional<Reading> reading(const std::string& variable, std::size_t warp) const;
  Result<Range> range_of(const StopAt& at) const;
  struct Place {
    const StopAt* at = nullptr;
    Range range;
    std::optional<Reading> before;  // of its variable, in the warp of the last step, before that
  };
  std::vector<Place> places_of(std::span<const StopAt> any) const;
  bool matches(std::span<const Place> places, std::uint64_t position) const;
  bool matches(const Place& place, std::uint64_t position) const;
  void look_before(std::span<Place> places) const;  // the step that begins here
  bool began(const Place& place, std::uint64_t position) const;
  bool found_at(std::uint64_t position) const;
  bool begins_line(const simt::StepRecord& next, std::uint64_t position) const;
  bool touched(const StopAt& at, const Range& range) const;
  const std::vector<std::string>& names_in(const simt::Function& function) const;
  std::optional<NextWrite> write_of(int thread) const;  // by the last step
  bool is_full() const;                                 // no further step can be recorded
  std::optional<Extent> extent_of(const simt::MachineFault& fault) const;
  Site site_of(const simt::StepAccess& access) const;  // by the last step
  void look_for_writers(std::vector<Unwritten>& found,
                        const std::vector<std::pair<StepFinding*, const simt::MachineFault*>>& wanted,
                        const std::stop_token& stop);

  Job job_;
  std::string kernel_;
  std::shared_ptr<const simt::Program> program_;
  std::unique_ptr<PlacedJob> placed_;
  std::unique_ptr<simt::Stepping> machine_;
  std::map<const simt::Function*, Liveness> liveness_;  // of those that were asked for
  mutable std::map<const simt::Function*, std::vector<std::string>> names_;
  std::vector<ptx::DebugFunction> debug_;
  mutable StepTotals known_totals_;  // as far as it was asked last
  mutable Timeline known_timeline_;
  mutable std::size_t known_parts_ = 0;  // of the time line; 0: none
  struct KnownWrite {
    int thread = -1;
    std::uint64_t block = 0, from = 0, recorded = 0;  // where it was looked for, and how much was known
    std::optional<NextWrite> write;
  } known_write_;
  std::optional<std::pair<std::uint64_t, std::vector<Unwritten>>> known_unwritten_;  // of the findings at a position
};

}  // namespace ww::sim
