// SPDX-License-Identifier: Apache-2.0
#include "measure/candidate_profile.h"
#include <algorithm>
#include <cmath>
#include "evidence/metric.h"

namespace ww::measure {
namespace {

const evidence::Metrics* metrics_of_provenance(const CandidateProfile& view, Provenance provenance) {
  if (!view.record.verdict || !view.record.verdict->metrics || view.record.verdict->metrics->provenance != provenance)
    return nullptr;
  return &*view.record.verdict->metrics;
}

double counter_value(const profile::KernelCounters& kernel, std::string_view name) {
  for (const profile::Counter& c : kernel.values)
    if (c.name == name) return c.value;
  return profile::unknown;
}

}  // namespace

const evidence::Metrics* simulated(const CandidateProfile& view) {
  return metrics_of_provenance(view, Provenance::simulated);
}
const evidence::Metrics* measured(const CandidateProfile& view) {
  return metrics_of_provenance(view, Provenance::measured);
}

double value_of(const std::vector<std::pair<std::string, double>>& values, std::string_view name) {
  const auto at = std::find_if(values.begin(), values.end(), [&](const auto& v) { return v.first == name; });
  return at == values.end() ? profile::unknown : at->second;
}

double simulated_of(const CandidateProfile& view, std::string_view name) {
  const evidence::Metrics* m = simulated(view);
  return m ? value_of(m->values, name) : profile::unknown;
}

double counter_of(const CandidateProfile& view, std::string_view name, int launch) {
  if (view.counters && !view.counters->kernels.empty()) {
    const auto& kernels = view.counters->kernels;
    if (launch >= 0) {
      for (const profile::KernelCounters& k : kernels)
        if (k.launch == launch) return counter_value(k, name);
      return profile::unknown;
    }
    if (kernels.size() == 1) return counter_value(kernels.front(), name);
    if (!name.ends_with(".sum")) return profile::unknown;
    double sum = 0;
    for (const profile::KernelCounters& k : kernels) sum += counter_value(k, name);  // NaN stays NaN
    return sum;
  }
  const evidence::Metrics* m = measured(view);
  return m && (launch < 0 || (launch == 0 && view.launches.size() == 1)) ? value_of(m->values, name) : profile::unknown;
}

bool has_counters(const CandidateProfile& view) {
  if (view.counters) return !view.counters->kernels.empty();
  const evidence::Metrics* m = measured(view);
  return m && std::any_of(m->values.begin(), m->values.end(), [](const auto& v) {
           return evidence::is_hardware_counter(v.first) && std::isfinite(v.second);
         });
}

}  // namespace ww::measure
