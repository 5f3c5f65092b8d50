// SPDX-License-Identifier: Apache-2.0
// Statistics of repeated timings. Pure functions; the same numbers on every machine.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>
#include "profile/measurement.h"

namespace ww::profile {

// Quantiles interpolate linearly between order statistics: definition 7 of Hyndman and Fan, "Sample quantiles in
// statistical packages", The American Statistician 50 (1996), which NumPy and R take by default. The median of an even
// count is the mean of the middle two. Values that are not finite are left out.
struct Summary {
  int count = 0;
  double median = unknown, q1 = unknown, q3 = unknown, least = unknown, most = unknown;
  double iqr() const { return q3 - q1; }
};
Summary summarise(std::vector<double> values);              // an empty list: count 0, the rest unknown
double quantile(std::vector<double> values, double q);      // q in [0, 1]
std::vector<double> times_of(const SubjectTiming& timing);  // microseconds

enum class Call : std::uint8_t { faster, slower, within_noise, not_comparable };
constexpr auto names_of(Call) {
  using enum Call;
  return std::to_array<Enumerator<Call>>(
      {{faster, "faster"}, {slower, "slower"}, {within_noise, "within noise"}, {not_comparable, "not comparable"}});
}

struct Ratio {  // of a's time to b's: below 1, a is faster
  static constexpr std::string_view described_as = "RATIO";
  double ratio = unknown, low = unknown, high = unknown;  // of the medians, and its 95 % interval
  Call call = Call::not_comparable;  // faster or slower only when the whole interval lies beyond 1 -+ margin
  std::string why;                   // of not_comparable; else what a reader must know (rounds left out), or empty
  int rounds = 0;                    // that were compared
  int left_out = 0;                  // rounds in which the clocks of the two did not agree
  template <class V>
  static void fields(V&& v) {
    v("ratio", &Ratio::ratio, {"of the medians, first to second: below 1, the first is faster", Presence::nullable});
    v("low", &Ratio::low, {"of its 95 % interval", Presence::nullable});
    v("high", &Ratio::high, Presence::nullable);
    v("call", &Ratio::call);
    v("why", &Ratio::why, "of `not comparable`; else what a reader must know");
    v("rounds", &Ratio::rounds, "compared");
  }
};

// Differences that no one should act on, and that repeating the same measurement shows by itself (other buffers, other
// cache sets).
inline constexpr double default_margin = 0.01;
// Two events are apart by a whole number of the timer's steps, so that medians of short samples come in steps, too, and
// a bootstrap over equal values would be sure of itself for no reason: the interval is widened by one step of each
// side. The step is read off the samples (0.032 us on an H200) and taken to be at most this, which cuEventElapsedTime's
// documentation names.
inline constexpr double event_step_us = 0.5;
// Two copies of one kernel whose code and data lie elsewhere differ steadily, by up to so much on an H200 whatever
// their length: no bootstrap over rounds can see it. The interval is widened by it, too, as a part of the shorter
// median.
inline constexpr double placement_us = 0.1;
inline constexpr int least_rounds = 5;  // fewer are not compared: their bootstrap says nothing

// Samples are paired by round (both were taken in it, interleaved): each is divided by its round's common level, the
// geometric mean of both subjects' medians there, so that drift of the clock cancels. The ratio is that of the medians
// of these. Its interval is the percentile bootstrap (Efron and Tibshirani 1993, ch. 13) over rounds, which are drawn
// with replacement, whole, 2000 times. A round is left out when the clock of one subject moved and the other's did not:
// a steady difference of clocks belongs to the kernels (one that draws more power runs slower), a passing one to the
// machine. The same happens when a slowdown by heat or by the power supply was reported for one of them alone. Left out
// by more than half, they are not comparable.
Ratio compare(const SubjectTiming& a, const SubjectTiming& b, double margin = default_margin, std::uint64_t seed = 0);

}  // namespace ww::profile
