// SPDX-License-Identifier: GPL-3.0-or-later
#include "session/profile_view.h"
#include <algorithm>
#include <cmath>

namespace ww::widgets {
namespace {

const gate::Metrics* metrics_of_provenance(const ProfileView& view, std::string_view provenance) {
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

const gate::Metrics* simulated(const ProfileView& view) { return metrics_of_provenance(view, "simulated"); }
const gate::Metrics* measured(const ProfileView& view) { return metrics_of_provenance(view, "measured"); }

double value_of(const std::vector<std::pair<std::string, double>>& values, std::string_view name) {
  const auto at = std::find_if(values.begin(), values.end(), [&](const auto& v) { return v.first == name; });
  return at == values.end() ? profile::unknown : at->second;
}

double simulated_of(const ProfileView& view, std::string_view name) {
  const gate::Metrics* m = simulated(view);
  return m ? value_of(m->values, name) : profile::unknown;
}

double counter_of(const ProfileView& view, std::string_view name, int launch) {
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
  const gate::Metrics* m = measured(view);
  return m && (launch < 0 || (launch == 0 && view.launches.size() == 1)) ? value_of(m->values, name) : profile::unknown;
}

bool has_counters(const ProfileView& view) {
  if (view.counters) return !view.counters->kernels.empty();
  const gate::Metrics* m = measured(view);
  return m && std::any_of(m->values.begin(), m->values.end(), [](const auto& v) {
           return v.first.find("__") != std::string::npos && std::isfinite(v.second);
         });
}

}  // namespace ww::widgets
