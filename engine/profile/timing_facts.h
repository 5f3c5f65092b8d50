// SPDX-License-Identifier: Apache-2.0
// Facts derived from samples and a roofline: the median, the floor, and how close the median is to it.
#pragma once
#include "profile/roofline.h"
#include "profile/statistics.h"

namespace ww::profile {

struct Clocks {  // over all samples
  double sm_mhz = unknown;
  std::optional<std::uint64_t> throttle;  // every reason seen; none: unknown
};
Clocks clocks_of(const SubjectTiming& timing);

// *modelled*, microseconds: at the rates measured on the device, else at the datasheet's; NaN if neither is known.
double floor_us(const Roofline& roofline);
// 1: as fast as the floor. NaN if either is unknown or not positive.
double floor_fraction(double floor_us, double us);

struct TimingFacts {
  Summary summary;  // microseconds
  Clocks clocks;
  double floor_us = unknown;
  Achieved achieved;  // at the median
};
TimingFacts facts_of(const SubjectTiming& timing, const Roofline* roofline);  // null: not known for this op

}  // namespace ww::profile
