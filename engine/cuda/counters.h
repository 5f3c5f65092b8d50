// SPDX-License-Identifier: Apache-2.0
// Hardware counters through CUPTI, loaded at run time. No CUDA type appears here.
#pragma once
#include <cstdint>
#include <string>
#include <vector>
#include "base/result.h"

namespace ww::cuda {

// Loads CUPTI and the libraries that it opens itself, reads the counter sets and creates the process-wide state, so
// that a process that will lose access to the disk can count afterwards. Code::unavailable with the reason, which
// counting then repeats.
Status preload_counters();

struct Metric {
  std::string name, unit, about;  // Nsight Compute's name; "byte", "sector", … ; one line for people
};
struct CounterSet {
  std::string name, about;      // "small", "full"
  std::vector<Metric> metrics;  // in display order
};
// The sets of resources/counters/sets.json; read once. Code::corrupt or Code::io with the problem.
Result<const std::vector<CounterSet>*> counter_sets();
Result<std::vector<CounterSet>> parse_counter_sets(const std::string& json);

}  // namespace ww::cuda
