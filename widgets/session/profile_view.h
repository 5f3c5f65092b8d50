// SPDX-License-Identifier: GPL-3.0-or-later
// All that is known of one candidate's behaviour, gathered from the store off the GUI thread, for the profiler's panels. Plain data. Every number keeps where it comes from:
// what is *measured*, *simulated* or *modelled* stands in members of its own, and what is not known is NaN or absent with a sentence why.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>
#include "candidate/candidate.h"
#include "profile/advice.h"
#include "profile/measurement.h"
#include "profile/occupancy.h"
#include "profile/roofline.h"
#include "store/workspace.h"

namespace ww::widgets {

struct LaunchView {                     // of the plan at the run's case, in order
  std::string kernel;
  std::int64_t grid[3] = {1, 1, 1}, block[3] = {1, 1, 1};
  profile::KernelShape shape;           // registers and static shared memory of the compiled kernel
  std::optional<profile::Occupancy> occupancy;   // *modelled*
  std::int64_t spill_bytes = 0, local_bytes = 0;
  std::string why_not;                  // no occupancy, and the reason
};

struct ProfileView {
  store::CandidateRecord record;        // with its verdict; verdict->metrics has the simulated or measured counts and those by line
  std::string name;                     // "#12 tiled 64x64"
  std::string architecture, case_name;
  std::optional<profile::DeviceLimits> limits;
  std::vector<LaunchView> launches;
  std::string launches_why_not;
  // *measured*, the latest of each; empty with the reason
  std::optional<profile::CounterReport> counters;
  std::string counters_when, counters_why_not;
  std::vector<profile::SubjectTiming> timings;   // cold and warm samples of this candidate
  std::string timings_why_not;
  std::optional<profile::DeviceDetails> device;
  std::optional<profile::Ceilings> ceilings;
  std::string device_why_not;
  std::optional<profile::Roofline> roofline;     // *modelled*: the floor of the case
  std::string roofline_why_not;
  std::vector<profile::Advice> advice;           // of the rules, largest bound first
  std::string advice_why_not;
};
using Profiles = std::vector<std::shared_ptr<const ProfileView>>;   // the current candidate first, then the compared ones

}  // namespace ww::widgets
