// SPDX-License-Identifier: Apache-2.0
// Places where plans run. A Device loads compiled code into a Module; each Execution is that module loaded afresh with
// memory of its own, so that nothing a kernel left behind (device globals, scratch memory) is seen by the next input
// set.
#pragma once
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
#include "candidate/candidate.h"
#include "compile/compile.h"
#include "device/resident.h"
#include "evidence/verdict.h"
#include "profile/measurement.h"
#include "ptx/reach.h"

namespace ww::device {

struct Facts {
  std::string name;                             // "simt", "cuda:0"
  std::string description;                      // one line for a person
  std::string gpu;                              // "NVIDIA H200"; empty: it is none
  Provenance provenance = Provenance::unknown;  // of its counters
  double default_work_limit =
      0;                       // largest work (see gate/cases.h) of a case that it runs in reasonable time; 0: no limit
  double case_work_limit = 0;  // the same for the many further cases
  evidence::Checks checks;     // that Checks::full makes
  bool tracks_writes = false;  // knows of each byte whether a kernel wrote it
  std::int64_t memory = 0;     // bytes for the tensors of one execution; 0: no limit known
  std::string architecture;    // that code should be compiled for: "sm_90"; empty: any
  bool makes_sets = false;     // make_set() works: large cases are made, referenced and compared on the device
  bool measures = false;       // time() works; count() may
};

enum class Access : std::uint8_t { read_only, read_write };

// Names of `values`: those of the fields of simt::Tally ("global_load_sectors", "flops_f32", …),
// "warp_instructions.<class>" and "thread_instructions.<class>" per instruction class, the sums "global_requests",
// "global_sectors", "global_bytes", "shared_wavefronts", "bank_conflicts", and "launches", "blocks", "warps",
// "threads".
struct Counts {
  std::vector<std::pair<std::string, double>> values;
  std::vector<evidence::LineCount> lines;  // ascending
  Counts& operator+=(const Counts& other);
};

enum class Checks : std::uint8_t { bounds, full };  // full: reads of uninitialised memory and barriers left too

struct LaunchOptions {
  Checks checks = Checks::bounds;
  bool counters = false;
  int threads = 0;                 // of the host, where the device is simulated; 0: all, 1: blocks strictly in order
  bool reverse = false;            // where the device is simulated: blocks and warps from the last to the first
  std::uint64_t budget = 0;        // warp instructions, where the device counts them; 0: none
  std::uint64_t surroundings = 0;  // where the device is simulated: identities, clocks and the garbage in shared memory
                                   // are drawn from it; 0: fixed ones
  std::uint32_t inexact = 0;       // where the device is simulated: signs of the errors that approximate instructions
                                   // may make; 0: they are as exact as can be
  std::uint32_t apart = 0;         // where the device is simulated: lanes that run apart from the others of their warp
                                   // between the instructions that synchronise it; 0: all run together
  double seconds =
      0;  // after which a launch on real hardware is a fault of kind "out of budget"; 0: the device's own limit
  std::stop_token stop;
};

struct LaunchOutcome {
  std::optional<Fault> fault;  // the launch stopped here
  Counts counts;               // when asked for
  ptx::Reach reach;            // where the device knows
  std::string printed;         // what the kernel printed (bounded)
  double seconds = 0;          // of the host
};

struct KernelFacts {
  std::string name;
  std::vector<std::string> parameters;  // PTX types, e.g. "u64", "f32"
};

class Execution {  // one owner, one thread at a time
 public:
  virtual ~Execution() = default;
  // Lets go of all tensors; the module keeps its variables. Where the device can, tensors allocated from now on lie
  // elsewhere, as drawn from `place`.
  virtual Status renew(std::uint64_t place) = 0;
  // `count` elements between guard zones. The content is poison until written.
  virtual Status allocate(const std::string& name, DType dtype, std::int64_t count, Access access) = 0;
  virtual Status write(const std::string& name, std::span<const std::byte> bytes) = 0;  // whole buffer
  virtual Status poison(const std::string& name, std::uint8_t pattern) = 0;  // fills it and marks it as never written
  virtual Status zero(const std::string& name) = 0;
  virtual Status read(const std::string& name, std::span<std::byte> bytes) const = 0;  // whole buffer
  virtual Result<bool> holds(const std::string& name,
                             std::span<const std::byte> bytes) const = 0;  // exactly these bytes?
  // How many bytes of a buffer were not written since its poisoning, and the first of them. Where the device does not
  // track writes: none.
  struct Unwritten {
    std::size_t count = 0, first = 0;
  };
  virtual Result<Unwritten> unwritten(const std::string& name) const = 0;
  virtual Result<std::optional<Fault>> check_guards()
      const = 0;  // a fault that names the buffer whose guard zone was changed
  // Arguments are marshalled by the kernel's own parameters. Errors: arguments that do not fit it (invalid_argument),
  // cancelled, device. What the machine cannot execute comes back as a fault of kind "unsupported".
  virtual Result<LaunchOutcome> launch(const candidate::PlannedLaunch& launch, const LaunchOptions& options) = 0;

  // Only where facts().makes_sets; `name` is an input (fill, holds_set) or an output (compare_set) of the set's spec.
  virtual Status fill(const std::string& name, const ResidentSet& set);                   // a copy on the device
  virtual Result<bool> holds_set(const std::string& name, const ResidentSet& set) const;  // exactly the set's bytes?
  virtual Result<ResidentComparison> compare_set(const std::string& name, const ResidentSet& set) const;
  virtual Result<std::uint64_t> address(const std::string& name) const;  // of the first element, in the device's memory
};

// Something that can be timed: the launches of a plan, or work that another library enqueues.
struct TimedSubject {
  std::string name;
  Execution* execution = nullptr;  // its module and its filled buffers
  std::span<const candidate::PlannedLaunch> launches;
  std::function<Status(void* stream)> enqueue;  // in place of launches: a CUstream; must be capturable in a graph
  struct Zeroed {
    std::string name;
    std::size_t bytes = 0;
  };
  std::vector<Zeroed> zeroed;  // whole buffers of the execution, filled with zero bytes before the first launch of
                               // every replay: a part of the plan, and of its time
};
struct TimeOptions {
  int rounds = 10, samples = 5;    // samples of each subject and regime in each round
  double sample_seconds = 0.0005;  // a warm sample replays the plan until it lasts at least this long
  bool cold = true, warm = true;
  std::uint64_t order_seed = 0;                   // of the random order of subjects within a round
  double warm_up_seconds = 0.05;                  // at most; ends earlier when times are stable
  double limit_seconds = 20;                      // rounds end early, after a whole round, when this has passed
  std::function<Status(int round)> before_round;  // fresh inputs: called between rounds, outside the timed region
  std::stop_token stop;
};

class Module {  // immutable; its executions may be used from several threads, each from one
 public:
  virtual ~Module() = default;
  virtual const std::vector<KernelFacts>& kernels() const = 0;
  // Checks that the launch's arguments match the kernel's parameters; the error names the one that does not.
  virtual Status fits(const candidate::PlannedLaunch& launch) const = 0;
  virtual Result<std::unique_ptr<Execution>> execution() const = 0;
};

class Device {
 public:
  virtual ~Device() = default;
  virtual const Facts& facts() const = 0;
  // Code::compile when the code itself is at fault, Code::unsupported when this device cannot take it.
  virtual Result<std::shared_ptr<const Module>> load(const compile::Output& output) = 0;

  // False after a fault that took the device's context with it: the process must be replaced before anything else runs
  // on it.
  virtual bool usable() const { return true; }

  // The rest is that of real hardware; elsewhere Code::unsupported.
  // The compiler compiles the reference's own code; both must outlive the set.
  virtual Result<std::shared_ptr<const ResidentSet>> make_set(const op::Spec& spec, const SetRequest& request,
                                                              compile::Compiler& compiler);
  virtual Result<std::vector<profile::SubjectTiming>> time(std::span<const TimedSubject> subjects,
                                                           const TimeOptions& options);
  // Each launch is replayed as often as the counters need; buffers are restored in between. Denied counters are no
  // error: see why_not.
  virtual Result<profile::CounterReport> count(Execution& execution, std::span<const candidate::PlannedLaunch> launches,
                                               const std::string& set, const std::stop_token& stop);
  virtual Result<profile::DeviceDetails> details();
  virtual Result<profile::Ceilings> ceilings(compile::Compiler& compiler,
                                             const std::stop_token& stop);  // from the cache, else measured (seconds)
};

// Devices by name. "simt" is always there; others are added by those who can open them, under the part of the name
// before ":".
using Opener = std::function<Result<std::unique_ptr<Device>>(std::string_view name)>;
void add_kind(std::string kind, Opener opener);
Result<std::unique_ptr<Device>> open(std::string_view name);
std::vector<std::string> kinds();

std::unique_ptr<Device> open_simt();

}  // namespace ww::device
