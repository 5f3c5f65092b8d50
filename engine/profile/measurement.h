// SPDX-License-Identifier: Apache-2.0
// What is measured on real hardware: times, counters, facts of the device. Plain data; JSON in measurement_json.h. A
// number that is not known is NaN or absent, never 0.
#pragma once
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ww::profile {

inline constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

enum class Cache : std::uint8_t {
  cold,  // the L2 cache is overwritten before each replay
  warm,  // as the replay before left it
};
std::string_view cache_name(Cache cache);  // "cold", "warm"

struct ClockState {  // as NVML reports it, between samples: one reading of a subject and regime in each round
  double sm_mhz = unknown, memory_mhz = unknown, temperature_c = unknown, power_w = unknown;
  std::uint64_t throttle = 0;  // nvmlClocksEventReasons bits; 1 (idle) is none. Words: throttle_words()
  bool throttle_known = false;
};

// "power cap", "thermal slowdown", …, separated by ", "; empty when nothing holds the clocks down.
std::string throttle_words(std::uint64_t reasons);

struct TimedSample {
  double us = 0;    // microseconds of one execution of the whole plan, by device events
  int replays = 1;  // executions between the two events (the time above is one of them, on average)
  int round = 0;    // subjects are interleaved in random order within a round
  ClockState clocks;
};

struct SubjectTiming {
  std::string subject;  // the name that the caller gave: "candidate", "cublas", …
  Cache cache = Cache::cold;
  std::vector<TimedSample> samples;  // in the order in which they were taken
  bool graph = true;  // replays of a captured graph; false: plain launches (where the work could not be captured, the
                      // note says so)
  std::string note;   // what a reader of the numbers must know; empty: nothing
};

struct Counter {
  std::string name;  // Nsight Compute's: "dram__bytes.sum"
  std::string unit;  // "byte", "sector", "inst", "%", "ns", …; empty: a plain number
  double value = unknown;
};
struct StallSamples {                                          // program counter samples of one source line
  int line = 0;                                                // of the candidate's text; 0: unknown
  std::vector<std::pair<std::string, std::uint64_t>> reasons;  // stall reason, samples
};
struct KernelCounters {
  std::string kernel;
  int launch = 0;               // its place in the plan
  std::vector<Counter> values;  // in the set's order
  std::vector<StallSamples> lines;
};
struct CounterReport {
  std::string set;                      // "small", "full"
  std::vector<KernelCounters> kernels;  // one a launch
  int passes = 0;                       // replays that the hardware needed
  double seconds = 0;                   // of the host, for all of it
  std::string why_not;  // where counters are denied or missing: a plain sentence, and what to do about it
};

struct DeviceDetails {                                      // read from driver, NVML and resources/devices
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
};

struct Ceilings {                   // measured once per device, kept in cache_dir()
  double copy_bandwidth = unknown;  // bytes read plus bytes written, per second
  std::vector<std::pair<std::string, double>>
      matrix_rate;                       // by dtype: operations per second of a large product on random data
  std::string device, driver, measured;  // "NVIDIA H200", "580.159.04", ISO date
  std::string why_not;                   // what could not be measured, and why
};

}  // namespace ww::profile
