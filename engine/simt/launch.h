// SPDX-License-Identifier: Apache-2.0
// Launching a kernel, and the launch's report.
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
#include "base/run_order.h"
#include "base/write_site.h"
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
inline std::uint64_t blocks_to_run(const Dim3& grid, const Dim3& first) {
  return Dim3{grid.x - first.x, grid.y - first.y, grid.z - first.z}.count();
}

enum class Checks : std::uint8_t {
  bounds,  // out of bounds, alignment, read-only, null, deadlock, budget: always on
  // also reads of uninitialised global, shared and local memory, races between blocks in global and between the warps
  // of a block in shared memory, and barriers that some threads of the block left without reaching
  full,
};

struct LaunchConfig {
  Dim3 grid, block;
  std::size_t dynamic_shared = 0;
  std::vector<std::byte> params;  // laid out as KernelInfo::params say (see Arguments)
};

struct WatchedBytes {  // of one buffer
  std::uint64_t address = 0;
  std::size_t bytes = 0;  // 0: none
};

inline constexpr std::uint64_t most_cooperative = 256;

enum class Races : std::uint8_t {
  none,
  // With Checks::full. Cheap: in shared memory between warps, in global memory between blocks where one reads or writes
  // what another has written before; the other side is named by its warp or not at all.
  warps,
  // Between any two threads, in shared and global memory, with both sides (simt/races.h). Slow; blocks run one at a
  // time or in turns.
  threads,
};

struct LaunchOptions {
  Checks checks = Checks::full;
  Races races = Races::warps;   // of Checks::full, as the next two
  bool uninitialised = true;    // reads of memory that was never written
  bool synchronisation = true;  // barriers that some threads do not reach
  // What hardware would run past (a race, a read of uninitialised memory, a barrier that threads left without reaching)
  // does not end the launch: see LaunchReport::findings.
  bool goes_on = false;
  // A kernel that may reach an instruction which the machine does not know is launched, and faults where it comes to
  // one; otherwise such a kernel is refused.
  bool unsupported_on_use = false;
  // All blocks run at once, so that they may wait for each other: each in a host thread, of which one runs at a time.
  // The grid has a barrier (cooperative_groups::this_grid().sync()). At most `most_cooperative` blocks.
  bool cooperative = false;
  bool counters = true;
  int threads = 0;                       // 0: all cores; 1: blocks in order, fully reproducible
  std::uint64_t instruction_budget = 0;  // warp instructions of the launch; 0: no limit
  std::size_t stack_bytes = 16 << 10;    // local memory per thread for recursive calls
  std::size_t printf_bytes = 64 << 10;   // further output is dropped and flagged
  RunOrder order;
  // Seed of identities, clocks, the order of blocks (where it is drawn) and the initial garbage in registers, shared
  // and local memory; 0: the first identities, clocks from zero, ascending blocks, and zeros.
  std::uint64_t surroundings = 0;
  // Seed of the signs with which approximate instructions err, by as much as the ISA documents. 0: as exact as
  // possible.
  std::uint32_t inexact = 0;
  // Only the blocks whose index is at least this in each dimension run.
  Dim3 first_block{0, 0, 0};
  WatchedBytes watch;  // the last write to them is reported; accesses to their buffer become slow
  std::stop_token stop;
};

enum class Space : std::uint8_t { none, global, shared, local, constant, param, generic };
std::string_view space_name(Space space);

// A fault with machine-specific details. `line` is of the source (0: unknown), `buffer` may be shared or local memory
// or the parameters.
struct MachineFault : Fault {
  int ptx_line = 0;
  std::string instruction;  // opcode
  Space space = Space::none;
  std::size_t access_bytes = 0;
  bool is_write = false;
  struct Value {             // of an access, little endian
    std::uint8_t bytes = 0;  // 0: unknown
    std::uint64_t bits = 0;
  };
  Value value;
  struct Other {  // of a race: the access that came first
    int line = 0, ptx_line = 0;
    std::uint32_t block[3] = {0, 0, 0}, thread[3] = {0, 0, 0};
    std::uint32_t warp = 0;     // of its block
    bool thread_known = false;  // false: `thread` is the first one of its warp
    bool is_write = false;
    std::string instruction;
    Value value;
  };
  std::optional<Other> other;
};
inline constexpr std::size_t most_findings = 64;  // of a launch

struct MachineWrite : WriteSite {  // `line` is of the source (0: unknown)
  int ptx_line = 0;
};

struct LaunchReport {
  std::optional<MachineFault> fault;  // the launch stopped here; memory holds what was written until then
  // With LaunchOptions::goes_on: what did not stop it, in the order found, at most `most_findings`; of each pair of
  // statements the first.
  std::vector<MachineFault> findings;
  std::uint64_t further_findings = 0;   // beyond these, repetitions among them
  std::optional<MachineWrite> watched;  // the last write to the watched bytes; with several threads, one of the last
  Counters counters;                    // empty when not asked for
  ptx::Reach reach;                     // of this launch
  std::string printed;                  // printf output; order between blocks is only fixed with one thread
  bool printed_truncated = false;
  std::uint64_t warp_instructions = 0;  // always counted (roughly when counters are off: per time slice)
  double busy_warps = 0;  // warp instructions of the launch over those of its longest warp: warps that exit at once are
                          // not counted, nor those that wait for a longer one
  double seconds = 0;     // wall time of the simulation on the host; unrelated to any device's
};

// Runs one grid to completion. Errors: not_found (no such kernel), invalid_argument (sizes, parameters), unsupported
// ("unsupported: <opcode> at line N"), cancelled (takes effect within about 50 ms).
Result<LaunchReport> launch(const Program& program, std::string_view kernel, const LaunchConfig& config, Memory& memory,
                            const LaunchOptions& options = {});

}  // namespace ww::simt
