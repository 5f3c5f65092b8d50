// SPDX-License-Identifier: Apache-2.0
// The interpretation of a candidate's profile, each part from the best available source.
#pragma once
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
  template <class V>
  static void fields(V&& v) {
    v("metric", &HotLines::metric, "`measured.samples`, `simulated.warp_instructions`");
    v("title", &HotLines::title);
    v("provenance", &HotLines::provenance);
    v("lines", &HotLines::lines, "the 20 hottest, most first");
  }
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
  template <class V>
  static void fields(V&& v) {
    v("case", &Meaning::case_name, "of the numbers, unless the next two name another");
    v("counters_case", &Meaning::counters_case, {"of the counters, where it is another", Presence::nullable});
    v("timings_case", &Meaning::timings_case, {"of the times, where it is another", Presence::nullable});
    v("speed_of_light", &Meaning::speed_of_light, "how close it gets to the machine's limits; else shares of its cost");
    v("points", &Meaning::points, "of a roofline, with a cold cache; empty: it has no place there");
    v("launch_times", &Meaning::launch_times);
    v("instruction_mix", &Meaning::instruction_mix);
    v("memory", &Meaning::memory);
    v("stalls", &Meaning::stalls);
    v("hot_lines", &Meaning::hot_lines, "null: nothing is known by line");
  }
};
Meaning meaning_of(const CandidateProfile& view);

}  // namespace ww::measure
