// SPDX-License-Identifier: Apache-2.0
// The sections of a profile, which metrics and advice belong to.
#pragma once
#include <cstdint>
#include "base/describe.h"

namespace ww::profile {

enum class Section : std::uint8_t {  // in the order of the profile page
  speed_of_light,
  roofline,
  memory,
  occupancy,
  instructions,
  hot_lines,
  stalls,
  launches,
};
constexpr auto names_of(Section) {
  using enum Section;
  return std::to_array<Enumerator<Section>>({{speed_of_light, "speed_of_light"},
                                             {roofline, "roofline"},
                                             {memory, "memory"},
                                             {occupancy, "occupancy"},
                                             {instructions, "instructions"},
                                             {hot_lines, "hot_lines"},
                                             {stalls, "stalls"},
                                             {launches, "launches"}});
}

}  // namespace ww::profile
