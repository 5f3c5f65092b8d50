// SPDX-License-Identifier: Apache-2.0
// Numbers of one candidate on one device for one case: *simulated* (by the SIMT machine) or *measured* (a GPU's clock
// and hardware counters).
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>
#include "base/describe.h"
#include "base/provenance.h"
#include "profile/roofline.h"

namespace ww::evidence {

struct LineCount {
  int line = 0;  // of the candidate's text
  std::uint64_t warp_instructions = 0, thread_instructions = 0, global_sectors = 0, shared_wavefronts = 0,
                bank_conflicts = 0, divergent_branches = 0;
  // warp instructions that accessed global memory, and bytes requested by their threads; 0 although sectors is not: not
  // counted
  std::uint64_t global_requests = 0, global_bytes = 0;
  // Loads and stores separately; all 0 although sectors is not: not counted.
  std::uint64_t global_load_sectors = 0, global_load_bytes = 0, global_store_sectors = 0, global_store_bytes = 0;
  LineCount& operator+=(const LineCount& other);  // for the same line

  template <class V>
  static void fields(V&& v) {
    v("line", &LineCount::line);
    v("warp_instructions", &LineCount::warp_instructions);
    v("thread_instructions", &LineCount::thread_instructions);
    v("global_sectors", &LineCount::global_sectors);
    v("shared_wavefronts", &LineCount::shared_wavefronts);
    v("bank_conflicts", &LineCount::bank_conflicts);
    v("divergent_branches", &LineCount::divergent_branches);
    v("global_requests", &LineCount::global_requests, Presence::defaulted);  // missing in the first verdicts
    v("global_bytes", &LineCount::global_bytes, Presence::defaulted);
    v("global_load_sectors", &LineCount::global_load_sectors, Presence::sparse);
    v("global_load_bytes", &LineCount::global_load_bytes, Presence::sparse);
    v("global_store_sectors", &LineCount::global_store_sectors, Presence::sparse);
    v("global_store_bytes", &LineCount::global_store_bytes, Presence::sparse);
  }
};

// The least time for a case's bytes and operations at a device's rates, *modelled* (profile/roofline.h).
struct Floor {
  enum class Rates : std::uint8_t { unknown, measured, datasheet };
  double us = 0;
  Rates rates = Rates::unknown;                    // its source
  profile::Limit limit = profile::Limit::unknown;  // the binding one of the two

  template <class V>
  static void fields(V&& v);
};
constexpr auto names_of(Floor::Rates) {
  using enum Floor::Rates;
  return std::to_array<Enumerator<Floor::Rates>>(
      {{unknown, "unknown"}, {measured, "measured"}, {datasheet, "datasheet"}});
}

template <class V>
void Floor::fields(V&& v) {
  v("us", &Floor::us);
  v("rates", &Floor::rates);
  v("limit", &Floor::limit);
}

// The conditions of a timing, as reported by driver and gate; empty: not known.
struct Conditions {
  std::string gpu, driver, cuda;                  // "NVIDIA H200", "580.159.04", "13.0"
  std::string sm_mhz, memory_mhz, temperature_c;  // minimum and maximum of the readings: "1500 to 1980"
  std::string throttle;                           // profile::throttle_words(), "none"
  std::string cache, rounds, inputs;              // the meaning of the regimes; "10 of 5 samples"; "uniform seed 1"
  std::string note;                               // by the device, on how the plan was replayed
  std::string counters;                           // the set that was read, with its passes and seconds
  WW_FIELDS(Conditions, (gpu, sparse), (driver, sparse), (cuda, sparse), (sm_mhz, sparse), (memory_mhz, sparse),
            (temperature_c, sparse), (throttle, sparse), (cache, sparse), (rounds, sparse), (inputs, sparse),
            (note, sparse), (counters, sparse))
};

struct Metrics {
  static constexpr std::string_view described_as = "METRICS";
  Provenance provenance = Provenance::unknown;
  std::string device;  // "simt", "cuda:0"
  std::string case_name;
  // By name (metric.h). Simulated: "warp_instructions", "global_sectors", … (device::Counts). Measured: times, and
  // hardware counters under Nsight Compute's names, over all launches.
  std::vector<std::pair<std::string, double>> values;
  Conditions conditions;  // of a measurement
  std::vector<LineCount> lines;
  // Of a measurement:
  std::optional<Floor> floor;
  std::string floor_why_not;     // why there is none
  std::string impossible;        // why no kernel can be that fast (the time is not ranked); empty: plausible
  std::string counters_why_not;  // why there are no hardware counters

  WW_FIELDS(Metrics, provenance, device, ((case, case_name)), (values, "in order"), (conditions, sparse),
            (floor, sparse), (floor_why_not, sparse), (impossible, "why no kernel can be that fast", sparse),
            (counters_why_not, sparse), lines)
};

}  // namespace ww::evidence
