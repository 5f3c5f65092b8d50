// SPDX-License-Identifier: Apache-2.0
// One complete measurement, and its stored form (store::MeasurementRecord::json; docs/json.md). Plain data. Before
// format 2, the JSON output of the measuring commands was stored; it can still be read.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>
#include "base/describe.h"
#include "base/result.h"
#include "op/spec.h"
#include "profile/measurement.h"

namespace ww::profile {

enum class MeasurementKind : std::uint8_t { unknown, time, counters, baseline, compare };
constexpr auto names_of(MeasurementKind) {
  using enum MeasurementKind;
  return std::to_array<Enumerator<MeasurementKind>>(
      {{unknown, "unknown"}, {time, "time"}, {counters, "counters"}, {baseline, "baseline"}, {compare, "compare"}});
}

struct MeasuredSubject {
  std::string name;  // distinct within the measurement: "relu.cu", "candidate 12", "naive", "torch eager"
  std::string hash, title, tuning;  // of a candidate; an empty hash: a baseline
  std::string why_not;              // why it was not timed; timings are then empty
  bool verified = false;            // its outputs were compared at least once and were correct
  std::string note;
  std::vector<SubjectTiming> timings;  // one per cache regime
  WW_FIELDS(MeasuredSubject, (name, "`candidate 12`, `naive`, `torch eager`"), (hash, "of a candidate", sparse),
            (title, sparse), (tuning, sparse), (why_not, "why it was not timed; `timings` is then empty", sparse),
            (note, sparse), (verified, "its outputs were compared at least once and are right"),
            (timings, "one a cache regime"))
};

struct Measurement {
  MeasurementKind kind = MeasurementKind::time;
  std::string op;
  op::Binding binding;                    // of the case, in full
  std::vector<MeasuredSubject> subjects;  // candidates first
  std::optional<CounterReport> counters;  // of the first subject
  std::optional<DeviceDetails> device;    // always present in new measurements; old records may lack it
  std::optional<Ceilings> ceilings;
  std::string torch;  // version of PyTorch, if it took part; else empty
  template <class V>
  static void fields(V&& v) {  // without the case: see StoredMeasurement
    v("kind", &Measurement::kind);
    v("subjects", &Measurement::subjects, "candidates first");
    v("counters", &Measurement::counters, {"of the first subject", Presence::sparse});
    v("device", &Measurement::device, Presence::sparse);
    v("ceilings", &Measurement::ceilings, Presence::sparse);
    v("torch", &Measurement::torch, {"version of PyTorch", Presence::sparse});
  }
};

struct MeasuredCase {
  static constexpr std::string_view described_as = "CASE";
  std::string op;
  op::Binding binding;
  template <class V>
  static void fields(V&& v) {
    v("op", &MeasuredCase::op);
    v(inlined, &MeasuredCase::binding);
  }
};

struct StoredMeasurement {
  static constexpr std::string_view described_as = "MEASUREMENT";
  int format = 2;
  MeasuredCase what;
  Measurement measurement;
  template <class V>
  static void fields(V&& v) {
    v("format", &StoredMeasurement::format);
    v("case", &StoredMeasurement::what, "in full");
    v(inlined, &StoredMeasurement::measurement);
  }
};

const MeasuredSubject* subject_of(const Measurement& measurement, std::string_view hash);  // null: not among them
const SubjectTiming* timing_in(const MeasuredSubject& subject, Cache cache);               // null: not timed

std::string measurement_to_json(const Measurement& measurement);
// `kind`: the record's, for those before format 2. Code::corrupt names the problem.
Result<Measurement> measurement_from_json(MeasurementKind kind, std::string_view text);

}  // namespace ww::profile
