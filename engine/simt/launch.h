// SPDX-License-Identifier: Apache-2.0
// Launching a kernel, and what comes back.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>
#include "base/fault.h"
#include "base/result.h"
#include "ptx/reach.h"
#include "simt/counters.h"

namespace ww::simt {

class Memory;
class Program;

struct Dim3 {
  std::uint32_t x = 1, y = 1, z = 1;
  std::uint64_t count() const { return std::uint64_t{x} * y * z; }
  bool operator==(const Dim3&) const = default;
};

enum class Checks : std::uint8_t {
  bounds,  // out of bounds, alignment, read-only, null, deadlock, budget: always on
  full,    // and reads of uninitialised global, shared and local memory, races between blocks in global and between the
           // warps of a block in shared memory, and barriers that some threads of the block left without reaching
};

struct LaunchConfig {
  Dim3 grid, block;
  std::size_t dynamic_shared = 0;
  std::vector<std::byte> params;  // laid out as KernelInfo::params say (see Arguments)
};

struct LaunchOptions {
  Checks checks = Checks::full;
  bool counters = true;
  int threads = 0;                       // 0: all cores; 1: blocks in order, fully reproducible
  bool reverse = false;                  // blocks, and the warps of a block, from the last to the first
  std::uint64_t instruction_budget = 0;  // warp instructions of the launch; 0: no limit
  std::size_t stack_bytes = 16 << 10;    // local memory per thread for recursive calls
  std::size_t printf_bytes = 64 << 10;   // what is printed beyond is dropped and flagged
  // Identities, clocks and the garbage that registers, shared and local memory begin with are drawn from it; 0: the
  // first identities, clocks from zero, and zeros.
  std::uint64_t surroundings = 0;
  // Approximate instructions err by as much as the ISA documents; the signs are drawn from it. 0: as exact as can be.
  std::uint32_t inexact = 0;
  // Lanes of a warp that are set in it run apart from the others between the instructions that synchronise a warp, as
  // independent thread scheduling allows; 0: together.
  std::uint32_t apart = 0;
  std::stop_token stop;
};

enum class Space : std::uint8_t { none, global, shared, local, constant, param, generic };
std::string_view space_name(Space space);

// A fault with what only the machine knows. `line` is of the source (0: unknown), `buffer` may be shared or local
// memory or the parameters.
struct MachineFault : Fault {
  int ptx_line = 0;
  std::string instruction;  // opcode
  Space space = Space::none;
  std::size_t access_bytes = 0;
  bool is_write = false;
};

struct LaunchReport {
  std::optional<MachineFault> fault;  // the launch stopped here; memory holds what was written until then
  Counters counters;                  // empty when not asked for
  ptx::Reach reach;                   // of this launch
  std::string printed;                // printf output; order between blocks is only fixed with one thread
  bool printed_truncated = false;
  std::uint64_t warp_instructions = 0;  // always counted (roughly when counters are off: per time slice)
  double seconds = 0;                   // wall time of the simulation on the host; says nothing about a device
};

// Runs one grid to its end. Errors: not_found (no such kernel), invalid_argument (sizes, parameters),
// unsupported ("unsupported: <opcode> at line N"), cancelled. Cancelling is honoured within about 50 ms.
Result<LaunchReport> launch(const Program& program, std::string_view kernel, const LaunchConfig& config, Memory& memory,
                            const LaunchOptions& options = {});

}  // namespace ww::simt
