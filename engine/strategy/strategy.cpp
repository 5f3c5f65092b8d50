// SPDX-License-Identifier: Apache-2.0
#include "strategy/strategy.h"
#include "strategy/strategy_base.h"

namespace ww::strategy {
namespace {

struct Entry {
  const char* name;
  const char* about;
  std::unique_ptr<Strategy> (*make)(const StrategyOptions&);
};
constexpr Entry entries[] = {
    {"refine", "serial refinement: one lineage, fixed until it is correct, then made faster; another when it stalls",
     make_refine},
    {"sample", "parallel sampling: independent attempts until the budget ends", make_sample},
    {"beam", "a beam of lineages with several children each; the best of parents and children go on", make_beam},
    {"evolve", "islands with migration; parents are chosen by score and by distance in structure", make_evolve},
    {"keep",
     "keep or revert, for hours: one change at a time on the best, kept when it is faster; moves on when gains "
     "diminish",
     make_keep},
    {"mixed", "the built-in search seeds, the model refines the best of each structure, tuning finishes", make_mixed},
};

}  // namespace

Result<std::unique_ptr<Strategy>> make_strategy(const std::string& name, const StrategyOptions& options) {
  std::string names;
  for (const Entry& entry : entries) {
    if (name == entry.name) return entry.make(options);
    names += (names.empty() ? "" : ", ") + std::string(entry.name);
  }
  return fail(Code::not_found, "there is no strategy '" + name + "'; there are " + names);
}

std::vector<std::pair<std::string, std::string>> list_strategies() {
  std::vector<std::pair<std::string, std::string>> list;
  for (const Entry& entry : entries) list.emplace_back(entry.name, entry.about);
  return list;
}

}  // namespace ww::strategy
