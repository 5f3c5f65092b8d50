// SPDX-License-Identifier: GPL-3.0-or-later
// How long each launch of a plan takes: *measured* by the counters of each launch, else only its part of the whole,
// *modelled* from what was simulated or from its warps.
#pragma once
#include <QList>
#include <QString>
#include "session/profile_view.h"

namespace ww::widgets {

struct LaunchTime {
  QString kernel;
  std::int64_t blocks = 0;
  int threads = 0;                 // of a block
  QString shape;                   // "grid 128 x 1 x 1, block 256 x 1 x 1"
  double us = profile::unknown;    // measured
  double part = profile::unknown;  // of all launches, 0 to 1; of the measured times, or modelled
  QString occupancy;               // modelled
};
struct LaunchTimes {
  QList<LaunchTime> launches;
  QString source;  // "measured", "modelled from simulated instructions by line", "modelled from warps"
  bool measured = false;
  double sum_us = profile::unknown;  // of the launches
  double whole_us =
      profile::unknown;  // measured, cold cache, of the whole plan: more than the sum where launches have gaps
  QString why_not;       // no launches, and why
};
LaunchTimes launch_times(const ProfileView& view);

}  // namespace ww::widgets
