// SPDX-License-Identifier: Apache-2.0
// The one list of a profile's metrics, by section: what is shown as a section's headline, searched by name, and
// compared with another candidate.
#pragma once
#include "measure/candidate_profile.h"
#include "profile/section.h"

namespace ww::measure {

enum class Better : std::uint8_t { unknown, higher, lower };
constexpr auto names_of(Better) {
  using enum Better;
  return std::to_array<Enumerator<Better>>({{unknown, ""}, {higher, "higher"}, {lower, "lower"}});
}
enum class MetricUnit : std::uint8_t { count, percent, microseconds, bytes, per_second, per_byte, issue_slots };
constexpr auto names_of(MetricUnit) {
  using enum MetricUnit;
  return std::to_array<Enumerator<MetricUnit>>({{count, "count"},
                                                {percent, "percent"},
                                                {microseconds, "microseconds"},
                                                {bytes, "bytes"},
                                                {per_second, "per_second"},
                                                {per_byte, "per_byte"},
                                                {issue_slots, "issue_slots"}});
}

struct ProfileMetric {
  profile::Section section = profile::Section::speed_of_light;
  std::string id, title;  // "light.Device memory"; "Device memory, of its peak"
  std::string words;      // that it is also found by: counters that it is made of
  double value = profile::unknown;
  MetricUnit unit = MetricUnit::count;
  Provenance provenance = Provenance::unknown;
  Better better = Better::unknown;
  std::string why_not;  // no value, and why
};
std::vector<ProfileMetric> profile_metrics(const CandidateProfile& view);  // the first of a section is its headline

// The first of the section whose value is known, else the first that says why not; null: it has none.
const ProfileMetric* headline(const std::vector<ProfileMetric>& metrics, profile::Section section);

// The same metric of another candidate, where both are known and of one provenance.
const ProfileMetric* same_metric(const std::vector<ProfileMetric>& others, const ProfileMetric& metric);

}  // namespace ww::measure
