// SPDX-License-Identifier: Apache-2.0
// Measurements as JSON, and back, by their descriptions in measurement.h. Numbers that are not known are left out.
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

std::string to_json(const Ceilings& ceilings);
Result<Ceilings> ceilings_from_json(std::string_view text);

}  // namespace ww::profile
