// SPDX-License-Identifier: Apache-2.0
#include "profile/measurement_record.h"
#include <algorithm>
#include "base/describe.h"
#include "base/described_json.h"

namespace ww::profile {
namespace {

using json::Json;

constexpr const char* unreadable = "the measurement cannot be read";
constexpr const char* unknown_kind = "its kind is not known";

// Format 1: the answers of `time`, `profile`, `compare` and `baseline`. Those of `baseline` also have `subjects`, where
// the candidate is called "candidate".
struct OldSubject {
  std::string label, hash, title, tuning;
  WW_FIELDS(OldSubject, label, hash, (title, defaulted), (tuning, defaulted))
};
struct OldOutcome {
  std::string name, why_not, note;
  bool verified = false;
  WW_FIELDS(OldOutcome, name, (why_not, nullable), verified, (note, nullable))
};
struct OldAnswer {
  MeasuredCase what;
  std::optional<OldSubject> candidate, first, second;
  bool verified = false;
  std::string note, torch;
  std::vector<OldOutcome> subjects;
  std::optional<CounterReport> counters;
  std::optional<DeviceDetails> device;
  std::optional<Ceilings> ceilings;
  std::vector<SubjectTiming> raw;
  WW_FIELDS(OldAnswer, ((case, what)), (candidate, nullable), (first, nullable), (second, nullable),
            (verified, nullable), (note, nullable), (torch, nullable), (subjects, nullable), (counters, nullable),
            (device, nullable), (ceilings, nullable), raw)
};

Result<Measurement> read_answer(const Json& j, MeasurementKind kind) {
  if (kind == MeasurementKind::unknown) return fail(Code::corrupt, unreadable, unknown_kind);
  OldAnswer a = WW_TRY(json::read<OldAnswer>(j, unreadable));
  Measurement m{kind, a.what.op, a.what.binding, {}, a.counters, a.device, a.ceilings, a.torch};
  const bool baseline = m.kind == MeasurementKind::baseline;
  for (const auto& one : {a.candidate, a.first, a.second})
    if (one)
      m.subjects.push_back(
          {baseline ? "candidate" : one->label, one->hash, one->title, one->tuning, {}, a.verified, a.note, {}});
  if (baseline)
    for (const OldOutcome& one : a.subjects) {
      if (one.name != "candidate" || m.subjects.empty()) m.subjects.push_back({.name = one.name});
      MeasuredSubject& s = one.name == "candidate" ? m.subjects.front() : m.subjects.back();
      s.why_not = one.why_not;
      s.verified = one.verified;
      s.note = one.note;
    }
  for (SubjectTiming& timing : a.raw) {
    const auto of = std::find_if(m.subjects.begin(), m.subjects.end(),
                                 [&](const MeasuredSubject& s) { return s.name == timing.subject; });
    if (of != m.subjects.end()) of->timings.push_back(std::move(timing));
  }
  return m;
}

}  // namespace

const MeasuredSubject* subject_of(const Measurement& m, std::string_view hash) {
  const auto at = std::find_if(m.subjects.begin(), m.subjects.end(),
                               [&](const MeasuredSubject& s) { return !s.hash.empty() && s.hash == hash; });
  return at == m.subjects.end() ? nullptr : &*at;
}

const SubjectTiming* timing_in(const MeasuredSubject& subject, Cache cache) {
  for (const SubjectTiming& t : subject.timings)
    if (t.cache == cache && !t.samples.empty()) return &t;
  return nullptr;
}

std::string measurement_to_json(const Measurement& m) {
  return json::text_of(StoredMeasurement{.what = {m.op, m.binding}, .measurement = m});
}

Result<Measurement> measurement_from_json(MeasurementKind kind, std::string_view text) {
  const Result<Json> j = json::parse(text);
  if (!j || !j->is_object()) return fail(Code::corrupt, unreadable, "it is not a JSON object");
  const auto format = j->find("format");
  if (format == j->end()) return read_answer(*j, kind);
  if (*format != StoredMeasurement{}.format)
    return fail(Code::corrupt, unreadable, "its format " + format->dump() + " is newer than this program");
  StoredMeasurement stored = WW_TRY(json::read<StoredMeasurement>(*j, unreadable));
  if (stored.measurement.kind == MeasurementKind::unknown) return fail(Code::corrupt, unreadable, unknown_kind);
  stored.measurement.op = std::move(stored.what.op);
  stored.measurement.binding = std::move(stored.what.binding);
  return std::move(stored.measurement);
}

}  // namespace ww::profile
