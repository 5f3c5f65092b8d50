// SPDX-License-Identifier: Apache-2.0
#include "gate/verdict.h"
#include <algorithm>

namespace ww::gate {

std::string_view stage_name(Stage stage) {
  constexpr std::string_view names[] = {"contract", "compile", "smoke", "cases", "determinism", "measure"};
  return names[static_cast<int>(stage)];
}

std::string_view outcome_name(Outcome outcome) {
  constexpr std::string_view names[] = {"passed", "failed", "skipped"};
  return names[static_cast<int>(outcome)];
}

std::string Verdict::summary() const {
  for (const StageResult& s : stages)
    if (s.outcome == Outcome::failed && (s.stage != Stage::measure || !accepted))
      return "rejected at " + std::string(stage_name(s.stage)) + ": " + s.message;
  if (!accepted) return "not judged to the end";
  int cases = 0, least = 0, most = 0, unclaimed = 0;
  for (const CaseCoverage& c : coverage) {
    if (!c.claimed) ++unclaimed;
    if (!c.claimed || c.seeds == 0) continue;
    least = cases == 0 ? c.seeds : std::min(least, c.seeds);
    most = std::max(most, c.seeds);
    ++cases;
  }
  std::string text = "accepted: " + std::to_string(cases) + (cases == 1 ? " case x " : " cases x ");
  text += least == most ? std::to_string(most) : std::to_string(least) + " to " + std::to_string(most);
  text += most == 1 ? " seed" : " seeds";
  if (unclaimed > 0) text += ", " + std::to_string(unclaimed) + " not claimed";
  return text;
}

}  // namespace ww::gate
