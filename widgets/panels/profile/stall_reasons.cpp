// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/profile/stall_reasons.h"
#include <algorithm>
#include <cmath>
#include <map>
#include <QCoreApplication>
#include "parts/theme/text.h"

namespace ww::widgets {
namespace {

QString stall_tr(const char* text) { return QCoreApplication::translate("Stalls", text); }

struct StallWords {
  const char *reason, *title, *meaning;
};
// The names are those of CUPTI's counters and samples; the sentences follow Nsight Compute's documentation, "Warp Stall
// Reasons", in our words.
constexpr StallWords stall_words[] = {
    {"long_scoreboard", QT_TRANSLATE_NOOP("Stalls", "Global memory"),
     QT_TRANSLATE_NOOP("Stalls",
                       "The warp waits for data of global, local or texture memory. Load earlier and more at once, "
                       "load wider, reuse what is on the chip, or have more warps resident.")},
    {"short_scoreboard", QT_TRANSLATE_NOOP("Stalls", "Shared memory"),
     QT_TRANSLATE_NOOP("Stalls",
                       "The warp waits for shared memory or the special-function unit. Remove bank conflicts, read "
                       "shared memory in vectors, keep values in registers, use fewer special functions.")},
    {"lg_throttle", QT_TRANSLATE_NOOP("Stalls", "Queue of global memory"),
     QT_TRANSLATE_NOOP(
         "Stalls",
         "The queue of global and local memory is full: too many small accesses at a time. Use fewer and wider ones.")},
    {"mio_throttle", QT_TRANSLATE_NOOP("Stalls", "Queue of shared memory"),
     QT_TRANSLATE_NOOP("Stalls",
                       "The queue of shared memory, shuffles and special instructions is full. Use fewer and wider "
                       "accesses, and spread them among arithmetic.")},
    {"tex_throttle", QT_TRANSLATE_NOOP("Stalls", "Queue of textures"),
     QT_TRANSLATE_NOOP("Stalls", "The queue of the texture unit is full. Fetch less or wider.")},
    {"barrier", QT_TRANSLATE_NOOP("Stalls", "Barrier"),
     QT_TRANSLATE_NOOP("Stalls",
                       "The warp waits for the others of its block at a barrier. Smaller blocks, equal work before the "
                       "barrier, shuffles instead of shared memory, double buffering.")},
    {"membar", QT_TRANSLATE_NOOP("Stalls", "Memory fence"),
     QT_TRANSLATE_NOOP(
         "Stalls",
         "The warp waits until its writes can be seen by others. Use fewer fences, by one thread of a block.")},
    {"wait", QT_TRANSLATE_NOOP("Stalls", "Fixed latency"),
     QT_TRANSLATE_NOOP("Stalls",
                       "The warp waits a fixed number of cycles for the previous instruction. Some of this is "
                       "unavoidable; independent sums in each thread, unrolled loops and more warps hide it.")},
    {"math_pipe_throttle", QT_TRANSLATE_NOOP("Stalls", "Arithmetic unit busy"),
     QT_TRANSLATE_NOOP("Stalls",
                       "The arithmetic unit that the instruction needs is busy. Use another unit, or use it less.")},
    {"not_selected", QT_TRANSLATE_NOOP("Stalls", "Another warp was picked"),
     QT_TRANSLATE_NOOP("Stalls",
                       "The warp was ready, but the scheduler picked another one. Enough warps are ready: fewer, with "
                       "larger tiles, would do as well.")},
    {"selected", QT_TRANSLATE_NOOP("Stalls", "Issued"),
     QT_TRANSLATE_NOOP("Stalls", "No stall: the warp issued an instruction.")},
    {"branch_resolving", QT_TRANSLATE_NOOP("Stalls", "Branch"),
     QT_TRANSLATE_NOOP("Stalls",
                       "The warp waits for the target of a jump. Unroll short loops, use selects for short branches.")},
    {"no_instruction", QT_TRANSLATE_NOOP("Stalls", "No instruction"),
     QT_TRANSLATE_NOOP("Stalls",
                       "The next instruction is not in the cache, or comes after a jump. Very short kernels and very "
                       "long unrolled code have this.")},
    {"no_instructions", QT_TRANSLATE_NOOP("Stalls", "No instruction"),
     QT_TRANSLATE_NOOP("Stalls",
                       "The next instruction is not in the cache, or comes after a jump. Very short kernels and very "
                       "long unrolled code have this.")},
    {"imc_miss", QT_TRANSLATE_NOOP("Stalls", "Constant"),
     QT_TRANSLATE_NOOP("Stalls",
                       "A constant or kernel parameter is not in its cache. Mostly at the start of a kernel; indexed "
                       "constants that differ by thread belong into shared memory.")},
    {"drain", QT_TRANSLATE_NOOP("Stalls", "Last stores"),
     QT_TRANSLATE_NOOP("Stalls",
                       "The warp has ended, but its stores must leave first. Write wider and earlier, or let warps "
                       "handle several tiles.")},
    {"dispatch_stall", QT_TRANSLATE_NOOP("Stalls", "Dispatcher"),
     QT_TRANSLATE_NOOP("Stalls", "The dispatcher held the warp back, for conflicts of registers or units.")},
    {"gmma", QT_TRANSLATE_NOOP("Stalls", "Warpgroup product"),
     QT_TRANSLATE_NOOP(
         "Stalls",
         "The warp waits for a matrix product of its warpgroup. Start the next one before waiting for the last.")},
    {"sleeping", QT_TRANSLATE_NOOP("Stalls", "Asleep"),
     QT_TRANSLATE_NOOP("Stalls", "All threads of the warp are in a nanosleep.")},
    {"misc", QT_TRANSLATE_NOOP("Stalls", "Other"),
     QT_TRANSLATE_NOOP("Stalls", "Reasons that the hardware does not name.")},
};

const StallWords* words_of_stall(const std::string& reason) {
  for (const StallWords& w : stall_words)
    if (reason == w.reason) return &w;
  return nullptr;
}

void finish(StallProfile& profile) {
  for (const StallPart& p : profile.parts) profile.total += p.amount;
  std::stable_sort(profile.parts.begin(), profile.parts.end(),
                   [](const StallPart& a, const StallPart& b) { return a.amount > b.amount; });
}

QString kernel_of_launch(const ProfileView& view, int launch) {
  if (view.launches.size() < 2) return {};
  const auto at = static_cast<std::size_t>(launch);
  return at < view.launches.size() ? qs(view.launches[at].kernel) : stall_tr("launch %1").arg(launch + 1);
}

}  // namespace

QString stall_title(const std::string& reason) {
  const StallWords* w = words_of_stall(reason);
  return w ? stall_tr(w->title) : qs(reason);
}

QString stall_meaning(const std::string& reason) {
  const StallWords* w = words_of_stall(reason);
  return w ? stall_tr(w->meaning) : QString();
}

bool stall_is_none(const std::string& reason) { return reason == "selected"; }

QList<StallProfile> stall_profiles(const ProfileView& view, StallSource source, QString* why_not) {
  QList<StallProfile> list;
  if (source == StallSource::samples) {
    if (view.counters)
      for (const profile::KernelCounters& k : view.counters->kernels) {
        std::map<std::string, double> by_reason;
        for (const profile::StallSamples& s : k.lines)
          for (const auto& [reason, samples] : s.reasons) by_reason[reason] += static_cast<double>(samples);
        StallProfile profile{kernel_of_launch(view, k.launch), {}, 0};
        for (const auto& [reason, samples] : by_reason)
          if (samples > 0) profile.parts.append({reason, samples});
        finish(profile);
        if (profile.total > 0) list.append(profile);
      }
    if (list.isEmpty())
      *why_not =
          has_counters(view) ? stall_tr("no samples by line were taken: count the full set of counters") : QString();
  } else {
    const int launches = view.counters ? static_cast<int>(view.counters->kernels.size()) : 1;
    for (int i = 0; i < launches; ++i) {
      const int launch = view.counters ? view.counters->kernels[static_cast<std::size_t>(i)].launch : -1;
      StallProfile profile{view.counters ? kernel_of_launch(view, launch) : QString(), {}, 0};
      for (const StallWords& w : stall_words) {
        const double cycles = counter_of(
            view, std::string("smsp__average_warps_issue_stalled_") + w.reason + "_per_issue_active.ratio", launch);
        if (cycles > 0) profile.parts.append({w.reason, cycles});
      }
      finish(profile);
      if (profile.total > 0) list.append(profile);
    }
    if (list.isEmpty() && has_counters(view))
      *why_not = view.launches.size() > 1
                     ? stall_tr("for a plan with several launches the run keeps only sums: profile it separately")
                     : stall_tr("the counters of stalls are missing");
  }
  if (list.isEmpty() && why_not->isEmpty())
    *why_not = view.device == "simt"
                   ? stall_tr("the SIMT machine has no clock, so nothing stalls: measure the candidate on a GPU")
               : view.counters_why_not.empty() ? stall_tr("it has no hardware counters")
                                               : qs(view.counters_why_not);
  return list;
}

QList<StallLine> stall_lines(const ProfileView& view) {
  std::map<int, std::map<std::string, double>> by_line;
  if (view.counters)
    for (const profile::KernelCounters& k : view.counters->kernels)
      for (const profile::StallSamples& s : k.lines)
        for (const auto& [reason, samples] : s.reasons) by_line[s.line][reason] += static_cast<double>(samples);
  QList<StallLine> list;
  for (const auto& [line, reasons] : by_line) {
    if (line <= 0) continue;
    StallLine one{line, 0, {}, 0};
    for (const auto& [reason, samples] : reasons) {
      one.samples += samples;
      if (samples > one.main_samples && !stall_is_none(reason)) one.main = reason, one.main_samples = samples;
    }
    if (one.samples > 0) list.append(one);
  }
  std::stable_sort(list.begin(), list.end(),
                   [](const StallLine& a, const StallLine& b) { return a.samples > b.samples; });
  return list;
}

}  // namespace ww::widgets
