// SPDX-License-Identifier: Apache-2.0
// Exact counts of a launch. Everything is aggregated per instruction and summed per source line.
#pragma once
#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace ww::simt {

enum class InstrClass : std::uint8_t {
  integer,
  f32,
  f64,
  f16,
  special,
  conversion,
  move,
  predicate,
  load_global,
  store_global,
  load_shared,
  store_shared,
  load_local,
  store_local,
  load_const,
  load_param,
  atomic,
  control,
  barrier,
  shuffle,
  fence,
  tensor,
  async_copy,
  other,
};
inline constexpr std::size_t instr_class_count = static_cast<std::size_t>(InstrClass::other) + 1;
std::string_view instr_class_name(InstrClass c);  // "integer", "load_global", …

struct ClassCount {
  std::uint64_t warp = 0;    // issued with at least one active thread
  std::uint64_t thread = 0;  // active threads, summed
};

struct Tally {
  std::array<ClassCount, instr_class_count> by_class{};
  std::uint64_t warp_instructions = 0, thread_instructions = 0;
  // Floating-point operations of threads; a fused multiply-add is two. Adds, multiplies, fma, min/max, rcp, … of the
  // type.
  std::uint64_t flops_f16 = 0, flops_f32 = 0, flops_f64 = 0;
  std::uint64_t flops_tensor = 0;        // of matrix instructions, all types
  std::uint64_t branches = 0;            // conditional branches issued by warps
  std::uint64_t divergent_branches = 0;  // of these, those with active threads taking both ways
  std::uint64_t branch_threads_taken = 0, branch_threads_not_taken = 0;
  // Global memory (including generic accesses to it). A request is one warp instruction; a sector is 32 bytes.
  std::uint64_t global_load_requests = 0, global_load_sectors = 0, global_load_bytes = 0;  // bytes asked for by threads
  std::uint64_t global_store_requests = 0, global_store_sectors = 0, global_store_bytes = 0;
  // Shared memory: 32 banks of 4 bytes. Wavefronts are the passes needed; conflicts are wavefronts beyond the minimum
  // for the access width (1 for 32-bit, 2 for 64-bit, 4 for 128-bit per full warp).
  std::uint64_t shared_load_requests = 0, shared_load_wavefronts = 0, shared_load_conflicts = 0, shared_load_bytes = 0;
  std::uint64_t shared_store_requests = 0, shared_store_wavefronts = 0, shared_store_conflicts = 0,
                shared_store_bytes = 0;
  std::uint64_t local_load_requests = 0, local_store_requests = 0;
  std::uint64_t barriers = 0;                            // warp arrivals
  std::uint64_t global_atomics = 0, shared_atomics = 0;  // thread operations
  Tally& operator+=(const Tally& other);
};

struct LineTally {
  int line = 0;  // source line in the candidate; 0 collects instructions without one
  bool executed = false;
  Tally tally;
};

struct InstructionTally {
  int ptx_line = 0;
  int source_line = 0;
  std::uint64_t warp = 0, thread = 0;
  std::uint64_t requests = 0;  // memory instructions
  std::uint64_t sectors = 0;   // global: sectors; shared: wavefronts
};

struct Counters {
  Tally total;
  std::vector<LineTally> lines;                // ascending; every line with instructions, executed or not
  std::vector<InstructionTally> instructions;  // in PTX order; every instruction of the kernel and its callees
};

}  // namespace ww::simt
