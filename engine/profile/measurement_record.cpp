// SPDX-License-Identifier: Apache-2.0
#include "profile/measurement_record.h"
#include <algorithm>
#include <array>
#include "base/json_members.h"
#include "profile/measurement_json.h"

namespace ww::profile {
namespace {

using json::get, json::Json, json::list, json::member, json::Wrong;

constexpr int record_format = 2;
constexpr std::array<std::string_view, 4> kind_names = {"time", "counters", "baseline", "compare"};

MeasurementKind kind_of(std::string_view name) {
  const auto at = std::find(kind_names.begin(), kind_names.end(), name);
  if (at == kind_names.end()) throw Wrong{"the kind of measurement '" + std::string(name) + "' is not known"};
  return static_cast<MeasurementKind>(at - kind_names.begin());
}

std::string text_or_empty(const Json& j, const char* name) {
  const auto at = j.find(name);
  return at != j.end() && at->is_string() ? at->get<std::string>() : std::string();
}

const Json* part(const Json& j, const char* name) {  // null: absent or null
  const auto at = j.find(name);
  return at == j.end() || at->is_null() ? nullptr : &*at;
}

template <class T>
T read_part(Result<T> read) {
  if (!read) throw Wrong{read.error().text()};
  return std::move(*read);
}

// The case, counters and facts of the device: the same in all formats.
Measurement read_common(const Json& j) {
  Measurement m;
  const Json& of_case = member(j, "case");
  m.op = get<std::string>(of_case, "op");
  if (const Json* symbols = part(of_case, "symbols"))
    for (const auto& [name, value] : symbols->items())
      if (value.is_number_integer()) m.binding.symbols[name] = value.get<std::int64_t>();
  if (const Json* constants = part(of_case, "constants"))
    for (const auto& [name, value] : constants->items())
      if (value.is_number()) m.binding.constants[name] = value.get<double>();
  if (const Json* counters = part(j, "counters")) m.counters = read_part(counters_of(*counters));
  if (const Json* device = part(j, "device")) m.device = read_part(details_of(*device));
  if (const Json* ceilings = part(j, "ceilings")) m.ceilings = read_part(ceilings_of(*ceilings));
  m.torch = text_or_empty(j, "torch");
  return m;
}

Measurement read_record(const Json& j) {
  if (const int format = get<int>(j, "format"); format != record_format)
    throw Wrong{"its format " + std::to_string(format) + " is newer than this program"};
  Measurement m = read_common(j);
  m.kind = kind_of(get<std::string>(j, "kind"));
  for (const Json& one : list(j, "subjects")) {
    MeasuredSubject s;
    s.name = get<std::string>(one, "name");
    s.hash = text_or_empty(one, "hash");
    s.title = text_or_empty(one, "title");
    s.tuning = text_or_empty(one, "tuning");
    s.why_not = text_or_empty(one, "why_not");
    s.verified = get<bool>(one, "verified");
    s.note = text_or_empty(one, "note");
    for (const Json& t : list(one, "timings")) s.timings.push_back(read_part(timing_of(t)));
    m.subjects.push_back(std::move(s));
  }
  return m;
}

// Format 1: {"candidate" | "first", "second": {"label", "hash", "title", "tuning"}, "raw": [TIMING], …} as `time`,
// `profile`, `compare` and `baseline` answered; of `baseline` also "subjects": [{"name", "why_not", "verified",
// "note"}], where the candidate is called "candidate".
Measurement read_answer(const Json& j, std::string_view kind) {
  Measurement m = read_common(j);
  m.kind = kind_of(kind);
  const bool baseline = m.kind == MeasurementKind::baseline;
  const bool verified = j.contains("verified") && j["verified"].is_boolean() && j["verified"].get<bool>();
  for (const char* who : {"candidate", "first", "second"}) {
    const Json* one = part(j, who);
    if (!one) continue;
    MeasuredSubject s;
    s.name = baseline ? "candidate" : get<std::string>(*one, "label");
    s.hash = get<std::string>(*one, "hash");
    s.title = text_or_empty(*one, "title");
    s.tuning = text_or_empty(*one, "tuning");
    s.verified = verified;
    s.note = text_or_empty(j, "note");
    m.subjects.push_back(std::move(s));
  }
  if (baseline)
    for (const Json& one : list(j, "subjects")) {
      const std::string name = get<std::string>(one, "name");
      if (name != "candidate" || m.subjects.empty()) m.subjects.push_back({.name = name});
      MeasuredSubject& s = name == "candidate" ? m.subjects.front() : m.subjects.back();
      s.why_not = text_or_empty(one, "why_not");
      s.verified = get<bool>(one, "verified");
      s.note = text_or_empty(one, "note");
    }
  for (const Json& one : list(j, "raw")) {
    SubjectTiming timing = read_part(timing_of(one));
    const auto of = std::find_if(m.subjects.begin(), m.subjects.end(),
                                 [&](const MeasuredSubject& s) { return s.name == timing.subject; });
    if (of != m.subjects.end()) of->timings.push_back(std::move(timing));
  }
  return m;
}

}  // namespace

std::string_view kind_name(MeasurementKind kind) { return kind_names[static_cast<std::size_t>(kind)]; }

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
  Json subjects = Json::array(), symbols = Json::object(), constants = Json::object();
  for (const MeasuredSubject& s : m.subjects) {
    Json one = {{"name", s.name}};
    const std::pair<const char*, const std::string*> texts[] = {
        {"hash", &s.hash}, {"title", &s.title}, {"tuning", &s.tuning}, {"why_not", &s.why_not}, {"note", &s.note}};
    for (const auto& [name, text] : texts)
      if (!text->empty()) one[name] = *text;
    one["verified"] = s.verified;
    one["timings"] = Json::array();
    for (const SubjectTiming& t : s.timings) one["timings"].push_back(json_of(t));
    subjects.push_back(std::move(one));
  }
  for (const auto& [name, value] : m.binding.symbols) symbols[name] = value;
  for (const auto& [name, value] : m.binding.constants) constants[name] = value;
  Json j = {{"format", record_format},
            {"kind", kind_name(m.kind)},
            {"case", {{"op", m.op}, {"symbols", symbols}, {"constants", constants}}},
            {"subjects", subjects}};
  if (m.counters) j["counters"] = json_of(*m.counters);
  if (m.device) j["device"] = json_of(*m.device);
  if (m.ceilings) j["ceilings"] = json_of(*m.ceilings);
  if (!m.torch.empty()) j["torch"] = m.torch;
  return j.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Result<Measurement> measurement_from_json(std::string_view kind, std::string_view text) {
  try {
    const Json j = Json::parse(text, nullptr, false);
    if (!j.is_object()) throw Wrong{"it is not a JSON object"};
    return j.contains("format") ? read_record(j) : read_answer(j, kind);
  } catch (const Wrong& w) {
    return fail(Code::corrupt, "the measurement cannot be read", w.what);
  } catch (const std::exception& e) { return fail(Code::corrupt, "the measurement cannot be read", e.what()); }
}

}  // namespace ww::profile
