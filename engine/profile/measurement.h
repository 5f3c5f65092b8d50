// SPDX-License-Identifier: Apache-2.0
// Measurements on real hardware: times, counters, facts of the device. Plain data. An unknown number is NaN (absent in
// JSON) or nullopt, never 0.
#pragma once
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>
#include "base/describe.h"

namespace ww::profile {

inline constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

enum class Cache : std::uint8_t {
  cold,  // the L2 cache is overwritten before each replay
  warm,  // as the previous replay left it
};
constexpr auto names_of(Cache) {
  return std::to_array<Enumerator<Cache>>({{Cache::cold, "cold"}, {Cache::warm, "warm"}});
}

struct ClockState {  // from NVML, between samples: one reading of a subject and regime in each round
  double sm_mhz = unknown, memory_mhz = unknown, temperature_c = unknown, power_w = unknown;
  std::optional<std::uint64_t> throttle;  // nvmlClocksEventReasons bits; 1 (idle) is none. As text: throttle_words()
  WW_FIELDS(ClockState, (sm_mhz, "reading of NVML", sparse), (memory_mhz, sparse), (temperature_c, sparse),
            (power_w, sparse), (throttle, "nvmlClocksEventReasons bits", sparse))
};

// "power cap", "thermal slowdown", …, separated by ", "; empty if nothing limits the clocks.
std::string throttle_words(std::uint64_t reasons);

struct TimedSample {
  double us = 0;    // microseconds of one execution of the whole plan, by device events
  int replays = 1;  // executions between the two events (`us` is their mean)
  int round = 0;    // subjects are interleaved in random order within a round
  ClockState clocks;
  template <class V>
  static void fields(V&& v) {
    v("us", &TimedSample::us, "microseconds of one execution of the whole plan, by device events");
    v("replays", &TimedSample::replays, "executions between the two events");
    v("round", &TimedSample::round, "subjects are interleaved in random order within a round");
    v(inlined, &TimedSample::clocks);
  }
};

struct SubjectTiming {
  static constexpr std::string_view described_as = "TIMING";
  std::string subject;  // as given by the caller: "candidate", "cublas", …
  Cache cache = Cache::cold;
  std::vector<TimedSample> samples;  // in the order in which they were taken
  bool graph = true;  // replays of a captured graph; false: plain launches (where the work could not be captured, the
                      // note says so)
  std::string note;   // a caveat for readers of the numbers; empty: none
  WW_FIELDS(SubjectTiming, (subject, "name of what was timed"),
            (cache, "`cold`: the L2 cache is overwritten before each replay"),
            (graph, "replays of a captured graph; false: plain launches"),
            (note, "what a reader of the numbers must know", sparse),
            (samples, "in the order in which they were taken"))
};

struct Counter {
  std::string name;  // Nsight Compute's: "dram__bytes.sum"
  std::string unit;  // "byte", "sector", "inst", "%", "ns", …; empty: a plain number
  double value = unknown;
  WW_FIELDS(Counter, (name, "Nsight Compute's"), (unit, "empty: a plain number"), (value, sparse))
};
struct StallSamples {                                          // program counter samples of one source line
  int line = 0;                                                // of the candidate's text; 0: unknown
  std::vector<std::pair<std::string, std::uint64_t>> reasons;  // stall reason, samples
  WW_FIELDS(StallSamples, (line, "of the candidate's text; 0: unknown"), (reasons, "samples by stall reason"))
};
struct KernelCounters {
  std::string kernel;
  int launch = 0;               // its index in the plan
  std::vector<Counter> values;  // in the set's order
  std::vector<StallSamples> lines;
  WW_FIELDS(KernelCounters, kernel, (launch, "its place in the plan"), (values, "in the set's order"),
            (lines, "program counter samples", sparse))
};
struct CounterReport {
  static constexpr std::string_view described_as = "COUNTERS";
  std::string set;                      // "small", "full"
  std::vector<KernelCounters> kernels;  // one per launch
  int passes = 0;                       // replays needed by the hardware
  double seconds = 0;                   // host time for all of it
  std::string why_not;                  // if counters are denied or missing: why, and what to do about it
  WW_FIELDS(CounterReport, (set, "`small`, `full`"), (kernels, "one a launch"),
            (passes, "replays that the hardware needed"), (seconds, "of the host, for all of it", defaulted),
            (why_not, "where counters are denied or missing: why, and what to do about it"))
};

struct DeviceDetails {  // read from driver, NVML and resources/devices
  static constexpr std::string_view described_as = "DEVICE";
  std::string name, gpu, uuid, driver, cuda, architecture;  // "cuda:0", "NVIDIA H200", …, "580.159.04", "13.0", "sm_90"
  int multiprocessors = 0, max_threads_per_sm = 0, warp_threads = 32;
  std::int64_t memory = 0, free_memory = 0, l2 = 0, shared_per_sm = 0, max_shared_per_block = 0,
               registers_per_sm = 0;  // bytes; registers
  double sm_max_mhz = unknown, memory_max_mhz = unknown, memory_bus_bits = unknown;
  double peak_bandwidth = unknown;                // bytes per second, from memory clock and bus width
  double peak_f32 = unknown, peak_f64 = unknown;  // operations per second, from clock and lanes
  std::vector<std::pair<std::string, double>>
      datasheet;  // "bandwidth", "f32", "tf32", "f16", "bf16", "f64", "i8": the vendor's figures, per second
  std::string datasheet_source;
  WW_FIELDS(DeviceDetails, (name, "`cuda:0`"), (gpu, "the product"), uuid, driver, cuda, (architecture, "`sm_90`"),
            multiprocessors, max_threads_per_sm, warp_threads, (memory, "bytes"), (free_memory, "bytes"), (l2, "bytes"),
            (shared_per_sm, "bytes"), (max_shared_per_block, "bytes"), registers_per_sm, (sm_max_mhz, sparse),
            (memory_max_mhz, sparse), (memory_bus_bits, sparse),
            (peak_bandwidth, "bytes per second, from memory clock and bus width", sparse),
            (peak_f32, "operations per second, from clock and lanes", sparse),
            (peak_f64, "operations per second, from clock and lanes", sparse),
            (datasheet, "the vendor's figures, per second"), datasheet_source)
};

struct Ceilings {  // measured once per device, kept in cache_dir()
  static constexpr std::string_view described_as = "CEILINGS";
  double copy_bandwidth = unknown;  // of device memory: bytes read plus bytes written, per second
  double l2_bandwidth = unknown;    // bytes read per second from the L2 cache, past L1
  double l1_bandwidth = unknown;    // bytes read per second from the L1 caches of all multiprocessors together
  std::vector<std::pair<std::string, double>>
      matrix_rate;                       // by dtype: operations per second of a large product on random data
  std::string device, driver, measured;  // "NVIDIA H200", "580.159.04", ISO date
  std::string why_not;                   // what could not be measured, and why
  WW_FIELDS(Ceilings, (copy_bandwidth, "bytes read plus bytes written, per second", sparse),
            (l2_bandwidth, "bytes read per second, past L1", sparse),
            (l1_bandwidth, "bytes read per second, of all multiprocessors together", sparse),
            (matrix_rate, "by dtype: operations per second of a large product on random data"), device, driver,
            (measured, "ISO date"), (why_not, "what could not be measured, and why"))
};

}  // namespace ww::profile
