// SPDX-License-Identifier: Apache-2.0
#include "profile/timing_facts.h"
#include <cmath>

namespace ww::profile {

Clocks clocks_of(const SubjectTiming& t) {
  std::vector<double> mhz;
  Clocks c;
  for (const TimedSample& s : t.samples) {
    mhz.push_back(s.clocks.sm_mhz);
    if (s.clocks.throttle) c.throttle = c.throttle.value_or(0) | *s.clocks.throttle;
  }
  c.sm_mhz = summarise(mhz).median;
  return c;
}

double floor_us(const Roofline& r) { return std::isfinite(r.measured.us) ? r.measured.us : r.datasheet.us; }

double floor_fraction(double floor, double us) {
  return std::isfinite(floor) && std::isfinite(us) && floor > 0 && us > 0 ? floor / us : unknown;
}

TimingFacts facts_of(const SubjectTiming& t, const Roofline* roofline) {
  TimingFacts f;
  f.summary = summarise(times_of(t));
  f.clocks = clocks_of(t);
  if (!roofline || f.summary.count == 0) return f;
  f.floor_us = floor_us(*roofline);
  f.achieved = achieved(*roofline, t.cache, f.summary.median);
  return f;
}

}  // namespace ww::profile
