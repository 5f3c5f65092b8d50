// SPDX-License-Identifier: Apache-2.0
// One measurement as a whole, and the form in which a workspace keeps it (store::MeasurementRecord::json). Plain data.
//   MEASUREMENT = { "format": 2, "kind": "time" | "counters" | "baseline" | "compare",
//                   "case": { "op", "symbols": { name: int }, "constants": { name: number } }, "subjects": [SUBJECT],
//                   "counters"?: COUNTERS, "device": DEVICE, "ceilings"?: CEILINGS, "torch"?: its version }
//   SUBJECT     = { "name", "hash"?, "title"?, "tuning"?, "why_not"?, "verified": bool, "note"?, "timings": [TIMING] }
// COUNTERS, DEVICE, CEILINGS and TIMING: measurement_json.h. Until format 2 the answers of the measuring commands were
// kept; they are read, too.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>
#include "base/result.h"
#include "op/spec.h"
#include "profile/measurement.h"

namespace ww::profile {

enum class MeasurementKind : std::uint8_t { time, counters, baseline, compare };
std::string_view kind_name(MeasurementKind kind);  // "time", "counters", "baseline", "compare"

struct MeasuredSubject {
  std::string name;  // distinct within the measurement: "relu.cu", "candidate 12", "naive", "torch eager"
  std::string hash, title, tuning;  // of a candidate; an empty hash: a baseline
  std::string why_not;              // why it was not timed; timings are then empty
  bool verified = false;            // its outputs were compared at least once and are right
  std::string note;
  std::vector<SubjectTiming> timings;  // one per cache regime
};

struct Measurement {
  MeasurementKind kind = MeasurementKind::time;
  std::string op;
  op::Binding binding;                    // of the case, in full
  std::vector<MeasuredSubject> subjects;  // candidates first
  std::optional<CounterReport> counters;  // of the first subject
  std::optional<DeviceDetails> device;    // always there in what is measured now; records of old may lack it
  std::optional<Ceilings> ceilings;
  std::string torch;  // version of PyTorch that took part; empty: none did
};

const MeasuredSubject* subject_of(const Measurement& measurement, std::string_view hash);  // null: it is not among them
const SubjectTiming* timing_in(const MeasuredSubject& subject, Cache cache);               // null: not timed

std::string measurement_to_json(const Measurement& measurement);
// `kind`: of the record, for those before format 2. Code::corrupt names what is wrong.
Result<Measurement> measurement_from_json(std::string_view kind, std::string_view text);

}  // namespace ww::profile
