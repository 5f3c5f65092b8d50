// SPDX-License-Identifier: Apache-2.0
// Two verdicts side by side: stage by stage, then coverage, then the affected lines. Plain sentences; the window adds
// titles.
#pragma once
#include <optional>
#include <string>
#include <vector>
#include "store/workspace.h"

namespace ww::diff {

enum class SideOutcome : std::uint8_t {
  not_judged,
  passed,
  failed,
  skipped,
  proved,  // this and the following: of a case
  not_claimed,
  not_reached,
};
struct VerdictSide {
  SideOutcome outcome = SideOutcome::not_judged;
  std::string text;     // a sentence; may be empty
  std::string failure;  // the fault, or the failing element with its case
  int line = 0;         // of the candidate's text; 0: none
};
struct VerdictRow {
  std::optional<evidence::Stage> stage;  // empty: a row for a case
  std::string name;                      // of the case, with its sizes
  VerdictSide left, right;
  bool differs = false;  // in outcome or in failure; not if only numbers in messages differ
};
// A side without a verdict is "not judged" in every row.
std::string sizes_text(const op::Binding& binding);  // "C = 1024, R = 512"
std::vector<VerdictRow> compare_verdicts(const store::CandidateRecord& left, const store::CandidateRecord& right);

}  // namespace ww::diff
