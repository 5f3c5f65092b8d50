// SPDX-License-Identifier: Apache-2.0
#include "measure/speed_of_light.h"
#include "store/paste.h"
#include <algorithm>
#include <cctype>
#include <cmath>
#include <fmt/format.h>

namespace ww::measure {
namespace {

struct LightPart {
  std::string_view part, counter, about;
  std::string_view other = {};  // counts where the counter is not known
};
constexpr LightPart light_parts[] = {
    {"Compute", "sm__throughput.avg.pct_of_peak_sustained_elapsed",
     "The busiest of the multiprocessor's parts, of its peak."},
    {"Issue slots", "smsp__issue_active.avg.pct_of_peak_sustained_active",
     "Cycles in which a scheduler issued an instruction, while it had warps."},
    {"Tensor cores", "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active",
     "Cycles in which the tensor cores worked."},
    {"Memory", "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed",
     "The busiest of caches, paths and device memory, of its peak."},
    {"L1 cache", "l1tex__throughput.avg.pct_of_peak_sustained_active", "Throughput of the L1 cache, of its peak."},
    {"L2 cache", "lts__throughput.avg.pct_of_peak_sustained_elapsed", "Throughput of the L2 cache, of its peak."},
    {"Device memory", "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed",
     "Throughput of device memory, of its peak.", "dram__throughput.avg.pct_of_peak_sustained_elapsed"}};

// Of several launches the mean, each weighed by its time: percentages of a peak over time add up so.
double light_counter(const CandidateProfile& view, std::string_view name) {
  const double of_plan = counter_of(view, name);
  if (std::isfinite(of_plan) || !view.counters || view.counters->kernels.size() < 2) return of_plan;
  double sum = 0, time = 0;
  for (const profile::KernelCounters& k : view.counters->kernels) {
    const double t = counter_of(view, "gpu__time_duration.sum", k.launch);
    sum += counter_of(view, name, k.launch) * t;
    time += t;
  }
  return time > 0 ? sum / time : profile::unknown;
}

std::string light_missing(const CandidateProfile& view) {
  if (!has_counters(view)) return view.counters_why_not;
  const std::string command = store::pasted(view.workspace, fmt::format("profile {} --counters full", view.record.id));
  if (!view.counters && view.launches.size() > 1)
    return fmt::format("For several launches the run keeps only sums; '{}' measures each launch.", command);
  return fmt::format("It is in the full set of counters: '{}' measures it.", command);
}

void add_useful(const CandidateProfile& view, std::vector<SpeedOfLightRow>& rows) {
  const profile::Roofline* r = view.roofline ? &*view.roofline : nullptr;
  const double us = view.cold ? view.cold->median : view.warm ? view.warm->median : profile::unknown;
  const auto row = [&](std::string part, double at_ceiling_us, bool shares_work, std::string from, std::string about) {
    SpeedOfLightRow one{std::move(part),
                        profile::unknown,
                        std::move(from),
                        std::move(about),
                        Provenance::measured,
                        Provenance::modelled,
                        {}};
    if (std::isfinite(us) && us > 0) one.percent = 100 * at_ceiling_us / us;
    if (!std::isfinite(us))
      one.why_not = view.timings_why_not;
    else if (!r)
      one.why_not = view.roofline_why_not;
    else if (!std::isfinite(at_ceiling_us))
      one.why_not = shares_work ? "Elements of this op can share operations, so their number is not a lower bound."
                                : view.ceilings_why_not;
    rows.push_back(std::move(one));
  };
  row("Useful traffic", r ? r->measured.memory_us : profile::unknown, false, "bytes of the spec, time, copy bandwidth",
      "The bytes that the op itself must move, in the measured time, of the bandwidth that a copy reaches on this "
      "GPU.");
  row("Useful operations", r ? r->measured.compute_us : profile::unknown, r && r->shares_work,
      "operations of the spec, time, rate of " + (r ? r->unit : "its type"),
      "The operations that the op itself needs, in the measured time, of the rate that a large product reaches on this "
      "GPU.");
}

std::vector<SpeedOfLightRow> cost_rows(const CandidateProfile& view) {
  std::vector<SpeedOfLightRow> rows;
  for (const auto& [group, cost] : view.cost) {
    SpeedOfLightRow& row = rows.emplace_back();
    row.part = enum_string(group);
    row.part[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(row.part[0])));
    row.percent = 100 * cost / view.cost_total;
    row.from = "weighted counts of the SIMT machine";
    row.about = "Share of the simulated cost, which adds up as if nothing overlapped. It is not a time.";
    row.provenance = Provenance::simulated;
  }
  return rows;
}

}  // namespace

std::string provenance_text(const SpeedOfLightRow& row) {
  const std::string text = enum_string(row.provenance);
  return row.work == Provenance::unknown ? text : text + " time, " + enum_string(row.work) + " work";
}

bool has_speed_of_light(const CandidateProfile& view, SpeedOfLightKind kind) {
  return kind == SpeedOfLightKind::simulated ? !view.cost.empty() && view.cost_total > 0
                                             : has_counters(view) || view.cold || view.warm;
}

std::vector<SpeedOfLightRow> speed_of_light_rows(const CandidateProfile& view, SpeedOfLightKind kind) {
  if (kind == SpeedOfLightKind::simulated) return cost_rows(view);
  std::vector<SpeedOfLightRow> rows;
  for (const LightPart& part : light_parts) {
    SpeedOfLightRow& row = rows.emplace_back();
    row.part = part.part;
    row.about = part.about;
    row.provenance = Provenance::measured;
    for (const std::string_view counter : {part.counter, part.other}) {
      if (std::isfinite(row.percent) || counter.empty()) continue;
      row.percent = light_counter(view, counter);
      if (row.from.empty() || std::isfinite(row.percent)) row.from = counter;
    }
    if (!std::isfinite(row.percent)) row.why_not = light_missing(view);
  }
  add_useful(view, rows);
  return rows;
}

const SpeedOfLightRow* highest_row(const std::vector<SpeedOfLightRow>& rows) {
  const SpeedOfLightRow* best = nullptr;
  const auto counted = [](const SpeedOfLightRow& row) { return row.work == Provenance::unknown; };
  for (const SpeedOfLightRow& row : rows) {
    if (!std::isfinite(row.percent) || (best && counted(*best) && !counted(row))) continue;
    if (!best || counted(row) != counted(*best) || row.percent > best->percent) best = &row;
  }
  return best;
}

}  // namespace ww::measure
