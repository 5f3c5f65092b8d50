// SPDX-License-Identifier: Apache-2.0
// Known facts as texts for prompts (names: llm/prompt.h). Every number carries its provenance: simulated, measured or
// modelled. The texts are the same for all runs with the same options (no times of day, ids or host times), so that a
// run can be replayed from its transcript.
#pragma once
#include <string>
#include <vector>
#include "appraisal/advice.h"
#include "evidence/wrong_map.h"
#include "generator/generator.h"
#include "llm/prompt.h"
#include "model_loop/racer.h"

namespace ww::model_loop {

std::string reference_text(const appraisal::RunContext& context);  // equations, and the tolerance as text
std::string case_facts(const appraisal::RunContext& context);  // shapes of the default case, symbols of the other fixed
                                                               // ones, and what kinds are drawn
std::string device_facts(
    const appraisal::RunContext& context);  // limits of the architecture; what the score is made of
// spec, reference, case, device, request: the same for all requests of a run.
std::string limits_text(const std::string& architecture);  // per block and per multiprocessor
llm::Sheet context_sheet(const appraisal::RunContext& context);
// The verdict in a sentence; without sources only the stage where it ended, unless it is accepted.
llm::SheetText verdict_text(const store::CandidateRecord& candidate);

// What was checked case by case, and what was not: elements without a bound, digits lost, what was masked.
std::string checked_text(const store::CandidateRecord& candidate);

// The record of store::Workspace::candidate, with its verdict. Without sources, launches have numbers instead of names.
llm::SheetText numbers_text(
    const appraisal::RunContext& context,
    const store::CandidateRecord& candidate);  // score and its parts, counters, registers, occupancy, roofline
std::string lines_text(const store::CandidateRecord& candidate,
                       std::size_t limit = 12);  // the hottest lines with their text
llm::SheetText advice_facts(const appraisal::RunContext& context, const store::CandidateRecord& candidate,
                            std::size_t limit = 5);  // from the advice rules; empty: none. Without sources, no lines
// Why it was not accepted; of the compiler's log, the lines around its errors, at most `log_lines`.
std::string rejection_text(const store::CandidateRecord& candidate, std::size_t log_lines = 60);
// A candidate's code, and why it was not accepted, for prompts; if code may not be sent: a note that it was withheld,
// and the class of failure.
llm::SheetText code_text(const std::string& text);
llm::SheetText failure_text(const store::CandidateRecord& candidate);
// "rejected at smoke", where failure_text() follows; the whole verdict where it says nothing else.
std::string ended_text(const store::CandidateRecord& candidate);
// How the wrong elements lie and what their values are; without sources, only their pattern.
llm::SheetText wrong_elements_text(const evidence::WrongMap& map);
std::string trimmed_log(const std::string& log, std::size_t lines);
// "- vectorised loads: proved, 812 simulated issue slots (3a9f01c2d4e5)", oldest first, at most the last `limit`; those
// made from `parent` say so.
std::string attempts_text(const std::vector<const generator::Feedback*>& attempts,
                          const std::vector<std::string>& notes, const std::string& unit,
                          const std::string& parent = {}, std::size_t limit = 12);
// The outcomes of attempts of this lineage, or from this parent, that gave no new candidate; equal ones are merged.
std::string lost_text(const std::vector<Lost>& lost, const std::string& lineage, const std::string& parent);
// "- row-warp: 1200 simulated issue slots, 5 tried, 2 proved", the best first.
std::string structures_text(const std::vector<const generator::Feedback*>& seen, const std::string& unit,
                            std::size_t limit = 12);
// For a fresh attempt: another structure than those, and, where several are made at once, another than the others'.
std::string other_structure_text(std::size_t place, std::size_t siblings);
// For an attempt that starts from a candidate: another change than those that others made of it, before or at the same
// time. Empty: there are no others.
std::string other_change_text(std::size_t made, std::size_t place, std::size_t siblings);
// turn: number of earlier attempts with this diagnosis; each should take another move. inherited: as in Studied.
std::string diagnosis_text(const llm::Diagnosis& diagnosis, std::size_t turn, bool inherited = false);
// The unit of scores on this device: "simulated issue slots", "µs, measured".
std::string score_unit(const appraisal::RunContext& context);

}  // namespace ww::model_loop
