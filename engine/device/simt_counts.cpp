// SPDX-License-Identifier: Apache-2.0
#include "device/simt_counts.h"

#include <map>
#include "simt/named_counts.h"

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

bool is_simt_counter(std::string_view name) {
  static const Counts all = counts_of({}, {}, nullptr, {});
  return std::ranges::any_of(all.values, [&](const auto& v) { return v.first == name; });
}

Counts counts_of(const simt::LaunchReport& report, const simt::LaunchConfig& config, const simt::Program* own_source,
                 std::string_view kernel) {
  const simt::Counters& counters = report.counters;
  Counts out;
  const auto add = [&](std::string name, std::uint64_t v) {
    out.values.emplace_back(std::move(name), static_cast<double>(v));
  };
  const std::uint64_t blocks = config.grid.count(), threads = config.block.count();
  add("launches", 1);
  add("blocks", blocks);
  add("warps", blocks * ((threads + 31) / 32));
  add("threads", blocks * threads);
  out.values.emplace_back("busy_warps", report.busy_warps);
  for (auto& [name, value] : simt::named_counts(counters.total)) add(std::move(name), value);
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
