// SPDX-License-Identifier: Apache-2.0
#include "simt/counters.h"
#include <algorithm>
#include <iterator>
#include <map>
#include "simt/tally.h"

namespace ww::simt {
namespace {

template <class T, class... Member>
void add_members(T& to, const T& from, Member T::*... members) {
  ((to.*members += from.*members), ...);
}

}  // namespace

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
  add_members(*this, o, &Tally::warp_instructions, &Tally::thread_instructions, &Tally::flops_f16, &Tally::flops_f32,
              &Tally::flops_f64, &Tally::flops_tensor, &Tally::branches, &Tally::divergent_branches,
              &Tally::branch_threads_taken, &Tally::branch_threads_not_taken, &Tally::global_load_requests,
              &Tally::global_load_sectors, &Tally::global_load_bytes, &Tally::global_store_requests,
              &Tally::global_store_sectors, &Tally::global_store_bytes, &Tally::shared_load_requests,
              &Tally::shared_load_wavefronts, &Tally::shared_load_conflicts, &Tally::shared_load_bytes,
              &Tally::shared_store_requests, &Tally::shared_store_wavefronts, &Tally::shared_store_conflicts,
              &Tally::shared_store_bytes, &Tally::local_load_requests, &Tally::local_store_requests, &Tally::barriers,
              &Tally::global_atomics, &Tally::shared_atomics);
  return *this;
}

void add_counts(PcCount& a, const PcCount& b) {
  add_members(a, b, &PcCount::warp, &PcCount::thread, &PcCount::global_requests, &PcCount::sectors,
              &PcCount::global_threads, &PcCount::shared_requests, &PcCount::wavefronts, &PcCount::conflicts,
              &PcCount::shared_threads, &PcCount::local_requests, &PcCount::divergent, &PcCount::taken);
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
