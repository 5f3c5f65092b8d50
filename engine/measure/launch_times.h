// SPDX-License-Identifier: Apache-2.0
// The duration of each launch of a plan: *measured* by its counters, else only its share of the total, *modelled* from
// simulated instructions or its warps.
#pragma once
#include "base/describe.h"
#include "measure/candidate_profile.h"

namespace ww::measure {

enum class PartSource : std::uint8_t { unknown, measured, lines, warps };
constexpr auto names_of(PartSource) {
  using enum PartSource;
  return std::to_array<Enumerator<PartSource>>(
      {{unknown, ""}, {measured, "measured"}, {lines, "lines"}, {warps, "warps"}});
}
std::string title_of(PartSource source);  // "modelled from the number of warps"

struct LaunchTime {
  std::string kernel;
  std::int64_t blocks = 0;
  int threads = 0;                 // of a block
  double us = profile::unknown;    // measured
  double part = profile::unknown;  // of all launches, 0 to 1; of the measured times, or modelled
  WW_FIELDS(LaunchTime, kernel, blocks, (threads, "of a block"), (us, "measured, with the counters running", nullable),
            (part, "of all launches, 0 to 1", nullable))
};
struct LaunchTimes {
  std::vector<LaunchTime> launches;         // as in CandidateProfile::launches
  PartSource source = PartSource::unknown;  // of the shares; `measured`: also of the times
  double sum_us = profile::unknown;         // of the launches
  // measured, cold cache, of the whole plan: more than the sum if there are gaps between launches
  double whole_us = profile::unknown;
  std::string why_not;  // the reason if there are no launches
  bool measured() const { return source == PartSource::measured; }
  WW_FIELDS(LaunchTimes, (launches, "of the plan, in order"),
            (source, "of `part`; `lines`: modelled from simulated instructions by line; `warps`: from their number"),
            (sum_us, "of the launches", nullable),
            (whole_us,
             "of the whole plan, measured separately with a cold cache: more than the sum where launches have gaps",
             nullable),
            (why_not, "there are no launches, and why", sparse))
};
LaunchTimes launch_times(const CandidateProfile& view);

}  // namespace ww::measure
