// SPDX-License-Identifier: Apache-2.0
// Instructions of a candidate by class, from one of four sources that are never mixed.
#pragma once
#include "base/describe.h"
#include "measure/candidate_profile.h"

namespace ww::measure {

enum class MixSource : std::uint8_t {  // best source first
  pipes,                               // measured: warp instructions of SASS by execution pipe
  operations,                          // measured: thread instructions of SASS by kind (full set of counters)
  simulated,                           // warp instructions of the SIMT machine, of PTX
  written,  // counted in the PTX text: how often an instruction is written, not how often it executes
};
constexpr auto names_of(MixSource) {
  using enum MixSource;
  return std::to_array<Enumerator<MixSource>>(
      {{pipes, "pipes"}, {operations, "operations"}, {simulated, "simulated"}, {written, "written"}});
}
std::string title_of(MixSource source);  // "Executed by warps (simulated)"
Provenance provenance_of(MixSource source);

struct MixPart {
  std::string kind, title, about;  // "load_global", "Global loads", "loads from device memory"
  double count = 0;
  WW_FIELDS(MixPart, (kind, "`load_global`, `alu`"), title, (about, "what it is"), (count, "instructions"))
};
struct InstructionMix {
  MixSource source = MixSource::written;
  std::vector<MixPart> parts;  // in a fixed order, including zero parts
  double total = profile::unknown;
  std::string why_not;  // the reason if there are no parts
  Provenance provenance() const { return provenance_of(source); }
  WW_FIELDS(InstructionMix,
            (source,
             "`operations`: thread instructions by kind; `pipes`: warp instructions by unit; `simulated`: warp "
             "instructions of PTX; `written`: in the text of the PTX"),
            provenance, (total, nullable), parts, (why_not, "there are no parts, and why", sparse))
};
InstructionMix instruction_mix(const CandidateProfile& view, MixSource source);
InstructionMix instruction_mix(const CandidateProfile& view);  // from the best available source

}  // namespace ww::measure
