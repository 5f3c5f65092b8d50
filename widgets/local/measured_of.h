// SPDX-License-Identifier: GPL-3.0-or-later
// Reads stored measurements (the JSON that the measuring commands keep) as far as they are about one candidate.
#pragma once
#include <optional>
#include <string>
#include <vector>
#include "base/result.h"
#include "op/spec.h"
#include "profile/measurement.h"
#include "store/workspace.h"

namespace ww::widgets {

struct StoredMeasurement {
  std::string kind, created, driver;
  op::Binding binding;                          // of its case, in full
  std::vector<profile::SubjectTiming> timings;  // of the candidate alone
  std::optional<profile::CounterReport> counters;
  std::optional<profile::DeviceDetails> device;
  std::optional<profile::Ceilings> ceilings;
};
// `hash`: of the candidate; empty: nobody's timings are taken. Code::corrupt names what is wrong.
Result<StoredMeasurement> read_measurement(const store::MeasurementRecord& record, const std::string& hash);

}  // namespace ww::widgets
