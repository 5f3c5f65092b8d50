// SPDX-License-Identifier: Apache-2.0
#include "device/simt_counts.h"

#include <map>

namespace ww::device {
namespace {

std::vector<evidence::LineCount> ptx_lines(const simt::Counters& counters, const simt::Program& program,
                                           std::string_view kernel) {
  std::map<int, bool> shared;  // by line: an access to shared memory?
  std::map<int, std::string> opcodes;
  for (simt::InstructionInfo& i : program.instructions(kernel)) {
    shared[i.ptx_line] = i.opcode.find(".shared") != std::string::npos;
    opcodes[i.ptx_line] = std::move(i.opcode);
  }
  std::map<int, evidence::LineCount> lines;
  for (const simt::InstructionTally& t : counters.instructions) {
    evidence::LineCount& l = lines[t.ptx_line];
    l.line = t.ptx_line;
    l.warp_instructions += t.warp;
    l.thread_instructions += t.thread;
    (shared[t.ptx_line] ? l.shared_wavefronts : l.global_sectors) += t.sectors;
    if (shared[t.ptx_line]) continue;
    if (opcodes[t.ptx_line].starts_with("ld")) l.global_load_sectors += t.sectors;
    if (opcodes[t.ptx_line].starts_with("st")) l.global_store_sectors += t.sectors;
  }
  std::vector<evidence::LineCount> out;
  for (const auto& [number, line] : lines) out.push_back(line);
  return out;
}

}  // namespace

Counts counts_of(const simt::Counters& counters, const simt::LaunchConfig& config, const simt::Program* own_source,
                 std::string_view kernel) {
  Counts out;
  const simt::Tally& t = counters.total;
  const auto add = [&](std::string name, std::uint64_t v) {
    out.values.emplace_back(std::move(name), static_cast<double>(v));
  };
  const std::uint64_t blocks = config.grid.count(), threads = config.block.count();
  add("launches", 1);
  add("blocks", blocks);
  add("warps", blocks * ((threads + 31) / 32));
  add("threads", blocks * threads);
  add("warp_instructions", t.warp_instructions);
  add("thread_instructions", t.thread_instructions);
  add("flops_f16", t.flops_f16);
  add("flops_f32", t.flops_f32);
  add("flops_f64", t.flops_f64);
  add("branches", t.branches);
  add("divergent_branches", t.divergent_branches);
  add("branch_threads_taken", t.branch_threads_taken);
  add("branch_threads_not_taken", t.branch_threads_not_taken);
  add("global_load_requests", t.global_load_requests);
  add("global_load_sectors", t.global_load_sectors);
  add("global_load_bytes", t.global_load_bytes);
  add("global_store_requests", t.global_store_requests);
  add("global_store_sectors", t.global_store_sectors);
  add("global_store_bytes", t.global_store_bytes);
  add("global_requests", t.global_load_requests + t.global_store_requests);
  add("global_sectors", t.global_load_sectors + t.global_store_sectors);
  add("global_bytes", t.global_load_bytes + t.global_store_bytes);
  add("shared_load_requests", t.shared_load_requests);
  add("shared_load_wavefronts", t.shared_load_wavefronts);
  add("shared_load_conflicts", t.shared_load_conflicts);
  add("shared_load_bytes", t.shared_load_bytes);
  add("shared_store_requests", t.shared_store_requests);
  add("shared_store_wavefronts", t.shared_store_wavefronts);
  add("shared_store_conflicts", t.shared_store_conflicts);
  add("shared_store_bytes", t.shared_store_bytes);
  add("shared_wavefronts", t.shared_load_wavefronts + t.shared_store_wavefronts);
  add("bank_conflicts", t.shared_load_conflicts + t.shared_store_conflicts);
  add("local_load_requests", t.local_load_requests);
  add("local_store_requests", t.local_store_requests);
  add("barriers", t.barriers);
  add("global_atomics", t.global_atomics);
  add("shared_atomics", t.shared_atomics);
  for (std::size_t c = 0; c < simt::instr_class_count; ++c) {
    const simt::ClassCount& n = t.by_class[c];
    const std::string name(simt::instr_class_name(static_cast<simt::InstrClass>(c)));
    add("warp_instructions." + name, n.warp);
    add("thread_instructions." + name, n.thread);
  }
  if (own_source) {
    out.lines = ptx_lines(counters, *own_source, kernel);
    return out;
  }
  for (const simt::LineTally& l : counters.lines) {
    evidence::LineCount line;
    line.line = l.line;
    line.warp_instructions = l.tally.warp_instructions;
    line.thread_instructions = l.tally.thread_instructions;
    line.global_sectors = l.tally.global_load_sectors + l.tally.global_store_sectors;
    line.shared_wavefronts = l.tally.shared_load_wavefronts + l.tally.shared_store_wavefronts;
    line.bank_conflicts = l.tally.shared_load_conflicts + l.tally.shared_store_conflicts;
    line.divergent_branches = l.tally.divergent_branches;
    line.global_requests = l.tally.global_load_requests + l.tally.global_store_requests;
    line.global_bytes = l.tally.global_load_bytes + l.tally.global_store_bytes;
    line.global_load_sectors = l.tally.global_load_sectors;
    line.global_load_bytes = l.tally.global_load_bytes;
    line.global_store_sectors = l.tally.global_store_sectors;
    line.global_store_bytes = l.tally.global_store_bytes;
    out.lines.push_back(line);
  }
  return out;
}

}  // namespace ww::device
