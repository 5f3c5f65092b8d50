// SPDX-License-Identifier: Apache-2.0
#include "profile/measurement_json.h"
#include "base/described_json.h"

namespace ww::profile {

using json::Json;

Json json_of(const SubjectTiming& t) { return json::of(t); }
Json json_of(const DeviceDetails& d) { return json::of(d); }
Json json_of(const Ceilings& c) { return json::of(c); }
Json json_of(const CounterReport& r) { return json::of(r); }

Result<SubjectTiming> timing_of(const Json& j) { return json::read<SubjectTiming>(j, "this is not a timing"); }
Result<DeviceDetails> details_of(const Json& j) {
  return json::read<DeviceDetails>(j, "these are no device's details");
}
Result<Ceilings> ceilings_of(const Json& j) { return json::read<Ceilings>(j, "these are no device's ceilings"); }
Result<CounterReport> counters_of(const Json& j) {
  return json::read<CounterReport>(j, "this is not a counter report");
}

std::string to_json(const Ceilings& c) { return json::text_of(c, 2); }
Result<Ceilings> ceilings_from_json(std::string_view text) {
  return json::read_text<Ceilings>(text, "these are no device's ceilings");
}

}  // namespace ww::profile
