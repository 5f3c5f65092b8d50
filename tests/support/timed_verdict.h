// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include "evidence/verdict.h"

namespace ww::testing {

inline evidence::Verdict timed(double median, double q1, double q3, double samples, const std::string& gpu) {
  evidence::Verdict v;
  evidence::Metrics m;
  m.provenance = Provenance::measured;
  m.values = {{"median_us", median}, {"q1_us", q1}, {"q3_us", q3}, {"samples", samples}};
  m.conditions.gpu = gpu;
  v.metrics = m;
  return v;
}

}  // namespace ww::testing
