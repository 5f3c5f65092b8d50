// SPDX-License-Identifier: Apache-2.0
#include "measure/why_better.h"
#include <algorithm>
#include <cmath>

namespace ww::measure {
namespace {

constexpr double least_fall = 1.1;
constexpr double least_addition = 0.05;
constexpr double loaded_once = 0.05, loaded_again = 1.5;  // from one
constexpr const char* loads_rule = "redundant-loads";     // the same fact as advice

std::optional<CostDifference> cost_difference(const CandidateProfile& better, const CandidateProfile& other) {
  const double all = other.cost_total - better.cost_total;
  if (!(all > 0) || better.cost_unit != other.cost_unit) return std::nullopt;
  const auto cost_in = [](const CandidateProfile& profile, profile::CostGroup wanted) {
    const auto same = std::ranges::find(profile.cost, wanted, [](const auto& c) { return c.first; });
    return same == profile.cost.end() ? 0.0 : same->second;
  };
  std::optional<CostDifference> most;
  for (const auto& [group, cost] : other.cost) {
    const double share = (cost - cost_in(better, group)) / all;
    if (share > 0 && (!most || share > most->share)) most = {group, share};
  }
  if (!most) return most;
  double adds = least_addition;
  for (const auto& [group, cost] : better.cost)
    if (const double share = (cost - cost_in(other, group)) / all; share >= adds) most->dearer = group, adds = share;
  return most;
}

// The metrics that say what a group of the cost is made of; all others are made of instructions.
bool belongs(const ProfileMetric& metric, const profile::CostGroup group) {
  if (group == profile::CostGroup::global_memory) return metric.id == "memory.touched" || metric.id == "memory.dram";
  if (group == profile::CostGroup::shared_memory)
    return metric.id == "memory.conflicts" || metric.id.starts_with("memory.shared");
  return metric.section == profile::Section::instructions;
}

bool measures_work(const ProfileMetric& metric) {
  const bool section = metric.section == profile::Section::memory || metric.section == profile::Section::instructions;
  const bool unit = metric.unit == MetricUnit::bytes || metric.unit == MetricUnit::count;
  return section && unit && metric.better == Better::lower && !metric.id.ends_with(".sectors");
}

std::optional<MetricDifference> metric_difference(const CandidateProfile& better, const CandidateProfile& other,
                                                  const std::optional<CostDifference>& cost) {
  const std::vector<ProfileMetric> of_other = profile_metrics(other);
  std::optional<MetricDifference> most;
  double fall = least_fall;
  for (const ProfileMetric& m : profile_metrics(better)) {
    if (!measures_work(m) || (cost && !belongs(m, cost->group))) continue;
    const ProfileMetric* const same = same_metric(of_other, m);
    if (!same || !(same->value > 0)) continue;
    const double ratio = m.value > 0 ? same->value / m.value : INFINITY;
    if (ratio < fall) continue;
    fall = ratio;
    most = {m, same->value};
  }
  return most;
}

// Of one case: a roofline may be of the case of later times.
std::optional<InputLoads> input_loads(const CandidateProfile& better, const CandidateProfile& other) {
  if (!better.roofline || !(better.roofline->bytes_read > 0) || !better.timings_case.empty() ||
      better.case_name != other.case_name)
    return std::nullopt;
  const auto loads = [&](const CandidateProfile& of) {
    return simulated_of(of, "global_load_bytes") / better.roofline->bytes_read;
  };
  InputLoads found{loads(better), loads(other)};
  if (!(std::abs(found.better - 1) <= loaded_once) || !(found.other >= loaded_again)) return std::nullopt;
  const bool no_local_memory =
      simulated_of(better, "local_load_requests") == 0 && simulated_of(better, "local_store_requests") == 0;
  if (better.record.generator == "search" && no_local_memory) found.row = search::row_place(better.record.structure);
  return found;
}

// Both must have been counted alike: a rule without its numbers does not apply.
std::optional<profile::Advice> avoided_advice(const CandidateProfile& better, const CandidateProfile& other) {
  for (const profile::Advice& advice : other.advice) {
    const bool alike = advice.provenance == Provenance::simulated  ? simulated(better) && simulated(other)
                       : advice.provenance == Provenance::measured ? has_counters(better) && has_counters(other)
                                                                   : false;
    if (alike && advice.gain > 1 &&
        std::ranges::find(better.advice, advice.id, &profile::Advice::id) == better.advice.end())
      return advice;
  }
  return std::nullopt;
}

}  // namespace

WhyBetter why_better(const CandidateProfile& better, const CandidateProfile& other) {
  WhyBetter why;
  why.cost = cost_difference(better, other);
  why.metric = metric_difference(better, other, why.cost);
  why.loads = input_loads(better, other);
  why.avoided = avoided_advice(better, other);
  if (why.loads && why.avoided && why.avoided->id == loads_rule) why.avoided.reset();
  for (const ProfileMetric& m : profile_metrics(better))
    if (m.id == "roof.percent" && m.provenance == Provenance::measured && std::isfinite(m.value))
      why.roof_percent = m.value;
  return why;
}

}  // namespace ww::measure
