// SPDX-License-Identifier: Apache-2.0
// Places where plans run. A Device loads compiled code into a Module; each Execution is that module loaded afresh with memory of its own,
// so that nothing a kernel left behind (device globals, scratch memory) is seen by the next input set.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>
#include "base/cancel.h"
#include "base/dtype.h"
#include "base/result.h"
#include "candidate/candidate.h"
#include "compile/compile.h"

namespace ww::device {

struct Facts {
  std::string name;               // "simt", "cuda:0"
  std::string description;        // one line for a person
  std::string provenance;         // of its counters: "simulated" or "measured"
  double default_work_limit = 0;  // largest work (see gate/cases.h) of a case that it runs in reasonable time; 0: no limit
  double case_work_limit = 0;     // the same for the many further cases
  bool tracks_writes = false;     // knows of each byte whether a kernel wrote it
  std::int64_t memory = 0;        // bytes for the tensors of one execution; 0: no limit known
};

enum class Access : std::uint8_t { read_only, read_write };

struct Fault {                    // what a kernel did wrong, placed in the candidate's text
  std::string kind;               // "out of bounds", "misaligned", "uninitialised read", "infinite loop", "unsupported", …
  std::string message;            // one plain sentence
  std::string kernel;
  int line = 0;                   // 0: unknown
  std::uint32_t block[3] = {0, 0, 0}, thread[3] = {0, 0, 0};
  std::uint64_t address = 0;
  std::string buffer;
  std::int64_t offset = 0;        // bytes from the buffer's start
};

struct LineCount {
  int line = 0;                   // of the candidate's text
  std::uint64_t warp_instructions = 0, thread_instructions = 0, global_sectors = 0, shared_wavefronts = 0, bank_conflicts = 0, divergent_branches = 0;
};
// Names of `values`: those of the fields of simt::Tally ("global_load_sectors", "flops_f32", …), "warp_instructions.<class>" and
// "thread_instructions.<class>" per instruction class, the sums "global_requests", "global_sectors", "global_bytes", "shared_wavefronts",
// "bank_conflicts", and "launches", "blocks", "warps", "threads".
struct Counts {
  std::vector<std::pair<std::string, double>> values;
  std::vector<LineCount> lines;   // ascending
  Counts& operator+=(const Counts& other);
};

enum class Checks : std::uint8_t { bounds, full };  // full: reads of uninitialised memory and barriers left too

struct LaunchOptions {
  Checks checks = Checks::bounds;
  bool counters = false;
  int threads = 0;                // of the host, where the device is simulated; 0: all, 1: blocks strictly in order
  bool reverse = false;           // where the device is simulated: blocks and warps from the last to the first
  std::uint64_t budget = 0;       // warp instructions, where the device counts them; 0: none
  CancelToken cancel;
};

struct LaunchOutcome {
  std::optional<Fault> fault;     // the launch stopped here
  Counts counts;                  // when asked for
  std::string printed;            // what the kernel printed (bounded)
  double seconds = 0;             // of the host
};

struct KernelFacts {
  std::string name;
  std::vector<std::string> parameters;  // PTX types, e.g. "u64", "f32"
};

class Execution {                 // one owner, one thread at a time
 public:
  virtual ~Execution() = default;
  // `count` elements between guard zones. The content is poison until written.
  virtual Status allocate(const std::string& name, DType dtype, std::int64_t count, Access access) = 0;
  virtual Status write(const std::string& name, std::span<const std::byte> bytes) = 0;   // whole buffer
  virtual Status poison(const std::string& name, std::uint8_t pattern) = 0;              // fills it and marks it as never written
  virtual Status zero(const std::string& name) = 0;
  virtual Status read(const std::string& name, std::span<std::byte> bytes) const = 0;    // whole buffer
  virtual Result<bool> holds(const std::string& name, std::span<const std::byte> bytes) const = 0;  // exactly these bytes?
  // How many bytes of a buffer nobody has written since its poisoning, and the first of them. Where the device does not track writes: none.
  struct Unwritten { std::size_t count = 0, first = 0; };
  virtual Result<Unwritten> unwritten(const std::string& name) const = 0;
  virtual Result<std::optional<Fault>> check_guards() const = 0;  // a fault that names the buffer whose guard zone was changed
  // Arguments are marshalled by the kernel's own parameters. Errors: arguments that do not fit it (invalid_argument), cancelled, device.
  // What the machine cannot execute comes back as a fault of kind "unsupported".
  virtual Result<LaunchOutcome> launch(const candidate::PlannedLaunch& launch, const LaunchOptions& options) = 0;
};

class Module {                    // immutable; its executions may be used from several threads, each from one
 public:
  virtual ~Module() = default;
  virtual const std::vector<KernelFacts>& kernels() const = 0;
  // Do the launch's arguments fit the kernel's parameters? Names what does not.
  virtual Status fits(const candidate::PlannedLaunch& launch) const = 0;
  virtual Result<std::unique_ptr<Execution>> execution() const = 0;
};

class Device {
 public:
  virtual ~Device() = default;
  virtual const Facts& facts() const = 0;
  // Code::compile when the code itself is at fault, Code::unsupported when this device cannot take it.
  virtual Result<std::shared_ptr<const Module>> load(const compile::Output& output) = 0;
};

// Devices by name. "simt" is always there; others are added by those who can open them, under the part of the name before ":".
using Opener = std::function<Result<std::unique_ptr<Device>>(std::string_view name)>;
void add_kind(std::string kind, Opener opener);
Result<std::unique_ptr<Device>> open(std::string_view name);
std::vector<std::string> kinds();

std::unique_ptr<Device> open_simt();

}  // namespace ww::device
