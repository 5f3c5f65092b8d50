// SPDX-License-Identifier: Apache-2.0
#include "profile/statistics.h"
#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <map>

namespace ww::profile {
namespace {

constexpr int draws = 2000;
constexpr double clock_tolerance = 0.03;  // how far one subject's clock may move against the other's within a round
constexpr std::uint64_t hard_reasons =
    0x8 | 0x20 | 0x40 | 0x80;  // slowdowns by hardware, heat and power brake; a power cap belongs to the kernel

// SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number generators", OOPSLA 2014).
struct Generator {
  std::uint64_t state;
  std::uint64_t next() {
    std::uint64_t z = (state += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  }
  std::size_t below(std::size_t n) {
    return static_cast<std::size_t>((static_cast<unsigned __int128>(next()) * n) >> 64);
  }
};

// Of finite values, reordered in place.
double quantile_of(std::vector<double>& v, double q) {
  if (v.empty()) return unknown;
  const double at = q * static_cast<double>(v.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  std::nth_element(v.begin(), v.begin() + static_cast<std::ptrdiff_t>(below), v.end());
  const double lower = v[below], part = at - static_cast<double>(below);
  if (part == 0) return lower;
  const double upper = *std::min_element(v.begin() + static_cast<std::ptrdiff_t>(below) + 1, v.end());
  return lower + part * (upper - lower);
}

void keep_finite(std::vector<double>& v) {
  v.erase(std::remove_if(v.begin(), v.end(), [](double x) { return !std::isfinite(x); }), v.end());
}

struct Round {
  std::vector<double> times;
  double clock = unknown;  // median of the SM clock
  std::uint64_t reasons = 0;
};

std::map<int, Round> rounds_of(const SubjectTiming& t) {
  std::map<int, Round> out;
  std::map<int, std::vector<double>> clocks;
  for (const TimedSample& s : t.samples) {
    if (!std::isfinite(s.us) || s.us <= 0) continue;
    Round& r = out[s.round];
    r.times.push_back(s.us);
    r.reasons |= s.clocks.throttle.value_or(0) & hard_reasons;
    if (std::isfinite(s.clocks.sm_mhz) && s.clocks.sm_mhz > 0) clocks[s.round].push_back(s.clocks.sm_mhz);
  }
  for (auto& [round, values] : clocks) out[round].clock = quantile_of(values, 0.5);
  return out;
}

double usual_clock(const std::map<int, Round>& rounds) {
  std::vector<double> v;
  for (const auto& [number, r] : rounds) v.push_back(r.clock);
  keep_finite(v);
  return quantile_of(v, 0.5);
}

// The timer's step as a part of the subject's median: the smallest difference between two samples that differ.
double step_of(const SubjectTiming& t) {
  std::vector<double> whole;
  for (const TimedSample& s : t.samples) whole.push_back(s.us * std::max(1, s.replays));
  keep_finite(whole);
  const double median = quantile_of(whole, 0.5);
  std::sort(whole.begin(), whole.end());
  double step = event_step_us;
  for (std::size_t i = 1; i < whole.size(); ++i)
    if (const double d = whole[i] - whole[i - 1]; d > 1e-3) step = std::min(step, d);
  return step / median;
}

using RoundPairs = std::vector<std::pair<const Round*, const Round*>>;

// One subject's samples in ascending order, each over the common level of its round, so that medians over drawn rounds
// are quickly had.
class Drawn {
 public:
  Drawn(const RoundPairs& pairs, bool second) {
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      const auto& [a, b] = pairs[i];
      std::vector<double> va = a->times, vb = b->times;
      const double level = std::sqrt(quantile_of(va, 0.5) * quantile_of(vb, 0.5));
      for (const double us : (second ? b : a)->times) samples_.emplace_back(us / level, i);
    }
    std::sort(samples_.begin(), samples_.end());
  }
  // Each sample counts as often as its round was drawn.
  double median(const std::vector<int>& weight) const {
    int total = 0;
    for (const auto& [us, round] : samples_) total += weight[round];
    const int lower = (total - 1) / 2, upper = total / 2;
    int seen = 0;
    double first = unknown;
    for (const auto& [us, round] : samples_) {
      const int before = seen;
      seen += weight[round];
      if (before <= lower && lower < seen) first = us;
      if (before <= upper && upper < seen) return (first + us) / 2;
    }
    return unknown;
  }

 private:
  std::vector<std::pair<double, std::size_t>> samples_;
};

}  // namespace

double quantile(std::vector<double> values, double q) {
  keep_finite(values);
  return quantile_of(values, std::clamp(q, 0.0, 1.0));
}

Summary summarise(std::vector<double> values) {
  keep_finite(values);
  Summary s;
  s.count = static_cast<int>(values.size());
  if (values.empty()) return s;
  s.median = quantile_of(values, 0.5), s.q1 = quantile_of(values, 0.25), s.q3 = quantile_of(values, 0.75);
  s.least = *std::min_element(values.begin(), values.end());
  s.most = *std::max_element(values.begin(), values.end());
  return s;
}

std::vector<double> times_of(const SubjectTiming& timing) {
  std::vector<double> out;
  for (const TimedSample& s : timing.samples) out.push_back(s.us);
  return out;
}

Ratio compare(const SubjectTiming& a, const SubjectTiming& b, double margin, std::uint64_t seed) {
  Ratio out;
  if (a.cache != b.cache) {
    out.why = fmt::format("'{}' was timed with a {} cache and '{}' with a {} one", a.subject, enum_name(a.cache),
                          b.subject, enum_name(b.cache));
    return out;
  }
  const auto of_a = rounds_of(a), of_b = rounds_of(b);
  const double usual_a = usual_clock(of_a), usual_b = usual_clock(of_b);
  RoundPairs pairs;
  for (const auto& [number, ra] : of_a) {
    const auto rb = of_b.find(number);
    if (rb == of_b.end()) continue;
    const double moved =
        std::log(ra.clock / usual_a) - std::log(rb->second.clock / usual_b);  // not a number where a clock is unknown
    if (std::abs(moved) > clock_tolerance || ra.reasons != rb->second.reasons) {
      ++out.left_out;
      continue;
    }
    pairs.emplace_back(&ra, &rb->second);
  }
  out.rounds = static_cast<int>(pairs.size());
  if (out.left_out > out.rounds) {
    out.why = fmt::format("the device's clocks changed between the two in {} of {} rounds", out.left_out,
                          out.left_out + out.rounds);
    return out;
  }
  if (out.rounds < least_rounds) {
    out.why = out.rounds + out.left_out == 0
                  ? fmt::format("'{}' and '{}' were not timed in the same rounds", a.subject, b.subject)
                  : fmt::format("only {} rounds: {} are needed", out.rounds, least_rounds);
    return out;
  }
  if (out.left_out > 0)
    out.why = fmt::format("{} of {} rounds are left out: the device's clocks changed within them", out.left_out,
                          out.left_out + out.rounds);

  const Drawn da(pairs, false), db(pairs, true);
  std::vector<int> weight(pairs.size(), 1);
  out.ratio = da.median(weight) / db.median(weight);
  Generator random{seed};
  std::vector<double> ratios(draws);
  for (double& r : ratios) {
    std::fill(weight.begin(), weight.end(), 0);
    for (std::size_t i = 0; i < weight.size(); ++i) ++weight[random.below(weight.size())];
    r = da.median(weight) / db.median(weight);
  }
  const double shorter = std::min(summarise(times_of(a)).median, summarise(times_of(b)).median);
  const double step = out.ratio * (std::hypot(step_of(a), step_of(b)) + placement_us / shorter);
  out.low = std::min(quantile_of(ratios, 0.025), out.ratio) - step;
  out.high = std::max(quantile_of(ratios, 0.975), out.ratio) + step;
  out.call = out.high < 1 - margin ? Call::faster : out.low > 1 + margin ? Call::slower : Call::within_noise;
  return out;
}

}  // namespace ww::profile
