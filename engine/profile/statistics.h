// SPDX-License-Identifier: Apache-2.0
// Statistics of repeated timings. Pure functions; the same numbers on every machine.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>
#include "base/describe.h"
#include "profile/measurement.h"

namespace ww::profile {

// Quantiles interpolate linearly between order statistics: definition 7 of Hyndman and Fan, "Sample quantiles in
// statistical packages", The American Statistician 50 (1996), the default of NumPy and R. The median of an even count
// is the mean of the middle two. Non-finite values are left out.
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
  Call call = Call::not_comparable;  // faster or slower only if the whole interval lies beyond 1 -+ margin
  std::string why;                   // if not_comparable; else a caveat (rounds left out), or empty
  int rounds = 0;                    // number of compared rounds
  int left_out = 0;                  // rounds in which the clocks of the two did not agree
  WW_FIELDS(Ratio, (ratio, "of the medians, first to second: below 1, the first is faster", nullable),
            (low, "of its 95 % interval", nullable), (high, nullable), call,
            (why, "of `not comparable`; else what a reader must know"), (rounds, "compared"))
};

// Differences too small to act on, which repeating the same measurement produces (other buffers, other cache sets).
inline constexpr double default_margin = 0.01;
// Events are a whole number of timer steps apart, so medians of short samples are quantised, too, and a bootstrap over
// equal values would be overconfident: the interval is widened by one step at either end. The step is estimated from
// the samples (0.032 us on an H200), up to this value, which cuEventElapsedTime's documentation gives.
inline constexpr double event_step_us = 0.5;
// Two copies of one kernel with code and data at other addresses differ consistently, by up to this much on an H200
// whatever their duration, which no bootstrap over rounds can show. The interval is also widened by it, relative to the
// shorter median.
inline constexpr double placement_us = 0.1;
inline constexpr int least_rounds = 5;  // fewer are not compared: their bootstrap would be meaningless

// Samples are paired by round, in which the subjects are interleaved: each is divided by its round's common level, the
// geometric mean of both subjects' medians, so that clock drift cancels. The ratio is that of the medians of these. Its
// interval is the percentile bootstrap (Efron and Tibshirani 1993, ch. 13) over whole rounds, drawn with replacement
// 2000 times. A round is left out if the clock changed for only one of the subjects: a constant difference of clocks is
// due to the kernels (one that draws more power runs slower), a transient one to the machine. The same applies if a
// thermal or power slowdown was reported for only one of them. If more than half of the rounds are left out, the
// subjects are not comparable.
Ratio compare(const SubjectTiming& a, const SubjectTiming& b, double margin = default_margin, std::uint64_t seed = 0);

}  // namespace ww::profile
