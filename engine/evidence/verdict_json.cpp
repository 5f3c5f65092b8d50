// SPDX-License-Identifier: Apache-2.0
#include "evidence/verdict_json.h"
#include <algorithm>
#include "base/described_json.h"

namespace ww::evidence {
namespace {

using json::Json;

constexpr const char* no_verdict = "this is not a verdict in JSON";

// Version 1 had any word as a fault's kind, no reason for skipped stages, and no coverage.
void update_members(Json& j) {
  const Json::json_pointer kind("/failure/fault/kind");
  for (Json& stage : j["stages"]) {
    if (!stage.is_object()) continue;
    stage.erase("skipped");
    if (!stage.contains(kind) || !stage[kind].is_string()) continue;
    if (!enum_from_name<FaultKind>(stage[kind].get<std::string>())) stage[kind] = enum_name(FaultKind::unknown);
  }
  j["proof"] = json::of(Proof{});
}

// Version 2 had no stage that was not judged: such a one failed, by a fault that decides nothing.
void update_outcomes(Json& j) {
  const Json::json_pointer kind("/failure/fault/kind");
  for (Json& stage : j["stages"]) {
    if (!stage.is_object() || !stage.contains(kind) || !stage[kind].is_string()) continue;
    if (!stage.contains("outcome") || stage["outcome"] != enum_name(Outcome::failed)) continue;
    if (stage[kind] == "infinite loop") stage[kind] = enum_name(FaultKind::budget_exceeded);
    const auto known = enum_from_name<FaultKind>(stage[kind].get<std::string>());
    if (known && !decides(*known)) stage["outcome"] = enum_name(Outcome::not_judged);
  }
}

// Version 1 had the floor and the mark of an impossible time among the values, and what was known of both in words,
// among the conditions: "not known: …", "modelled: memory, at measured rates".
void read_old_floor(Metrics& m, const std::string& how, const std::string& why) {
  const auto take = [&](std::string_view name) -> std::optional<double> {
    const auto at = std::find_if(m.values.begin(), m.values.end(), [&](const auto& v) { return v.first == name; });
    if (at == m.values.end()) return {};
    const double value = at->second;
    m.values.erase(at);
    return value;
  };
  if (const auto us = take("floor_us")) {
    m.floor = Floor{*us};
    for (const profile::Limit limit : {profile::Limit::memory, profile::Limit::compute})
      if (how.starts_with("modelled: " + std::string(enum_name(limit)) + ",")) m.floor->limit = limit;
    if (how.ends_with("measured rates")) m.floor->rates = Floor::Rates::measured;
    if (how.ends_with("datasheet's rates")) m.floor->rates = Floor::Rates::datasheet;
  }
  if (constexpr std::string_view none = "not known: "; how.starts_with(none)) m.floor_why_not = how.substr(none.size());
  if (take("impossible").value_or(0) == 0) return;
  m.impossible = why.empty() ? "why was not stored" : why;
}

Result<Verdict> read_old(Json j, int version) {
  if (!j.contains("stages")) return fail(Code::corrupt, no_verdict, "the member 'stages' is missing");
  update_outcomes(j);
  if (version == 1) update_members(j);
  Verdict v = WW_TRY(json::read<Verdict>(j, no_verdict));
  if (version == 1 && v.metrics) {
    const auto condition = [&j](const char* name) {
      const Json::json_pointer at(std::string("/metrics/conditions/") + name);
      return j.contains(at) && j[at].is_string() ? j[at].get<std::string>() : std::string();
    };
    read_old_floor(*v.metrics, condition("floor"), condition("impossible"));
  }
  return v;
}

}  // namespace

std::string verdict_to_json(const Verdict& verdict, int indent) {
  return json::text_of(StoredVerdict{3, verdict}, indent);
}

Result<Verdict> verdict_of(const Json& j) {
  const auto version = j.find("version");
  for (const int old : {1, 2})
    if (version != j.end() && *version == old) return read_old(j, old);
  if (version != j.end() && version->is_number() && *version != 3)
    return fail(Code::corrupt, no_verdict, "it has version " + version->dump() + ", this build reads versions 1 to 3");
  return WW_TRY(json::read<StoredVerdict>(j, no_verdict)).verdict;
}

Result<Verdict> verdict_from_json(std::string_view text) {
  const Result<Json> j = json::parse(text);
  if (!j) return fail(Code::corrupt, no_verdict, j.error().message);
  return verdict_of(*j);
}

std::string binding_to_json(const op::Binding& binding) { return json::text_of(binding); }

std::string resources_to_json(const std::vector<compile::KernelResources>& resources) {
  return json::text_of(resources);
}
Result<std::vector<compile::KernelResources>> resources_from_json(std::string_view text) {
  return json::read_text<std::vector<compile::KernelResources>>(text,
                                                                "this is not a list of kernels' resources in JSON");
}

}  // namespace ww::evidence
