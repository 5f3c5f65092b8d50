// SPDX-License-Identifier: Apache-2.0
// The origin of a number. Numbers of different provenance are never compared, added or mixed in one column.
#pragma once
#include <cstdint>
#include "base/describe.h"

namespace ww {

enum class Provenance : std::uint8_t {
  unknown,    // no number, or of unknown origin
  measured,   // on a device
  simulated,  // by the SIMT machine's counters
  modelled,   // by a formula, or by the assembler
  counted,    // in a text
};

constexpr auto names_of(Provenance) {
  using enum Provenance;
  return std::to_array<Enumerator<Provenance>>(
      {{unknown, ""}, {measured, "measured"}, {simulated, "simulated"}, {modelled, "modelled"}, {counted, "counted"}});
}

}  // namespace ww
