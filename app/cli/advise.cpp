// SPDX-License-Identifier: Apache-2.0
// Shows the stored numbers of a candidate: its cost, the occupancy of its launches, advice.
#include <fmt/format.h>
#include "answer.h"
#include "commands.h"
#include "console.h"
#include "measure/meaning.h"
#include "output.h"

namespace ww::cli {
namespace {

Json cost_json(const measure::CandidateProfile& p) {
  Json groups = Json::array();
  for (const auto& [group, value] : p.cost) groups.push_back({{"group", enum_string(group)}, {"value", value}});
  return {{"provenance", "simulated"},
          {"total", number_json(p.cost_total)},
          {"unit", p.cost_unit},
          {"groups", groups},
          {"why_not", p.cost_why_not}};
}

Json launches_json(const measure::CandidateProfile& p) {
  Json list = Json::array();
  for (const measure::LaunchView& l : p.launches)
    list.push_back({{"kernel", l.kernel},
                    {"grid", l.grid},
                    {"block", l.block},
                    {"registers", l.shape.registers},
                    {"spill_bytes", l.spill_bytes},
                    {"occupancy", l.occupancy ? Json{{"provenance", "modelled"},
                                                     {"blocks", l.occupancy->blocks},
                                                     {"warps", l.occupancy->warps},
                                                     {"fraction", l.occupancy->fraction},
                                                     {"limiter", enum_string(l.occupancy->limiter)}}
                                              : Json(nullptr)},
                    {"why_not", l.why_not}});
  return list;
}

Json time_json(const std::optional<measure::TimeView>& t) {
  if (!t) return nullptr;
  return {{"provenance", "measured"},    {"median_us", number_json(t->median)},
          {"q1_us", number_json(t->q1)}, {"q3_us", number_json(t->q3)},
          {"samples", t->samples},       {"from", t->from}};
}

Json advice_json(const std::vector<profile::Advice>& list) {
  Json all = Json::array();
  for (const profile::Advice& a : list)
    all.push_back({{"id", a.id},
                   {"title", a.title},
                   {"evidence", a.evidence},
                   {"explanation", a.explanation},
                   {"line", a.line > 0 ? Json(a.line) : Json(nullptr)},
                   {"gain", a.gain > 0 ? Json(a.gain) : Json(nullptr)},
                   {"provenance", enum_string(a.provenance)}});
  return all;
}

std::string advised_text(const measure::CandidateProfile& p) {
  std::string out = fmt::format("Candidate {} on {}, {}, {}\n", safe(p.name), safe(p.device), safe(p.architecture),
                                safe(p.case_name));
  if (!p.cost.empty()) {
    out += fmt::format("\nCost (simulated): {:.0f} {}\n", p.cost_total, p.cost_unit);
    for (const auto& [group, value] : p.cost)
      out += fmt::format("  {:<24}{:>16.0f}  {:>3.0f} %\n", enum_name(group), value, 100 * value / p.cost_total);
  } else if (!p.cost_why_not.empty()) {
    out += "\nNo simulated cost: " + safe(p.cost_why_not) + '\n';
  }
  for (const auto& [cache, t] : {std::pair("cold", &p.cold), {"warm", &p.warm}})
    if (*t) out += fmt::format("Time (measured, {}): {:.4g} us, {}\n", cache, (*t)->median, safe((*t)->from));
  if (!p.launches.empty()) out += "\nLaunches (occupancy: modelled, at most)\n";
  for (const measure::LaunchView& l : p.launches)
    out += fmt::format("  {}: {} registers, {}\n", safe(l.kernel), l.shape.registers,
                       l.occupancy ? fmt::format("{} warps ({:.0f} %), limited by {}", l.occupancy->warps,
                                                 100 * l.occupancy->fraction, enum_string(l.occupancy->limiter))
                                   : "occupancy unknown: " + safe(l.why_not));
  if (p.advice.empty())
    return out + "\nNo advice: " + safe(p.advice_why_not.empty() ? "no rule applies" : p.advice_why_not) + '\n';
  return out + "\nAdvice\n" + safe_lines(profile::advice_text(p.advice, p.advice.size()));
}

}  // namespace

Result<Answer> advised(store::Workspace& workspace, const store::CandidateRecord& candidate) {
  measure::ProfileReader reader;
  const std::shared_ptr<const measure::CandidateProfile> p = WW_TRY(reader.read(workspace, candidate.id, nullptr));
  if (!p->problem.empty()) return fail(Code::unsupported, p->problem);
  const store::CandidateRecord& c = p->record;
  Json j = {{"candidate", {{"id", c.id}, {"hash", c.hash}}},
            {"run", c.run},
            {"device", p->device},
            {"architecture", p->architecture},
            {"case", p->case_name},
            {"metrics", c.verdict ? json::of(c.verdict->metrics) : Json(nullptr)},
            {"cost", cost_json(*p)},
            {"launches", launches_json(*p)},
            {"cold", time_json(p->cold)},
            {"warm", time_json(p->warm)},
            {"profile", json::of(measure::meaning_of(*p))},
            {"advice", advice_json(p->advice)},
            {"advice_why_not", p->advice_why_not}};
  return Answer{std::move(j), advised_text(*p)};
}

void add_advise(Commands& commands) {
  const auto candidate = std::make_shared<std::string>();
  CLI::App& app = commands.add(
      "advise", "interprets a candidate's numbers: cost, occupancy, advice",
      [candidate](const Common& common) -> Result<int> {
        const Result<std::unique_ptr<store::Workspace>> workspace = open_workspace(common, Access::read);
        if (!workspace) return failed(common, workspace.error(), Exit::environment);
        return print_answer(common, WW_TRY(advised(**workspace, WW_TRY((*workspace)->find_candidate(*candidate)))));
      });
  app.add_option("CANDIDATE", *candidate, a_stored)->required();
}

}  // namespace ww::cli
