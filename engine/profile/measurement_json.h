// SPDX-License-Identifier: Apache-2.0
// Measurements as JSON, and back. Members whose number is not known are left out; infinities are the strings "inf" and
// "-inf".
//   TIMING  = { "subject", "cache": "cold" | "warm", "graph": bool, "note"?, "samples": [{ "us", "replays", "round",
//   "sm_mhz"?, "memory_mhz"?,
//               "temperature_c"?, "power_w"?, "throttle"?: bits }] }
//   DEVICE  = { "name", "gpu", "uuid", "driver", "cuda", "architecture", "multiprocessors", "max_threads_per_sm",
//   "warp_threads", "memory",
//               "free_memory", "l2", "shared_per_sm", "max_shared_per_block", "registers_per_sm", "sm_max_mhz"?,
//               "memory_max_mhz"?, "memory_bus_bits"?, "peak_bandwidth"?, "peak_f32"?, "peak_f64"?, "datasheet": {
//               name: number … }, "datasheet_source" }
//   CEILINGS = { "copy_bandwidth"?, "matrix_rate": { dtype: number … }, "device", "driver", "measured", "why_not" }
//   COUNTERS = { "set", "kernels": [{ "kernel", "launch", "values": [{ "name", "unit", "value"? }], "lines"?: [{
//   "line", "reasons": { name: int … } }] }],
//                "passes", "seconds", "why_not" }
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include "base/result.h"
#include "profile/measurement.h"

namespace ww::profile {

nlohmann::ordered_json json_of(const SubjectTiming& timing);
nlohmann::ordered_json json_of(const DeviceDetails& details);
nlohmann::ordered_json json_of(const Ceilings& ceilings);
nlohmann::ordered_json json_of(const CounterReport& report);

// Code::corrupt names the member that is wrong.
Result<SubjectTiming> timing_of(const nlohmann::ordered_json& j);
Result<DeviceDetails> details_of(const nlohmann::ordered_json& j);
Result<Ceilings> ceilings_of(const nlohmann::ordered_json& j);
Result<CounterReport> counters_of(const nlohmann::ordered_json& j);

// The same as text; indent -1: one line.
std::string to_json(const SubjectTiming& timing, int indent = -1);
std::string to_json(const DeviceDetails& details, int indent = -1);
std::string to_json(const Ceilings& ceilings, int indent = -1);
std::string to_json(const CounterReport& report, int indent = -1);
Result<SubjectTiming> timing_from_json(std::string_view text);
Result<DeviceDetails> details_from_json(std::string_view text);
Result<Ceilings> ceilings_from_json(std::string_view text);
Result<CounterReport> counters_from_json(std::string_view text);

}  // namespace ww::profile
