// SPDX-License-Identifier: Apache-2.0
// The structures to which an op can be lowered. Every structure is a candidate file with open "tune" lines, which the
// tuner pins.
#pragma once
#include <functional>
#include <set>
#include <string>
#include <vector>
#include "base/result.h"
#include "candidate/candidate.h"
#include "search/groups.h"
#include "search/source.h"

namespace ww::search {

// One way to lower a group. `kept`: temporaries that later groups read from memory.
struct Variant {
  std::string structure;  // "row-warp"
  std::string title;      // for a list
  std::string why;        // what it does and when it is faster, for the top of the file
  std::function<void(Source&, const Group&, const std::set<std::string>& kept, const std::string& kernel_name,
                     const std::string& about)>
      lower;
};

// The first is the robust default. Never empty.
std::vector<Variant> variants_of(const Program& program, const Group& group);

struct Structure {
  std::string name, title, why;
  candidate::Candidate open;  // with all its tune values
};
// Robust ones first; structures with equal text are returned once. Those that do not parse as candidates are left out
// and reported in `problems` (for tests; empty in a healthy build).
Result<std::vector<Structure>> structures_of(const op::Spec& spec, const op::Binding& binding,
                                             std::vector<std::string>* problems = nullptr,
                                             const std::stop_token& stop = {});

}  // namespace ww::search
