// SPDX-License-Identifier: Apache-2.0
// Hardware counters through CUPTI, loaded at run time. No CUDA type appears here.
#pragma once
#include <cstdint>
#include <string>
#include <vector>
#include "base/result.h"

namespace ww::cuda {

// Loads CUPTI and the libraries that it opens by itself, reads the counter sets and makes what is kept for the whole
// process, so that a process that will be shut off from the disk can count afterwards. Code::unavailable with the
// reason: counting then says the same.
Status preload_counters();

struct Metric {
  std::string name, unit, about;  // Nsight Compute's name; "byte", "sector", … ; one line for a person
};
struct CounterSet {
  std::string name, about;      // "small", "full"
  std::vector<Metric> metrics;  // in the order of display
};
// The sets of resources/counters/sets.json; read once. Code::corrupt or Code::io names what is wrong with it.
Result<const std::vector<CounterSet>*> counter_sets();
Result<std::vector<CounterSet>> parse_counter_sets(const std::string& json);

}  // namespace ww::cuda
