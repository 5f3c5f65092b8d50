// SPDX-License-Identifier: GPL-3.0-or-later
// How close a candidate gets to the machine's limits, part by part. Measured percentages of a peak and shares of a
// simulated cost are never in one list.
#pragma once
#include <QString>
#include <QStringList>
#include <vector>
#include "session/profile_view.h"

namespace ww::widgets {

enum class LightKind { measured, simulated };

struct LightRow {
  QString part;                       // "Device memory", "Global memory"
  double percent = profile::unknown;  // of the peak, or of the simulated cost
  QString from;                       // the counter's name, or what it is made of
  QString about;                      // a sentence
  QString provenance;                 // "measured", "simulated", "measured time, modelled work"
  QString why_not;                    // percent is unknown, and the reason
};

bool has_light(const ProfileView& view, LightKind kind);
std::vector<LightRow> light_rows(const ProfileView& view, LightKind kind);  // measured: always the same parts, in order
// The part that is nearest to its peak, or the largest share; null: nothing is known.
const LightRow* brightest(const std::vector<LightRow>& rows);

}  // namespace ww::widgets
