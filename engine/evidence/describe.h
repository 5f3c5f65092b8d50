// SPDX-License-Identifier: Apache-2.0
// Evidence in words for people. Sentences are made here, from types, and never read back.
#pragma once
#include <string>
#include <vector>
#include "evidence/verdict.h"

namespace ww::evidence {

// The text of a stage that passed or was skipped: one sentence without a full stop.
std::string stage_text(const Verdict& verdict, const StageResult& result);

// Claimed cases that ran out of budget, by name; the default one is not among them: a reduced one may have its place.
std::vector<std::string> unproved_cases(const Verdict& verdict);
// The status of a case. The case that ended the judgement is not proved, however many of its input sets agreed.
enum class CaseStanding : std::uint8_t { not_claimed, not_proved, proved, failed, not_judged };
CaseStanding standing_of(const Verdict& verdict, const CaseCoverage& one);
// "5 input sets proved", "failed, after 4 input sets that agreed", "not claimed by the candidate", …
std::string coverage_text(const Verdict& verdict, const CaseCoverage& one);
// "bitwise equal when repeated"; also where it is unknown. One sentence for each output that varied.
std::vector<std::string> reproducibility_texts(const Proof& proof);
// "3 of 640 elements have no finite error bound and are not checked"; empty: all were compared.
std::string unproved_text(const ElementCounts& elements);

// "line 12 was not executed in any case"
std::string missed_text(const ptx::Missed& missed);

// "accesses out of bounds", … of the checks with this answer; empty: none has it.
std::string checks_text(const Checks& checks, CheckCoverage answer);

std::string floor_text(const Metrics& metrics);  // "memory, at measured rates", or why there is none
// Name and text of each condition that is known, in order.
std::vector<std::pair<std::string, std::string>> condition_rows(const Conditions& conditions);
std::string counters_text(const Metrics& metrics);  // "none: …"; empty: there are some, or it is not a measurement

// The tolerance of outputs, and the reference that they are compared with.
std::string tolerance_text(const op::Spec& spec);

}  // namespace ww::evidence
