// SPDX-License-Identifier: Apache-2.0
// `gate --explain`: what the gate checks, from resources/gate/explained.json, and what it would try a candidate on.
#include "gate_explain.h"
#include <algorithm>
#include <fmt/format.h>
#include "candidate/excluded.h"
#include "console.h"
#include "corpus/explained.h"
#include "corpus/self_test.h"
#include "evidence/explain.h"
#include "gate/case_plan.h"
#include "gate/distributions.h"
#include "gate/prepared.h"

namespace ww::cli {
namespace {

std::string paragraph(const std::string& title, const std::string& text) {
  return coloured(Colour::bold, safe(title)) + "\n  " + safe(text) + '\n';
}

// `tried`: the kinds of the kernels that --self-test judges.
std::string kind_text(const corpus::ExplainedKind& k, const std::vector<std::string>& tried) {
  std::string out = paragraph(k.name + ": " + k.cheat, "e.g. " + k.example);
  out += "  Countered by: " + safe(k.met_by) + '\n';
  if (std::ranges::count(tried, k.name) == 0) out += "  --self-test has no kernels of this kind\n";
  for (const corpus::Source& s : k.sources) out += "  See: " + safe(s.title) + ", " + safe(s.url) + '\n';
  return out;
}

Answer all_of(const corpus::Explained& all, const std::vector<std::string>& tried) {
  std::string out = "Stages, in this order; the first that fails ends the judgement\n\n";
  Json rows = Json::array();
  for (const corpus::ExplainedStage& s : all.stages) {
    out += paragraph(enum_string(s.stage), s.checks);
    rows.push_back({{"name", enum_name(s.stage)}, {"text", s.checks}});
  }
  out += "\nKinds of cheats, and what counters them\n\n";
  for (const corpus::ExplainedKind& k : all.kinds) {
    out += kind_text(k, tried);
    rows.push_back({{"name", k.name}, {"text", k.cheat + ": " + k.met_by}});
  }
  return {{{"stages", json::of(all.stages)}, {"kinds", json::of(all.kinds)}}, std::move(out), Exit::done, rows};
}

std::string drawn_text(const gate::CasePlan& plan) {
  std::string out;
  const auto add = [&](int count, const char* what) {
    if (count > 0) out += fmt::format("  up to {} {}\n", count, what);
  };
  add(plan.random, "of random sizes");
  add(plan.constants, "with other constants");
  add(plan.compared, "with a size that the candidate compares against");
  add(plan.planned, "that take another branch of its launch plan");
  return out.empty() ? out : "Drawn for each judgement\n" + out;
}

Result<Answer> tried(const CommandSubject& subject, const std::string& device, const std::vector<std::string>& set) {
  const op::Spec& spec = *subject.spec;
  const op::Binding binding = WW_TRY(gate::whole_binding(spec, WW_TRY(binding_of(spec, set))));
  std::optional<candidate::Candidate> parsed;
  candidate::Tuning tuning;
  if (subject.candidate) {
    parsed = WW_TRY(candidate::parse(subject.candidate->text, subject.candidate->language));
    tuning = candidate::first_tuning(*parsed);
  }
  const gate::CasePlan plan = WW_TRY(gate::case_plan(spec, binding, device));
  std::vector<std::vector<std::string>> rows;
  Json cases = Json::array();
  for (const gate::Case& c : plan.fixed) {
    const bool claimed = !parsed || candidate::claims(*parsed, spec, c.binding, tuning).value_or(false);
    rows.push_back({c.name, safe(evidence::binding_text(c.binding)), claimed ? "" : "not claimed"});
    cases.push_back({{"case", c.name}, {"binding", json::of(c.binding)}, {"claimed", claimed}});
  }
  std::string names;
  Json inputs = Json::array();
  for (const op::Distribution d : gate::distributions_for(spec, true, true)) {
    const std::string name(op::distribution_name(d));
    if (std::ranges::count(inputs, Json(name)) > 0) continue;
    names += (names.empty() ? "" : ", ") + name;
    inputs.push_back(name);
  }
  Json holes = Json::array();
  std::string not_claimed;
  for (const std::string& hole : parsed ? candidate::holes_of(*parsed) : std::vector<std::string>()) {
    holes.push_back(hole);
    not_claimed += "  " + safe(hole) + '\n';
  }
  std::string out = table({"Case", "Sizes", ""}, rows) + '\n' + drawn_text(plan) +
                    "Inputs, up to five sets a case\n  " + names + '\n';
  if (!not_claimed.empty()) out += "Holes in the claim\n" + not_claimed;
  return Answer{
      {{"op", spec.name}, {"cases", cases}, {"inputs", inputs}, {"holes", holes}}, std::move(out), Exit::done, cases};
}

}  // namespace

Result<Answer> explained(const std::string& what, const std::string& device, const std::vector<std::string>& set) {
  const corpus::Explained all = WW_TRY(corpus::Explained::load());
  const std::vector<std::string> tried_kinds = WW_TRY(corpus::kinds());
  if (what.empty()) return all_of(all, tried_kinds);
  if (const corpus::ExplainedStage* s = all.stage(what))
    return Answer{{{"stages", json::of(std::vector{*s})}, {"kinds", Json::array()}},
                  paragraph(enum_string(s->stage), s->checks),
                  Exit::done,
                  json::of(std::vector{*s})};
  if (const corpus::ExplainedKind* k = all.kind(what))
    return Answer{{{"stages", Json::array()}, {"kinds", json::of(std::vector{*k})}},
                  kind_text(*k, tried_kinds),
                  Exit::done,
                  json::of(std::vector{*k})};
  const CommandSubject subject = WW_TRY(resolve_subject(WW_TRY(op_library()), what));
  if (!subject.spec)
    return fail(
        Code::invalid_argument,
        "'" + what + "' is neither a stage, nor a kind of cheat, nor an op; 'gate --explain' lists stages and kinds");
  return tried(subject, device, set);
}

}  // namespace ww::cli
