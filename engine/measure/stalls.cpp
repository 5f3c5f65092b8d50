// SPDX-License-Identifier: Apache-2.0
#include "measure/stalls.h"
#include <algorithm>
#include <fmt/format.h>
#include <map>
#include "base/device_name.h"

namespace ww::measure {
namespace {

struct StallWords {
  std::string_view reason, title, meaning;
};
// The names are those of CUPTI's counters and samples; the sentences follow Nsight Compute's documentation, "Warp Stall
// Reasons", in our words.
constexpr StallWords stall_words[] = {
    {"long_scoreboard", "Global memory",
     "The warp waits for data of global, local or texture memory. Load earlier and more at once, "
     "load wider, reuse what is on the chip, or have more warps resident."},
    {"short_scoreboard", "Shared memory",
     "The warp waits for shared memory or the special-function unit. Remove bank conflicts, read "
     "shared memory in vectors, keep values in registers, use fewer special functions."},
    {"lg_throttle", "Queue of global memory",
     "The queue of global and local memory is full: too many small accesses at a time. Use fewer and wider ones."},
    {"mio_throttle", "Queue of shared memory",
     "The queue of shared memory, shuffles and special instructions is full. Use fewer and wider "
     "accesses, and spread them among arithmetic."},
    {"tex_throttle", "Queue of textures", "The queue of the texture unit is full. Fetch less or wider."},
    {"barrier", "Barrier",
     "The warp waits for the others of its block at a barrier. Smaller blocks, equal work before the "
     "barrier, shuffles instead of shared memory, double buffering."},
    {"membar", "Memory fence",
     "The warp waits until its writes can be seen by others. Use fewer fences, by one thread of a block."},
    {"wait", "Fixed latency",
     "The warp waits a fixed number of cycles for the previous instruction. Some of this is "
     "unavoidable; independent sums in each thread, unrolled loops and more warps hide it."},
    {"math_pipe_throttle", "Arithmetic unit busy",
     "The arithmetic unit that the instruction needs is busy. Use another unit, or use it less."},
    {"not_selected", "Another warp was picked",
     "The warp was ready, but the scheduler picked another one. Enough warps are ready: fewer, with "
     "larger tiles, would do as well."},
    {"selected", "Issued", "No stall: the warp issued an instruction."},
    {"branch_resolving", "Branch",
     "The warp waits for the target of a jump. Unroll short loops, use selects for short branches."},
    {"no_instruction", "No instruction",
     "The next instruction is not in the cache, or comes after a jump. Very short kernels and very "
     "long unrolled code have this."},
    {"no_instructions", "No instruction",
     "The next instruction is not in the cache, or comes after a jump. Very short kernels and very "
     "long unrolled code have this."},
    {"imc_miss", "Constant",
     "A constant or kernel parameter is not in its cache. Mostly at the start of a kernel; indexed "
     "constants that differ by thread belong in shared memory."},
    {"drain", "Last stores",
     "The warp has ended, but its stores must leave first. Write wider and earlier, or let warps "
     "handle several tiles."},
    {"dispatch_stall", "Dispatcher", "The dispatcher held the warp back, for conflicts of registers or units."},
    {"gmma", "Warpgroup product",
     "The warp waits for a matrix product of its warpgroup. Start the next one before waiting for the last."},
    {"sleeping", "Asleep", "All threads of the warp are in a nanosleep."},
    {"misc", "Other", "Reasons that the hardware does not name."},
};

const StallWords* words_of_stall(const std::string& reason) {
  const auto* at = std::ranges::find(stall_words, reason, &StallWords::reason);
  return at == std::end(stall_words) ? nullptr : at;
}

void add_profile(Stalls& to, StallProfile profile) {
  for (const StallPart& p : profile.parts) profile.total += p.amount;
  std::ranges::stable_sort(profile.parts, std::greater(), &StallPart::amount);
  if (profile.total > 0) to.launches.push_back(std::move(profile));
}

StallProfile by_samples(const profile::KernelCounters& k) {
  std::map<std::string, double> by_reason;
  for (const profile::StallSamples& s : k.lines)
    for (const auto& [reason, samples] : s.reasons) by_reason[reason] += static_cast<double>(samples);
  StallProfile profile;
  for (const auto& [reason, samples] : by_reason)
    if (samples > 0) profile.parts.push_back({reason, samples});
  return profile;
}

StallProfile by_cycles(const CandidateProfile& view, int launch) {
  StallProfile profile;
  for (const StallWords& w : stall_words) {
    const double cycles =
        counter_of(view, fmt::format("smsp__average_warps_issue_stalled_{}_per_issue_active.ratio", w.reason), launch);
    if (cycles > 0) profile.parts.push_back({std::string(w.reason), cycles});
  }
  return profile;
}

std::string why_no_stalls(const CandidateProfile& view, StallSource source) {
  if (has_counters(view))
    return source == StallSource::samples ? "no samples by line were taken: count the full set of counters"
           : view.launches.size() > 1
               ? "for a plan with several launches the run keeps only sums: profile it separately"
               : "the counters of stalls are missing";
  if (is_simt(view.device)) return "the SIMT machine has no clock, so nothing stalls: measure the candidate on a GPU";
  return view.counters_why_not.empty() ? "it has no hardware counters" : view.counters_why_not;
}

}  // namespace

std::string stall_title(const std::string& reason) {
  const StallWords* w = words_of_stall(reason);
  return w ? std::string(w->title) : reason;
}

std::string stall_meaning(const std::string& reason) {
  const StallWords* w = words_of_stall(reason);
  return w ? std::string(w->meaning) : "";
}

bool stall_is_none(const std::string& reason) { return reason == "selected"; }

Stalls stalls(const CandidateProfile& view, StallSource source) {
  Stalls all{source, {}, {}};
  if (view.counters)
    for (const profile::KernelCounters& k : view.counters->kernels) {
      StallProfile profile = source == StallSource::samples ? by_samples(k) : by_cycles(view, k.launch);
      if (view.launches.size() > 1 || view.counters->kernels.size() > 1) profile.kernel = k.kernel;
      add_profile(all, std::move(profile));
    }
  else if (source == StallSource::counters)
    add_profile(all, by_cycles(view, -1));
  if (all.launches.empty()) all.why_not = why_no_stalls(view, source);
  return all;
}

std::vector<StallLine> stall_lines(const CandidateProfile& view) {
  std::map<int, std::map<std::string, double>> by_line;
  if (view.counters)
    for (const profile::KernelCounters& k : view.counters->kernels)
      for (const profile::StallSamples& s : k.lines)
        for (const auto& [reason, samples] : s.reasons) by_line[s.line][reason] += static_cast<double>(samples);
  std::vector<StallLine> list;
  for (const auto& [line, reasons] : by_line) {
    if (line <= 0) continue;
    StallLine one{line, 0, {}, 0};
    for (const auto& [reason, samples] : reasons) {
      one.samples += samples;
      if (samples > one.main_samples && !stall_is_none(reason)) one.main = reason, one.main_samples = samples;
    }
    if (one.samples > 0) list.push_back(one);
  }
  std::ranges::stable_sort(list, std::greater(), &StallLine::samples);
  return list;
}

}  // namespace ww::measure
