// SPDX-License-Identifier: Apache-2.0
#include "measure/metrics.h"
#include <algorithm>
#include <cmath>
#include "measure/hot_lines.h"
#include "measure/instruction_mix.h"
#include "measure/launch_times.h"
#include "measure/memory_flow.h"
#include "measure/roof_points.h"
#include "measure/speed_of_light.h"
#include "measure/stalls.h"

namespace ww::measure {
namespace {

using profile::Section;
using Metrics = std::vector<ProfileMetric>;

void add_light(const CandidateProfile& view, Metrics& list) {
  if (!has_speed_of_light(view, SpeedOfLightKind::measured)) {
    list.push_back({Section::speed_of_light, "light.cost", "Simulated cost", view.cost_unit, view.cost_total,
                    MetricUnit::issue_slots, Provenance::simulated, Better::lower, view.cost_why_not});
    for (const SpeedOfLightRow& row : speed_of_light_rows(view, SpeedOfLightKind::simulated))
      list.push_back({Section::speed_of_light, "light.cost." + row.part, row.part + ", of the simulated cost", row.from,
                      row.percent, MetricUnit::percent, Provenance::simulated, Better::unknown, row.why_not});
    return;
  }
  const std::vector<SpeedOfLightRow> rows = speed_of_light_rows(view, SpeedOfLightKind::measured);
  const SpeedOfLightRow* busiest = highest_row(rows);
  const std::string first = busiest ? busiest->part : "";
  const auto add = [&](const SpeedOfLightRow& row) {
    const bool useful = row.work != Provenance::unknown;
    list.push_back({Section::speed_of_light, "light." + row.part,
                    row.part + (useful ? ", of what is reachable" : ", of its peak"), row.from, row.percent,
                    MetricUnit::percent, useful ? Provenance::modelled : Provenance::measured, Better::unknown,
                    row.why_not});
  };
  for (const bool front : {true, false})
    for (const SpeedOfLightRow& row : rows)
      if ((row.part == first) == front) add(row);
}

void add_roofline(const CandidateProfile& view, Metrics& list) {
  const std::vector<RoofPoint> points = roof_points(view, profile::Cache::cold);
  if (points.empty()) {
    list.push_back({Section::roofline, "roof.percent", "Of the roof", "", profile::unknown, MetricUnit::percent,
                    Provenance::unknown, Better::higher, view.roofline_why_not});
    return;
  }
  const RoofPoint& own = points.front();
  const double share = roof_share(view, own, roof_ceilings(view, nullptr));
  list.push_back({Section::roofline, "roof.percent", "Of the roof", "roofline", 100 * share, MetricUnit::percent,
                  Provenance::measured, Better::higher, view.timings_why_not});
  const bool integers = computes_integers(view);
  list.push_back({Section::roofline, "roof.rate", integers ? "OP/s" : "FLOP/s", "operations per second flops", own.rate,
                  integers ? MetricUnit::operations_per_second : MetricUnit::flops_per_second, Provenance::measured,
                  Better::higher, view.timings_why_not});
  for (const RoofPoint& p : points)
    list.push_back({Section::roofline, "roof.intensity." + std::string(enum_string(p.level)),
                    "Operations per byte, by " + level_name(p.level), "arithmetic intensity", p.intensity,
                    MetricUnit::per_byte,
                    p.level == RoofLevel::op        ? Provenance::modelled
                    : p.level == RoofLevel::counted ? Provenance::simulated
                                                    : Provenance::measured,
                    Better::unknown, ""});
}

void add_memory(const CandidateProfile& view, Metrics& list) {
  const MemoryFlow flow = memory_flow(view);
  const auto add = [&](const char* id, std::string title, const char* words, double value, MetricUnit unit,
                       Better better, const std::string& why_not) {
    list.push_back({Section::memory, id, std::move(title), words, value, unit, flow.provenance, better, why_not});
  };
  const auto bytes = [&](MemoryPath path) { return flow.at(path) ? flow.at(path)->bytes : profile::unknown; };
  if (flow.provenance == Provenance::unknown)
    return add("memory.dram", "Device memory traffic", "dram bytes", profile::unknown, MetricUnit::bytes, Better::lower,
               flow.why_not);
  if (flow.provenance == Provenance::measured)
    add("memory.dram", "Device memory traffic", "dram__bytes.sum",
        bytes(MemoryPath::dram_read) + bytes(MemoryPath::dram_write), MetricUnit::bytes, Better::lower, "");
  add("memory.touched", "Global memory touched", "sectors l1tex dram",
      bytes(MemoryPath::load) + bytes(MemoryPath::store), MetricUnit::bytes, Better::lower, "");
  add("memory.dram_percent", "Device memory, of its peak", "dram__throughput", flow.dram_percent, MetricUnit::percent,
      Better::unknown, flow.hits_why_not);
  for (const MemoryArrow& a : flow.arrows) {
    const std::string id = "memory." + std::string(enum_string(a.path));
    list.push_back({Section::memory, id, title_of(a.path), "", a.bytes, MetricUnit::bytes, flow.provenance,
                    Better::lower, a.why_not});
    if (std::isfinite(a.sectors_each))
      list.push_back({Section::memory, id + ".sectors", title_of(a.path) + ": sectors per request", "coalescing",
                      a.sectors_each, MetricUnit::count, flow.provenance, Better::lower, ""});
  }
  add("memory.l1_hits", "L1 cache hits", "l1tex__t_sector_hit_rate", flow.l1_hits, MetricUnit::percent, Better::higher,
      flow.hits_why_not);
  add("memory.l2_hits", "L2 cache hits", "lts__t_sector_hit_rate", flow.l2_hits, MetricUnit::percent, Better::higher,
      flow.hits_why_not);
  add("memory.conflicts", "Bank conflicts", "shared memory", flow.bank_conflicts, MetricUnit::count, Better::lower, "");
}

void add_occupancy(const CandidateProfile& view, Metrics& list) {
  const LaunchView* least = nullptr;  // of the launches, the one with the least occupancy
  for (const LaunchView& l : view.launches)
    if (l.occupancy && (!least || l.occupancy->fraction < least->occupancy->fraction)) least = &l;
  const auto add = [&](const char* id, const char* title, const char* words, double value, MetricUnit unit,
                       Provenance provenance, Better better) {
    list.push_back({Section::occupancy, id, title, words, value, unit, provenance, better, ""});
  };
  if (!least) {
    add("occupancy.modelled", "Occupancy", "warps", profile::unknown, MetricUnit::percent, Provenance::modelled,
        Better::higher);
    list.back().why_not = view.launches.empty() ? view.launches_why_not : view.launches.front().why_not;
    return;
  }
  add("occupancy.modelled", "Occupancy", "theoretical warps", 100 * least->occupancy->fraction, MetricUnit::percent,
      Provenance::modelled, Better::higher);
  const double achieved = counter_of(view, "sm__warps_active.avg.pct_of_peak_sustained_active");
  if (std::isfinite(achieved))
    add("occupancy.achieved", "Achieved occupancy", "sm__warps_active", achieved, MetricUnit::percent,
        Provenance::measured, Better::higher);
  add("occupancy.registers", "Registers per thread", "", least->shape.registers, MetricUnit::count,
      Provenance::modelled, Better::lower);
  add("occupancy.shared", "Shared memory per block", "",
      static_cast<double>(least->shape.static_shared + least->shape.dynamic_shared), MetricUnit::bytes,
      Provenance::modelled, Better::lower);
  add("occupancy.blocks", "Blocks per multiprocessor", "SM", least->occupancy->blocks, MetricUnit::count,
      Provenance::modelled, Better::unknown);
  add("occupancy.spills", "Spilled bytes", "local memory", static_cast<double>(least->spill_bytes), MetricUnit::bytes,
      Provenance::modelled, Better::lower);
}

void add_instructions(const CandidateProfile& view, Metrics& list) {
  const InstructionMix mix = instruction_mix(view);
  const std::string source(enum_string(mix.source));
  list.push_back({Section::instructions, "instructions." + source, "Instructions", "smsp__inst_executed", mix.total,
                  MetricUnit::count, mix.provenance(), Better::lower, mix.why_not});
  for (const MixPart& p : mix.parts)
    list.push_back({Section::instructions, "instructions." + source + "." + p.kind, p.title + ", of the instructions",
                    p.about, mix.total > 0 ? 100 * p.count / mix.total : profile::unknown, MetricUnit::percent,
                    mix.provenance(), Better::unknown, ""});
}

void add_lines(const CandidateProfile& view, Metrics& list) {
  const std::vector<LineMetric> metrics = metrics_by_line(view);
  if (metrics.empty()) {
    list.push_back({Section::hot_lines, "lines.first", "The hottest line", "hot spots", profile::unknown,
                    MetricUnit::percent, Provenance::unknown, Better::unknown, "nothing is known by line"});
    return;
  }
  for (const LineMetric& m : metrics)
    if (const std::vector<HotLine> lines = hot_lines(view, m); !lines.empty())
      list.push_back({Section::hot_lines, "lines." + m.id, "The hottest line: " + m.title, "hot spots source",
                      100 * lines.front().share, MetricUnit::percent, m.provenance, Better::unknown, ""});
}

void add_stalls(const CandidateProfile& view, Metrics& list) {
  const Stalls all = stalls(view, StallSource::counters);
  if (all.launches.empty()) {
    list.push_back({Section::stalls, "stalls", "Stall reasons", "warps wait", profile::unknown, MetricUnit::percent,
                    Provenance::unknown, Better::lower, all.why_not});
    return;
  }
  for (const StallProfile& launch : all.launches)
    for (const StallPart& part : launch.parts) {
      if (stall_is_none(part.reason)) continue;
      const std::string of = launch.kernel.empty() ? "" : " (" + launch.kernel + ")";
      list.push_back({Section::stalls, "stalls." + launch.kernel + "." + part.reason,
                      "Waiting: " + stall_title(part.reason) + of, "stall " + part.reason,
                      100 * part.amount / launch.total, MetricUnit::percent, Provenance::measured, Better::lower, ""});
    }
}

void add_launches(const CandidateProfile& view, Metrics& list) {
  const LaunchTimes times = launch_times(view);
  list.push_back({Section::launches, "launches.time", "Time of the plan", "duration cold cache", times.whole_us,
                  MetricUnit::microseconds, Provenance::measured, Better::lower, view.timings_why_not});
  list.push_back({Section::launches, "launches.count", "Launches", "kernels",
                  static_cast<double>(times.launches.size()), MetricUnit::count, Provenance::counted, Better::lower,
                  times.why_not});
  for (std::size_t i = 0; i < times.launches.size(); ++i)
    if (std::isfinite(times.launches[i].us))
      list.push_back({Section::launches, "launches." + std::to_string(i), "Time of launch " + std::to_string(i + 1),
                      times.launches[i].kernel + " gpu__time_duration", times.launches[i].us, MetricUnit::microseconds,
                      Provenance::measured, Better::lower, ""});
}

}  // namespace

std::vector<ProfileMetric> profile_metrics(const CandidateProfile& view) {
  Metrics list;
  add_light(view, list);
  add_roofline(view, list);
  add_memory(view, list);
  add_occupancy(view, list);
  add_instructions(view, list);
  add_lines(view, list);
  add_stalls(view, list);
  add_launches(view, list);
  return list;
}

const ProfileMetric* headline(const std::vector<ProfileMetric>& metrics, profile::Section section) {
  const ProfileMetric* first = nullptr;
  for (const ProfileMetric& m : metrics) {
    if (m.section != section) continue;
    if (std::isfinite(m.value)) return &m;
    if (!first) first = &m;
  }
  return first;
}

const ProfileMetric* same_metric(const std::vector<ProfileMetric>& others, const ProfileMetric& metric) {
  if (!std::isfinite(metric.value)) return nullptr;
  const auto at = std::ranges::find(others, metric.id, &ProfileMetric::id);
  return at != others.end() && at->provenance == metric.provenance && std::isfinite(at->value) ? &*at : nullptr;
}

}  // namespace ww::measure
