// SPDX-License-Identifier: Apache-2.0
#include "evidence/verdict.h"
#include <algorithm>
#include "base/utf8.h"
#include "evidence/case_kind.h"
#include "evidence/describe.h"

namespace ww::evidence {

LineCount& LineCount::operator+=(const LineCount& other) {
  for (const auto count :
       {&LineCount::warp_instructions, &LineCount::thread_instructions, &LineCount::global_sectors,
        &LineCount::shared_wavefronts, &LineCount::bank_conflicts, &LineCount::divergent_branches,
        &LineCount::global_requests, &LineCount::global_bytes, &LineCount::global_load_sectors,
        &LineCount::global_load_bytes, &LineCount::global_store_sectors, &LineCount::global_store_bytes})
    this->*count += other.*count;
  return *this;
}

const StageResult* Verdict::last_stage() const {
  const auto at =
      std::find_if(stages.begin(), stages.end(), [](const StageResult& s) { return ends_judgement(s.outcome); });
  return at == stages.end() ? nullptr : &*at;
}

FaultKind Verdict::last_fault() const {
  const StageResult* last = last_stage();
  return last && last->failure && last->failure->fault ? last->failure->fault->kind : FaultKind::unknown;
}

std::optional<Stage> Verdict::failed_stage() const {
  return ruling() == Ruling::rejected ? std::optional(last_stage()->stage) : std::nullopt;
}

Ruling Verdict::ruling() const {
  if (accepted) return Ruling::accepted;
  const StageResult* last = last_stage();
  return last && last->outcome == Outcome::failed ? Ruling::rejected : Ruling::not_judged;
}

ProvedAt Verdict::proved_at() const {
  if (!accepted || coverage.empty()) return ProvedAt::unknown;
  const bool asked = std::any_of(coverage.begin(), coverage.end(), [](const CaseCoverage& c) {
    return case_kind(c.case_name) == CaseKind::asked && c.seeds > 0;
  });
  return asked ? ProvedAt::asked_shape : ProvedAt::smaller_shapes;
}

std::optional<CaseCounts> Verdict::case_counts() const {
  if (!accepted || coverage.empty()) return {};
  const auto proved =
      std::count_if(coverage.begin(), coverage.end(), [](const CaseCoverage& c) { return c.claimed && c.seeds > 0; });
  return CaseCounts{static_cast<int>(proved), static_cast<int>(coverage.size())};
}

std::string Verdict::summary() const {
  if (const StageResult* last = last_stage(); last && !accepted)
    return enum_string(ruling()) + " at " + enum_string(last->stage) + ": " + clipped(last->message, 1000);
  if (!accepted) return "not judged to the end";
  int cases = 0, least = 0, most = 0, unclaimed = 0;
  for (const CaseCoverage& c : coverage) {
    if (!c.claimed) ++unclaimed;
    if (!c.claimed || c.seeds == 0) continue;
    least = cases == 0 ? c.seeds : std::min(least, c.seeds);
    most = std::max(most, c.seeds);
    ++cases;
  }
  std::string text = proved_at() == ProvedAt::smaller_shapes ? "proved at smaller shapes only: " : "proved: ";
  text += std::to_string(cases) + (cases == 1 ? " case x " : " cases x ");
  text += least == most ? std::to_string(most) : std::to_string(least) + " to " + std::to_string(most);
  text += most == 1 ? " seed" : " seeds";
  if (unclaimed > 0) text += ", " + std::to_string(unclaimed) + " not claimed";
  if (const std::size_t unproved = unproved_cases(*this).size(); unproved > 0)
    text += ", " + std::to_string(unproved) + " not proved";
  return text;
}

}  // namespace ww::evidence
