// SPDX-License-Identifier: Apache-2.0
// The list of a profile's metrics, by section: shown as section headlines, searched by name, and compared with another
// candidate.
#pragma once
#include "measure/candidate_profile.h"
#include "profile/section.h"

namespace ww::measure {

enum class Better : std::uint8_t { unknown, higher, lower };
constexpr auto names_of(Better) {
  using enum Better;
  return std::to_array<Enumerator<Better>>({{unknown, ""}, {higher, "higher"}, {lower, "lower"}});
}
enum class MetricUnit : std::uint8_t {
  count,
  percent,
  microseconds,
  bytes,
  flops_per_second,
  operations_per_second,  // of integers
  per_byte,
  issue_slots
};
constexpr auto names_of(MetricUnit) {
  using enum MetricUnit;
  return std::to_array<Enumerator<MetricUnit>>({{count, "count"},
                                                {percent, "percent"},
                                                {microseconds, "microseconds"},
                                                {bytes, "bytes"},
                                                {flops_per_second, "flops_per_second"},
                                                {operations_per_second, "operations_per_second"},
                                                {per_byte, "per_byte"},
                                                {issue_slots, "issue_slots"}});
}

struct ProfileMetric {
  profile::Section section = profile::Section::speed_of_light;
  std::string id, title;  // "light.Device memory"; "Device memory, of its peak"
  std::string words;      // further search terms: the counters that it is computed from
  double value = profile::unknown;
  MetricUnit unit = MetricUnit::count;
  Provenance provenance = Provenance::unknown;
  Better better = Better::unknown;
  std::string why_not;  // the reason if there is no value
};
std::vector<ProfileMetric> profile_metrics(const CandidateProfile& view);  // the first of a section is its headline

// The section's first known value, else its first one with a reason; null: it has none.
const ProfileMetric* headline(const std::vector<ProfileMetric>& metrics, profile::Section section);

// The same metric of another candidate, if both are known and have the same provenance.
const ProfileMetric* same_metric(const std::vector<ProfileMetric>& others, const ProfileMetric& metric);

}  // namespace ww::measure
