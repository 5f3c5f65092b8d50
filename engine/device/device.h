// SPDX-License-Identifier: Apache-2.0
// Devices that run plans. A Device loads compiled code into a Module; each Execution is a fresh load of that module
// with its own memory, so that nothing a kernel left behind (device globals, scratch memory) affects the next input
// set.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>
#include "base/dtype.h"
#include "base/provenance.h"
#include "base/result.h"
#include "base/run_order.h"
#include "base/write_site.h"
#include "candidate/candidate.h"
#include "compile/compile.h"
#include "device/resident.h"
#include "evidence/verdict.h"
#include "profile/measurement.h"
#include "ptx/reach.h"

namespace ww::device {

struct Facts {
  std::string name;                             // "simt", "cuda:0"
  std::string description;                      // one line for people
  std::string gpu;                              // "NVIDIA H200"; empty: not a GPU
  Provenance provenance = Provenance::unknown;  // of its counters
  double default_work_limit = 0;  // largest work (see gate/cases.h) of a case that runs in reasonable time; 0: no limit
  double case_work_limit = 0;     // the same for the many further cases
  evidence::Checks checks;        // made under Checks::full
  bool tracks_writes = false;     // knows for each byte whether a kernel wrote it
  bool chooses_order = false;     // runs lanes, warps and blocks in the order that a launch asks for
  std::int64_t memory = 0;        // bytes for the tensors of one execution; 0: no known limit
  std::string architecture;       // to compile for: "sm_90"; empty: any
  bool makes_sets = false;        // make_set() works: large cases are generated, evaluated and compared on the device
  bool measures = false;          // time() works; count() may
  bool holds_ends = false;        // allocate_end() works, and LaunchOptions::first_block
  evidence::Surroundings surroundings;  // that its runs vary, where the caller draws them
};

enum class Access : std::uint8_t { read_only, read_write };

// Names of `values`: those of the fields of simt::Tally ("global_load_sectors", "flops_f32", …),
// "warp_instructions.<class>" and "thread_instructions.<class>" per instruction class, the sums "global_requests",
// "global_sectors", "global_bytes", "shared_wavefronts", "bank_conflicts", and "launches", "blocks", "warps",
// "threads", "busy_warps" (simt::LaunchReport::busy_warps).
struct Counts {
  std::vector<std::pair<std::string, double>> values;
  std::vector<evidence::LineCount> lines;  // ascending
  Counts& operator+=(const Counts& other);
};

// full: also reads of uninitialised memory and barriers that lanes have left
enum class Checks : std::uint8_t { bounds, full };

struct WatchedBytes {  // of a tensor
  std::string tensor;
  std::size_t first = 0, count = 0;  // count 0: none
};

struct LaunchOptions {
  Checks checks = Checks::bounds;
  bool counters = false;
  int threads = 0;           // of the host, where the device is simulated; 0: all, 1: blocks strictly in order
  RunOrder order;            // on a simulated device
  std::uint64_t budget = 0;  // warp instructions, if the device counts them; 0: none
  // on a simulated device: seed of identities, clocks and the garbage in shared memory; 0: fixed values
  std::uint64_t surroundings = 0;
  // on a simulated device: signs of the errors that approximate instructions may make; 0: as exact as possible
  std::uint32_t inexact = 0;
  double seconds =
      0;  // after which a launch on real hardware is a fault of kind "out of budget"; 0: the device's own limit
  bool cold = false;         // on real hardware: the L2 cache is overwritten first
  std::uint32_t beside = 0;  // on real hardware: seed of other work at the same time; 0: none
  // If facts().holds_ends: only the blocks whose index is at least this in each dimension run.
  std::array<std::uint32_t, 3> first_block{};
  WatchedBytes watch;  // where the device is simulated: the last write to them is reported
  std::stop_token stop;
};

struct LaunchOutcome {
  std::optional<Fault> fault;        // the launch stopped here
  std::optional<WriteSite> watched;  // the last write to the watched bytes
  Counts counts;                     // when asked for
  ptx::Reach reach;                  // where the device knows
  std::string printed;               // what the kernel printed (bounded)
  double seconds = 0;                // of the host
  bool undisturbed = false;          // no memory for the cold cache or the other work that was asked for
};

struct KernelFacts {
  std::string name;
  std::vector<std::string> parameters;  // PTX types, e.g. "u64", "f32"
};

class Execution {  // one owner, one thread at a time
 public:
  virtual ~Execution() = default;
  // Releases all tensors; the module keeps its variables. If the device can, it places new tensors elsewhere, drawn
  // from `place`: with an odd one at multiples of 32 bytes, with an even one of 256.
  virtual Status renew(std::uint64_t place) = 0;
  // `count` elements between guard zones. The content is undefined (poison) until written.
  virtual Status allocate(const std::string& name, DType dtype, std::int64_t count, Access access) = 0;
  // If facts().holds_ends: a tensor of which only the last `held` elements have memory. To touch another one is a
  // fault; in all other calls, those are the whole buffer.
  virtual Status allocate_end(const std::string& name, DType dtype, std::int64_t count, std::int64_t held,
                              Access access);
  virtual Status write(const std::string& name, std::span<const std::byte> bytes) = 0;  // whole buffer
  virtual Status poison(const std::string& name, std::uint8_t pattern) = 0;  // fills it and marks it as unwritten
  virtual Status zero(const std::string& name) = 0;
  virtual Status read(const std::string& name, std::span<std::byte> bytes) const = 0;  // whole buffer
  virtual Result<bool> holds(const std::string& name,
                             std::span<const std::byte> bytes) const = 0;  // exactly these bytes?
  // The bytes of a buffer not written since it was poisoned: how many, the first, the last. None: the device does not
  // track writes.
  struct Unwritten {
    std::size_t count = 0, first = 0, last = 0;
  };
  virtual Result<Unwritten> unwritten(const std::string& name) const = 0;
  virtual Result<std::optional<Fault>> check_guards()
      const = 0;  // a fault that names the buffer whose guard zone was changed
  // Marshals arguments according to the kernel's parameters. Errors: arguments that do not fit (invalid_argument),
  // cancelled, device. Unsupported instructions are returned as a fault of kind "unsupported".
  virtual Result<LaunchOutcome> launch(const candidate::PlannedLaunch& launch, const LaunchOptions& options) = 0;

  // Only if facts().makes_sets; `name` is an input (fill, holds_set) or an output (compare_set) of the set's spec.
  virtual Status fill(const std::string& name, const ResidentSet& set);                   // a copy on the device
  virtual Result<bool> holds_set(const std::string& name, const ResidentSet& set) const;  // exactly the set's bytes?
  virtual Result<ResidentComparison> compare_set(const std::string& name, const ResidentSet& set) const;
  virtual Result<std::uint64_t> address(const std::string& name) const;  // of the first element, in the device's memory
};

// Work to time: the launches of a plan, or work that another library enqueues.
struct TimedSubject {
  std::string name;
  Execution* execution = nullptr;  // its module and its filled buffers
  std::span<const candidate::PlannedLaunch> launches;
  std::function<Status(void* stream)> enqueue;  // instead of launches: a CUstream; must be capturable in a graph
  struct Zeroed {
    std::string name;
    std::size_t bytes = 0;
  };
  // whole buffers of the execution, zeroed before the first launch of every replay: part of the plan, and of its time
  std::vector<Zeroed> zeroed;
};
struct TimeOptions {
  int rounds = 10, samples = 5;    // samples per subject and regime in each round
  double sample_seconds = 0.0005;  // a warm sample repeats the plan for at least this long
  bool cold = true, warm = true;
  std::uint64_t order_seed = 0;                   // for the random order of subjects within a round
  double warm_up_seconds = 0.05;                  // at most; ends early once times are stable
  double limit_seconds = 20;                      // no new round starts after this time
  std::function<Status(int round)> before_round;  // to refresh inputs: called between rounds, outside the timed region
  std::stop_token stop;
};

class Module {  // immutable; its executions may be used from several threads, each from one
 public:
  virtual ~Module() = default;
  virtual const std::vector<KernelFacts>& kernels() const = 0;
  // Checks that the launch's arguments match the kernel's parameters; the error names the mismatch.
  virtual Status fits(const candidate::PlannedLaunch& launch) const = 0;
  virtual Result<std::unique_ptr<Execution>> execution() const = 0;
};

class Device {
 public:
  virtual ~Device() = default;
  virtual const Facts& facts() const = 0;
  // Code::compile if the code is at fault, Code::unsupported if this device cannot load it.
  virtual Result<std::shared_ptr<const Module>> load(const compile::Output& output) = 0;

  // False after a fault that destroyed the device's context: the process must be replaced before it runs anything else.
  virtual bool usable() const { return true; }

  // For real hardware only; other devices return Code::unsupported.
  // `compiler` compiles the reference's code; both must outlive the set.
  virtual Result<std::shared_ptr<const ResidentSet>> make_set(const op::Spec& spec, const SetRequest& request,
                                                              compile::Compiler& compiler);
  virtual Result<std::vector<profile::SubjectTiming>> time(std::span<const TimedSubject> subjects,
                                                           const TimeOptions& options);
  // Replays each launch as often as the counters need and restores buffers in between. Denied counters are not an
  // error: see why_not.
  virtual Result<profile::CounterReport> count(Execution& execution, std::span<const candidate::PlannedLaunch> launches,
                                               const std::string& set, const std::stop_token& stop);
  virtual Result<profile::DeviceDetails> details();
  virtual Result<profile::Ceilings> ceilings(compile::Compiler& compiler,
                                             // from the cache, else measured (takes seconds)
                                             const std::stop_token& stop);
};

// Devices by name. "simt" always exists; others are registered under the part of their name before ":".
using Opener = std::function<Result<std::unique_ptr<Device>>(std::string_view name)>;
void add_kind(std::string kind, Opener opener);
Result<std::unique_ptr<Device>> open(std::string_view name);
std::vector<std::string> kinds();

std::unique_ptr<Device> open_simt();

}  // namespace ww::device
