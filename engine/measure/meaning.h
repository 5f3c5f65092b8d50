// SPDX-License-Identifier: Apache-2.0
// The interpretation of a candidate's profile, each part from the best available source.
#pragma once
#include "base/describe.h"
#include "measure/hot_lines.h"
#include "measure/instruction_mix.h"
#include "measure/launch_times.h"
#include "measure/memory_flow.h"
#include "measure/roof_points.h"
#include "measure/speed_of_light.h"
#include "measure/stalls.h"

namespace ww::measure {

struct HotLines {
  std::string metric, title;  // "measured.samples", "Samples"
  Provenance provenance = Provenance::unknown;
  std::vector<HotLine> lines;
  WW_FIELDS(HotLines, (metric, "`measured.samples`, `simulated.warp_instructions`"), title, provenance,
            (lines, "the 20 hottest, most first"))
};

struct Meaning {
  static constexpr std::string_view described_as = "PROFILE";
  std::string case_name, counters_case, timings_case;
  std::vector<SpeedOfLightRow> speed_of_light;
  std::vector<RoofPoint> points;
  LaunchTimes launch_times;
  InstructionMix instruction_mix;
  MemoryFlow memory;
  Stalls stalls;
  std::optional<HotLines> hot_lines;
  WW_FIELDS(Meaning, ((case, case_name), "of the numbers, unless the next two name another"),
            (counters_case, "of the counters, where it is another", nullable),
            (timings_case, "of the times, where it is another", nullable),
            (speed_of_light, "how close it gets to the machine's limits; else shares of its cost"),
            (points, "of a roofline, with a cold cache; empty: it has no place there"), launch_times, instruction_mix,
            memory, stalls, (hot_lines, "null: nothing is known by line"))
};
Meaning meaning_of(const CandidateProfile& view);

}  // namespace ww::measure
