// SPDX-License-Identifier: GPL-3.0-or-later
// The profiler panels use the engine's profile of a candidate: measure/candidate_profile.h.
#pragma once
#include "measure/hot_lines.h"
#include "measure/instruction_mix.h"
#include "measure/launch_times.h"
#include "measure/memory_flow.h"
#include "measure/roof_points.h"
#include "measure/speed_of_light.h"
#include "measure/stalls.h"

namespace ww::widgets {

using measure::LaunchView;
using measure::TimeView;
using ProfileView = measure::CandidateProfile;
// Never null; the current candidate first, then the compared ones by letter; empty: neither.
using Profiles = std::vector<std::shared_ptr<const ProfileView>>;
using measure::counter_of;
using measure::has_counters;
using measure::measured;
using measure::simulated;
using measure::simulated_of;
using measure::value_of;

}  // namespace ww::widgets
