// SPDX-License-Identifier: Apache-2.0
// The numbers of two candidates side by side: the change, each side's provenance, and whether the change exceeds noise.
// Numbers of different provenance, device or case are never subtracted.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>
#include "evidence/metric.h"
#include "profile/statistics.h"
#include "store/workspace.h"

namespace ww::diff {

struct Number {
  std::string group;       // "score", "time", "counts", "counters", "compiler", "code", "occupancy"
  std::string name, unit;  // "median_us", "µs"
  double value = profile::unknown;
  Provenance provenance = Provenance::unknown;  // unknown: see why_not
  std::string where;                            // device and case; numbers from different places are not compared
  double q1 = profile::unknown, q3 = profile::unknown;  // of a measurement, if known
  evidence::Better better = evidence::Better::neither;
  std::string why_not;
};

enum class Noise : std::uint8_t {
  exact,  // simulated, modelled or counted: any change is real
  within,
  beyond,   // the spread of both measurements
  unknown,  // measured once, so that the spread is not known
  not_comparable,
};

struct NumberRow {
  Number left, right;  // of the same group and name; a missing one has a why_not
  double change = profile::unknown, percent = profile::unknown;  // right - left; relative to left
  Noise noise = Noise::not_comparable;
  std::string why;       // of `noise`, a sentence
  bool changed() const;  // the numbers differ, or one is missing
  int verdict() const;   // 1: better on the right, -1: worse, 0: neither (equal, within noise, or no direction)
};

std::vector<Number> numbers_of(
    const store::CandidateRecord& candidate);  // as returned by store::Workspace::candidate, with its verdict
// Paired timings of the two from stored measurements of kind "compare": the latest per device, case and cache.
struct PairedTiming {
  profile::Cache cache = profile::Cache::cold;
  double ratio = profile::unknown, low = profile::unknown,
         high = profile::unknown;                      // of right's time to left's, with its 95 % interval
  profile::Call call = profile::Call::not_comparable;  // of right against left
  std::string why;                                     // profile::Ratio::why
  std::string place, device, when;                     // "C = 1024, R = 512", "NVIDIA H200 (cuda:0)", a day
  profile::Summary left, right;                        // microseconds
};
std::vector<PairedTiming> paired_timings(const std::vector<store::MeasurementRecord>& of_right,
                                         const std::string& left_hash, const std::string& right_hash);

std::vector<NumberRow> compare_numbers(const std::vector<Number>& left, const std::vector<Number>& right,
                                       const std::vector<PairedTiming>& pairs);

}  // namespace ww::diff
