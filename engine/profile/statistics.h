// SPDX-License-Identifier: Apache-2.0
// Statistics of repeated timings. Pure functions; the same numbers on every machine.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>
#include "profile/measurement.h"

namespace ww::profile {

struct Summary {
  int count = 0;
  double median = unknown, q1 = unknown, q3 = unknown, least = unknown, most = unknown;
  double iqr() const { return q3 - q1; }
};
Summary summarise(std::vector<double> values);             // an empty list: count 0, the rest unknown
std::vector<double> times_of(const SubjectTiming& timing);  // microseconds

enum class Call : std::uint8_t { faster, slower, within_noise, not_comparable };
std::string_view call_name(Call call);                      // "faster", "slower", "within noise", "not comparable"

struct Ratio {                                              // of a's time to b's: below 1, a is faster
  double ratio = unknown, low = unknown, high = unknown;    // of the medians, and its 95 % interval (bootstrap over rounds)
  Call call = Call::not_comparable;                         // faster or slower only when the whole interval lies beyond 1 -+ margin
  std::string why;                                          // of not_comparable
};
// Samples are paired by round (both were taken in it, interleaved), so that drift of the clock cancels. `margin`: differences that no one should
// act on, and that repeating the same measurement shows by itself.
inline constexpr double default_margin = 0.01;
Ratio compare(const SubjectTiming& a, const SubjectTiming& b, double margin = default_margin, std::uint64_t seed = 0);

}  // namespace ww::profile
