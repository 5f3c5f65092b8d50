// SPDX-License-Identifier: GPL-3.0-or-later
#include "local/measured_of.h"
#include <nlohmann/json.hpp>
#include "profile/measurement_json.h"

namespace ww::widgets {
namespace {

using MeasurementJson = nlohmann::ordered_json;

const MeasurementJson* part_of(const MeasurementJson& j, const char* name) {
  const auto at = j.find(name);
  return at == j.end() || at->is_null() ? nullptr : &*at;
}

op::Binding binding_of_case(const MeasurementJson& j) {
  op::Binding binding;
  if (const MeasurementJson* symbols = part_of(j, "symbols"))
    for (const auto& [name, value] : symbols->items())
      if (value.is_number_integer()) binding.symbols[name] = value.get<std::int64_t>();
  if (const MeasurementJson* constants = part_of(j, "constants"))
    for (const auto& [name, value] : constants->items())
      if (value.is_number()) binding.constants[name] = value.get<double>();
  return binding;
}

// The names under which the candidate's samples stand: its label where the measurement names it, "candidate" among
// baselines.
std::vector<std::string> subjects_of(const MeasurementJson& j, const std::string& kind, const std::string& hash) {
  std::vector<std::string> names;
  for (const char* who : {"candidate", "first", "second"}) {
    const MeasurementJson* one = part_of(j, who);
    if (!one || !one->is_object() || one->value("hash", "") != hash) continue;
    names.push_back(one->value("label", ""));
    if (kind == "baseline") names.push_back("candidate");
  }
  return names;
}

}  // namespace

Result<StoredMeasurement> read_measurement(const store::MeasurementRecord& record, const std::string& hash) {
  const MeasurementJson j = MeasurementJson::parse(record.json, nullptr, false);
  if (!j.is_object()) return fail(Code::corrupt, "measurement " + std::to_string(record.id) + " is not a JSON object");
  StoredMeasurement m;
  m.kind = record.kind;
  m.created = record.created;
  m.driver = record.driver;
  if (const MeasurementJson* of_case = part_of(j, "case"); of_case && of_case->is_object())
    m.binding = binding_of_case(*of_case);
  if (const MeasurementJson* device = part_of(j, "device")) {
    profile::DeviceDetails details = WW_TRY(profile::details_of(*device));
    m.device = std::move(details);
  }
  if (const MeasurementJson* ceilings = part_of(j, "ceilings")) {
    profile::Ceilings read = WW_TRY(profile::ceilings_of(*ceilings));
    m.ceilings = std::move(read);
  }
  if (hash.empty()) return m;
  if (const MeasurementJson* counters = part_of(j, "counters"); counters && counters->is_object()) {
    profile::CounterReport report = WW_TRY(profile::counters_of(*counters));
    m.counters = std::move(report);
  }
  const std::vector<std::string> names = subjects_of(j, record.kind, hash);
  if (const MeasurementJson* raw = part_of(j, "raw"); raw && raw->is_array()) {
    for (const MeasurementJson& one : *raw) {
      const std::string subject = one.is_object() && one.contains("subject") && one["subject"].is_string()
                                      ? one["subject"].get<std::string>()
                                      : "";
      if (std::find(names.begin(), names.end(), subject) == names.end()) continue;
      profile::SubjectTiming timing = WW_TRY(profile::timing_of(one));
      if (!timing.samples.empty()) m.timings.push_back(std::move(timing));
    }
  }
  return m;
}

}  // namespace ww::widgets
