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
  // The first part that the name holds decides.
  static constexpr std::pair<std::string_view, Better> parts[] = {{"stalled_selected", Better::neither},
                                                                  {"hit_rate", Better::higher},
                                                                  {"fraction", Better::higher},
                                                                  {"throughput", Better::higher},
                                                                  {"warps_active", Better::higher},
                                                                  {"issue_active", Better::higher},
                                                                  {"pipe_tensor_cycles", Better::higher},
                                                                  {"per_inst_executed", Better::higher},
                                                                  {"stalled", Better::lower},
                                                                  {"_us", Better::lower},
                                                                  {"conflict", Better::lower},
                                                                  {"sectors", Better::lower},
                                                                  {"bytes", Better::lower},
                                                                  {"instructions", Better::lower},
                                                                  {"inst_executed", Better::lower},
                                                                  {"wavefronts", Better::lower},
                                                                  {"divergent", Better::lower},
                                                                  {"requests", Better::lower},
                                                                  {"spill", Better::lower},
                                                                  {"cycles", Better::lower},
                                                                  {"duration", Better::lower},
                                                                  {"barriers", Better::lower}};
  for (const auto& [part, better] : parts)
    if (name.find(part) != std::string_view::npos) return better;
  return Better::neither;
}

bool is_hardware_counter(std::string_view name) { return name.find("__") != std::string_view::npos; }

}  // namespace ww::evidence
