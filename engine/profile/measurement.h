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
  template <class V>
  static void fields(V&& v) {
    v("sm_mhz", &ClockState::sm_mhz, {"reading of NVML", Presence::sparse});
    v("memory_mhz", &ClockState::memory_mhz, Presence::sparse);
    v("temperature_c", &ClockState::temperature_c, Presence::sparse);
    v("power_w", &ClockState::power_w, Presence::sparse);
    v("throttle", &ClockState::throttle, {"nvmlClocksEventReasons bits", Presence::sparse});
  }
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
  template <class V>
  static void fields(V&& v) {
    v("subject", &SubjectTiming::subject, "name of what was timed");
    v("cache", &SubjectTiming::cache, "`cold`: the L2 cache is overwritten before each replay");
    v("graph", &SubjectTiming::graph, "replays of a captured graph; false: plain launches");
    v("note", &SubjectTiming::note, {"what a reader of the numbers must know", Presence::sparse});
    v("samples", &SubjectTiming::samples, "in the order in which they were taken");
  }
};

struct Counter {
  std::string name;  // Nsight Compute's: "dram__bytes.sum"
  std::string unit;  // "byte", "sector", "inst", "%", "ns", …; empty: a plain number
  double value = unknown;
  template <class V>
  static void fields(V&& v) {
    v("name", &Counter::name, "Nsight Compute's");
    v("unit", &Counter::unit, "empty: a plain number");
    v("value", &Counter::value, Presence::sparse);
  }
};
struct StallSamples {                                          // program counter samples of one source line
  int line = 0;                                                // of the candidate's text; 0: unknown
  std::vector<std::pair<std::string, std::uint64_t>> reasons;  // stall reason, samples
  template <class V>
  static void fields(V&& v) {
    v("line", &StallSamples::line, "of the candidate's text; 0: unknown");
    v("reasons", &StallSamples::reasons, "samples by stall reason");
  }
};
struct KernelCounters {
  std::string kernel;
  int launch = 0;               // its index in the plan
  std::vector<Counter> values;  // in the set's order
  std::vector<StallSamples> lines;
  template <class V>
  static void fields(V&& v) {
    v("kernel", &KernelCounters::kernel);
    v("launch", &KernelCounters::launch, "its place in the plan");
    v("values", &KernelCounters::values, "in the set's order");
    v("lines", &KernelCounters::lines, {"program counter samples", Presence::sparse});
  }
};
struct CounterReport {
  static constexpr std::string_view described_as = "COUNTERS";
  std::string set;                      // "small", "full"
  std::vector<KernelCounters> kernels;  // one per launch
  int passes = 0;                       // replays needed by the hardware
  double seconds = 0;                   // host time for all of it
  std::string why_not;                  // if counters are denied or missing: why, and what to do about it
  template <class V>
  static void fields(V&& v) {
    v("set", &CounterReport::set, "`small`, `full`");
    v("kernels", &CounterReport::kernels, "one a launch");
    v("passes", &CounterReport::passes, "replays that the hardware needed");
    v("seconds", &CounterReport::seconds, {"of the host, for all of it", Presence::defaulted});
    v("why_not", &CounterReport::why_not, "where counters are denied or missing: why, and what to do about it");
  }
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
  template <class V>
  static void fields(V&& v) {
    v("name", &DeviceDetails::name, "`cuda:0`");
    v("gpu", &DeviceDetails::gpu, "the product");
    v("uuid", &DeviceDetails::uuid);
    v("driver", &DeviceDetails::driver);
    v("cuda", &DeviceDetails::cuda);
    v("architecture", &DeviceDetails::architecture, "`sm_90`");
    v("multiprocessors", &DeviceDetails::multiprocessors);
    v("max_threads_per_sm", &DeviceDetails::max_threads_per_sm);
    v("warp_threads", &DeviceDetails::warp_threads);
    v("memory", &DeviceDetails::memory, "bytes");
    v("free_memory", &DeviceDetails::free_memory, "bytes");
    v("l2", &DeviceDetails::l2, "bytes");
    v("shared_per_sm", &DeviceDetails::shared_per_sm, "bytes");
    v("max_shared_per_block", &DeviceDetails::max_shared_per_block, "bytes");
    v("registers_per_sm", &DeviceDetails::registers_per_sm);
    v("sm_max_mhz", &DeviceDetails::sm_max_mhz, Presence::sparse);
    v("memory_max_mhz", &DeviceDetails::memory_max_mhz, Presence::sparse);
    v("memory_bus_bits", &DeviceDetails::memory_bus_bits, Presence::sparse);
    v("peak_bandwidth", &DeviceDetails::peak_bandwidth,
      {"bytes per second, from memory clock and bus width", Presence::sparse});
    v("peak_f32", &DeviceDetails::peak_f32, {"operations per second, from clock and lanes", Presence::sparse});
    v("peak_f64", &DeviceDetails::peak_f64, {"operations per second, from clock and lanes", Presence::sparse});
    v("datasheet", &DeviceDetails::datasheet, "the vendor's figures, per second");
    v("datasheet_source", &DeviceDetails::datasheet_source);
  }
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
  template <class V>
  static void fields(V&& v) {
    v("copy_bandwidth", &Ceilings::copy_bandwidth, {"bytes read plus bytes written, per second", Presence::sparse});
    v("l2_bandwidth", &Ceilings::l2_bandwidth, {"bytes read per second, past L1", Presence::sparse});
    v("l1_bandwidth", &Ceilings::l1_bandwidth,
      {"bytes read per second, of all multiprocessors together", Presence::sparse});
    v("matrix_rate", &Ceilings::matrix_rate, "by dtype: operations per second of a large product on random data");
    v("device", &Ceilings::device);
    v("driver", &Ceilings::driver);
    v("measured", &Ceilings::measured, "ISO date");
    v("why_not", &Ceilings::why_not, "what could not be measured, and why");
  }
};

}  // namespace ww::profile
