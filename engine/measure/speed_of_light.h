// SPDX-License-Identifier: Apache-2.0
// Utilisation of the machine by a candidate, part by part, relative to its limits. Measured percentages of a peak and
// shares of a simulated cost are never mixed in one list.
#pragma once
#include "base/describe.h"
#include "measure/candidate_profile.h"

namespace ww::measure {

enum class SpeedOfLightKind { measured, simulated };

struct SpeedOfLightRow {
  std::string part;                             // "Device memory", "Global memory"
  double percent = profile::unknown;            // of the peak, or of the simulated cost
  std::string from;                             // the counter's name, or what it is computed from
  std::string about;                            // a sentence
  Provenance provenance = Provenance::unknown;  // of the counter, the time or the cost
  Provenance work = Provenance::unknown;        // of the op's work used for the percentage; else unknown
  std::string why_not;                          // the reason if percent is unknown
  WW_FIELDS(SpeedOfLightRow, part, (percent, "of the peak, or of the simulated cost", nullable),
            (provenance, "of the counter, the time or the cost: `measured` or `simulated`"),
            (work, "`modelled`: computed from the op's own work", sparse),
            (from, "the counter's name, or what it is made of"), (about, "what it is"),
            (why_not, "`percent` is null, and why", sparse))
};

std::string provenance_text(const SpeedOfLightRow& row);  // "measured", "measured time, modelled work"
bool has_speed_of_light(const CandidateProfile& view, SpeedOfLightKind kind);
std::vector<SpeedOfLightRow> speed_of_light_rows(const CandidateProfile& view,
                                                 SpeedOfLightKind kind);  // measured: always the same parts, in order
// The part nearest to its peak, or the largest share; null: nothing is known.
const SpeedOfLightRow* highest_row(const std::vector<SpeedOfLightRow>& rows);

}  // namespace ww::measure
