// SPDX-License-Identifier: GPL-3.0-or-later
// Instructions of a candidate by class, from one of four sources that are never mixed.
#pragma once
#include <QList>
#include <QString>
#include "session/profile_view.h"

namespace ww::widgets {

enum class MixSource : std::uint8_t {
  simulated,   // warp instructions of the SIMT machine, of PTX
  pipes,       // measured: warp instructions of SASS by the unit that takes them
  operations,  // measured: thread instructions of SASS by kind (full set of counters)
  written,     // counted in the text of the PTX: how often an instruction is written, not how often it runs
};
inline constexpr MixSource all_mix_sources[] = {MixSource::operations, MixSource::pipes, MixSource::simulated,
                                                MixSource::written};
QString mix_source_title(MixSource source);  // for a list of choices
QString mix_provenance(MixSource source);    // "measured", "simulated", "counted in the PTX text"

struct MixPart {
  QString title, about;
  double count;
};
struct InstructionMix {
  QList<MixPart> parts;  // in a fixed order, those with none too
  double total = profile::unknown;
  QString why_not;  // no parts, and why
};
InstructionMix instruction_mix(const ProfileView& view, MixSource source);

}  // namespace ww::widgets
