// SPDX-License-Identifier: Apache-2.0
#include "simt/counters.h"
#include <algorithm>
#include <iterator>
#include <map>
#include "simt/tally.h"

namespace ww::simt {

std::string_view instr_class_name(InstrClass c) {
  static constexpr std::string_view names[] = {
      "integer",    "f32",         "f64",         "f16",          "special",     "conversion",
      "move",       "predicate",   "load_global", "store_global", "load_shared", "store_shared",
      "load_local", "store_local", "load_const",  "load_param",   "atomic",      "control",
      "barrier",    "shuffle",     "fence",       "tensor",       "async_copy",  "other"};
  static_assert(std::size(names) == instr_class_count);
  return names[static_cast<std::size_t>(c)];
}

Tally& Tally::operator+=(const Tally& o) {
  for (std::size_t i = 0; i < instr_class_count; ++i) {
    by_class[i].warp += o.by_class[i].warp;
    by_class[i].thread += o.by_class[i].thread;
  }
  warp_instructions += o.warp_instructions;
  thread_instructions += o.thread_instructions;
  flops_f16 += o.flops_f16;
  flops_f32 += o.flops_f32;
  flops_f64 += o.flops_f64;
  flops_tensor += o.flops_tensor;
  branches += o.branches;
  divergent_branches += o.divergent_branches;
  branch_threads_taken += o.branch_threads_taken;
  branch_threads_not_taken += o.branch_threads_not_taken;
  global_load_requests += o.global_load_requests;
  global_load_sectors += o.global_load_sectors;
  global_load_bytes += o.global_load_bytes;
  global_store_requests += o.global_store_requests;
  global_store_sectors += o.global_store_sectors;
  global_store_bytes += o.global_store_bytes;
  shared_load_requests += o.shared_load_requests;
  shared_load_wavefronts += o.shared_load_wavefronts;
  shared_load_conflicts += o.shared_load_conflicts;
  shared_load_bytes += o.shared_load_bytes;
  shared_store_requests += o.shared_store_requests;
  shared_store_wavefronts += o.shared_store_wavefronts;
  shared_store_conflicts += o.shared_store_conflicts;
  shared_store_bytes += o.shared_store_bytes;
  local_load_requests += o.local_load_requests;
  local_store_requests += o.local_store_requests;
  barriers += o.barriers;
  global_atomics += o.global_atomics;
  shared_atomics += o.shared_atomics;
  return *this;
}

void add_counts(PcCount& a, const PcCount& b) {
  a.warp += b.warp;
  a.thread += b.thread;
  a.global_requests += b.global_requests;
  a.sectors += b.sectors;
  a.global_threads += b.global_threads;
  a.shared_requests += b.shared_requests;
  a.wavefronts += b.wavefronts;
  a.conflicts += b.conflicts;
  a.shared_threads += b.shared_threads;
  a.local_requests += b.local_requests;
  a.divergent += b.divergent;
  a.taken += b.taken;
}

Tally tally_of(const PcCount& c, const OpInfo& info) {
  Tally t;
  auto& k = t.by_class[static_cast<std::size_t>(info.cls)];
  k.warp = t.warp_instructions = c.warp;
  k.thread = t.thread_instructions = c.thread;
  const std::uint64_t flops = c.thread * info.flops;
  if (info.cls == InstrClass::f16)
    t.flops_f16 = flops;
  else if (info.cls == InstrClass::f64)
    t.flops_f64 = flops;
  else if (info.cls == InstrClass::tensor)
    t.flops_tensor = flops;
  else if (info.cls == InstrClass::f32 || info.cls == InstrClass::special)
    t.flops_f32 = flops;
  if (info.is_conditional) {
    t.branches = c.warp;
    t.divergent_branches = c.divergent;
    t.branch_threads_taken = c.taken;
    t.branch_threads_not_taken = c.thread - c.taken;
  }
  if (info.cls == InstrClass::barrier) t.barriers = c.warp;
  if (info.is_atomic) {
    t.global_atomics = c.global_threads;
    t.shared_atomics = c.shared_threads;
  } else if (info.cls != InstrClass::load_const && info.bytes != 0) {
    (info.is_store ? t.global_store_requests : t.global_load_requests) = c.global_requests;
    (info.is_store ? t.global_store_sectors : t.global_load_sectors) = c.sectors;
    (info.is_store ? t.global_store_bytes : t.global_load_bytes) = c.global_threads * info.bytes;
    (info.is_store ? t.shared_store_requests : t.shared_load_requests) = c.shared_requests;
    (info.is_store ? t.shared_store_wavefronts : t.shared_load_wavefronts) = c.wavefronts;
    (info.is_store ? t.shared_store_conflicts : t.shared_load_conflicts) = c.conflicts;
    (info.is_store ? t.shared_store_bytes : t.shared_load_bytes) = c.shared_threads * info.bytes;
    (info.is_store ? t.local_store_requests : t.local_load_requests) = c.local_requests;
  }
  return t;
}

Counters make_counters(const ProgramData& program, const Decoded& code, const std::vector<std::uint32_t>& functions,
                       const std::vector<PcCount>& counts) {
  Counters result;
  std::map<int, LineTally> lines;
  for (const std::uint32_t f : functions) {
    for (std::uint32_t pc = code.functions[f].entry; pc < code.functions[f].end; ++pc) {
      const OpInfo& info = code.info[pc];
      const Function& function = program.module.functions[info.function];
      if ((code.ops[pc].flags & op_micro) != 0 || info.instruction >= function.body.size()) continue;
      const Instruction& i = function.body[info.instruction];
      const PcCount& c = counts[pc];
      const Tally t = tally_of(c, info);
      result.total += t;
      LineTally& line = lines[i.source_line];
      line.line = i.source_line;
      line.executed = line.executed || c.warp != 0;
      line.tally += t;
      InstructionTally it;
      it.ptx_line = i.line;
      it.source_line = i.source_line;
      it.warp = c.warp;
      it.thread = c.thread;
      it.requests = c.global_requests + c.shared_requests + c.local_requests;
      it.sectors = c.sectors + c.wavefronts;
      result.instructions.push_back(it);
    }
  }
  std::sort(result.instructions.begin(), result.instructions.end(),
            [](const auto& a, const auto& b) { return a.ptx_line < b.ptx_line; });
  for (auto& [number, line] : lines) result.lines.push_back(line);
  return result;
}

}  // namespace ww::simt
