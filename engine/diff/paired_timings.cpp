// SPDX-License-Identifier: Apache-2.0
#include "diff/numbers.h"
#include "profile/measurement_record.h"

namespace ww::diff {
namespace {

std::string place_of(const op::Binding& binding) {
  std::string text;
  for (const auto& [name, value] : binding.symbols)
    text += (text.empty() ? "" : ", ") + name + " = " + std::to_string(value);
  return text;
}

}  // namespace

std::vector<PairedTiming> paired_timings(const std::vector<store::MeasurementRecord>& of_right,
                                         const std::string& left_hash, const std::string& right_hash) {
  std::vector<PairedTiming> out;
  for (const store::MeasurementRecord& record : of_right) {  // newest first
    if (record.kind != profile::MeasurementKind::compare || record.json.find(left_hash) == std::string::npos ||
        record.json.find(right_hash) == std::string::npos)
      continue;
    const Result<profile::Measurement> m = profile::measurement_from_json(record.kind, record.json);
    if (!m) continue;
    const profile::MeasuredSubject *left = profile::subject_of(*m, left_hash),
                                   *right = profile::subject_of(*m, right_hash);
    if (!left || !right) continue;
    for (const profile::Cache cache : {profile::Cache::cold, profile::Cache::warm}) {
      const profile::SubjectTiming *l = profile::timing_in(*left, cache), *r = profile::timing_in(*right, cache);
      if (!l || !r) continue;
      PairedTiming t;
      t.cache = cache;
      t.place = place_of(m->binding);
      t.when = record.created.substr(0, 10);
      t.device = record.gpu.empty() ? record.device : record.gpu + " (" + record.device + ")";
      bool known = false;
      for (const PairedTiming& newer : out)
        known |= newer.cache == cache && newer.place == t.place && newer.device == t.device;
      if (known) continue;
      const profile::Ratio ratio = profile::compare(*r, *l);
      t.ratio = ratio.ratio, t.low = ratio.low, t.high = ratio.high;
      t.call = ratio.call;
      t.why = ratio.why;
      t.left = profile::summarise(profile::times_of(*l));
      t.right = profile::summarise(profile::times_of(*r));
      out.push_back(std::move(t));
    }
  }
  return out;
}

}  // namespace ww::diff
