// SPDX-License-Identifier: Apache-2.0
#include "evidence/metric.h"
#include <algorithm>
#include <utility>

namespace ww::evidence {

double value_of(const Metrics& m, std::string_view name) {
  const auto at = std::find_if(m.values.begin(), m.values.end(), [&](const auto& v) { return v.first == name; });
  return at == m.values.end() ? profile::unknown : at->second;
}

Times times_of(const Metrics& m) {
  return {value_of(m, metric::median_us), value_of(m, metric::q1_us), value_of(m, metric::q3_us),
          value_of(m, metric::median_warm_us), value_of(m, metric::samples)};
}

Better better_of(std::string_view name) {
  // The first part that the name holds decides: shares of a peak before what is counted, stalls before the issues that
  // they are related to.
  using enum Better;
  static constexpr std::pair<std::string_view, Better> parts[] = {{"stalled_selected", neither},
                                                                  {"stalled", lower},
                                                                  {"per_issue_active", neither},
                                                                  {"pct_of_peak", higher},
                                                                  {"hit_rate", higher},
                                                                  {"fraction", higher},
                                                                  {"throughput", higher},
                                                                  {"per_second", higher},
                                                                  {"per_cycle_active", higher},
                                                                  {"per_inst_executed", higher},
                                                                  {"threads_uniform", higher},
                                                                  {"warps_active", higher},
                                                                  {"issue_active", higher},
                                                                  {"_us", lower},
                                                                  {"conflict", lower},
                                                                  {"sectors", lower},
                                                                  {"bytes", lower},
                                                                  {"instructions", lower},
                                                                  {"inst_executed", lower},
                                                                  {"wavefronts", lower},
                                                                  {"divergent", lower},
                                                                  {"requests", lower},
                                                                  {"spill", lower},
                                                                  {"cycles", lower},
                                                                  {"duration", lower},
                                                                  {"barriers", lower}};
  for (const auto& [part, better] : parts)
    if (name.find(part) != std::string_view::npos) return better;
  return neither;
}

bool is_hardware_counter(std::string_view name) { return name.find("__") != std::string_view::npos; }

}  // namespace ww::evidence
