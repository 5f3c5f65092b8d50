// SPDX-License-Identifier: Apache-2.0
// Evidence as text for people. Sentences are made here, from types, and never parsed.
#pragma once
#include <string>
#include <vector>
#include "evidence/verdict.h"

namespace ww::evidence {

// The text of a stage that passed or was skipped: one sentence without a full stop.
std::string stage_text(const Verdict& verdict, const StageResult& result);

// Names of the claimed cases that ran out of budget, except the default one, which a reduced one may have replaced.
std::vector<std::string> unproved_cases(const Verdict& verdict);
// The status of a case. The case that ended the judgement is not proved, however many of its input sets agreed.
enum class CaseStanding : std::uint8_t { not_claimed, not_proved, proved, failed, not_judged };
CaseStanding standing_of(const Verdict& verdict, const CaseCoverage& one);
// "5 input sets proved", "failed, after 4 input sets that agreed", "not claimed by the candidate", …
std::string coverage_text(const Verdict& verdict, const CaseCoverage& one);
// "bitwise equal when repeated"; also if unknown. One sentence per output that varied.
std::vector<std::string> reproducibility_texts(const Proof& proof);
// "3 of 640 elements have no finite error bound and are not checked"; empty: all were compared.
std::string unproved_text(const ElementCounts& elements);

// "12 of 640 elements of y have no finite error bound, so any value passes"
std::string tried_text(const Tried& tried);  // "61 shapes were right, …: R from 1 to 65537 (40 values)"
std::string unchecked_text(const Unchecked& unchecked);
// "Also judged on simt: accepted: 20 cases x 5 seeds"; what it would have shown, where it was not judged there
std::string also_text(const AlsoJudged& also);
// "y: up to 41 ulps are lost, in 12 elements, which strict precision would reject"
std::string loss_text(const Loss& loss);
// "y: 96 of 2000 elements were not compared, in lines that are masked entirely"
std::string masked_text(const Masked& masked);
// "line 12 was not executed in any case"
std::string missed_text(const ptx::Missed& missed);

// What the verdict says that its cases did not try, which is not accepted silently: one clause each.
std::vector<std::string> untried_in(const Proof& proof);

// "accesses out of bounds", …: the checks with this answer; empty: none.
std::string checks_text(const Checks& checks, CheckCoverage answer);

std::string floor_text(const Metrics& metrics);  // "memory, at measured rates", or why there is no floor
// Name and text of each known condition, in order.
std::vector<std::pair<std::string, std::string>> condition_rows(const Conditions& conditions);
std::string counters_text(const Metrics& metrics);  // "none: …"; empty: there are counters, or it is not a measurement

// The tolerance of outputs, and their reference.
std::string tolerance_text(const op::Spec& spec);

}  // namespace ww::evidence
