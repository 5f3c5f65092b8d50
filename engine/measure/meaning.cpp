// SPDX-License-Identifier: Apache-2.0
#include "measure/meaning.h"

namespace ww::measure {
namespace {

constexpr std::size_t most_hot_lines = 20;

std::optional<HotLines> hottest(const CandidateProfile& view) {
  const std::vector<LineMetric> metrics = metrics_by_line(view);
  if (metrics.empty()) return std::nullopt;
  const LineMetric& first = metrics.front();
  HotLines hot{first.id, first.title, first.provenance, hot_lines(view, first)};
  if (hot.lines.size() > most_hot_lines) hot.lines.resize(most_hot_lines);
  return hot;
}

}  // namespace

Meaning meaning_of(const CandidateProfile& view) {
  Meaning all;
  all.case_name = view.case_name;
  all.counters_case = view.counters_case;
  all.timings_case = view.timings_case;
  all.speed_of_light =
      speed_of_light_rows(view, has_speed_of_light(view, SpeedOfLightKind::measured) ? SpeedOfLightKind::measured
                                                                                     : SpeedOfLightKind::simulated);
  all.points = roof_points(view, profile::Cache::cold);
  all.launch_times = launch_times(view);
  all.instruction_mix = instruction_mix(view);
  all.memory = memory_flow(view);
  all.stalls = stalls(view, StallSource::counters);
  if (Stalls sampled = stalls(view, StallSource::samples); all.stalls.launches.empty() && !sampled.launches.empty())
    all.stalls = std::move(sampled);
  all.hot_lines = hottest(view);
  return all;
}

}  // namespace ww::measure
