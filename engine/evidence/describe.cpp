// SPDX-License-Identifier: Apache-2.0
#include "evidence/describe.h"
#include <cmath>
#include <algorithm>
#include <fmt/format.h>
#include "evidence/case_kind.h"
#include "evidence/metric.h"
#include "op/parse.h"

namespace ww::evidence {
namespace {

std::string contract_text(const Verdict& v) {
  const auto claimed = std::count_if(v.coverage.begin(), v.coverage.end(), [](const auto& c) { return c.claimed; });
  std::string text = fmt::format("claims {} of {} cases", claimed, v.coverage.size());
  if (std::any_of(v.coverage.begin(), v.coverage.end(),
                  [](const auto& c) { return case_kind(c.case_name) == CaseKind::reduced; }))
    text += "; the default case is too large for " + v.device + ", so a reduced case is used instead";
  if (!v.proof.host_references.empty())
    text += "; references are evaluated on the host (" + v.proof.host_references + ")";
  return text;
}

std::string cases_text(const Verdict& v) {
  int sets = 0, cases = 0;
  for (const CaseCoverage& c : v.coverage) sets += c.seeds, cases += c.seeds > 0;
  std::string text = fmt::format("{} input sets over {} cases agree with the f64 reference", sets, cases);
  if (const std::string left = v.proof.elements ? unproved_text(*v.proof.elements) : std::string(); !left.empty())
    text += "; " + left;
  if (const std::vector<std::string> left = unproved_cases(v); !left.empty())
    text += fmt::format("; out of budget, so not proved: {}", fmt::join(left, ", "));
  return text;
}

std::string measured_text(const Metrics& m) {
  const Times t = times_of(m);
  std::string text = std::isnan(t.median) ? std::string("an unknown median with a cold L2 cache")
                                          : fmt::format("median {:.4g} µs with a cold L2 cache", t.median);
  if (!std::isnan(t.median_warm)) text += fmt::format(", {:.4g} µs with a warm one", t.median_warm);
  if (!m.impossible.empty()) text += "; impossible, so not ranked: " + m.impossible;
  text += fmt::format(" ({}, case {}, {} samples", m.device, m.case_name,
                      std::isnan(t.samples) ? "unknown" : fmt::format("{:g}", t.samples));
  if (!m.conditions.sm_mhz.empty()) text += ", SM " + m.conditions.sm_mhz + " MHz";
  return text + ")";
}

std::string skipped_text(SkipReason reason) {
  switch (reason) {
    case SkipReason::unknown: break;
    case SkipReason::not_reached: return "not reached";
    case SkipReason::not_requested: return "not requested";
    case SkipReason::not_measurable: return "not measured";
  }
  return "skipped for an unknown reason";
}

}  // namespace

std::vector<std::string> unproved_cases(const Verdict& verdict) {
  std::vector<std::string> names;
  for (const CaseCoverage& c : verdict.coverage)
    if (c.claimed && c.seeds == 0 && case_kind(c.case_name) != CaseKind::asked) names.push_back(c.case_name);
  return names;
}

CaseStanding standing_of(const Verdict& verdict, const CaseCoverage& one) {
  if (!one.claimed) return CaseStanding::not_claimed;
  const StageResult* last = verdict.last_stage();
  if (last && last->failure && last->failure->case_name == one.case_name)
    return last->outcome == Outcome::failed ? CaseStanding::failed : CaseStanding::not_judged;
  return one.seeds > 0 ? CaseStanding::proved : CaseStanding::not_proved;
}

std::string coverage_text(const Verdict& verdict, const CaseCoverage& one) {
  const std::string sets = fmt::format("{} input {}", one.seeds, one.seeds == 1 ? "set" : "sets");
  switch (standing_of(verdict, one)) {
    case CaseStanding::not_claimed: return "not claimed by the candidate";
    case CaseStanding::not_proved: break;
    case CaseStanding::proved: return sets + " proved";
    case CaseStanding::failed: return one.seeds > 0 ? "failed, after " + sets + " that agreed" : "failed";
    case CaseStanding::not_judged:
      return one.seeds > 0 ? "not judged to the end, after " + sets + " that agreed" : "not judged to the end";
  }
  return "claimed, but not proved";
}

std::string stage_text(const Verdict& v, const StageResult& result) {
  if (result.outcome == Outcome::skipped) return skipped_text(result.skipped);
  switch (result.stage) {
    case Stage::contract: return contract_text(v);
    case Stage::compile: return v.proof.compiler + (v.proof.compiler_cached ? " (from the cache)" : "");
    case Stage::smoke: return "case " + v.proof.smoke_case + " with all device checks";
    case Stage::cases: return cases_text(v);
    case Stage::determinism: return fmt::format("{}", fmt::join(reproducibility_texts(v.proof), "; "));
    case Stage::measure: break;
  }
  if (!v.metrics) return "not counted or measured";
  return v.metrics->provenance == Provenance::measured
             ? measured_text(*v.metrics)
             : "counted in the case " + v.metrics->case_name + " (" + enum_string(v.metrics->provenance) + ")";
}

std::vector<std::string> reproducibility_texts(const Proof& proof) {
  switch (proof.reproducibility) {
    case Reproducibility::unknown: break;
    case Reproducibility::bitwise: return {"bitwise equal when repeated"};
    case Reproducibility::not_compared:
      return {"correct when repeated; the outputs are too large to compare bit by bit"};
    case Reproducibility::within_bound: {
      std::vector<std::string> texts;
      for (const Varying& v : proof.varying)
        texts.push_back(fmt::format(
            "not bitwise reproducible: {} of {} elements of {} differed when repeated, all within tolerance", v.count,
            v.total, v.tensor));
      if (texts.empty()) texts.emplace_back("not bitwise reproducible (varying outputs not recorded)");
      return texts;
    }
  }
  return {"bitwise reproducibility: unknown (not recorded in the verdict)"};
}

std::string unchecked_text(const Unchecked& u) {
  std::string text = fmt::format("{} of {} elements of {} have no finite error bound, so any value passes", u.count,
                                 u.total, u.tensor);
  std::vector<std::string> where;
  for (const UncheckedIn& in : u.where)
    where.push_back(fmt::format("{} with {} inputs ({} of {})", in.case_name, op::distribution_name(in.distribution),
                                in.count, in.total));
  if (u.unlisted > 0) where.push_back(fmt::format("{} more", u.unlisted));
  if (!where.empty()) text += fmt::format("; by case: {}", fmt::join(where, ", "));
  if (!u.whole_cases.empty())
    text += fmt::format("; no element is checked in {}: {}", u.whole_cases.size() == 1 ? "the case" : "the cases",
                        fmt::join(u.whole_cases, ", "));
  return text;
}

std::string tried_text(const Tried& tried) {
  std::string text = fmt::format("{} shapes were right, {} of them in quick and longer cases that are not listed",
                                 tried.shapes, tried.unlisted);
  std::vector<std::string> sizes;
  for (const TriedSizes& s : tried.sizes)
    sizes.push_back(s.different == 1
                        ? fmt::format("{} = {}", s.symbol, s.least)
                        : fmt::format("{} from {} to {} ({} values)", s.symbol, s.least, s.most, s.different));
  return sizes.empty() ? text : fmt::format("{}: {}", text, fmt::join(sizes, ", "));
}

std::string also_text(const AlsoJudged& also) {
  std::string text = "Also judged on " + also.device + ": " + also.summary;
  if (also.ruling == Ruling::not_judged)
    text += "; it was not checked there for races, order dependence or reads of uninitialised memory";
  return text;
}

std::string unproved_text(const ElementCounts& e) {
  std::string text;
  if (e.unproved > 0)
    text = fmt::format("{} of {} elements have no finite error bound and are not checked", e.unproved, e.total());
  if (e.not_compared > 0)
    text += fmt::format("{}{} of {} elements were not compared", text.empty() ? "" : "; ", e.not_compared, e.total());
  return text;
}

std::string loss_text(const Loss& loss) {
  char ulps[40];
  std::snprintf(ulps, sizeof ulps, "%.4g", loss.ulps);
  return loss.tensor + ": up to " + ulps + " ulps are lost, in " + std::to_string(loss.count) +
         (loss.count == 1 ? " element" : " elements") + ", which strict precision would reject";
}

std::string masked_text(const Masked& masked) {
  return fmt::format("{}: {} of {} elements were not compared, in lines that are masked entirely", masked.tensor,
                     masked.count, masked.total);
}

std::string missed_text(const ptx::Missed& missed) {
  switch (missed.kind) {
    case ptx::Miss::line: return fmt::format("line {} was not executed in any case", missed.line);
    case ptx::Miss::one_way: return fmt::format("a condition in line {} had the same value in every case", missed.line);
  }
  return {};
}

std::vector<std::string> untried_in(const Proof& proof) {
  std::vector<std::string> all;
  if (proof.branches)
    for (const int line : proof.branches->untried)
      all.push_back(fmt::format("a condition on the sizes in line {} came out the same in every case", line));
  if (proof.mutants && proof.mutants->all > 0 && proof.mutants->told_apart == 0)
    all.push_back(fmt::format("of {} mutants of the spec, its inputs tell none apart", proof.mutants->all));
  return all;
}

std::string checks_text(const Checks& checks, CheckCoverage answer) {
  std::string text;
  for (const auto& [looked, what] : {std::pair(checks.bounds, "accesses out of bounds"),
                                     {checks.alignment, "misaligned accesses"},
                                     {checks.initialisation, "reads of uninitialised memory"},
                                     {checks.races, "races"}})
    if (looked == answer) text += (text.empty() ? "" : ", ") + std::string(what);
  return text;
}

std::string floor_text(const Metrics& m) {
  if (!m.floor) return m.floor_why_not.empty() ? std::string() : "not known: " + m.floor_why_not;
  std::string text(m.floor->limit == profile::Limit::unknown ? "" : enum_name(m.floor->limit));
  if (m.floor->rates != Floor::Rates::unknown)
    text += std::string(text.empty() ? "" : ", ") +
            (m.floor->rates == Floor::Rates::measured ? "at measured rates" : "at the datasheet's rates");
  return "modelled" + (text.empty() ? text : ": " + text);
}

namespace {
struct ConditionRows {
  const Conditions& from;
  std::vector<std::pair<std::string, std::string>>& rows;
  void operator()(const char* name, std::string Conditions::*member, About = {}) {
    if (!(from.*member).empty()) rows.emplace_back(name, from.*member);
  }
};
}  // namespace

std::vector<std::pair<std::string, std::string>> condition_rows(const Conditions& conditions) {
  std::vector<std::pair<std::string, std::string>> rows;
  Conditions::fields(ConditionRows{conditions, rows});
  return rows;
}

std::string counters_text(const Metrics& m) {
  return m.counters_why_not.empty() ? std::string() : "none: " + m.counters_why_not;
}

std::string tolerance_text(const op::Spec& spec) {
  std::string out = "Evaluated in double precision from the op's equations", unit;
  bool whole = false;
  for (const op::Param& p : spec.outputs) {
    whole = whole || !is_real(p.dtype);
    if (is_real(p.dtype)) unit += fmt::format("{}{} ({})", unit.empty() ? "" : ", ", p.name, dtype_name(p.dtype));
  }
  out += ", on random inputs of several distributions and on many shapes.\n";
  std::string limited;
  for (const op::Param& p : spec.inputs)
    if (const std::string values = op::values_text(p); !values.empty())
      limited += (limited.empty() ? "" : "; ") + p.name + values;
  if (!limited.empty()) out += "Only inputs that the op allows are drawn: " + limited + ".\n";
  if (!unit.empty())
    out +=
        "Tolerance of " + unit +
        ": each element may be off by the running bound of the rounding errors that an honest kernel with f32 "
        "intermediates (f64 where tensors are f64) and one final "
        "rounding makes, never less than half a unit in the last place. Any order of summation passes; half precision "
        "accumulators, dropped terms and approximations beyond those of the "
        "usual math functions do not. NaN and infinities must appear exactly where the reference has them.\n";
  if (whole) out += "Integer and boolean outputs must be equal.\n";
  return out;
}

}  // namespace ww::evidence
