// SPDX-License-Identifier: Apache-2.0
#include "diff/verdicts.h"
#include <algorithm>
#include <cstdio>
#include "evidence/describe.h"
#include "evidence/wrong_count.h"

namespace ww::diff {
namespace {

std::string short_number(double v) {
  char text[40];
  std::snprintf(text, sizeof text, "%.9g", v);
  return text;
}

std::string what_failed(const evidence::Failure& f) {
  std::string text;
  if (f.fault) {
    text = enum_string(f.fault->kind) + " in " + f.fault->kernel +
           (f.fault->line > 0 ? ", line " + std::to_string(f.fault->line) : "");
    if (!f.fault->message.empty()) text += ": " + f.fault->message;
  } else if (f.element) {
    const evidence::FailingElement& e = *f.element;
    text = e.tensor + "[";
    for (std::size_t i = 0; i < e.index.size(); ++i) text += (i ? ", " : "") + std::to_string(e.index[i]);
    text += "]: expected " + short_number(e.expected) + ", got " + short_number(e.actual) + "; " +
            evidence::wrong_count(e.wrong, e.total);
  }
  if (!f.case_name.empty()) text += (text.empty() ? "" : " (") + ("case " + f.case_name) + (text.empty() ? "" : ")");
  return text;
}

std::string unjudged(const store::CandidateRecord& c) {
  return c.summary.empty() ? "the candidate has not been judged" : c.summary;
}

SideOutcome outcome_of(evidence::Outcome outcome) {
  switch (outcome) {
    case evidence::Outcome::passed: return SideOutcome::passed;
    case evidence::Outcome::failed: return SideOutcome::failed;
    case evidence::Outcome::skipped: return SideOutcome::skipped;
    case evidence::Outcome::not_judged: break;
  }
  return SideOutcome::not_judged;
}

VerdictSide stage_side(const store::CandidateRecord& c, evidence::Stage stage) {
  if (!c.verdict) return {SideOutcome::not_judged, unjudged(c), {}, 0};
  for (const evidence::StageResult& s : c.verdict->stages) {
    if (s.stage != stage) continue;
    VerdictSide side{outcome_of(s.outcome), s.message, {}, 0};
    if (s.failure) {
      side.failure = what_failed(*s.failure);
      if (s.failure->fault) side.line = s.failure->fault->line;
    }
    return side;
  }
  return {SideOutcome::skipped, {}, {}, 0};
}

VerdictSide case_side(const store::CandidateRecord& c, const std::string& name) {
  if (!c.verdict) return {SideOutcome::not_judged, {}, {}, 0};
  for (const evidence::CaseCoverage& one : c.verdict->coverage) {
    if (one.case_name != name) continue;
    switch (evidence::standing_of(*c.verdict, one)) {
      case evidence::CaseStanding::not_claimed: return {SideOutcome::not_claimed, {}, {}, 0};
      case evidence::CaseStanding::not_proved: return {SideOutcome::not_reached, {}, {}, 0};
      case evidence::CaseStanding::failed: return {SideOutcome::failed, {}, {}, 0};
      case evidence::CaseStanding::not_judged: return {SideOutcome::not_judged, {}, {}, 0};
      case evidence::CaseStanding::proved: break;
    }
    return {SideOutcome::proved, std::to_string(one.seeds) + (one.seeds == 1 ? " input set" : " input sets"), {}, 0};
  }
  return {SideOutcome::not_reached, {}, {}, 0};
}

}  // namespace

std::string sizes_text(const op::Binding& binding) {
  std::string text;
  for (const auto& [name, value] : binding.symbols)
    text += (text.empty() ? "" : ", ") + name + " = " + std::to_string(value);
  for (const auto& [name, value] : binding.constants)
    text += (text.empty() ? "" : ", ") + name + " = " + short_number(value);
  return text;
}

std::vector<VerdictRow> compare_verdicts(const store::CandidateRecord& left, const store::CandidateRecord& right) {
  std::vector<VerdictRow> rows;
  for (const evidence::Stage stage : evidence::all_stages) {
    VerdictRow row{stage, {}, stage_side(left, stage), stage_side(right, stage)};
    row.differs = row.left.outcome != row.right.outcome || row.left.failure != row.right.failure;
    rows.push_back(std::move(row));
  }
  std::vector<std::string> seen;
  for (const store::CandidateRecord* c : {&left, &right}) {
    if (!c->verdict) continue;
    for (const evidence::CaseCoverage& one : c->verdict->coverage) {
      if (std::find(seen.begin(), seen.end(), one.case_name) != seen.end()) continue;
      seen.push_back(one.case_name);
      const std::string sizes = sizes_text(one.binding);
      VerdictRow row{std::nullopt, sizes.empty() ? one.case_name : one.case_name + ": " + sizes,
                     case_side(left, one.case_name), case_side(right, one.case_name)};
      row.differs = row.left.outcome != row.right.outcome || row.left.text != row.right.text;
      rows.push_back(std::move(row));
    }
  }
  return rows;
}

}  // namespace ww::diff
