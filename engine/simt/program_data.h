// SPDX-License-Identifier: Apache-2.0
// Internals of simt::Program: the syntax tree and the code decoded from it.
#pragma once
#include <array>
#include <memory>
#include <mutex>
#include <string>
#include <vector>
#include "simt/joins.h"
#include "simt/machine.h"
#include "simt/module.h"
#include "simt/program.h"

namespace ww::simt {

struct Constant {  // broadcast over 32 lanes at frame offset `at`
  enum class Kind : std::uint8_t { value, variable, shared, local, function } kind = Kind::value;
  std::uint32_t at = 0;
  std::uint8_t bytes = 4;
  std::uint32_t index = 0;  // variable: Module::variables; shared: FunctionCode::shared_names of the launch's layout
  std::int64_t value = 0;   // or the addend
};

struct SharedVariable {  // module-scope or demoted into a body
  std::string name;
  std::size_t bytes = 0, align = 1;
  bool is_extern = false;  // dynamic shared memory
};

struct CallSite {
  std::int32_t function = -1;  // index in Decoded::functions; -1: indirect through the u64 array at Op::a
  std::uint32_t builtin = 0;   // 1 vprintf, 2 __assertfail, 3 malloc, 4 free; 0: a PTX function
  struct Argument {
    std::uint32_t at = 0, bytes = 0;
  };  // in the caller's parameter area
  std::vector<Argument> arguments, results;
};

inline constexpr std::uint32_t cluster_barrier = 16;  // its number, beyond those of programs
struct BarrierSite {
  enum class Kind : std::uint8_t { sync, arrive, reduce_popc, reduce_and, reduce_or } kind = Kind::sync;
  std::uint32_t id = 0, count = 0;  // frame offsets of u32 arrays; count 0: the whole block
  std::uint32_t predicate = 0;      // frame offset
  bool predicate_negated = false;
  std::uint32_t destination = 0;  // u32 array or predicate
  bool aligned = true;
  bool of_cluster = false;  // of one block
};

struct FunctionCode {
  std::uint32_t entry = 0, end = 0;  // pcs
  std::uint32_t frame_bytes = 0;
  std::vector<std::uint32_t> registers;         // frame offsets, beside Function::registers
  std::uint32_t param_at = 0, param_bytes = 0;  // lane-major parameter area in the frame; bytes per lane
  std::uint32_t local_bytes = 0;
  std::vector<Constant> constants;
  std::vector<std::uint32_t> local_constants;  // indices of `constants` that move with the call depth
  struct Clear {
    std::uint32_t at, bytes;
  };
  std::vector<Clear> clears;                        // registers that may be read before they are written
  std::vector<CallSite::Argument> params, returns;  // places in the parameter area
  std::vector<std::uint32_t> shared;                // indices of Decoded::shared that it names
  std::vector<std::uint32_t> callees;               // function indices
  bool calls_indirectly = false, is_entry = false, has_body = false;
  Joins joins;                // of an entry
  bool asks_cluster = false;  // for its place in one, or for what the other blocks of one have
  struct Unsupported {
    int line = 0;        // of the PTX
    std::string what;    // the opcode, or the function's name
    std::string reason;  // may be empty
    std::string text() const {
      return "unsupported: " + what + " at line " + std::to_string(line) + (reason.empty() ? "" : " (" + reason + ")");
    }
  };
  std::vector<Unsupported> unsupported;
};

struct OpInfo {
  std::uint32_t function = 0, instruction = 0;  // in Module
  InstrClass cls = InstrClass::other;
  std::uint16_t flops = 0;  // per thread, of the type given by `cls`
  std::uint16_t bytes = 0;  // per thread, accessed by a memory instruction
  bool is_store = false, is_atomic = false, is_conditional = false;
};

struct Decoded {
  std::vector<Op> ops;
  std::vector<OpInfo> info;  // beside ops
  std::vector<std::uint32_t> lists;
  std::vector<FunctionCode> functions;  // beside Module::functions
  std::vector<CallSite> calls;
  std::vector<BarrierSite> barriers;
  std::vector<SharedVariable> shared;
};

enum Level : unsigned { level_full = 1, level_counters = 2, level_count = 4 };

struct ProgramData {
  std::uint64_t id = 0;  // unique in this process, from 1
  std::string text;
  Module module;
  std::vector<KernelInfo> kernels;
  mutable std::mutex mutex;
  mutable std::array<std::unique_ptr<const Decoded>, level_count> code;  // decoded on first use
  const Decoded& decoded(unsigned level) const;
};

// Functions reachable from `function`, itself first. Indirect calls reach every function whose address is taken.
std::vector<std::uint32_t> reachable(const Module& module, const Decoded& code, std::uint32_t function);
// Shared layout of a kernel: byte offset by index of Decoded::shared (~0u: not used), and the static size.
std::vector<std::uint32_t> shared_layout(const Decoded& code, const std::vector<std::uint32_t>& functions,
                                         std::size_t& static_bytes);

}  // namespace ww::simt
