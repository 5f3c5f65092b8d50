// SPDX-License-Identifier: Apache-2.0
// Names of the values of Metrics, and metadata of a metric by name. Hardware counters have Nsight Compute's names,
// which follow the pattern unit__counter.rollup; the SIMT machine's are those of device::Counts.
#pragma once
#include <cstdint>
#include <string_view>
#include "evidence/metrics.h"

namespace ww::evidence {

namespace metric {
inline constexpr std::string_view median_us = "median_us", q1_us = "q1_us", q3_us = "q3_us",
                                  median_warm_us = "median_warm_us", samples = "samples";
}

// Times of a measurement in microseconds, NaN: not known. Quartiles are those of the cold cache.
struct Times {
  double median = profile::unknown, q1 = profile::unknown, q3 = profile::unknown, median_warm = profile::unknown;
  double samples = profile::unknown;
};
Times times_of(const Metrics& metrics);
double value_of(const Metrics& metrics, std::string_view name);  // NaN: absent

enum class Better : std::int8_t { lower = -1, neither = 0, higher = 1 };
// The direction of improvement; neither: it depends, or the name is not known.
Better better_of(std::string_view name);
bool is_hardware_counter(std::string_view name);

}  // namespace ww::evidence
